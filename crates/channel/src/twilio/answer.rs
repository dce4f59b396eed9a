//! What Twilio answers.

use super::codes;
use crate::SubmitError;
use crate::request::Response;
use domain::account::HealthReason;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// An error of Twilio's APIs.
#[derive(Debug, Deserialize)]
pub struct TwilioError {
    /// None where the answer names none, as a proxy's does not.
    #[serde(default, deserialize_with = "named")]
    pub code: Option<i64>,
    #[serde(default)]
    pub message: String,
}

/// A code that is 0 says nothing.
fn named<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(Option::<i64>::deserialize(deserializer)?.filter(|code| *code != 0))
}

/// What an answer comes to.
pub enum ParsedResponse<T> {
    /// It did as asked.
    Done(T),
    /// It may do so later.
    Later(Option<Duration>, TwilioError),
    /// It never will.
    Never(TwilioError),
    /// It refuses the account, whatever is asked.
    Account(HealthReason, TwilioError),
    /// It did as asked, and what it says of that cannot be read.
    Unreadable(String),
}

/// Reads an answer whose good case is a `T`.
pub fn read<T: DeserializeOwned>(response: &Response) -> ParsedResponse<T> {
    let Response { status, retry_after, body } = response;
    if (200..300).contains(status) {
        return match serde_json::from_slice(body) {
            Ok(done) => ParsedResponse::Done(done),
            Err(error) => ParsedResponse::Unreadable(format!("an unreadable answer: {error}")),
        };
    }
    let nameless = |_| TwilioError { code: None, message: format!("HTTP status {status}") };
    let error: TwilioError = serde_json::from_slice(body).unwrap_or_else(nameless);
    // Whatever stands between us and Twilio names no code of Twilio's.
    let is_definite = matches!(status, 400..=499)
        && !matches!(status, 408 | 425 | 429)
        && error.code.is_some_and(|code| !codes::passes(code));
    let refused = (*status == 401).then_some(HealthReason::TokenRefused);
    match error.code.and_then(codes::account_fault).or(refused) {
        _ if !is_definite => ParsedResponse::Later(*retry_after, error),
        Some(reason) => ParsedResponse::Account(reason, error),
        None => ParsedResponse::Never(error),
    }
}

/// The same where a template is looked up, of which a refusal says nothing: it is looked up again.
pub fn found<T: DeserializeOwned>(response: &Response) -> Result<T, SubmitError> {
    done(response).map_err(|error| match error {
        SubmitError::Definite(why) => SubmitError::Later { after: None, why },
        other => other,
    })
}

/// The same where a template is handed in: what cannot be read is asked for again.
pub fn done<T: DeserializeOwned>(response: &Response) -> Result<T, SubmitError> {
    match read(response) {
        ParsedResponse::Done(done) => Ok(done),
        ParsedResponse::Later(after, error) => {
            Err(SubmitError::Later { after, why: error.message })
        }
        ParsedResponse::Unreadable(why) => Err(SubmitError::Later { after: None, why }),
        ParsedResponse::Account(_, error) => {
            Err(SubmitError::Later { after: None, why: error.message })
        }
        ParsedResponse::Never(error) => Err(SubmitError::Definite(error.message)),
    }
}
