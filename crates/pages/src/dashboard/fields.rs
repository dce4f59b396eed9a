//! Names and maximum lengths of form fields that several forms of the dashboard share. The types of
//! `domain` validate the values, and their errors are shown beside the fields.

use crate::browser::Form;
use domain::application::MAX_DESCRIPTION_LENGTH;
use domain::media::MAX_URL_LENGTH;
use domain::name::MAX_NAME_LENGTH;

/// A field with one line of text.
#[derive(Clone, Copy, Debug)]
pub struct TextField {
    /// The name of the field, and the id of its control.
    pub name: &'static str,
    /// Maximum number of characters.
    pub max_length: usize,
}

/// The field with the name of a key or an application.
pub const NAME: TextField = TextField { name: "name", max_length: MAX_NAME_LENGTH };
/// The field with the description of an application or a webhook endpoint.
pub const DESCRIPTION: TextField =
    TextField { name: "description", max_length: MAX_DESCRIPTION_LENGTH };
/// The field with the URL of an application's page where a handshake begins.
pub const START_URL: TextField = TextField { name: "start_url", max_length: MAX_URL_LENGTH };
/// The field with the URL of a webhook endpoint.
pub const URL: TextField = TextField { name: "url", max_length: MAX_URL_LENGTH };

/// The redirect URIs of an application, one per line.
pub const REDIRECT_URIS: &str = "redirect_uris";
/// The permissions of a key, or those that an application may request.
pub const SCOPE: &str = "scope";
/// The number that a key is bound to.
pub const ACCOUNT: &str = "account";
/// The rate limit of a key, in calls per minute.
pub const RATE_LIMIT: &str = "rate_limit";
/// The messages per month that a connection may send.
pub const MESSAGES_PER_MONTH: &str = "messages_per_month";
/// The last day on which the key of a connection works.
pub const LAST_DAY: &str = "last_day";
/// The events that a webhook endpoint receives.
pub const EVENTS: &str = "events";

impl TextField {
    /// Returns the value of this field in a form.
    pub fn of<'a>(&self, form: &'a Form) -> &'a str {
        form.value(self.name)
    }
}
