//! Control of conversations on a number on which Meta's own agent answers too.

use super::GraphRequest;
use super::answer::{GraphResponse, GraphResult};
use crate::SubmitError;
use domain::contact::Address;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

#[derive(Deserialize)]
struct ThreadAnswer {
    #[serde(rename = "messaging_product")]
    _product: IgnoredAny,
}

/// Returns the request that returns control of a conversation to Meta's agent (Meta's reference
/// "Thread control").
pub fn release(phone_number_id: &str, to: &Address) -> GraphRequest {
    let recipient = match to {
        Address::Phone(_) => "to",
        Address::User(_) => "recipient",
    };
    let fields =
        [("messaging_product", "whatsapp"), (recipient, to.as_str()), ("action", "release")];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
    let body = Value::Object(fields.collect());
    GraphRequest::post(format!("{phone_number_id}/thread_control"), body)
}

/// Parses the answer to [`release`].
pub fn read_released(answer: &GraphResponse<'_>) -> Result<(), SubmitError> {
    match answer.read::<ThreadAnswer>() {
        // The request succeeded, even if the answer cannot be read.
        GraphResult::Done(_) | GraphResult::Unreadable(_) => Ok(()),
        GraphResult::Later(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Body;
    use serde_json::json;

    #[test]
    fn a_conversation_is_released_by_number_or_by_user_id() {
        for (to, field, value) in [
            (Address::read("+16505551234").unwrap(), "to", "+16505551234"),
            (
                Address::read("US.13491208655302741918").unwrap(),
                "recipient",
                "US.13491208655302741918",
            ),
        ] {
            let request = release("106540352242922", &to);
            let expected =
                json!({"messaging_product": "whatsapp", field: value, "action": "release"});
            assert_eq!(request.body, Body::Json(expected));
            assert_eq!(request.path, "106540352242922/thread_control");
        }
    }
}
