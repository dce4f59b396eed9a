//! The page that asks for confirmation of an action that cannot be undone or that affects others.

use super::frame::Frame;
use askama::Template;

#[derive(Template)]
#[template(path = "integrations/confirm.html")]
pub struct Confirm {
    pub frame: Frame,
    /// The CSRF token of the form.
    pub token: String,
    pub title: String,
    /// A sentence on the effect of the action.
    pub sentence: String,
    /// The path that the form is submitted to.
    pub action: String,
    /// The value of the field `action`.
    pub value: &'static str,
    pub button: &'static str,
    /// Whether the button is shown as dangerous.
    pub grave: bool,
    /// Name and label of an optional checkbox.
    pub choice: Option<(&'static str, String)>,
    /// The path that "Cancel" leads to.
    pub back: String,
}
