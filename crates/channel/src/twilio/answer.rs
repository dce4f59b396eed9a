//! Parses Twilio's answers.

use super::codes;
use crate::SubmitError;
use crate::request::Response;
use domain::account::HealthReason;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

#[derive(Debug, Deserialize)]
pub struct TwilioError {
    /// The error code. `None` if the answer has no code, for example because it comes from a proxy.
    #[serde(default, deserialize_with = "optional_code")]
    pub code: Option<i64>,
    #[serde(default)]
    pub message: String,
}

/// Reads an error code. Code 0 means that there is no error.
fn optional_code<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    Ok(Option::<i64>::deserialize(deserializer)?.filter(|code| *code != 0))
}

/// The meaning of an answer.
pub enum TwilioResult<T> {
    /// The request succeeded.
    Done(T),
    /// The request may succeed later.
    Later(Option<Duration>, TwilioError),
    /// The request will never succeed.
    Never(TwilioError),
    /// Twilio refuses the account, whatever the request.
    Account(HealthReason, TwilioError),
    /// The request succeeded, but the answer cannot be read.
    Unreadable(String),
}

/// Parses an answer. A successful one has a `T`.
pub fn read<T: DeserializeOwned>(response: &Response) -> TwilioResult<T> {
    let Response { status, retry_after, body } = response;
    if (200..300).contains(status) {
        return match serde_json::from_slice(body) {
            Ok(done) => TwilioResult::Done(done),
            Err(error) => TwilioResult::Unreadable(format!("an unreadable answer: {error}")),
        };
    }
    let nameless = |_| TwilioError { code: None, message: format!("HTTP status {status}") };
    let error: TwilioError = serde_json::from_slice(body).unwrap_or_else(nameless);
    // An answer without one of Twilio's codes may come from a proxy.
    let is_definite = matches!(status, 400..=499)
        && !matches!(status, 408 | 425 | 429)
        && error.code.is_some_and(|code| !codes::passes(code));
    let refused = (*status == 401).then_some(HealthReason::TokenRefused);
    match error.code.and_then(codes::account_fault).or(refused) {
        _ if !is_definite => TwilioResult::Later(*retry_after, error),
        Some(reason) => TwilioResult::Account(reason, error),
        None => TwilioResult::Never(error),
    }
}

/// Parses the answer to a look-up of a template. A failed look-up says nothing about the template,
/// so it is repeated later.
pub fn found<T: DeserializeOwned>(response: &Response) -> Result<T, SubmitError> {
    done(response).map_err(|error| match error {
        SubmitError::Definite(why) => SubmitError::Later { after: None, why },
        other => other,
    })
}

/// Parses the answer to a submission of a template. If the answer cannot be read, the submission is
/// repeated later.
pub fn done<T: DeserializeOwned>(response: &Response) -> Result<T, SubmitError> {
    match read(response) {
        TwilioResult::Done(done) => Ok(done),
        TwilioResult::Later(after, error) => Err(SubmitError::Later { after, why: error.message }),
        TwilioResult::Unreadable(why) => Err(SubmitError::Later { after: None, why }),
        TwilioResult::Account(_, error) => {
            Err(SubmitError::Later { after: None, why: error.message })
        }
        TwilioResult::Never(error) => Err(SubmitError::Definite(error.message)),
    }
}
