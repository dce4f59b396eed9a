//! `POST /api/v1/sandbox/inbound` (`docs/contract.md#sandbox-inbound`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation, Variant};
use actix_web::http::{Method, StatusCode};
use api_types::object::Object;
use api_types::sample;
use api_types::schema::{IdOf, LooseNumber, OneOf, PhoneNumberText, ReceivedWord, UrlText};
use domain::content::interactive::MAX_BUTTON_ID_LENGTH;
use domain::content::media::{MAX_CAPTION_LENGTH, MAX_FILENAME_LENGTH};
use domain::content::text::MAX_TEXT_LENGTH;
use domain::content::{MediaContent, MediaInput};
use domain::id::{self, MessageId};
use domain::keyword::Keyword as _;
use domain::media::{FileType, MediaKind, WebAddress};
use domain::message::MessageStatus;
use domain::phone::PhoneNumber;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::media;
use service::sandbox::{self, CustomerAction, CustomerActionError};

/// Lets the customer of a sandbox number write.
pub struct SimulateInbound;

/// What the customer does. Set exactly one of `text`, `media_url` and `button`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SandboxInbound")]
pub struct SandboxInboundBody {
    /// The customer's phone number; a new one creates a contact and a conversation.
    #[schemars(required, with = "LooseNumber")]
    phone_number: Option<String>,
    /// The text that the customer writes.
    #[schemars(length(min = 1, max = MAX_TEXT_LENGTH))]
    text: Option<String>,
    /// The URL of the file that the customer sends: one that an upload returned, or a public https URL.
    #[schemars(with = "Option<UrlText>")]
    media_url: Option<String>,
    /// The kind of file. With `media_url`; required if the URL does not end with a known file extension.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    media_type: Option<String>,
    /// The caption below the file. With `media_url`, except for audio and stickers.
    #[schemars(length(min = 1, max = MAX_CAPTION_LENGTH))]
    caption: Option<String>,
    /// The name of the document. With `media_url`.
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    filename: Option<String>,
    /// Whether the audio is a voice message. With `media_url`.
    voice: Option<bool>,
    /// The button or row that the customer taps.
    button: Option<Object<TappedButtonWire>>,
}

/// A button or a row of a message that was sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TappedButton")]
pub struct TappedButtonWire {
    /// The id of the interactive message.
    #[schemars(required, with = "IdOf<id::Message>")]
    message_id: Option<String>,
    /// The id of the button or the row.
    #[schemars(required, length(min = 1, max = MAX_BUTTON_ID_LENGTH))]
    id: Option<String>,
}

/// A message that the simulated customer wrote.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SandboxInboundMessage")]
pub struct SandboxInboundReply {
    /// The id that the message has in history and in `message.received`, within a second.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
    /// Always `received`.
    #[schemars(with = "ReceivedWord")]
    status: &'static str,
    /// The id of the account (the business's number) that the customer writes to.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The customer's phone number.
    #[schemars(with = "PhoneNumberText")]
    phone_number: String,
}

impl Operation for SimulateInbound {
    const ID: &'static str = "simulate_inbound";
    const SUMMARY: &'static str = "Write as a customer of the sandbox.";
    const DESCRIPTION: &'static str = "\
Lets a customer write to the number that the key sends from, which has to be a number of the sandbox: a text, a file, or
a tap on a button or a row of an interactive message. The message arrives as a callback of the channel, like one of a
real customer: the contact and the conversation are created, the customer service window opens, and `message.received`
is recorded within a second. Set exactly one of `text`, `media_url` and `button`.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/sandbox/inbound";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] =
        &[Code::NotFound, Code::NotSupportedByChannel, Code::NoMessagingAccount];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SandboxInboundBody;
    type Reply = SandboxInboundReply;

