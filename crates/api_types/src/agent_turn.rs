//! The request for a turn that a webhook gets, and the answer of an AI agent
//! (`docs/contract.md#ai-agents`).

use crate::contact::{Person, message_contact};
use crate::json;
use crate::message::MessageRecord;
use crate::object::Object;
use crate::schema::{IdOf, Instant, OneOf};
use crate::send::SendMessageBody;
use domain::agent::{MAX_ANSWER_MESSAGES, MAX_HAND_OVER_LENGTH};
use domain::content::ContentType;
use domain::conversation::window_expires_at;
use domain::id::{self, ConversationId};
use domain::inbox::{ConversationStatus, MAX_NOTE_LENGTH};
use domain::keyword::Keyword as _;
use domain::message::Draft;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use persistence::content::event_data::MessageContactData;
use persistence::records::{Contact, HandOver, InboxConversation, Message, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The type of the request to a webhook.
pub const TURN_TYPE: &str = "agent.turn";

/// The body of the request with which a webhook is asked for an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TurnRequest")]
pub struct TurnRequestBody {
    /// The id of the turn, which is also the `webhook-id`.
    id: IdOf<id::Turn>,
    /// Always `agent.turn`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// When the agent is asked.
    timestamp: Instant,
    /// The id of the organization.
    organization_id: IdOf<id::Organization>,
    /// The id of the account (the business's number).
    account_id: IdOf<id::Account>,
    /// What to answer.
    data: TurnRequestData,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TurnRequestData")]
struct TurnRequestData {
    /// The id of the turn.
    turn_id: IdOf<id::Turn>,
    /// The conversation.
    conversation: TurnConversation,
    /// The contact as known now.
    #[schemars(with = "MessageContactData")]
    contact: Person,
    /// The last messages, the oldest first.
    messages: Vec<MessageRecord>,
    /// The address that takes an answer after a 202.
    answer_url: String,
    /// The Bearer token for `answer_url`. It is good for one answer.
    ticket: String,
    /// Until when the ticket is good.
    expires_at: Instant,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TurnConversation")]
struct TurnConversation {
    /// The id of the conversation.
    id: IdOf<id::Conversation>,
    /// The status in the inbox.
    status: OneOf<ConversationStatus>,
    /// The labels.
    labels: Vec<String>,
    /// When the customer service window closes.
    window_closes_at: Option<Instant>,
    /// The number of messages.
    message_count: i64,
}

/// The address, the token and the time limit for a later answer of a turn.
#[derive(Clone, Debug)]
pub struct AnswerTicket {
    /// The address that takes the answer.
    pub answer_url: String,
    /// The Bearer token. It is a secret.
    pub ticket: String,
    /// The time at which the ticket expires.
    pub expires_at: Timestamp,
}

impl TurnRequestBody {
    /// Returns the request for a turn at `now`.
    #[must_use]
    pub fn new(
        turn: &Turn,
        conversation: &InboxConversation,
        messages: &[Message],
        ticket: AnswerTicket,
        now: Timestamp,
    ) -> Self {
        let InboxConversation { entry, conversation, contact, .. } = conversation;
        // Labels that cannot be read must not prevent the agent's answer.
        let labels = entry.state().ok().map(|it| it.labels.iter().map(str::to_owned).collect());
        let person = Person::render(contact);
        let record = |row: &Message| MessageRecord::from_row_with_contact(row, person.clone());
        Self {
            id: IdOf(turn.id),
            kind: TURN_TYPE,
            timestamp: Instant(now),
            organization_id: IdOf(turn.organization_id),
            account_id: IdOf(turn.account_id),
            data: TurnRequestData {
                turn_id: IdOf(turn.id),
                conversation: TurnConversation {
                    id: IdOf(conversation.id),
                    status: OneOf(entry.status),
                    labels: labels.unwrap_or_default(),
                    window_closes_at: window_expires_at(conversation.last_inbound_at).map(Instant),
                    message_count: conversation.message_count,
                },
                contact: shown(contact),
                messages: messages.iter().map(record).collect(),
                answer_url: ticket.answer_url,
                ticket: ticket.ticket,
                expires_at: Instant(ticket.expires_at),
            },
        }
    }
}

fn shown(contact: &Contact) -> Person {
    message_contact(contact).into()
}

/// The answer of an AI agent. Unknown fields are ignored.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AgentAnswer")]
pub struct AgentAnswerBody {
    /// The messages to send, each like the body of a send without a recipient. A message with `text`
    /// needs no `type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_ANSWER_MESSAGES))]
    messages: Option<Vec<Object<SendMessageBody>>>,
    /// Set to hand the conversation over to people, after the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hand_over: Option<Object<HandOverBody>>,
    /// A note for the people of the organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_NOTE_LENGTH))]
    note: Option<String>,
}

/// Why people have to take a conversation over.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HandOver")]
pub struct HandOverBody {
    /// Why a person is needed.
    #[schemars(length(min = 1, max = MAX_HAND_OVER_LENGTH))]
    reason: Option<String>,
    /// What the person needs to know.
    #[schemars(length(min = 1, max = MAX_HAND_OVER_LENGTH))]
    summary: Option<String>,
}

impl HandOverBody {
    /// Returns a call for a person.
    #[must_use]
    pub const fn new(reason: Option<String>, summary: Option<String>) -> Self {
        Self { reason, summary }
    }

    /// Parses the call for a person. The caller names the places of the fields.
    pub fn parse(
        &self,
        reason_at: &Field<'_>,
        summary_at: &Field<'_>,
        faults: &mut Violations,
    ) -> HandOver {
        let reason = self.reason.as_deref().filter(|it| !it.trim().is_empty());
        let reason = faults.optional_text(reason_at, reason, MAX_HAND_OVER_LENGTH);
        let summary =
            faults.optional_text(summary_at, self.summary.as_deref(), MAX_HAND_OVER_LENGTH);
        HandOver {
            reason: reason.unwrap_or_else(|| "The AI agent asked for a person.".to_owned()),
            summary,
        }
    }
}

/// A parsed answer.
#[derive(Clone, Debug, Default)]
pub struct ParsedAnswer {
    /// The messages to send, in order.
    pub messages: Vec<Draft>,
    /// The call for a person.
    pub hand_over: Option<HandOver>,
    /// The note for the people of the organization.
    pub note: Option<String>,
}

fn collect_strings(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|it| collect_strings(it, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, it)| collect_strings(it, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl AgentAnswerBody {
    /// Returns an answer of one text.
    #[must_use]
    pub fn text(text: String) -> Self {
        let message = SendMessageBody { text: Some(text), ..SendMessageBody::default() };
        Self { messages: Some(vec![Object(message)]), ..Self::default() }
    }

    /// Returns the answer as JSON, as an agent would write it.
    #[must_use]
    pub fn written(&self) -> String {
        json::without_nulls(self).to_string()
    }

    /// Returns an answer of these messages.
    #[must_use]
    pub fn messages(messages: Vec<Object<SendMessageBody>>) -> Self {
        Self { messages: Some(messages), ..Self::default() }
    }

    /// Returns an answer that hands the conversation over.
    #[must_use]
    pub fn handing_over(reason: Option<String>, summary: Option<String>) -> Self {
        Self { hand_over: Some(Object(HandOverBody::new(reason, summary))), ..Self::default() }
    }

    /// Returns the texts of the messages as one text, or `None` if there are none. Messages without
    /// a text, such as templates, are left out.
    #[must_use]
    pub fn texts(&self) -> Option<String> {
        let messages = self.messages.as_deref().unwrap_or_default();
        let texts: Vec<&str> = messages.iter().filter_map(|it| it.0.text.as_deref()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    /// Returns the texts of the messages that may have links.
    #[must_use]
    pub fn linking_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for message in self.messages.as_deref().unwrap_or_default() {
            let mut message = json::value(&message.0);
            if let Some(fields) = message.as_object_mut() {
                // The file at this address is sent, not the address itself.
                fields.remove("media_url");
            }
            collect_strings(message, &mut texts);
        }
        texts
    }

    /// Returns the hand-over, if the answer is one, with its reason.
    #[must_use]
    pub fn hand_over_reason(&self) -> Option<&str> {
        self.hand_over.as_ref().map(|it| it.0.reason.as_deref().unwrap_or_default())
    }

    /// Parses an answer. All its messages are sent to this conversation.
    pub fn parse(self, conversation: ConversationId) -> Result<ParsedAnswer, Violations> {
        let mut faults = Violations::default();
        let bodies = self.messages.unwrap_or_default();
        if bodies.len() > MAX_ANSWER_MESSAGES {
            let message = format!("at most {MAX_ANSWER_MESSAGES} messages are allowed");
            faults.add(&Field::root("messages"), Fault::TooLong, message);
        }
        let mut messages = Vec::new();
        for (index, body) in bodies.into_iter().take(MAX_ANSWER_MESSAGES).enumerate() {
            let mut own = Violations::default();
            let draft = draft(body.0, conversation, &mut own);
            let at = format!("messages[{index}]");
            faults.append_within(&at, own);
            messages.extend(draft);
        }
        let hand_over = self.hand_over.map(|it| {
            let at = Field::root("hand_over");
            it.0.parse(&at.key("reason"), &at.key("summary"), &mut faults)
        });
        let note =
            faults.optional_text(&Field::root("note"), self.note.as_deref(), MAX_NOTE_LENGTH);
        faults.finish(Some(ParsedAnswer { messages, hand_over, note }))
    }
}

/// Parses one message of an answer.
fn draft(
    mut body: SendMessageBody,
    conversation: ConversationId,
    faults: &mut Violations,
) -> Option<Draft> {
    let within = "the answer of an agent: it goes to the conversation of the turn";
    faults.forbid(&Field::root("phone_number"), body.phone_number.as_ref(), within);
    faults.forbid(&Field::root("channel_user_id"), body.channel_user_id.as_ref(), within);
    faults.forbid(&Field::root("contact_id"), body.contact_id.as_ref(), within);
    let elsewhere = body.conversation_id.as_ref().filter(|id| **id != conversation.to_string());
    faults.forbid(&Field::root("conversation_id"), elsewhere, within);
    let within = "the answer of an agent";
    faults.forbid(&Field::root("as"), body.send_as.as_ref(), within);
    faults.forbid(&Field::root("after_message_id"), body.after_message_id.as_ref(), within);
    faults.forbid(&Field::root("agent"), body.agent.as_ref(), within);
    faults.forbid(&Field::root("dry_run"), body.dry_run.as_ref(), within);
    faults.forbid(&Field::root("send_at"), body.send_at.as_ref(), within);
    if !faults.is_empty() {
        return None;
    }
    body.conversation_id = Some(conversation.to_string());
    if body.kind.is_none() && body.text.is_some() {
        body.kind = Some(ContentType::Text.as_str().to_owned());
    }
    body.prepare(None, faults).map(|it| it.draft)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::CONVERSATION;

    fn parse(json: &str) -> Result<ParsedAnswer, Vec<String>> {
        let body: AgentAnswerBody = serde_json::from_str(json).unwrap();
        body.parse(CONVERSATION)
            .map_err(|faults| faults.into_vec().into_iter().map(|it| it.field).collect())
    }

    #[test]
    fn an_answer_has_messages_a_hand_over_and_a_note() {
        let answer = parse(
            r#"{"messages": [{"text": "Hello"}, {"type": "text", "text": "Bye"}],
                "hand_over": {"reason": "Refund", "summary": "Order 7"}, "note": "VIP", "extra": 1}"#,
        )
        .unwrap();
        assert_eq!(answer.messages.len(), 2);
        let hand_over = answer.hand_over.unwrap();
        assert_eq!(hand_over.reason, "Refund");
        assert_eq!(hand_over.summary.as_deref(), Some("Order 7"));
        assert_eq!(answer.note.as_deref(), Some("VIP"));
        let silence = parse("{}").unwrap();
        assert!(silence.messages.is_empty() && silence.hand_over.is_none());
        assert!(parse(r#"{"hand_over": {}}"#).unwrap().hand_over.is_some());
    }

    #[test]
    fn an_answer_reaches_its_own_conversation_only() {
        let elsewhere = parse(
            r#"{"messages": [{"text": "Hi"}, {"text": "Hi", "phone_number": "+12025550100"},
                {"text": "Hi", "as": "agent"}, {"type": "text"}]}"#,
        );
        assert_eq!(
            elsewhere.unwrap_err(),
            ["messages[1].phone_number", "messages[2].as", "messages[3].text"]
        );
        let eleven = [r#"{"text":"x"}"#; 11].join(",");
        assert_eq!(parse(&format!(r#"{{"messages": [{eleven}]}}"#)).unwrap_err(), ["messages"]);
    }
}
