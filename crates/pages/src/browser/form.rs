//! Submitted forms. A form that was not submitted on a page of this service is rejected
//! (`docs/security.md` 9).

use super::{PageError, Visitor};
use actix_web::http::header::HeaderMap;
use actix_web::{HttpRequest, web};

/// Maximum number of bytes in a form. The instructions of an AI agent have up to 64 KiB, and a
/// browser may encode each byte as three.
pub(super) const MAX_FORM_BYTES: usize = 512 * 1024;

/// Maximum number of fields in a form. Our largest form has fewer than 100.
pub(super) const MAX_FIELDS: usize = 256;

/// The fields of a form, in order.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

/// A form was rejected.
#[derive(Debug, thiserror::Error)]
#[error("the form did not come from a page of this service")]
pub struct FormError;

impl Form {
    /// Reads a form. Its CSRF token must be valid for this visitor and `purpose`.
    pub async fn read(
        request: &HttpRequest,
        payload: web::Payload,
        visitor: &Visitor,
        purpose: &str,
    ) -> Result<Self, FormError> {
        let proves = |form: &Self| visitor.is_form_token(purpose, form.value("token"));
        Self::read_if(request, payload, proves).await
    }

    /// Reads a form for which `proves` returns true, because it was submitted on our page.
    ///
    /// # Errors
    ///
    /// If another site sent the form, the body cannot be read, the form is too large, or `proves`
    /// returns false.
    pub async fn read_if(
        request: &HttpRequest,
        payload: web::Payload,
        proves: impl FnOnce(&Self) -> bool,
    ) -> Result<Self, FormError> {
        if !is_ours(request.headers()) {
            return Err(FormError);
        }
        let Ok(Ok(body)) = payload.to_bytes_limited(MAX_FORM_BYTES).await else {
            return Err(FormError);
        };
        Self::decode(&body).filter(proves).ok_or(FormError)
    }

    fn decode(body: &[u8]) -> Option<Self> {
        Some(Self(decode_form(body, MAX_FIELDS))).filter(|form| form.0.len() <= MAX_FIELDS)
    }

    /// Creates a form from values that were submitted earlier.
    #[must_use]
    pub const fn with(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// Returns all fields, in order.
    #[must_use]
    pub fn into_fields(self) -> Vec<(String, String)> {
        self.0
    }

    /// Returns all fields except the CSRF token.
    #[must_use]
    pub fn form_values(&self) -> Vec<(String, String)> {
        self.0.iter().filter(|(name, _)| name != "token").cloned().collect()
    }

    /// Returns the first value of a field, or an empty string.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.0.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// Checks the action of a form that has only one.
    ///
    /// # Errors
    ///
    /// [`PageError::UnknownAction`] if the form names another action or none.
    pub fn check_action(&self, only: &str) -> Result<(), PageError> {
        if self.value("action") == only { Ok(()) } else { Err(PageError::UnknownAction) }
    }

    /// Returns the text that somebody typed into a field, without NUL characters. PostgreSQL cannot
    /// store them, and they cannot be typed on a keyboard.
    #[must_use]
    pub fn typed(&self, name: &str) -> String {
        self.value(name).replace('\0', "")
    }

    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// Decodes the names and values of a form, in order. Decodes at most one field more than allowed,
/// because the sender is not authenticated yet.
pub fn decode_form(body: &[u8], max_fields: usize) -> Vec<(String, String)> {
    let fields = form_urlencoded::parse(body).take(max_fields + 1);
    fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Whether the `Sec-Fetch-Site` header allows the form. Without the header, only the CSRF token
/// decides whether the form is accepted.
pub(super) fn is_ours(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    matches!(site, None | Some("same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    proptest! {
        /// Fields are read unchanged and in order.
        #[test]
        fn a_form_is_read_as_it_was_typed(
            fields in prop::collection::vec(("[a-z_ ]{0,8}|\\PC{0,4}", "(\\PC|\n|\0){0,20}"), 0..MAX_FIELDS + 40),
        ) {
            let mut body = form_urlencoded::Serializer::new(String::new());
            body.extend_pairs(&fields);
            let read = Form::decode(body.finish().as_bytes());
            if fields.len() > MAX_FIELDS {
                prop_assert!(read.is_none());
                return Ok(());
            }
            let read = read.expect("it is a form");
            prop_assert_eq!(&read.0, &fields);
            prop_assert!(read.form_values().iter().all(|(name, _)| name != "token"));
            for (name, value) in &fields {
                prop_assert!(read.values(name).any(|it| it == value));
                let (_, first) = fields.iter().find(|it| it.0 == *name).expect("it is there");
                prop_assert_eq!(read.value(name), first);
            }
        }

        #[test]
        fn whatever_is_submitted_is_read_or_refused(body: Vec<u8>, text in "([a-z%&=+;]|%[0-9a-fA-F]{2}|&){0,700}") {
            for body in [body.as_slice(), text.as_bytes()] {
                let most = body.split(|it| *it == b'&').filter(|it| !it.is_empty()).count();
                let read = Form::decode(body).map(|it| it.0.len());
                prop_assert_eq!(read, Some(most).filter(|it| *it <= MAX_FIELDS));
            }
        }

        /// A form is rejected if `Sec-Fetch-Site` has any value but `same-origin` and `none`.
        #[test]
        fn what_another_site_sent_is_not_ours(site in "cross-site|same-site|same-origin|none|[ -~]{0,12}") {
            let mut headers = HeaderMap::new();
            prop_assert!(is_ours(&headers));
            let value = HeaderValue::from_str(&site).expect("a value");
            headers.insert(HeaderName::from_static("sec-fetch-site"), value);
            prop_assert_eq!(is_ours(&headers), site == "same-origin" || site == "none");
        }
    }
}