    fn example() -> ExampleOf<Self> {
        let input = SandboxInboundBody {
            phone_number: Some(sample::CONTACT_NUMBER.to_owned()),
            text: Some("When do you open?".to_owned()),
            ..SandboxInboundBody::default()
        };
        let reply = SandboxInboundReply {
            id: sample::RECEIVED.to_string(),
            status: MessageStatus::Received.as_str(),
            account_id: sample::ACCOUNT.to_string(),
            phone_number: sample::CONTACT_NUMBER.to_owned(),
        };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    fn variants() -> Vec<Variant<SandboxInboundBody>> {
        let input = SandboxInboundBody {
            phone_number: Some(sample::CONTACT_NUMBER.to_owned()),
            media_url: Some("https://example.com/receipt.pdf".to_owned()),
            caption: Some("My receipt".to_owned()),
            ..SandboxInboundBody::default()
        };
        vec![Variant { name: "file", title: "Send a file", input }]
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SandboxInboundReply>, Problem> {
        let (organization, url) = (call.organization(), call.input.media_url.as_deref());
        let uploaded = match url {
            Some(url) => media::find_by_address(&call.deps, organization, url).await?,
            None => None,
        };
        let file_type =
            uploaded.as_ref().and_then(|it| FileType::of_content_type(&it.content_type));
        let is_fetchable = |url: &str| {
            url.starts_with("https://") && call.deps.outbound.guarded.check(url).is_ok()
        };
        let file = LinkedFile {
            uploaded_as: file_type.map(FileType::kind),
            is_available: uploaded.is_some() || url.is_none_or(is_fetchable),
        };
        let (customer, action) = call.parse(|body, faults| body.prepare(file, faults))?;
        let action = match (action, uploaded) {
            (CustomerAction::SendFile { content, .. }, upload) => {
                CustomerAction::SendFile { content, upload }
            }
            (action, _) => action,
        };
        let account = call.sending_account()?;
        let written =
            sandbox::act_as_customer(&call.deps, organization, account, &customer, action).await;
        let id: MessageId = written.map_err(problem)?;
        let reply = SandboxInboundReply {
            id: id.to_string(),
            status: MessageStatus::Received.as_str(),
            account_id: account.to_string(),
            phone_number: customer.to_string(),
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}

/// What is known about the file at `media_url`.
#[derive(Clone, Copy)]
struct LinkedFile {
    /// The kind of the file if it is one of the organization's own uploads.
    uploaded_as: Option<MediaKind>,
    /// Whether the file is an own upload, or can be fetched from outside.
    is_available: bool,
}

impl SandboxInboundBody {
    /// Returns the customer's number and what the customer does. Adds all faults of the body.
    fn prepare(
        &self,
        file: LinkedFile,
        faults: &mut Violations,
    ) -> Option<(PhoneNumber, CustomerAction)> {
        let at = Field::root("phone_number");
        let number = faults.require(&at, self.phone_number.as_deref());
        let number = number.and_then(|text| {
            let parsed = PhoneNumber::parse(text);
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let given = [self.text.is_some(), self.media_url.is_some(), self.button.is_some()];
        if given.into_iter().filter(|is_given| *is_given).count() != 1 {
            let message = "set exactly one of text, media_url and button";
            faults.add(&Field::root("text"), Fault::NotAllowed, message);
            return None;
        }
        if self.media_url.is_none() {
            let without = "a message without a file";
            faults.forbid(&Field::root("media_type"), self.media_type.as_ref(), without);
            faults.forbid(&Field::root("caption"), self.caption.as_ref(), without);
            faults.forbid(&Field::root("filename"), self.filename.as_ref(), without);
            faults.forbid(&Field::root("voice"), self.voice.as_ref(), without);
        }
        let action = if let Some(button) = &self.button {
            let at = Field::root("button");
            let (message_at, id_at) = (at.key("message_id"), at.key("id"));
            let message = faults.require(&message_at, button.message_id.as_deref());
            let message = faults.optional_id(&message_at, message);
            let choice = faults.required_text(&id_at, button.id.as_deref(), MAX_BUTTON_ID_LENGTH);
            CustomerAction::Tap { message: message?, choice: choice? }
        } else if let Some(url) = &self.media_url {
            // A text that is not a web address already has a fault.
            if !file.is_available && WebAddress::parse(url).is_ok() {
                let message = "must be the URL of one of your uploads, or an https URL of the \
                               public internet";
                faults.add(&Field::root("media_url"), Fault::InvalidFormat, message);
            }
            let proposal = MediaInput {
                url: self.media_url.as_deref(),
                kind: self.media_type.as_deref(),
                uploaded_as: file.uploaded_as,
                caption: self.caption.as_deref(),
                filename: self.filename.as_deref(),
                voice: self.voice,
            };
            let content = MediaContent::parse(proposal, faults)?;
            CustomerAction::SendFile { content, upload: None }
        } else {
            let at = Field::root("text");
            let text = faults.required_text(&at, self.text.as_deref(), MAX_TEXT_LENGTH)?;
            if text.trim().is_empty() {
                faults.add(&at, Fault::Empty, "must not be empty");
            }
            CustomerAction::Write(text)
        };
        Some((number?, action))
    }
}

fn problem(error: CustomerActionError) -> Problem {
    match error {
        CustomerActionError::NoSuchNumber => Problem::no_messaging_account(),
        CustomerActionError::NotOnSandbox(channel) => Problem::not_supported_by_channel(
            channel,
            "messages of a simulated customer".to_owned(),
            Vec::new(),
        ),
        CustomerActionError::NoSuchChoice => Problem::not_found("button or row"),
        CustomerActionError::InvalidText => Problem::internal(&error),
        CustomerActionError::Database(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_bodies::{changed, changes, is_read_or_refused};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_sent_is_read_or_refused(changes in changes()) {
            let body = serde_json::to_value(SimulateInbound::example().input).unwrap();
            let file = LinkedFile { uploaded_as: None, is_available: true };
            let read = |body: &SandboxInboundBody, faults: &mut Violations| body.prepare(file, faults);
            is_read_or_refused(&changed(body, &changes), read)?;
        }
    }
}
