//! Parses messages of type `system`, which the channel itself adds to a conversation.
//!
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system>

use super::shape::{InboundMessage, SystemPart};
use super::{Readable, person, preference, unreadable};
use crate::callback::{CallbackEvent, CallbackEventKind, ChannelRef, UnsupportedPart};

/// Parses a system message about a contact.
pub fn read(
    message: &InboundMessage,
    number: ChannelRef,
    second: Option<i64>,
) -> Result<Readable, UnsupportedPart> {
    let system = message.rest.get("system").cloned().unwrap_or_default();
    let part: SystemPart = serde_json::from_value(system).map_err(|error| unreadable(&error))?;
    let what = match part.kind.as_str() {
        "user_changed_number" | "customer_changed_number" => {
            let changes = vec![person::from_system(message, &part, true)?];
            CallbackEventKind::Identity { number, changes }
        }
        "user_changed_user_id" => {
            let changes = vec![person::from_system(message, &part, false)?];
            CallbackEventKind::Identity { number, changes }
        }
        "user_preference_changed" => {
            let said = vec![preference::parse_system(message, &part, second)?];
            CallbackEventKind::Preferences { number, said }
        }
        // The contact changed the device or reinstalled the app. The number and the user id stay
        // the same.
        "customer_identity_changed" | "user_identity_changed" => return Ok(Readable::Nothing),
        kind => {
            let detail = format!("this version does not know the system message {kind:?}");
            return Err(UnsupportedPart::unknown(detail));
        }
    };
    Ok(CallbackEvent { second, what }.into())
}
