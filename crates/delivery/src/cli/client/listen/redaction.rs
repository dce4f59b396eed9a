//! Hides personal data in the events that are printed.

use serde_json::Value;

/// The fields of `data` that are shown. All other texts and numbers are hidden.
const SHOWN: &[&str] = &[
    "id",
    "type",
    "status",
    "direction",
    "source",
    "category",
    "language",
    "code",
    "channel",
    "state",
    "reason",
    "change",
    "resource",
    "ai_agent",
];

const HIDDEN: &str = "…";

/// Replaces all texts and numbers in the event's data that may be personal.
pub fn redact(event: &mut Value) {
    if let Some(data) = event.get_mut("data") {
        hide(data, false);
    }
}

fn hide(value: &mut Value, is_shown: bool) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                hide(value, is_harmless(name));
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| hide(entry, is_shown)),
        Value::String(_) | Value::Number(_) if !is_shown => *value = HIDDEN.into(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Whether a field with this name never contains personal data: an id of this service, a time, or a
/// word from a fixed list.
fn is_harmless(name: &str) -> bool {
    let is_reference = name.ends_with("_id") && !name.contains("user_id");
    is_reference || name.ends_with("_at") || SHOWN.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_ids_times_and_fixed_words_are_shown() {
        let mut event = json!({
            "id": "evt_1", "type": "message.received", "sequence": 7,
            "data": {
                "id": "msg_1", "conversation_id": "conv_1", "phone_number": "+12025550100",
                "contact": {"id": "ct_1", "name": "Ada", "channel_user_id": "US.1"},
                "text": "Hello", "status": "received", "created_at": "2026-11-21T12:00:00.000Z",
                "location": {"latitude": 52.5}, "labels": ["vip"], "read_at": null, "voice": true,
            },
        });
        redact(&mut event);
        assert_eq!(
            event,
            json!({
                "id": "evt_1", "type": "message.received", "sequence": 7,
                "data": {
                    "id": "msg_1", "conversation_id": "conv_1", "phone_number": "…",
                    "contact": {"id": "ct_1", "name": "…", "channel_user_id": "…"},
                    "text": "…", "status": "received", "created_at": "2026-11-21T12:00:00.000Z",
                    "location": {"latitude": "…"}, "labels": ["…"], "read_at": null, "voice": true,
                },
            })
        );
    }
}
