//! Example messages with times in the past. With them, a sandbox number looks as if it had been
//! used.

use super::{PICTURE_ID, wrap};
use domain::id::AccountId;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An example message with a time in the past.
#[derive(Clone, Copy, Debug)]
pub struct BackdatedMessage<'a> {
    /// The phone number of the customer to whose conversation the message belongs.
    pub customer: &'a PhoneNumber,
    /// The customer's name on the channel.
    pub name: &'a str,
    /// The time at which the message was written, in whole seconds. No two messages of a customer
    /// have the same time.
    pub at: Timestamp,
    /// The author and the content.
    pub content: BackdatedContent<'a>,
}

/// The author and the content of an example message.
#[derive(Clone, Copy, Debug)]
pub enum BackdatedContent<'a> {
    /// The customer wrote a text.
    Text(&'a str),
    /// The customer sent the sandbox's picture with this caption.
    Picture(&'a str),
    /// The customer reacted to the preceding message with this emoji.
    Reaction(&'a str),
    /// Somebody at the business wrote a text on the phone, and the customer has read it.
    Answer(&'a str),
}

/// Returns the callback with which the channel would report these messages, in the given order.
#[must_use]
pub fn backdated_callback(
    account: AccountId,
    messages: &[BackdatedMessage<'_>],
    now: Timestamp,
) -> String {
    let change = |field: &str, list: &str, item: &Value| {
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": {"phone_number_id": account.to_string()},
        });
        value[list] = json!([item]);
        json!({"field": field, "value": value})
    };
    let mut changes: Vec<Value> = Vec::new();
    let mut before: BTreeMap<&str, String> = BTreeMap::new();
    for message in messages {
        let digits = message.customer.digits();
        let second = (message.at.micros() / 1_000_000).to_string();
        let id = format!("wamid.past.{digits}.{second}");
        let mut item = match message.content {
            BackdatedContent::Text(text) | BackdatedContent::Answer(text) => {
                json!({"type": "text", "text": {"body": text}})
            }
            BackdatedContent::Picture(caption) => {
                let image = json!({"id": PICTURE_ID, "mime_type": "image/png", "caption": caption});
                json!({"type": "image", "image": image})
            }
            BackdatedContent::Reaction(emoji) => {
                let reaction = json!({"message_id": before.get(digits), "emoji": emoji});
                json!({"type": "reaction", "reaction": reaction})
            }
        };
        item["id"] = json!(id);
        item["timestamp"] = json!(second);
        if matches!(message.content, BackdatedContent::Answer(_)) {
            item["to"] = json!(digits);
            changes.push(change("smb_message_echoes", "message_echoes", &item));
            let read = json!({
                "id": id,
                "status": "read",
                "timestamp": second,
                "recipient_id": digits,
            });
            changes.push(change("messages", "statuses", &read));
        } else {
            item["from"] = json!(digits);
            let mut change = change("messages", "messages", &item);
            let contact = json!({"profile": {"name": message.name}, "wa_id": digits});
            change["value"]["contacts"] = json!([contact]);
            changes.push(change);
        }
        before.insert(digits, id);
    }
    wrap(account, now, &changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback::{CallbackEventKind, MessageReport, PartContent};
    use crate::sandbox::parse;
    use domain::inbound::{InboundContent, ReportedAuthor};
    use std::time::Duration;

    #[test]
    fn the_callback_is_read_as_the_messages_of_a_customer_and_of_the_business() {
        let began = Timestamp::from_seconds(1_800_000_000);
        let account = AccountId::new(began, [2; 10]);
        let customer = PhoneNumber::parse("+12025550151").unwrap();
        let message = |minutes, content| BackdatedMessage {
            customer: &customer,
            name: "Grace Kim",
            at: began.plus(Duration::from_mins(minutes)),
            content,
        };
        let messages = [
            message(0, BackdatedContent::Text("Do you make cakes?")),
            message(1, BackdatedContent::Answer("We do.")),
            message(2, BackdatedContent::Reaction("👍")),
            message(3, BackdatedContent::Picture("Like this")),
        ];
        let now = began.plus(Duration::from_hours(1));
        let mut reports: Vec<(i64, MessageReport)> = Vec::new();
        let mut statuses = 0;
        for part in parse(&backdated_callback(account, &messages, now)) {
            let PartContent::Event(event) = part.content else { panic!("a part is no event") };
            match event.what {
                CallbackEventKind::Message { message, .. } => {
                    reports.push((event.second.unwrap(), *message));
                }
                CallbackEventKind::Progress { .. } => statuses += 1,
                other => panic!("{other:?}"),
            }
        }
        let [text, answer, reaction, picture] = reports.as_slice() else { panic!("{reports:?}") };
        assert_eq!(text.1.said, InboundContent::Text("Do you make cakes?".to_owned()));
        assert_eq!(text.1.person.name.as_deref(), Some("Grace Kim"));
        assert_eq!(text.1.person.phone_number.as_ref(), Some(&customer));
        assert_eq!(text.0, 1_800_000_000);
        assert_eq!(answer.0, 1_800_000_060);
        assert_eq!(answer.1.author, ReportedAuthor::Phone);
        assert_eq!(answer.1.person.phone_number.as_ref(), Some(&customer));
        assert_eq!(reaction.1.answers.as_ref(), Some(&answer.1.channel_id));
        assert!(matches!(picture.1.said, InboundContent::Media { .. }), "{picture:?}");
        assert_eq!(statuses, 1);
    }
}
