//! `GET /connect/authorize`: parses and validates an application's request. The pages that follow
//! use only the validated values, never parameters of the original request
//! (`docs/contract.md#authorize`, `docs/security.md` 1, 10 and 14).

use super::Pending;
use crate::browser::{PageError, Visitor, message, redirect};
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use auth::authorize::AuthorizeParameters;
use auth::handshake::HandshakeFault;
use domain::application::RedirectUri;
use domain::time::{seconds_in_words, whole_seconds};
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};
use persistence::records::{Application, Consent, UnreadableRow};
use service::connect;
use service::handshake_log::record_faulty_request;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of bytes in a query. The longest redirect URI and state, with every byte
/// percent-encoded, need half of it.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// Maximum length of a redirect URI on the page that says that it is not registered.
const MAX_SHOWN_URI: usize = 300;

/// The bytes that no URL contains. On a page they are shown percent-encoded, like all bytes that are
/// not ASCII, so that a stranger's text can neither form a sentence nor change the direction of the
/// text around it.
const NOT_IN_A_URL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The reason why there is no redirect, not even with an error: the redirect URI is not known to be
/// the application's.
enum NoRedirect {
    TooLong,
    TooMany,
    Repeated,
    NoApplication,
}

/// Begins a handshake.
pub async fn begin(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let query = request.query_string();
    if query.len() > MAX_QUERY_BYTES {
        return Ok(stranger(&request, &NoRedirect::TooLong));
    }
    let visitor = Visitor::of(&request, &deps).await?;
    let address = caller(&request, &deps.config.trusted_proxies);
    if visitor.member.is_none()
        && let Err(wait) = deps.login_throttle.admit_handshake(address)
    {
        return Ok(too_many(&request, wait));
    }
    let parameters = AuthorizeParameters::new(pairs(query));
    let client_id = parameters.text("client_id").unwrap_or_default();
    let application = connect::application(&deps, client_id).await?;
    if let Some(fault) = parameters.fault() {
        if let Some(application) = &application {
            record_faulty_request(&deps, application.id, fault).await;
        }
        let why = match fault {
            HandshakeFault::TooManyParameters => &NoRedirect::TooMany,
            _ => &NoRedirect::Repeated,
        };
        return Ok(stranger(&request, why));
    }
    let Some(application) = application else {
        return Ok(stranger(&request, &NoRedirect::NoApplication));
    };
    let Some(redirect_uri) = registered(&application, &parameters)? else {
        record_faulty_request(&deps, application.id, HandshakeFault::RedirectNotRegistered).await;
        let sent = parameters.bytes("redirect_uri").unwrap_or_default();
        return Ok(unregistered(
            &request,
            sent,
            "The handshake log on that page has an entry for it.",
        ));
    };
    let pending = Pending::judge(&deps, &visitor, application, redirect_uri, &parameters)?;
    let to = if visitor.member.is_some() {
        pending.onwards(&deps, &visitor).await?
    } else {
        pending.sign_in_path(&deps)?
    };
    Ok(visitor.attach_session_cookie(redirect(&to)))
}

/// Returns the registered redirect URI that equals the decoded `redirect_uri` byte for byte.
fn registered(
    application: &Application,
    parameters: &AuthorizeParameters,
) -> Result<Option<RedirectUri>, UnreadableRow> {
    let wanted = parameters.bytes("redirect_uri");
    let mut registered = application.registered_redirect_uris()?.into_iter();
    Ok(registered.find(|address| Some(address.as_str().as_bytes()) == wanted))
}

/// Returns an error page if the request's redirect URI was removed from the application after the
/// request.
pub fn removed(
    request: &HttpRequest,
    application: &Application,
    consent: &Consent,
) -> Result<Option<HttpResponse>, UnreadableRow> {
    let registered = application.registered_redirect_uris()?.contains(&consent.redirect_uri);
    Ok((!registered).then(|| unregistered(request, consent.redirect_uri.as_str().as_bytes(), "")))
}

/// Returns the error page for a redirect URI that is not registered. It shows the URI as text and
/// never as a link. `log` says where the application's developer finds the attempt.
fn unregistered(request: &HttpRequest, sent: &[u8], log: &str) -> HttpResponse {
    let sent = if sent.is_empty() {
        "The request has no redirect_uri.".to_owned()
    } else {
        format!("The request has this redirect_uri: {}", shown_uri(sent))
    };
    let advice = format!(
        "If this is your app: register exactly the URL that it sends, in the dashboard under Developer apps, on \
         the page of the app, with Edit settings. {log}"
    );
    let sentences = [
        "This app’s redirect URI isn’t registered, so we stopped here.",
        sent.as_str(),
        advice.trim_end(),
    ];
    message(request, StatusCode::BAD_REQUEST, "The redirect URI does not match", &sentences)
}

/// Returns a redirect URI as ASCII text for a page, shortened if it is long.
fn shown_uri(sent: &[u8]) -> String {
    let mut shown = percent_encode(sent, NOT_IN_A_URL).to_string();
    if shown.len() > MAX_SHOWN_URI {
        shown.truncate(MAX_SHOWN_URI);
        shown.push('…');
    }
    shown
}

