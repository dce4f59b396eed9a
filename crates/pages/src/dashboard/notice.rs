//! Flash messages: shown once, on the page after a form. They are encrypted with a key derived from the session's
//! token, which only the browser has, and deleted when shown (`docs/security.md` 23).

use crate::browser::{Form, TYPED, Visitor};
use actix_web::HttpRequest;
use domain::id::OrganizationId;
use http_layer::deps::Deps;
use http_layer::problem::Problem;
use persistence::records::FormKey;
use serde::{Deserialize, Serialize};
use service::forms;

/// The query parameter that names a notice with a secret, and the one that names any other.
const SECRET: &str = "secret";
const NOTICE: &str = "notice";

/// What came of a form.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Notice {
    /// What happened, as a heading.
    pub title: String,
    /// What the member should know.
    pub sentence: String,
    /// Values to be copied, which are shown this once.
    pub values: Vec<Value>,
}

/// A value with a copy button.
#[derive(Clone, Serialize, Deserialize)]
pub struct Value {
    /// What it is called.
    pub label: String,
    /// The id of the element that holds it.
    pub id: String,
    /// The value.
    pub text: String,
}

impl std::fmt::Debug for Value {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Value({}: …)", self.label)
    }
}

impl Notice {
    /// Without values.
    pub fn saying(title: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { title: title.into(), sentence: sentence.into(), values: Vec::new() }
    }

    /// With one more value.
    #[must_use]
    pub fn with(mut self, label: &str, id: &str, text: impl Into<String>) -> Self {
        let (label, id, text) = (label.to_owned(), id.to_owned(), text.into());
        self.values.push(Value { label, id, text });
        self
    }

    /// The address that shows this, of the page at `location`.
    pub fn address(&self, location: &str, id: &str) -> String {
        let parameter = if self.values.is_empty() { NOTICE } else { SECRET };
        let joint = if location.contains('?') { '&' } else { '?' };
        format!("{location}{joint}{parameter}={id}")
    }

    /// Keeps it for the page at `location`, and gives that page's address.
    pub async fn keep(
        &self,
        deps: &Deps,
        visitor: &Visitor,
        organization: OrganizationId,
        location: &str,
    ) -> Result<String, Problem> {
        let id = auth::digest::hex(&deps.entropy.bytes::<16>());
        let address = self.address(location, &id);
        let sealed = visitor.seal(deps, &id, self)?;
        let key = FormKey { organization, session: visitor.digest(), id };
        forms::keep(deps, key, address.clone(), sealed).await?;
        Ok(address)
    }

    /// Stands above a form with what was typed into it before.
    fn restored_input() -> Self {
        Self::saying(
            "You are signed in again",
            "Nothing was saved yet. What you typed is still in the form: check it and submit it again.",
        )
    }

    /// Stands where a secret was.
    fn already_shown() -> Self {
        Self::saying(
            "You can’t see this secret again",
            "It was shown once. If you did not copy it, create another one.",
        )
    }
}

/// What a request names: a notice, which is shown this once, and what was typed before signing in.
pub async fn take(
    request: &HttpRequest,
    deps: &Deps,
    visitor: &Visitor,
    organization: OrganizationId,
) -> Result<(Option<Notice>, Option<Form>), Problem> {
    #[expect(clippy::disallowed_methods, reason = "a query that cannot be read names no notice")]
    let query: Vec<(String, String)> =
        serde_urlencoded::from_str(request.query_string()).unwrap_or_default();
    let parameters = [SECRET, NOTICE, TYPED];
    let named = query.into_iter().find(|(name, _)| parameters.contains(&name.as_str()));
    let Some((name, id)) = named.filter(|(_, id)| is_id(id)) else { return Ok((None, None)) };
    let key = FormKey { organization, session: visitor.digest(), id: id.clone() };
    if name == TYPED {
        let form_values = forms::typed(deps, key).await?;
        let form_values = form_values.and_then(|sealed| visitor.open(&id, &sealed)).map(Form::with);
        return Ok((form_values.as_ref().map(|_| Notice::restored_input()), form_values));
    }
    let notice = forms::take(deps, key).await?;
    let notice = notice.and_then(|sealed| visitor.open(&id, &sealed));
    Ok((notice.or_else(|| (name == SECRET).then(Notice::already_shown)), None))
}

/// Whether a text is written as the id of a form: 128 bits in hex.
pub fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
