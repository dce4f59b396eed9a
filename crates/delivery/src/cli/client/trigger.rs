//! `switchboard trigger`: makes an event happen in the sandbox, so that all its ids are real.

use super::ServerArguments;
use super::api::ApiClient;
use super::body_setting::BodySetting;
use super::send::random_key;
use crate::cli::error::ErrorCode;
use crate::cli::results::Output;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use platform::entropy::Entropy;
use serde_json::{Value, json};
use std::time::Duration;

/// Two customers of the sandbox, which react as `docs/sandbox.md` describes.
const READS: &str = "+12025550100";
const RECEIVES: &str = "+12025550101";
const STAYS_SENT: &str = "+12025550102";
const FAILS: &str = "+12025550103";
const DOES_WHAT_THE_TEXT_SAYS: &str = "+12025550130";

/// The maximum number of times that a message is read until the channel has it, and the pause in
/// between.
const HANDED_OVER_ATTEMPTS: usize = 50;
const HANDED_OVER_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub struct TriggerArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// The event.
    #[arg(value_enum, hide_possible_values = true)]
    event: TriggeredEvent,
    /// The customer's phone number, for events that any customer can cause.
    #[arg(long, value_name = "NUMBER")]
    phone: Option<String>,
    /// The text of the message.
    #[arg(long)]
    text: Option<String>,
    /// For message.received: the URL of a file that the customer sends.
    #[arg(long, value_name = "URL", conflicts_with_all = ["text", "button"])]
    media: Option<String>,
    /// For message.received: the id of a button or a row that the customer taps, in the newest
    /// message that has it. If there is none, a message with that button is sent first.
    #[arg(long, value_name = "ID", conflicts_with = "text")]
    button: Option<String>,
    /// A value in the body of the request, such as `metadata.order=A-1042`. The value is JSON or a
    /// text. Can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = BodySetting::parse)]
    settings: Vec<BodySetting>,
    #[command(flatten)]
    output: Output,
}

/// The events that can be triggered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TriggeredEvent {
    #[value(name = "message.received")]
    MessageReceived,
    #[value(name = "message.queued")]
    MessageQueued,
    #[value(name = "message.sent")]
    MessageSent,
    #[value(name = "message.delivered")]
    MessageDelivered,
    #[value(name = "message.read")]
    MessageRead,
    #[value(name = "message.failed")]
    MessageFailed,
    #[value(name = "message.edited")]
    MessageEdited,
    #[value(name = "message.deleted")]
    MessageDeleted,
    #[value(name = "contact.created")]
    ContactCreated,
    #[value(name = "conversation.created")]
    ConversationCreated,
    #[value(name = "template.submitted")]
    TemplateSubmitted,
    #[value(name = "template.approved")]
    TemplateApproved,
    #[value(name = "template.rejected")]
    TemplateRejected,
    #[value(name = "template.paused")]
    TemplatePaused,
    #[value(name = "template.disabled")]
    TemplateDisabled,
}

impl TriggeredEvent {
    /// Says when the event happens, for the reader of the API's answer.
    const fn time_in_words(self) -> &'static str {
        match self {
            // The event is recorded in the transaction that accepts the message.
            Self::MessageQueued => "The message is accepted, and the event has happened.",
            Self::MessageReceived | Self::ContactCreated | Self::ConversationCreated => {
                "The customer has written. The event follows within a second."
            }
            _ => "The event happens within a few seconds.",
        }
    }
}