fn too_many(request: &HttpRequest, wait: Duration) -> HttpResponse {
    let seconds = whole_seconds(wait);
    let wait = seconds_in_words(seconds);
    let sentence = format!("Wait {wait}, then go back to the application and start again.");
    let sentences = ["Too many requests came from your network.", sentence.as_str()];
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut page = message(request, status, "Too many requests", &sentences);
    page.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    page
}

fn stranger(request: &HttpRequest, why: &NoRedirect) -> HttpResponse {
    let (title, sentences): (&str, [&str; 2]) = match why {
        NoRedirect::TooLong | NoRedirect::TooMany => (
            "This link is not valid",
            ["It is too long.", "Go back to the application and contact its developer."],
        ),
        NoRedirect::Repeated => (
            "This link is not valid",
            [
                "One of its parameters is repeated.",
                "Go back to the application and contact its developer.",
            ],
        ),
        NoRedirect::NoApplication => (
            "Application not found",
            [
                "The link that brought you here names an application that does not exist or was deleted.",
                "Go back to the application and contact its developer.",
            ],
        ),
    };
    message(request, StatusCode::BAD_REQUEST, title, &sentences)
}

/// Iterates over the parameters of a query. Each is percent-decoded once, into bytes, because they
/// may not be UTF-8. Decoding is lazy, so a parameter that is not read costs nothing.
fn pairs(query: &str) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let decoded = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode(spaced.as_bytes()).collect::<Vec<u8>>()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(move |(name, value)| (decoded(name), decoded(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    #[test]
    fn a_redirect_uri_is_shown_as_ascii_text_of_bounded_length() {
        for (sent, shown) in [
            ("https://a.example/b?c=%7E&d=1#e", "https://a.example/b?c=%7E&d=1#e"),
            ("a b\n<i>\"", "a%20b%0A%3Ci%3E%22"),
            ("https://a.example/\u{202e}é", "https://a.example/%E2%80%AE%C3%A9"),
        ] {
            assert_eq!(shown_uri(sent.as_bytes()), shown);
        }
        assert_eq!(shown_uri(b"\xff"), "%FF");
        assert_eq!(shown_uri(&[b'a'; MAX_SHOWN_URI]), "a".repeat(MAX_SHOWN_URI));
        let cut = shown_uri(&[b'a'; MAX_SHOWN_URI + 1]);
        assert_eq!(cut, format!("{}…", "a".repeat(MAX_SHOWN_URI)));
    }

    /// Writes a byte in one of the forms that an application may use: percent-encoded with upper-case
    /// or lower-case digits, or unencoded where that has the same meaning.
    fn escaped(byte: u8, how: u8) -> String {
        let mut out = String::new();
        let plain = byte.is_ascii_alphanumeric() || b"-._~:/?@!$'()*,;".contains(&byte);
        let written = match how % 3 {
            0 if plain => write!(out, "{}", char::from(byte)),
            1 if byte == b' ' => write!(out, "+"),
            2 => write!(out, "%{byte:02x}"),
            _ => write!(out, "%{byte:02X}"),
        };
        written.expect("a String takes everything");
        out
    }

    proptest! {
        /// Each parameter is decoded exactly once, in whichever form it was encoded.
        #[test]
        fn a_parameter_is_decoded_once(
            wanted in prop::collection::vec(
                (prop::collection::vec(any::<u8>(), 1..8), prop::collection::vec(any::<u8>(), 0..20)),
                0..6,
            ),
            how in prop::collection::vec(any::<u8>(), 1..9),
        ) {
            let mut how = how.iter().cycle();
            let mut written = |bytes: &[u8]| -> String {
                bytes.iter().map(|byte| escaped(*byte, *how.next().expect("it goes on"))).collect()
            };
            let query: Vec<String> = wanted
                .iter()
                .map(|(name, value)| format!("{}={}", written(name), written(value)))
                .collect();
            prop_assert_eq!(pairs(&query.join("&")).collect::<Vec<_>>(), wanted);
        }

        /// A decoded parameter is not longer than the query, and a query that repeats a name is
        /// rejected.
        #[test]
        fn whatever_is_asked_is_read_or_refused(query in "((state|scope|x)?=?[ -~]{0,6}&?){0,40}|\\PC{0,60}") {
            let read: Vec<_> = pairs(&query).collect();
            prop_assert!(read.iter().all(|(name, value)| name.len() + value.len() <= query.len()));
            let parameters = AuthorizeParameters::new(read.clone());
            let mut names: Vec<_> = read.iter().map(|(name, _)| name.clone()).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            if names.len() < all {
                prop_assert!(parameters.fault().is_some());
            }
            for (name, value) in &read {
                let Ok(name) = std::str::from_utf8(name) else { continue };
                if parameters.fault().is_none() {
                    prop_assert_eq!(parameters.bytes(name), Some(value.as_slice()));
                }
            }
        }
    }
}
