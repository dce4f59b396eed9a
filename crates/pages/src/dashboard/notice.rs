//! Flash messages: notices that the page after a form shows once. They are encrypted with a key
//! derived from the session's token, which only the browser has. They are deleted when they are
//! shown (`docs/security.md` 23).

use super::query::Query;
use crate::browser::{Form, TYPED, Visitor};
use crate::icons::{Icon, icon};
use actix_web::HttpRequest;
use domain::id::OrganizationId;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::FormKey;
use serde::{Deserialize, Serialize};
use service::forms;

/// Query parameters with the id of a notice: one with a secret, and any other.
const SECRET: &str = "secret";
const NOTICE: &str = "notice";

/// The result of a form.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Notice {
    pub title: String,
    pub sentence: String,
    #[serde(default)]
    pub kind: NoticeKind,
    /// Values to copy, such as a secret.
    pub values: Vec<CopyValue>,
}

/// The color and the icon of a notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeKind {
    #[default]
    Success,
    Warning,
    Failure,
}

impl NoticeKind {
    /// Returns the CSS class of the color.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Success => "ok",
            Self::Warning => "warn",
            Self::Failure => "bad",
        }
    }

    pub fn icon(self) -> Icon {
        icon(match self {
            Self::Success => "circle-check",
            Self::Warning => "triangle-alert",
            Self::Failure => "circle-x",
        })
    }
}

/// A value with a copy button.
#[derive(Clone, Serialize, Deserialize)]
pub struct CopyValue {
    pub label: String,
    /// The id of the HTML element with the value.
    pub id: String,
    pub text: String,
}

impl CopyValue {
    /// Whether the text has several lines, such as those of a `.env` file.
    pub fn is_lines(&self) -> bool {
        self.text.contains('\n')
    }
}

impl std::fmt::Debug for CopyValue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Value({}: …)", self.label)
    }
}

impl Notice {
    /// Creates a notice of a success, without values.
    pub fn saying(title: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            sentence: sentence.into(),
            kind: NoticeKind::Success,
            values: Vec::new(),
        }
    }

    /// Shows the notice as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { kind: NoticeKind::Warning, ..self }
    }

    /// Shows the notice as a failure.
    #[must_use]
    pub fn failure(self) -> Self {
        Self { kind: NoticeKind::Failure, ..self }
    }

    /// Adds a value to copy.
    #[must_use]
    pub fn with(mut self, label: &str, id: &str, text: impl Into<String>) -> Self {
        let (label, id, text) = (label.to_owned(), id.to_owned(), text.into());
        self.values.push(CopyValue { label, id, text });
        self
    }

    /// Returns the value of the element with this id.
    pub fn value(&self, id: &str) -> Option<&str> {
        self.values.iter().find(|it| it.id == id).map(|it| it.text.as_str())
    }

    /// Returns the URL that shows this notice on the page at `location`.
    pub fn address(&self, location: &str, id: &str) -> String {
        let parameter = if self.values.is_empty() { NOTICE } else { SECRET };
        let joint = if location.contains('?') { '&' } else { '?' };
        format!("{location}{joint}{parameter}={id}")
    }

    /// Stores the notice for the page at `location` and returns the URL that shows it.
    pub async fn keep(
        &self,
        deps: &ServerDeps,
        visitor: &Visitor,
        organization: OrganizationId,
        location: &str,
    ) -> Result<String, Problem> {
        let id = auth::digest::hex(&deps.entropy.bytes::<16>());
        let address = self.address(location, &id);
        let sealed = visitor.seal(deps, &id, self)?;
        let key = FormKey { organization, session: visitor.digest(), id };
        forms::save_result(deps, key, address.clone(), sealed).await?;
        Ok(address)
    }

    /// The notice above a form with restored input.
    fn restored_input() -> Self {
        Self::saying(
            "You are signed in again",
            "Nothing was saved yet. What you typed is still in the form: check it and submit it again.",
        )
    }

    /// The notice in place of a secret that was already shown.
    fn already_shown() -> Self {
        Self::saying(
            "You can’t see this secret again",
            "It was shown once. If you did not copy it, create another one.",
        )
        .warning()
    }
}

/// Returns the notice that a request names, and deletes it. If the request names form input that
/// was submitted before sign-in, returns the input and a notice about it.
pub async fn take(
    request: &HttpRequest,
    deps: &ServerDeps,
    visitor: &Visitor,
    organization: OrganizationId,
) -> Result<(Option<Notice>, Option<Form>), Problem> {
    let query = Query::of(request);
    let named = query.first([SECRET, NOTICE, TYPED]).filter(|(_, id)| is_id(id));
    let Some((name, id)) = named else { return Ok((None, None)) };
    let key = FormKey { organization, session: visitor.digest(), id: id.to_owned() };
    if name == TYPED {
        let form_values = forms::typed(deps, key).await?;
        let form_values = form_values.and_then(|sealed| visitor.open(id, &sealed)).map(Form::with);
        return Ok((form_values.as_ref().map(|_| Notice::restored_input()), form_values));
    }
    let notice = forms::consume_notice(deps, key).await?;
    let notice = notice.and_then(|sealed| visitor.open(id, &sealed));
    Ok((notice.or_else(|| (name == SECRET).then(Notice::already_shown)), None))
}

/// Whether a text has the form of a form id: 128 bits in hex.
pub fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
