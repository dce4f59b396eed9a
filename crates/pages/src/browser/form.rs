//! A submitted form: from this service's own page, or rejected (`docs/security.md` 9).

use super::Visitor;
use actix_web::http::header::HeaderMap;
use actix_web::{HttpRequest, web};

/// Maximum number of bytes in a form.
const MAX_FORM_BYTES: usize = 64 * 1024;

/// Maximum number of fields of a form: the largest of ours has under a hundred.
const MAX_FIELDS: usize = 256;

/// The fields of a form, in their order.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

/// A form that is not taken.
#[derive(Debug, thiserror::Error)]
#[error("the form did not come from a page of this service")]
pub struct FormError;

impl Form {
    /// Reads a form which proves that it is ours, for this `purpose`.
    pub async fn read(
        request: &HttpRequest,
        payload: web::Payload,
        visitor: &Visitor,
        purpose: &str,
    ) -> Result<Self, FormError> {
        let proves = |form: &Self| visitor.is_form_token(purpose, form.value("token"));
        Self::read_if(request, payload, proves).await
    }

    /// Reads a form which, as `proves` finds, is ours.
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

    /// No more is decoded than counts: nobody has proved anything yet.
    fn decode(body: &[u8]) -> Option<Self> {
        let fields = form_urlencoded::parse(body).take(MAX_FIELDS + 1);
        let fields = fields.map(|(name, value)| (name.into_owned(), value.into_owned()));
        Some(Self(fields.collect())).filter(|form| form.0.len() <= MAX_FIELDS)
    }

    /// A form with what was typed before.
    #[must_use]
    pub const fn with(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// Its fields, without what proved that it was ours.
    #[must_use]
    pub fn form_values(&self) -> Vec<(String, String)> {
        self.0.iter().filter(|(name, _)| name != "token").cloned().collect()
    }

    /// A field's value; empty if it is not there.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.0.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// All values of a field.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// A browser says where a form comes from; one that does not say so is judged by the form's token alone.
fn is_ours(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    matches!(site, None | Some("same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    proptest! {
        /// What a browser submits is read as it was typed, in its order.
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

        /// A browser that says that another site has sent a form is believed, in whatever words.
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
