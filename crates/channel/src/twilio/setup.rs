//! Checks the account: the request to Twilio, and the meaning of its answer.

use super::answer::{ParsedResponse, read};
use super::{Account, Settings};
use crate::request::{Request, Response};
use serde::Deserialize;

/// The account, as Twilio knows it.
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
pub enum SetupError {
    /// Twilio refused the account SID or the auth token.
    #[error("{0}")]
    Refused(String),
    /// The API has a temporary problem or is overloaded.
    #[error("{0}")]
    Later(String),
}

/// Returns the request for the account, or `None` if the settings have no credentials.
#[must_use]
pub fn account(settings: &Settings) -> Option<Request> {
    let sid = settings.account_sid.clone()?;
    let token = settings.auth_token.clone()?;
    let url = format!("{}/2010-04-01/Accounts/{sid}.json", settings.url);
    let account = Account { settings: settings.clone(), sid, token };
    Some(Request::get(url, account.authorization()))
}

/// Parses the answer to [`account`].
pub fn read_account(response: &Response) -> Result<KnownAccount, SetupError> {
    match read(response) {
        ParsedResponse::Done(account) => Ok(account),
        ParsedResponse::Later(_, error) => Err(SetupError::Later(error.message)),
        ParsedResponse::Unreadable(why) => Err(SetupError::Later(why)),
        ParsedResponse::Never(error) | ParsedResponse::Account(_, error) => {
            Err(SetupError::Refused(error.message))
        }
    }
}
