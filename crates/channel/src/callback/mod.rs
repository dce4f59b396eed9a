//! Reads what the network reports, in the shape of Meta's webhooks.
//!
//! Lenient where it can be: unknown fields and unknown kinds of news are passed over, for the network
//! adds to them without asking; and one item that cannot be read does not hold up the others.

mod said;
mod shape;

pub use said::Said;

use crate::cloud_api::verdict;
use domain::id::MessageId;
use domain::message::{DeliveryError, Report};
use domain::template::Verdict;
use serde_json::Value;
use shape::{Change, Entry, Envelope, ErrorPart, InboundMessage, StatusChange, TemplateNews, Told};

/// Something that the network told, and the second since 1970 in which it happened, if it said so.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// When.
    pub second: Option<i64>,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A message of ours fared on.
    Progress {
        /// The network's id of the number it is about (`phone_number_id`).
        number: String,
        /// The network's id of the message.
        channel_id: String,
        /// Our id of it, if the network gave it back.
        ours: Option<MessageId>,
        /// How it fared.
        report: Report,
    },
    /// A person wrote.
    Message {
        /// The network's id of the number that was written to.
        number: String,
        /// The network's id of the message.
        channel_id: String,
        /// The person's number, without a `+`.
        from: String,
        /// What was said.
        said: Said,
        /// The network's id of the message that it answers.
        answers: Option<String>,
    },
    /// The reviewer said something of a template.
    Template {
        /// The network's id of the business (`waba_id`).
        business: String,
        /// The reviewer's id of the template.
        external_id: String,
        /// Its name.
        name: String,
        /// Its language.
        language: String,
        /// What was said.
        verdict: Verdict,
    },
}

/// All that one callback told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The news, in order.
    pub news: Vec<News>,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// A callback that is no JSON of the network's shape.
#[derive(Debug, thiserror::Error)]
#[error("not a callback of the channel: {0}")]
pub struct NotACallback(#[from] serde_json::Error);

/// How JSON writes the one character that PostgreSQL cannot keep.
const NUL: &str = "\\u0000";

/// Puts the replacement character where a text has a NUL, which no id or words of people have.
fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', "\u{fffd}"),
        Value::Array(values) => values.iter_mut().for_each(without_nul),
        Value::Object(fields) => fields.values_mut().for_each(without_nul),
        _ => {}
    }
}

/// Reads a callback.
pub fn parse(payload: &str) -> Result<Heard, NotACallback> {
    let mut envelope: Envelope = serde_json::from_str(payload)?;
    if payload.contains(NUL) {
        envelope.entry.iter_mut().for_each(without_nul);
    }
    let mut heard = Heard::default();
    for entry in envelope.entry {
        let Some(Entry { id, time, changes }) = heard.read(entry) else { continue };
        for change in changes {
            let Some(Change { field, value }) = heard.read(change) else { continue };
            match field.as_str() {
                "messages" => heard.messages(value),
                "message_template_status_update" => {
                    let business = id.as_ref().map(shape::text_of).unwrap_or_default();
                    heard.template(business, time, value);
                }
                _ => {}
            }
        }
    }
    Ok(heard)
}

impl Heard {
    fn read<T: serde::de::DeserializeOwned>(&mut self, value: Value) -> Option<T> {
        let read = serde_json::from_value(value);
        read.map_err(|error| self.unread.push(error.to_string())).ok()
    }

    fn messages(&mut self, value: Value) {
        let Some(Told { metadata, statuses, messages }) = self.read(value) else { return };
        let number = metadata.phone_number_id;
        for status in statuses {
            let Some(change) = self.read::<StatusChange>(status) else { continue };
            let second = change.timestamp.as_ref().and_then(shape::second_of);
            let what = progress(change, &number);
            self.news.extend(what.map(|what| News { second, what }));
        }
        for message in messages {
            let kept = message.to_string();
            let Some(message) = self.read::<InboundMessage>(message) else { continue };
            let second = message.timestamp.as_ref().and_then(shape::second_of);
            let (said, reacts_to) = said::of(&message, kept);
            let answers = message.context.and_then(|context| context.id);
            let what = What::Message {
                number: number.clone(),
                channel_id: message.id,
                from: message.from,
                said,
                answers: reacts_to.or(answers),
            };
            self.news.push(News { second, what });
        }
    }

    fn template(&mut self, business: String, second: Option<i64>, value: Value) {
        let Some(news) = self.read::<TemplateNews>(value) else { return };
        let detail = news.detail();
        let Some(verdict) = verdict(&news.event, news.reason.as_deref(), detail) else { return };
        let what = What::Template {
            business,
            external_id: shape::text_of(&news.message_template_id),
            name: news.message_template_name,
            language: news.message_template_language,
            verdict,
        };
        self.news.push(News { second, what });
    }
}

