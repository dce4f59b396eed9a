//! Contacts' preferences about marketing messages, in the webhook field `user_preferences`.
//!
//! <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/user_preferences>

use super::envelope::EnvelopePart;
use super::shape::{self, InboundMessage, MetadataPart, SystemPart, second_of};
use super::{person, read};
use crate::callback::{
    CallbackEvent, CallbackEventKind, ChannelRef, PreferenceReport, UnsupportedPart,
};
use domain::contact::Identity;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Preferences {
    metadata: MetadataPart,
    user_preferences: Vec<PreferenceEntry>,
}

#[derive(Deserialize)]
struct PreferenceEntry {
    wa_id: Option<String>,
    user_id: Option<String>,
    #[serde(default)]
    category: String,
    value: String,
    timestamp: Option<Value>,
}

/// Parses a change of the webhook field `user_preferences`.
pub fn parse_change(piece: &EnvelopePart<'_>) -> Result<CallbackEvent, UnsupportedPart> {
    let value = read::<shape::ChangePart<Preferences>>(piece.json)?.value;
    let preferences: Result<Vec<_>, _> = value.user_preferences.iter().map(entry).collect();
    let number = ChannelRef::Theirs(shape::text_of(&value.metadata.phone_number_id));
    let what = CallbackEventKind::Preferences { number, said: preferences? };
    Ok(CallbackEvent { second: None, what })
}

fn entry(entry: &PreferenceEntry) -> Result<PreferenceReport, UnsupportedPart> {
    if entry.category != "marketing_messages" {
        let category = &entry.category;
        let detail = format!("this version does not know the preferences {category:?}");
        return Err(UnsupportedPart::unknown(detail));
    }
    let identity = Identity {
        phone_number: person::number(entry.wa_id.as_deref()),
        user_id: person::user(entry.user_id.as_deref()),
        ..Identity::default()
    };
    if identity.address().is_none() {
        let detail = "the preference names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart::unknown(detail));
    }
    let wants = wants(&entry.value)?;
    Ok(PreferenceReport {
        who: identity,
        wants,
        second: entry.timestamp.as_ref().and_then(second_of),
    })
}

/// Returns whether this keyword means that the contact wants marketing messages.
fn wants(word: &str) -> Result<bool, UnsupportedPart> {
    match word {
        "stop" => Ok(false),
        "resume" | "signup" => Ok(true),
        _ => {
            let detail = format!("this version does not know the preference {word:?}");
            Err(UnsupportedPart::unknown(detail))
        }
    }
}

/// Parses a marketing preference in a system message.
pub fn parse_system(
    message: &InboundMessage,
    part: &SystemPart,
    second: Option<i64>,
) -> Result<PreferenceReport, UnsupportedPart> {
    let identity = Identity {
        phone_number: person::number(message.from.as_deref()),
        user_id: person::user(message.from_user_id.as_deref()),
        ..Identity::default()
    };
    if identity.address().is_none() {
        let detail = "the preference names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart::unknown(detail));
    }
    let wants = wants(part.marketing.as_deref().unwrap_or_default())?;
    Ok(PreferenceReport { who: identity, wants, second })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::callback::PartContent;
    use serde_json::json;

    fn read(entries: &Value) -> PartContent {
        let value = json!({
            "messaging_product": "whatsapp",
            "metadata": {
                "display_phone_number": "15550783881",
                "phone_number_id": "106540352242922",
            },
            "contacts": [{"profile": {"name": "Ada"}, "wa_id": "16505551234"}],
            "user_preferences": entries,
        });
        let change = json!({"field": "user_preferences", "value": value});
        let callback = json!({
            "object": "whatsapp_business_account",
            "entry": [{"id": "1", "changes": [change]}],
        });
        parse(&callback.to_string()).remove(0).content
    }

    #[test]
    fn people_stop_and_resume_marketing() {
        let entry = |value: &str| {
            json!({
                "wa_id": "16505551234",
                "detail": "User requested",
                "category": "marketing_messages",
                "value": value,
                "timestamp": 1_731_705_721,
            })
        };
        let PartContent::Event(CallbackEvent { what, .. }) =
            read(&json!([entry("stop"), entry("resume"), entry("signup")]))
        else {
            panic!()
        };
        let CallbackEventKind::Preferences { number, said } = what else { panic!() };
        assert_eq!(number, ChannelRef::Theirs("106540352242922".to_owned()));
        let wants: Vec<_> = said.iter().map(|it| (it.wants, it.second)).collect();
        assert_eq!(wants, [false, true, true].map(|wants| (wants, Some(1_731_705_721))));
        assert_eq!(said[0].who.phone_number.as_ref().unwrap().as_str(), "+16505551234");
        let by_user = json!([
            {
                "user_id": "US.1",
                "category": "marketing_messages",
                "value": "stop",
                "timestamp": "1731705721",
            },
        ]);
        assert!(matches!(read(&by_user), PartContent::Event(_)));
        for wrong in [
            json!([entry("later")]),
            json!([{"category": "marketing_messages", "value": "stop"}]),
            json!([{"wa_id": "16505551234", "category": "x", "value": "stop"}]),
            json!(3),
        ] {
            assert!(matches!(read(&wrong), PartContent::NotUnderstood(_)), "{wrong}");
        }
    }
}
