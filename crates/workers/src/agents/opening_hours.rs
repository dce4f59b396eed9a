//! The agent of the demo: it answers questions about opening hours, without a network. The agent
//! gets the same request as an agent behind a webhook, and its answer is read in the same way.

use serde_json::{Value, json};

/// The address of the agent. No server can have it, because `.invalid` is reserved (RFC 2606).
pub const URL: &str = "https://opening-hours.demo.invalid/turn";
/// Parts of words by which questions about opening hours are recognized, in several languages.
const ASKED: [&str; 9] =
    ["open", "close", "hours", "when", "öffn", "geöffnet", "abiert", "horario", "ouvert"];
/// The text that the agent sends before it hands the conversation over.
pub const OTHERWISE: &str = "I only know our opening hours. A colleague will answer you.";
const HOURS: &str = "We are open Monday to Friday from 7 to 18, and Saturday from 8 to 14.";

/// Answers the request of a turn.
pub fn answer(request: &str) -> String {
    let request: Value = serde_json::from_str(request).ok().unwrap_or(Value::Null);
    let messages = request.pointer("/data/messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let unanswered =
        messages.iter().rev().take_while(|it| text_of(it, "direction") == Some("inbound"));
    let mut texts = unanswered.filter_map(|it| text_of(it, "text")).map(str::to_lowercase);
    if texts.any(|text| ASKED.iter().any(|word| text.contains(word))) {
        return json!({"messages": [{"text": HOURS}]}).to_string();
    }
    json!({
        "messages": [{"text": OTHERWISE}],
        "hand_over": {"reason": "Not about opening hours"},
    })
    .to_string()
}

fn text_of<'a>(message: &'a Value, field: &str) -> Option<&'a str> {
    message.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(texts: &[(&str, &str)]) -> String {
        let message =
            |(direction, text): &(&str, &str)| json!({"direction": direction, "text": text});
        let messages: Vec<Value> = texts.iter().map(message).collect();
        answer(&json!({"data": {"messages": messages}}).to_string())
    }

    #[test]
    fn the_demo_agent_knows_the_opening_hours_and_hands_over_the_rest() {
        assert!(asked(&[("inbound", "When do you OPEN?")]).contains(HOURS));
        assert!(asked(&[("inbound", "Are you open"), ("inbound", "on Sunday?")]).contains(HOURS));
        // A question that was already answered is not answered again.
        let later = [("inbound", "Open?"), ("outbound", "Yes"), ("inbound", "I want a refund")];
        assert!(asked(&later).contains("hand_over"));
        assert!(answer("no JSON").contains("hand_over"));
    }
}
