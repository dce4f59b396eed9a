//! Checks the Twilio account in the settings: the request to Twilio, and the meaning of its answer.

use super::answer::{TwilioResult, read};
use super::{TwilioAccount, TwilioSettings};
use crate::request::{Request, Response};
use serde::Deserialize;

/// The Twilio account, as Twilio describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KnownAccount {
    /// The account's name.
    #[serde(default)]
    pub friendly_name: String,
    /// The status: `active`, `suspended` or `closed`.
    pub status: String,
}

/// The reason why the account could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TwilioSetupError {
    /// Twilio refused the account SID or the auth token.
    #[error("{0}")]
    Refused(String),
    /// The API has a temporary problem or is overloaded.
    #[error("{0}")]
    Later(String),
}

/// Returns the request for the account, or `None` if the settings have no credentials.
#[must_use]
pub fn account(settings: &TwilioSettings) -> Option<Request> {
    let sid = settings.account_sid.clone()?;
    let token = settings.auth_token.clone()?;
    let url = format!("{}/2010-04-01/Accounts/{sid}.json", settings.url);
    let account = TwilioAccount { settings: settings.clone(), sid, token };
    Some(Request::get(url, account.authorization()))
}

/// Parses the answer to [`account`].
pub fn read_account(response: &Response) -> Result<KnownAccount, TwilioSetupError> {
    match read(response) {
        TwilioResult::Done(account) => Ok(account),
        TwilioResult::Later(_, error) => Err(TwilioSetupError::Later(error.message)),
        TwilioResult::Unreadable(why) => Err(TwilioSetupError::Later(why)),
        TwilioResult::Never(error) | TwilioResult::Account(_, error) => {
            Err(TwilioSetupError::Refused(error.message))
        }
    }
}
