//! Read receipts.

use super::GraphRequest;
use super::answer::{GraphResponse, GraphResult};
use super::json::set;
use crate::SubmitError;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Marked {
    success: bool,
}

/// Returns the request that marks a message and all earlier ones as read. With `typing`, the
/// contact also sees that a reply is being written.
pub fn mark_read(phone_number_id: &str, channel_id: &str, typing: bool) -> GraphRequest {
    let mut body =
        json!({ "messaging_product": "whatsapp", "status": "read", "message_id": channel_id });
    set(&mut body, "typing_indicator", typing.then(|| json!({ "type": "text" })));
    GraphRequest::post(format!("{phone_number_id}/messages"), body)
}

/// Parses the answer to [`mark_read`].
pub fn read_marked(answer: &GraphResponse<'_>) -> Result<(), SubmitError> {
    match answer.read::<Marked>() {
        GraphResult::Done(Marked { success: false }) => {
            Err(SubmitError::Definite("the message was not marked as read".to_owned()))
        }
        // The request succeeded, even if the answer cannot be read.
        GraphResult::Done(_) | GraphResult::Unreadable(_) => Ok(()),
        GraphResult::Later(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}
