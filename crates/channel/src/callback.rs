//! Reads what the network reports, in the shape of Meta's webhooks.
//!
//! Lenient where it can be: unknown fields and unknown kinds of news are passed over, for the network
//! adds to them without asking.

use domain::message::{DeliveryError, Report};
use serde::Deserialize;
use serde_json::Value;

/// Something that the network told.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// The network's id of the number it is about (`phone_number_id`).
    pub number: String,
    /// What happened.
    pub what: What,
    /// The second in which it happened, since 1970.
    pub second: i64,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A message of ours fared on.
    Progress {
        /// The network's id of it.
        channel_id: String,
        /// How it fared.
        report: Report,
    },
    /// A person wrote.
    Message {
        /// The network's id of the message.
        channel_id: String,
        /// The person's number, without a `+`.
        from: String,
        /// What was said.
        said: Said,
        /// The network's id of the message that it answers.
        answers: Option<String>,
    },
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Words.
    Text(String),
    /// A file that the network holds.
    Media {
        /// `image`, `video`, `audio`, `document` or `sticker`.
        kind: String,
        /// The network's id of the file.
        id: String,
        /// Its type.
        content_type: String,
        /// Its hash, as the network gives it.
        sha256: Option<String>,
        /// The words below it.
        caption: Option<String>,
        /// Its name.
        filename: Option<String>,
    },
    /// A tap on a button or a row of ours.
    Choice {
        /// `button_reply` or `list_reply`.
        kind: String,
        /// The id that we gave it.
        id: String,
        /// What it said.
        title: String,
        /// What stood below that.
        description: Option<String>,
    },
}

/// A callback that is no JSON of the network's shape.
#[derive(Debug, thiserror::Error)]
#[error("not a callback of the channel: {0}")]
pub struct NotACallback(#[from] serde_json::Error);

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    field: String,
    value: Value,
}

#[derive(Deserialize)]
struct Told {
    metadata: Number,
    #[serde(default)]
    statuses: Vec<StatusChange>,
    #[serde(default)]
    messages: Vec<InboundMessage>,
}

#[derive(Deserialize)]
struct Number {
    phone_number_id: String,
}

#[derive(Deserialize)]
struct StatusChange {
    id: String,
    status: String,
    timestamp: String,
    #[serde(default)]
    errors: Vec<ErrorPart>,
}

#[derive(Deserialize)]
struct ErrorPart {
    code: i64,
    #[serde(default)]
    title: String,
    message: Option<String>,
}

#[derive(Deserialize)]
struct InboundMessage {
    id: String,
    from: String,
    timestamp: String,
    #[serde(rename = "type")]
    kind: String,
    text: Option<TextPart>,
    interactive: Option<Value>,
    context: Option<Context>,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct TextPart {
    body: String,
}

#[derive(Deserialize)]
struct Context {
    id: Option<String>,
}

#[derive(Deserialize)]
struct FilePart {
    id: String,
    #[serde(default)]
    mime_type: String,
    sha256: Option<String>,
    caption: Option<String>,
    filename: Option<String>,
}

#[derive(Deserialize)]
struct ChoicePart {
    id: String,
    title: String,
    description: Option<String>,
}

/// All news in one callback, in order.
pub fn parse(payload: &str) -> Result<Vec<News>, NotACallback> {
    let envelope: Envelope = serde_json::from_str(payload)?;
    let mut news = Vec::new();
    let changes = envelope.entry.into_iter().flat_map(|entry| entry.changes);
    for change in changes.filter(|change| change.field == "messages") {
        let value: Told = serde_json::from_value(change.value)?;
        let number = value.metadata.phone_number_id;
        for status in value.statuses {
            let second = status.timestamp.parse().unwrap_or_default();
            let number = number.clone();
            news.extend(progress(status).map(|what| News { number, what, second }));
        }
        for message in value.messages {
            let second = message.timestamp.parse().unwrap_or_default();
            let number = number.clone();
            news.extend(said(message).map(|what| News { number, what, second }));
        }
    }
    Ok(news)
}

fn progress(change: StatusChange) -> Option<What> {
    let report = match change.status.as_str() {
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        "read" => Report::Read,
        "failed" => Report::Failed(failure(change.errors)),
        _ => return None,
    };
    Some(What::Progress { channel_id: change.id, report })
}

fn failure(errors: Vec<ErrorPart>) -> DeliveryError {
    match errors.into_iter().next() {
        Some(error) => {
            let message = error.message.unwrap_or(error.title);
            DeliveryError::of_channel(error.code, message)
        }
        None => DeliveryError::of_channel(0, "The channel gave no reason.".to_owned()),
    }
}

fn said(message: InboundMessage) -> Option<What> {
    let said = match message.kind.as_str() {
        "text" => Said::Text(message.text?.body),
        "interactive" => choice(&message.interactive?)?,
        kind @ ("image" | "video" | "audio" | "document" | "sticker") => {
            let file: FilePart = serde_json::from_value(message.rest.get(kind)?.clone()).ok()?;
            Said::Media {
                kind: kind.to_owned(),
                id: file.id,
                content_type: file.mime_type,
                sha256: file.sha256,
                caption: file.caption,
                filename: file.filename,
            }
        }
        _ => return None,
    };
    Some(What::Message {
        channel_id: message.id,
        from: message.from,
        said,
        answers: message.context.and_then(|context| context.id),
    })
}

fn choice(interactive: &Value) -> Option<Said> {
    let kind = interactive.get("type")?.as_str()?;
    let part: ChoicePart = serde_json::from_value(interactive.get(kind)?.clone()).ok()?;
    Some(Said::Choice {
        kind: kind.to_owned(),
        id: part.id,
        title: part.title,
        description: part.description,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_metas_own_examples() {
        let payload = r#"{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
            {"field":"messages","value":{"messaging_product":"whatsapp",
             "metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},
             "statuses":[{"id":"wamid.A","status":"failed","timestamp":"1750263773","recipient_id":"1",
               "errors":[{"code":131050,"title":"Unable to deliver","message":"No"}]}]}},
            {"field":"messages","value":{"metadata":{"phone_number_id":"2"},
             "messages":[{"from":"16505551234","id":"wamid.B","timestamp":"1749416383","type":"text",
               "text":{"body":"Does it come in another color?"},"context":{"id":"wamid.A"}},
              {"from":"16505551234","id":"wamid.C","timestamp":"1749416384","type":"interactive",
               "interactive":{"type":"list_reply","list_reply":{"id":"x","title":"Priority","description":"Next"}}}]}},
            {"field":"something_new","value":{}}]}]}"#;
        let news = parse(payload).unwrap();
        assert_eq!(news.len(), 3);
        assert_eq!(news[0].number, "106540352242922");
        let What::Progress { report: Report::Failed(error), .. } = &news[0].what else { panic!() };
        assert_eq!(error.channel_code, Some(131_050));
        let What::Message { said, answers, .. } = &news[1].what else { panic!() };
        assert_eq!(said, &Said::Text("Does it come in another color?".into()));
        assert_eq!(answers.as_deref(), Some("wamid.A"));
        assert!(matches!(&news[2].what, What::Message { said: Said::Choice { .. }, .. }));
    }

    #[test]
    fn what_is_no_callback_is_an_error_and_no_panic() {
        for payload in
            ["", "7", "{\"entry\":[{\"changes\":[{\"field\":\"messages\",\"value\":{}}]}]}"]
        {
            assert!(parse(payload).is_err(), "{payload}");
        }
        assert!(parse("{}").unwrap().is_empty());
    }
}
