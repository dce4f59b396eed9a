//! Downloads of files that contacts sent.

use super::GraphRequest;
use super::answer::{GraphResponse, GraphResult};
use crate::SubmitError;
use serde::Deserialize;

/// The subcode of "Object does not exist", for code 100.
const GONE: i64 = 33;

/// The URL of a file. It is valid for a few minutes, and only with the account's token.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CloudFile {
    pub url: String,
    #[serde(default)]
    pub mime_type: String,
    /// The file's SHA-256 in hex.
    #[serde(default)]
    pub sha256: Option<String>,
}

/// Returns the request for a file's URL, or `None` if the id is not valid. The id comes from
/// outside and must not change the path.
#[must_use]
pub fn file(file_id: &str, phone_number_id: &str) -> Option<GraphRequest> {
    let plain = |id: &str| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    (plain(file_id) && plain(phone_number_id))
        .then(|| GraphRequest::get(format!("{file_id}?phone_number_id={phone_number_id}")))
}

/// Parses the answer to [`file()`].
pub fn read_file(answer: &GraphResponse<'_>) -> Result<CloudFile, SubmitError> {
    match answer.read() {
        GraphResult::Done(file) => Ok(file),
        GraphResult::Later(error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        // Here the object that does not exist is the file, not the account's number.
        GraphResult::Account(_, error) if error.error_subcode == Some(GONE) => {
            Err(SubmitError::Definite(error.sentence()))
        }
        // The account's token may have expired. That says nothing about the file, so the request is
        // repeated.
        GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: None, why: error.sentence() })
        }
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_no_path() {
        assert!(file("1013859600285441", "1").is_some());
        for id in ["", "../me", "a?b", "a/b", "a%2fb"] {
            assert_eq!(file(id, "1"), None, "{id}");
        }
    }

    #[test]
    fn a_token_that_ran_out_does_not_lose_the_file() {
        let body = |code: i64| format!(r#"{{"error":{{"code":{code},"message":"no"}}}}"#);
        let read = |status, body: &str| {
            read_file(&GraphResponse { status, retry_after: None, body: body.as_bytes() })
        };
        assert!(matches!(read(401, &body(190)), Err(SubmitError::Later { .. })));
        assert!(matches!(read(400, &body(100)), Err(SubmitError::Definite(_))));
        let gone = r#"{"error":{"code":100,"error_subcode":33,"message":"no"}}"#;
        assert!(matches!(read(400, gone), Err(SubmitError::Definite(_))));
    }
}
