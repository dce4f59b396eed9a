//! The headers of every answer.

use crate::deps::Deps;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY};
use config::Settings;

/// RFC 6797. No `includeSubDomains`: other hosts of the domain are not ours to decide about.
const HTTPS_FOR_A_YEAR: &str = "max-age=31536000";

/// Adds the headers of every answer.
pub fn add(headers: &mut HeaderMap, request_id: &str, deps: Option<&Deps>) {
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(HeaderName::from_static("x-request-id"), value);
    }
    if deps.is_some_and(|deps| https_only(&deps.settings)) {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_FOR_A_YEAR));
    }
}

/// Whether browsers are to use https only (RFC 6797): only where people come by
/// https, for the header is void on any other connection.
fn https_only(settings: &Settings) -> bool {
    settings.hsts && settings.base_url.starts_with("https:")
}
