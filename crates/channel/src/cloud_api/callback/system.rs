//! What the channel itself says in a conversation: messages of type `system`.
//!
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system>

use super::shape::{InboundMessage, SystemPart};
use super::{Readable, person, preference, unreadable};
use crate::callback::{CallbackEvent, CallbackEventKind, ChannelRef, UnsupportedPart};

/// Reads a message of the channel's own about a person whom this number knows.
pub fn read(
    message: &InboundMessage,
    number: ChannelRef,
    second: Option<i64>,
) -> Result<Readable, UnsupportedPart> {
    let system = message.rest.get("system").cloned().unwrap_or_default();
    let part: SystemPart = serde_json::from_value(system).map_err(|error| unreadable(&error))?;
    let what = match part.kind.as_str() {
        "user_changed_number" | "customer_changed_number" => {
            let changes = vec![person::of_system(message, &part, true)?];
            CallbackEventKind::Identity { number, changes }
        }
        "user_changed_user_id" => {
            let changes = vec![person::of_system(message, &part, false)?];
            CallbackEventKind::Identity { number, changes }
        }
        "user_preference_changed" => {
            let said = vec![preference::of_system(message, &part, second)?];
            CallbackEventKind::Preferences { number, said }
        }
        // The person has another device, or installed the app again: the number and the user id stay.
        "customer_identity_changed" | "user_identity_changed" => return Ok(Readable::Nothing),
        kind => {
            let detail = format!("this version does not know the system message {kind:?}");
            return Err(UnsupportedPart::unknown(detail));
        }
    };
    Ok(CallbackEvent { second, what }.into())
}
