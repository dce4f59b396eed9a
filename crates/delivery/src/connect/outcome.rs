//! How the application learns the outcome: by the popup's relay page, or by going to its address. Exactly
//! one of them (`contract.md` 3, `security.md` 7 and the popup).

use crate::browser::{Alone, redirect};
use crate::wire::UNRESERVED;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use domain::application::{RedirectUri, origin};
use percent_encoding::percent_encode;
use persistence::rows::Consent;
use serde_json::json;

/// What became of a handshake.
pub enum Outcome {
    /// The member allowed it.
    Code(String),
    /// Something in the way, in the word of RFC 6749.
    Error(String),
}

/// The relay page.
#[derive(Template)]
#[template(path = "connect/relay.html")]
struct Relay<'a> {
    application: &'a str,
    target: &'a str,
    data: String,
}

/// Sends the browser on.
pub fn send_on(consent: &Consent, application: &str, outcome: &Outcome) -> HttpResponse {
    let query = query(consent, outcome);
    let target = target(&consent.redirect_uri, &query);
    if !consent.popup {
        return redirect(&target);
    }
    let opener = RedirectUri::parse(&consent.redirect_uri).map(|address| origin(&address));
    let (code, error) = match outcome {
        Outcome::Code(code) => (Some(code), None),
        Outcome::Error(error) => (None, Some(error)),
    };
    let state = String::from_utf8_lossy(&consent.state);
    let result =
        json!({"type": "result", "code": code, "state": state, "error": error, "query": query});
    let data = json!({"origin": opener.unwrap_or_default(), "target": target, "result": result});
    // Within a script element only `<` could end it.
    let data = data.to_string().replace('<', "\\u003c");
    Alone::Relay.page(StatusCode::OK, &Relay { application, target: &target, data })
}

fn query(consent: &Consent, outcome: &Outcome) -> String {
    let (name, value) = match outcome {
        Outcome::Code(code) => ("code", code),
        Outcome::Error(error) => ("error", error),
    };
    let value = percent_encode(value.as_bytes(), UNRESERVED);
    if consent.state.is_empty() {
        return format!("{name}={value}");
    }
    format!("{name}={value}&state={}", percent_encode(&consent.state, UNRESERVED))
}

/// Appended as text: parsing the address and writing it anew would change it.
fn target(redirect_uri: &str, query: &str) -> String {
    let joint = match redirect_uri.split_once('?') {
        None => "?",
        Some((_, rest)) if rest.is_empty() || rest.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{redirect_uri}{joint}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_appended_as_text() {
        assert_eq!(target("https://a.b/c", "code=x"), "https://a.b/c?code=x");
        assert_eq!(target("https://a.b/c?d=%7E", "code=x"), "https://a.b/c?d=%7E&code=x");
        assert_eq!(target("https://a.b/c?", "code=x"), "https://a.b/c?code=x");
    }
}
