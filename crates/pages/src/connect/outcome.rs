//! Sends the outcome of a handshake to the application: through the popup's relay page, or by a
//! redirect to its redirect URI, never both (`docs/contract.md#popup`, `docs/security.md` 7).

use crate::browser::{PagePolicy, redirect};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_types::UNRESERVED;
use askama::Template;
use auth::handshake::HandshakeFault;
use domain::application::origin;
use percent_encoding::percent_encode;
use persistence::records::Consent;
use serde_json::json;

/// Error codes of RFC 6749 section 4.1.2.1.
const ACCESS_DENIED: &str = "access_denied";
const INVALID_REQUEST: &str = "invalid_request";

/// The outcome of a handshake.
pub enum HandshakeOutcome {
    /// The member allowed the connection. Contains the authorization code.
    Code(String),
    /// The member did not allow the connection.
    Denied,
    /// The request was invalid. Contains the `error_description`.
    Faulty(HandshakeFault, String),
}

/// The `error_description` if the member did not allow the connection.
const DENIED: &str = "The member did not allow the connection.";

impl HandshakeOutcome {
    /// Returns the parameters of the redirect except `state` and `iss`, in the order of
    /// `docs/contract.md#popup`.
    fn parameters(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Code(code) => vec![("code", code)],
            Self::Denied => vec![("error", ACCESS_DENIED), ("error_description", DENIED)],
            Self::Faulty(fault, description) => vec![
                ("error", fault.error().unwrap_or(INVALID_REQUEST)),
                ("error_description", description.as_str()),
            ],
        }
    }
}

#[derive(Template)]
#[template(path = "connect/relay.html")]
struct Relay<'a> {
    application: &'a str,
    target: &'a str,
    data: String,
}

/// Redirects the browser to the redirect URI, or returns the relay page in the popup. `issuer` is
/// the base URL (RFC 9207).
pub fn send_on(
    issuer: &str,
    consent: &Consent,
    application: &str,
    outcome: &HandshakeOutcome,
) -> HttpResponse {
    let query = query(issuer, consent, outcome);
    let target = target(consent.redirect_uri.as_str(), &query);
    if !consent.popup {
        return redirect(&target);
    }
    let parameters = outcome.parameters();
    let of = |name: &str| parameters.iter().find(|(it, _)| *it == name).map(|(_, value)| *value);
    let result = json!({
        "type": "result",
        "code": of("code"),
        "state": String::from_utf8_lossy(&consent.state),
        "error": of("error"),
        "error_description": of("error_description"),
        "iss": issuer,
        "query": query,
    });
    let data = json!({"origin": origin(&consent.redirect_uri), "target": target, "result": result});
    // Only `<` could end the script element that contains this JSON.
    let data = data.to_string().replace('<', "\\u003c");
    PagePolicy::Relay.page(StatusCode::OK, &Relay { application, target: &target, data })
}

fn query(issuer: &str, consent: &Consent, outcome: &HandshakeOutcome) -> String {
    let parameters = outcome.parameters();
    let mut pairs: Vec<(&str, &[u8])> =
        parameters.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
    if !consent.state.is_empty() {
        pairs.push(("state", &consent.state));
    }
    pairs.push(("iss", issuer.as_bytes()));
    let encoded =
        pairs.iter().map(|(name, value)| format!("{name}={}", percent_encode(value, UNRESERVED)));
    encoded.collect::<Vec<_>>().join("&")
}

/// Appends the query as text, because parsing the URI and writing it again could change it.
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
