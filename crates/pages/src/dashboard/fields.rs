//! The fields that several forms of the dashboard have: the name that each is sent under, and the most characters that
//! it takes. What a field may hold beyond that is judged by the types of `domain`, whose errors are shown beside it.

use crate::browser::Form;
use domain::application::MAX_DESCRIPTION_LENGTH;
use domain::media::MAX_URL_LENGTH;
use domain::name::MAX_NAME_LENGTH;

/// A field for a line of text.
#[derive(Clone, Copy, Debug)]
pub struct TextField {
    /// The name that it is sent under, which is the id of its control too.
    pub name: &'static str,
    /// Maximum number of characters.
    pub max_length: usize,
}

/// The name of a key or of an application.
pub const NAME: TextField = TextField { name: "name", max_length: MAX_NAME_LENGTH };
/// The description of an application or of an endpoint.
pub const DESCRIPTION: TextField =
    TextField { name: "description", max_length: MAX_DESCRIPTION_LENGTH };
/// The page of an application that begins a handshake.
pub const START_URL: TextField = TextField { name: "start_url", max_length: MAX_URL_LENGTH };
/// Where the events of an endpoint are sent.
pub const URL: TextField = TextField { name: "url", max_length: MAX_URL_LENGTH };

/// The redirect URIs of an application, one per line.
pub const REDIRECT_URIS: &str = "redirect_uris";
/// The permissions of a key, or those that an application may request.
pub const SCOPE: &str = "scope";
/// The number that a key is bound to.
pub const ACCOUNT: &str = "account";
/// The rate limit of a key.
pub const RATE_LIMIT: &str = "rate_limit";
/// The events that an endpoint receives.
pub const EVENTS: &str = "events";

impl TextField {
    /// What a form says there.
    pub fn of<'a>(&self, form: &'a Form) -> &'a str {
        form.value(self.name)
    }
}
