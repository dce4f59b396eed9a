//! Whether the account is set up: what is asked of Twilio, and what its answer means.

use super::answer::{ParsedResponse, read};
use super::{Account, Settings};
use crate::request::{Request, Response};
use serde::Deserialize;

/// The account, as Twilio knows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KnownAccount {
    /// Its name.
    #[serde(default)]
    pub friendly_name: String,
    /// `active`, `suspended` or `closed`.
    pub status: String,
}

/// Why something could not be found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The account or its secret is refused.
    #[error("{0}")]
    Refused(String),
    /// The API is in trouble, or has too much to do.
    #[error("{0}")]
    Later(String),
}

/// Asks about the account; none where the settings name none.
#[must_use]
pub fn account(settings: &Settings) -> Option<Request> {
    let sid = settings.account_sid.clone()?;
    let token = settings.auth_token.clone()?;
    let url = format!("{}/2010-04-01/Accounts/{sid}.json", settings.url);
    let account = Account { settings: settings.clone(), sid, token };
    Some(Request::get(url, account.authorization()))
}

/// What the answer to that means.
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
