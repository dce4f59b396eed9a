//! A page that asks before something is done that cannot be undone, or that others feel.

use super::frame::Frame;
use askama::Template;

/// The page.
#[derive(Template)]
#[template(path = "integrations/confirm.html")]
pub struct Confirm {
    /// What stands around it.
    pub frame: Frame,
    /// What its form proves.
    pub token: String,
    /// The question.
    pub title: String,
    /// What would happen.
    pub sentence: String,
    /// Where the form goes.
    pub action: String,
    /// What the form says.
    pub value: &'static str,
    /// The word on the button.
    pub button: &'static str,
    /// Whether what would happen cannot be undone.
    pub grave: bool,
    /// What can be done besides: the name of a box, and what stands beside it.
    pub choice: Option<(&'static str, String)>,
    /// Where to go instead.
    pub back: String,
}
