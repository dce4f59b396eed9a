//! The page to return to after signing in, with the form that was submitted there. The browser
//! carries both, encrypted: the server stores nothing without a session, and a request cannot name
//! a URL that this service did not encrypt (`docs/security.md` 14).

use super::{Form, PageError, SIGN_IN, SignInRequired, Visitor};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::OrganizationId;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::FormKey;
use serde::{Deserialize, Serialize};
use service::forms;

/// The purpose that the value is encrypted for.
const PURPOSE: &str = "return to";
/// Maximum number of bytes in a path and query to return to. A longer one becomes `/`.
const MAX_RETURN_TO_BYTES: usize = 1024;
/// The field with the path that a form was submitted to, because a page may have several forms.
pub const SUBMITTED_TO: &str = "submitted to";
/// The query parameter with the id of the stored form input.
pub const TYPED: &str = "typed";

/// The page to return to, with the input of its form.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReturnTo {
    /// The path and query of the page.
    page: String,
    /// The fields of a form that was submitted after the session had ended. Empty if no form was
    /// submitted.
    form_values: Vec<(String, String)>,
}

impl ReturnTo {
    /// Creates the value for a page, given its path and query.
    #[must_use]
    pub fn page(page: &str) -> Self {
        let page = if page.len() > MAX_RETURN_TO_BYTES { "/" } else { page };
        Self { page: page.to_owned(), form_values: Vec::new() }
    }

    /// Creates the value for a page with the input of its form. The form was submitted to `path`.
    #[must_use]
    pub fn form(page: &str, form: &Form, path: &str) -> Self {
        let mut form_values = form.form_values();
        form_values.push((SUBMITTED_TO.to_owned(), path.to_owned()));
        Self { form_values, ..Self::page(page) }
    }

    /// Encrypts the page to return to, for a browser that is not signed in.
    pub fn sealed(&self, deps: &ServerDeps, visitor: &Visitor) -> Result<String, Problem> {
        Ok(URL_SAFE_NO_PAD.encode(visitor.seal(deps, PURPOSE, self)?))
    }

    /// Decrypts a value. Returns `None` if it was not encrypted for this browser.
    #[must_use]
    pub fn open(visitor: &Visitor, sealed: &str) -> Option<Self> {
        visitor.open(PURPOSE, &URL_SAFE_NO_PAD.decode(sealed).ok()?)
    }

    /// Returns the URL to return to, for a member who has signed in and works for this
    /// organization. Stores the form input, encrypted for the member's session, so that the page at
    /// this URL shows it.
    pub async fn address(
        &self,
        deps: &ServerDeps,
        visitor: &Visitor,
        organization: Option<OrganizationId>,
    ) -> Result<String, Problem> {
        let (false, Some(organization)) = (self.form_values.is_empty(), organization) else {
            return Ok(self.page.clone());
        };
        let id = auth::digest::hex(&deps.entropy.bytes::<16>());
        let sealed = visitor.seal(deps, &id, &self.form_values)?;
        let address = format!("{}?{TYPED}={id}", self.page);
        let key = FormKey { organization, session: visitor.digest(), id };
        forms::save_result(deps, key, address.clone(), sealed).await?;
        Ok(address)
    }
}

impl Visitor {
    /// Returns the error that sends the browser to sign-in and then to `to`. If there is a form,
    /// the encrypted value is posted instead of being part of the URL.
    pub fn sign_in_first(
        &self,
        deps: &ServerDeps,
        to: &ReturnTo,
        with_form: bool,
    ) -> Result<PageError, Problem> {
        let sealed = to.sealed(deps, self)?;
        let form_token = with_form.then(|| self.form_token(SIGN_IN));
        let cookie = self.cookie_to_set();
        Ok(PageError::SignIn(Box::new(SignInRequired { sealed, form_token, cookie })))
    }
}