fn progress(change: StatusChange, number: &str) -> Option<What> {
    let report = match change.status.as_str() {
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        "read" => Report::Read,
        "failed" => Report::Failed(failure(change.errors)),
        _ => return None,
    };
    let ours = change.biz_opaque_callback_data.and_then(|id| id.parse().ok());
    Some(What::Progress { number: number.to_owned(), channel_id: change.id, ours, report })
}

fn failure(errors: Vec<ErrorPart>) -> DeliveryError {
    match errors.into_iter().next() {
        Some(error) => {
            let details = error.error_data.and_then(|data| data.details);
            let message = details.or(error.message).unwrap_or(error.title);
            DeliveryError::of_channel(error.code, message)
        }
        None => DeliveryError::of_channel(0, "The channel gave no reason.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
        {"field":"messages","value":{"messaging_product":"whatsapp",
         "metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},
         "statuses":[{"id":"wamid.A","status":"failed","timestamp":"1750263773","recipient_id":"1",
           "errors":[{"code":131050,"title":"Unable to deliver","message":"No"}]},
          {"id":7},
          {"id":"wamid.Z","status":"sent","timestamp":"soon"}]}},
        {"field":"messages","value":{"metadata":{"phone_number_id":"2"},
         "messages":[{"from":"16505551234","id":"wamid.B","timestamp":"1749416383","type":"text",
           "text":{"body":"Does it come in another color?"},"context":{"id":"wamid.A"}},
          {"from":"16505551234","id":"wamid.C","timestamp":"1749416384","type":"interactive",
           "interactive":{"type":"list_reply","list_reply":{"id":"x","title":"Priority","description":"Next"}}},
          {"from":"16505551234","id":"wamid.D","timestamp":"1749416385","type":"location",
           "location":{"latitude":1.5,"longitude":2}},
          {"from":"16505551234","id":"wamid.E","timestamp":"1749416386","type":"reaction",
           "reaction":{"message_id":"wamid.A","emoji":"👍"}},
          {"from":"16505551234","id":"wamid.F","timestamp":"1749416387","type":"button",
           "button":{"payload":"yes","text":"Yes"}}]}},
        {"field":"something_new","value":{}}]}]}"#;

    #[test]
    fn reads_metas_own_examples_and_passes_over_what_is_broken() {
        let Heard { news, unread } = parse(EXAMPLE).unwrap();
        assert_eq!((news.len(), unread.len()), (7, 1));
        let What::Progress { number, report: Report::Failed(error), .. } = &news[0].what else {
            panic!()
        };
        assert_eq!((number.as_str(), error.channel_code), ("106540352242922", Some(131_050)));
        assert_eq!(news[1].second, None);
        let What::Message { said, answers, .. } = &news[2].what else { panic!() };
        assert_eq!(said, &Said::Text("Does it come in another color?".into()));
        assert_eq!(answers.as_deref(), Some("wamid.A"));
        let said = |index: usize| match &news[index].what {
            What::Message { said, .. } => said.clone(),
            other => panic!("{other:?}"),
        };
        assert!(matches!(said(3), Said::Choice { .. }));
        let Said::Unsupported { kind, payload } = said(4) else { panic!() };
        assert!(kind == "location" && payload.contains("1.5"));
        assert_eq!(said(5), Said::Reaction("👍".into()));
        let Said::Choice { kind, id, title, .. } = said(6) else { panic!() };
        assert_eq!((&*kind, &*id, &*title), ("button_reply", "yes", "Yes"));
    }

    #[test]
    fn reads_what_the_reviewer_says() {
        let payload = r#"{"entry":[{"id":"102290129340398","time":1751247548,"changes":[
            {"field":"message_template_status_update","value":{"event":"REJECTED",
             "message_template_id":1689556908129832,"message_template_name":"order",
             "message_template_language":"en_US","reason":"INVALID_FORMAT",
             "rejection_info":{"reason":"Two spaces","recommendation":"Take one"}}}]}]}"#;
        let heard = parse(payload).unwrap();
        let expected = What::Template {
            business: "102290129340398".into(),
            external_id: "1689556908129832".into(),
            name: "order".into(),
            language: "en_US".into(),
            verdict: Verdict::Rejected {
                reason: Some(domain::template::RejectionReason::InvalidFormat),
                detail: Some("Two spaces Take one".into()),
            },
        };
        assert_eq!(heard.news[0].what, expected);
        assert_eq!(heard.news[0].second, Some(1_751_247_548));
    }

    #[test]
    fn what_is_no_callback_is_an_error_and_no_panic() {
        for payload in ["", "7", "{\"entry\":7}"] {
            assert!(parse(payload).is_err(), "{payload}");
        }
        assert_eq!(parse("{}").unwrap(), Heard::default());
        let empty = parse("{\"entry\":[{\"changes\":[{\"field\":\"messages\",\"value\":{}}]}]}");
        assert_eq!(empty.unwrap().unread.len(), 1);
    }
}
