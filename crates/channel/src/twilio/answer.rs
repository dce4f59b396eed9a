//! What Twilio answers.

use super::codes;
use crate::SubmitError;
use crate::request::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// An error of Twilio's APIs.
#[derive(Debug, Deserialize)]
pub struct TwilioError {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
}

/// What an answer comes to.
pub enum ParsedResponse<T> {
    /// It did as asked.
    Done(T),
    /// It may do so later.
    Later(Option<Duration>, TwilioError),
    /// It never will.
    Never(TwilioError),
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
    let nameless = |_| TwilioError {
        code: if *status == 429 { 20_429 } else { 0 },
        message: format!("HTTP status {status}"),
    };
    let error: TwilioError = serde_json::from_slice(body).unwrap_or_else(nameless);
    let passes = matches!(status, 408 | 425 | 429 | 500..=599)
        || codes::passes(error.code)
        || *status == 401
        || codes::is_about_us(error.code);
    if passes { ParsedResponse::Later(*retry_after, error) } else { ParsedResponse::Never(error) }
}

/// The same where a template or a file is asked for: what cannot be read is asked for again.
pub fn done<T: DeserializeOwned>(response: &Response) -> Result<T, SubmitError> {
    match read(response) {
        ParsedResponse::Done(done) => Ok(done),
        ParsedResponse::Later(after, error) => {
            Err(SubmitError::Later { after, why: error.message })
        }
        ParsedResponse::Unreadable(why) => Err(SubmitError::Later { after: None, why }),
        ParsedResponse::Never(error) => Err(SubmitError::Definite(error.message)),
    }
}