/// The action that makes an event happen.
#[derive(Debug, PartialEq)]
enum Cause {
    /// The customer writes.
    Inbound { phone: String, content: TriggeredContent },
    /// The business sends a text.
    Send { phone: String, text: String },
    /// The business creates a template whose name has this ending.
    Template { ending: &'static str },
}

/// The message that the customer writes.
#[derive(Debug, PartialEq)]
enum TriggeredContent {
    Text(String),
    File(String),
    Tap(String),
}

pub async fn run(arguments: TriggerArguments) -> Result<()> {
    let random = u16::from_be_bytes(Entropy::system().bytes());
    let cause = cause(&arguments, random)?;
    let client = arguments.server.client()?;
    let made = match cause {
        Cause::Inbound { phone, content } => {
            let body =
                with_settings(&arguments.settings, inbound(&client, &phone, content).await?)?;
            client.post("/api/v1/sandbox/inbound", &body, &random_key()).await?
        }
        Cause::Send { phone, text } => {
            let body = json!({"type": "text", "phone_number": phone, "text": text});
            let body = with_settings(&arguments.settings, body)?;
            client.post("/api/v1/messages", &body, &random_key()).await?
        }
        Cause::Template { ending } => {
            let body = json!({
                "name": format!("trigger_{}{ending}", random_key().split_at(8).0),
                "language": "en",
                "category": "utility",
                "components": [{"type": "BODY", "text": "Your order has been sent."}],
            });
            let body = with_settings(&arguments.settings, body)?;
            client.post("/api/v1/templates", &body, &random_key()).await?
        }
    };
    arguments.output.object(&made.parse::<Value>()?, arguments.event.time_in_words())
}

/// Sets the values of `--set` in a body.
fn with_settings(settings: &[BodySetting], mut body: Value) -> Result<Value> {
    for setting in settings {
        setting.apply(&mut body)?;
    }
    Ok(body)
}

/// Returns the action that makes the event happen. `random` chooses a new customer.
fn cause(arguments: &TriggerArguments, random: u16) -> Result<Cause> {
    let TriggerArguments { event, phone, text, media, button, .. } = arguments;
    let any_phone = |usual: &str| phone.clone().unwrap_or_else(|| usual.to_owned());
    let any_text = |usual: &str| text.clone().unwrap_or_else(|| usual.to_owned());
    let send =
        |phone: &str, text: &str| Cause::Send { phone: phone.to_owned(), text: text.to_owned() };
    let is_inbound = *event == TriggeredEvent::MessageReceived;
    if (media.is_some() || button.is_some()) && !is_inbound {
        return Err(ErrorCode::Usage.error("--media and --button are for message.received"));
    }
    let inbound = |phone| {
        let content = match (media, button) {
            (Some(url), _) => TriggeredContent::File(url.clone()),
            (None, Some(id)) => TriggeredContent::Tap(id.clone()),
            (None, None) => TriggeredContent::Text(any_text("Hello")),
        };
        Cause::Inbound { phone, content }
    };
    let cause = match event {
        TriggeredEvent::MessageReceived => return Ok(inbound(any_phone(READS))),
        TriggeredEvent::ContactCreated | TriggeredEvent::ConversationCreated => {
            return Ok(inbound(any_phone(&format!("+1202556{:04}", random % 10_000))));
        }
        TriggeredEvent::MessageQueued | TriggeredEvent::MessageDelivered => {
            return Ok(send(&any_phone(RECEIVES), &any_text("Hello")));
        }
        TriggeredEvent::MessageSent => send(STAYS_SENT, &any_text("Hello")),
        TriggeredEvent::MessageRead => send(READS, &any_text("Hello")),
        TriggeredEvent::MessageFailed => send(FAILS, &any_text("Hello")),
        TriggeredEvent::MessageEdited => send(DOES_WHAT_THE_TEXT_SAYS, "edit"),
        TriggeredEvent::MessageDeleted => send(DOES_WHAT_THE_TEXT_SAYS, "delete"),
        TriggeredEvent::TemplateSubmitted | TriggeredEvent::TemplateApproved => {
            Cause::Template { ending: "" }
        }
        TriggeredEvent::TemplateRejected => Cause::Template { ending: "_rejected_scam" },
        TriggeredEvent::TemplatePaused => Cause::Template { ending: "_paused" },
        TriggeredEvent::TemplateDisabled => Cause::Template { ending: "_disabled" },
    };
    if phone.is_some() {
        return Err(ErrorCode::Usage.error(
            "leave --phone out: in the sandbox the recipient decides what happens to a message",
        ));
    }
    let decides_text =
        matches!(event, TriggeredEvent::MessageEdited | TriggeredEvent::MessageDeleted);
    if text.is_some() && (decides_text || matches!(cause, Cause::Template { .. })) {
        return Err(ErrorCode::Usage.error("leave --text out: this event has a text of its own"));
    }
    Ok(cause)
}

/// Returns the request body for a message of the customer.
async fn inbound(client: &ApiClient, phone: &str, content: TriggeredContent) -> Result<Value> {
    Ok(match content {
        TriggeredContent::Text(text) => json!({"phone_number": phone, "text": text}),
        TriggeredContent::File(url) => json!({"phone_number": phone, "media_url": url}),
        TriggeredContent::Tap(id) => {
            let message = match message_with(client, phone, &id).await? {
                Some(message) => message,
                None => send_button(client, phone, &id).await?,
            };
            json!({"phone_number": phone, "button": {"message_id": message, "id": id}})
        }
    })
}

/// Returns the id of the newest message to the customer that has a button or a row of this id.
async fn message_with(client: &ApiClient, phone: &str, id: &str) -> Result<Option<String>> {
    let query = [("phone_number", phone.to_owned()), ("limit", "100".to_owned())];
    let history: Value = client.get("/api/v1/conversations/history", &query).await?.parse()?;
    let messages = history.pointer("/data").and_then(Value::as_array).into_iter().flatten();
    let has_choice = |message: &&Value| {
        let action = message.pointer("/interactive/action");
        message.pointer("/direction").is_some_and(|it| it == "outbound")
            && action.is_some_and(|action| has_choice(action, id))
    };
    let mut found = messages.filter(has_choice);
    Ok(found.next().and_then(id_of))
}

/// Returns the id of a message.
fn id_of(message: &Value) -> Option<String> {
    message.pointer("/id").and_then(Value::as_str).map(str::to_owned)
}

/// Whether a button or a row of an interactive message has this id.
fn has_choice(action: &Value, id: &str) -> bool {
    let list = |value: &'_ Value, name: &str| value.get(name).and_then(Value::as_array).cloned();
    let buttons = list(action, "buttons").into_iter().flatten();
    let buttons = buttons.filter_map(|button| button.get("reply").cloned());
    let sections = list(action, "sections").into_iter().flatten();
    let rows = sections.filter_map(|section| list(&section, "rows")).flatten();
    buttons.chain(rows).any(|choice| choice.get("id").is_some_and(|it| it == id))
}

/// Sends a message with one button, waits until the channel has it, and returns its id.
async fn send_button(client: &ApiClient, phone: &str, id: &str) -> Result<String> {
    // A title has at most 20 characters.
    let title: String = id.chars().take(20).collect();
    let body = json!({
        "type": "interactive",
        "phone_number": phone,
        "interactive": {
            "type": "button",
            "body": {"text": "Please choose"},
            "action": {"buttons": [{"type": "reply", "reply": {"id": id, "title": title}}]},
        },
    });
    let sent: Value = client.post("/api/v1/messages", &body, &random_key()).await?.parse()?;
    let id = id_of(&sent).context("the server's answer has no id")?;
    // A customer can tap a button after the channel has the message.
    for _ in 0..HANDED_OVER_ATTEMPTS {
        let message: Value = client.get(&format!("/api/v1/messages/{id}"), &[]).await?.parse()?;
        if message.get("status").is_some_and(|status| status != "queued") {
            return Ok(id);
        }
        tokio::time::sleep(HANDED_OVER_INTERVAL).await;
    }
    bail!("the message with the button was not sent within ten seconds")
}
