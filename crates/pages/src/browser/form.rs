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
        // No more is decoded than counts: nobody has proved anything yet.
        let fields = form_urlencoded::parse(&body).take(MAX_FIELDS + 1);
        let fields = fields.map(|(name, value)| (name.into_owned(), value.into_owned()));
        let form = Self(fields.collect());
        if form.0.len() > MAX_FIELDS {
            return Err(FormError);
        }
        if proves(&form) { Ok(form) } else { Err(FormError) }
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
