//! The headers of every response.

use crate::deps::ServerDeps;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY};
use config::Settings;

/// The value of `Strict-Transport-Security` (RFC 6797): one year. There is no `includeSubDomains`,
/// because other hosts of the domain may belong to somebody else.
const HTTPS_FOR_A_YEAR: &str = "max-age=31536000";

/// Adds the headers of every response.
pub fn add(headers: &mut HeaderMap, request_id: &str, deps: Option<&ServerDeps>) {
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(HeaderName::from_static("x-request-id"), value);
    }
    if deps.is_some_and(|deps| https_only(&deps.config)) {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_FOR_A_YEAR));
    }
}

/// Whether browsers are told to use https only (RFC 6797). The base URL has to be https, because
/// browsers ignore the header on other connections.
fn https_only(settings: &Settings) -> bool {
    settings.hsts && settings.base_url.starts_with("https:")
}
