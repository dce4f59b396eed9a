//! The page to return to after signing in, with the submitted form. It is encrypted and carried by the browser:
//! nothing is stored without a session, and no request can name an address that was not sealed here (`docs/security.md` 14).

use super::{Form, PageError, SIGN_IN, SignInRequired, Visitor};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::OrganizationId;
use http_layer::deps::Deps;
use http_layer::problem::Problem;
use persistence::records::FormKey;
use serde::{Deserialize, Serialize};
use service::forms;

/// What it is sealed for.
const PURPOSE: &str = "return to";
/// The longest address that is come back to, in bytes.
const MAX_RETURN_TO_BYTES: usize = 1024;
/// The field that says where a form was submitted: a page may hold several.
pub const SUBMITTED_TO: &str = "submitted to";
/// The query parameter that names what was typed.
pub const TYPED: &str = "typed";

/// A page, and what was typed there.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReturnTo {
    /// Its path and query.
    page: String,
    /// The fields of a form that was submitted after the session had ended; none for a page.
    form_values: Vec<(String, String)>,
}

impl ReturnTo {
    /// To a page of this server, by its path and query.
    #[must_use]
    pub fn page(page: &str) -> Self {
        let page = if page.len() > MAX_RETURN_TO_BYTES { "/" } else { page };
        Self { page: page.to_owned(), form_values: Vec::new() }
    }

    /// To a page with what was typed into a form of it, which was submitted to this path.
    #[must_use]
    pub fn form(page: &str, form: &Form, path: &str) -> Self {
        let mut form_values = form.form_values();
        form_values.push((SUBMITTED_TO.to_owned(), path.to_owned()));
        Self { form_values, ..Self::page(page) }
    }

    /// Sealed for a browser that has not signed in.
    pub fn sealed(&self, deps: &Deps, visitor: &Visitor) -> Result<String, Problem> {
        Ok(URL_SAFE_NO_PAD.encode(visitor.seal(deps, PURPOSE, self)?))
    }

    /// Opens what a browser carries; nothing if it was not sealed for this browser.
    #[must_use]
    pub fn open(visitor: &Visitor, sealed: &str) -> Option<Self> {
        visitor.open(PURPOSE, &URL_SAFE_NO_PAD.decode(sealed).ok()?)
    }

    /// The address for a member who has signed in and works for this organization: what was typed waits
    /// there, sealed for their session.
    pub async fn address(
        &self,
        deps: &Deps,
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
        forms::keep(deps, key, address.clone(), sealed).await?;
        Ok(address)
    }
}

impl Visitor {
    /// Has the browser sign in before it goes on, and come back.
    pub fn sign_in_first(
        &self,
        deps: &Deps,
        to: &ReturnTo,
        with_form: bool,
    ) -> Result<PageError, Problem> {
        let sealed = to.sealed(deps, self)?;
        let form_token = with_form.then(|| self.form_token(SIGN_IN));
        let cookie = self.cookie_to_set();
        Ok(PageError::SignIn(Box::new(SignInRequired { sealed, form_token, cookie })))
    }
}
