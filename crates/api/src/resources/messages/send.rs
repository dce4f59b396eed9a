//! `POST /api/v1/messages` (`docs/contract.md#send-a-message`).

use super::accept::{Options, PROBLEMS, Prepared, SendReply, accept};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation, Variant, write};
use actix_web::http::{Method, StatusCode};
use domain::content::media::{MAX_CAPTION_LENGTH, MAX_FILENAME_LENGTH};
use domain::content::text::MAX_TEXT_LENGTH;
use domain::content::{
    Content, ContentType, MediaContent, MediaInput, TemplateContent, TextContent,
};
use domain::id;
use domain::keyword::Keyword as _;
use domain::media::{FileType, MediaKind};
use domain::message::{MAX_CLIENT_REF_LENGTH, Recipient};
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use service::files::{address, id_in_address};
use service::media;
use std::collections::BTreeMap;
use web_core::problem::{Code, Problem};
use wire::components::{self, ComponentWire, MAX_COMPONENTS};
use wire::content::{INTERACTIVE, MediaDocument, TemplateDocument, TextDocument};
use wire::interactive::InteractiveWire;
use wire::object::Object;
use wire::schema::{Address, IdOf, LanguageText, LooseNumber, Metadata, OneOf, TemplateNameText};

/// Sends a message.
pub struct SendMessage;

/// A message to send.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "SendMessage")]
pub struct SendMessageBody {
    /// What it is.
    #[serde(rename = "type")]
    #[schemars(required, with = "OneOf<ContentType>")]
    kind: Option<String>,
    /// The person's number; a new one makes a contact and a conversation. Exactly one of this and the next two.
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// The person, if you know their id.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    contact_id: Option<String>,
    /// The conversation, if you know its id.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// Of a text: what it says. Needed there.
    #[schemars(length(min = 1, max = MAX_TEXT_LENGTH))]
    text: Option<String>,
    /// Of a text: whether the first link is shown with a preview.
    preview_url: Option<bool>,
    /// Of a media message: where the file is, such as the address that an upload gave. Needed there.
    #[schemars(with = "Option<Address>")]
    media_url: Option<String>,
    /// Of a media message: what the file is. Needed where the address does not tell.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    media_type: Option<String>,
    /// Of a media message: the text below the file; not for audio and stickers.
    #[schemars(length(min = 1, max = MAX_CAPTION_LENGTH))]
    caption: Option<String>,
    /// Of a document: what it is called on the other side.
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    filename: Option<String>,
    /// Of an interactive message: buttons, a list or a link. Needed there.
    interactive: Option<Object<InteractiveWire>>,
    /// Of a template: its name. Needed there.
    #[schemars(with = "Option<TemplateNameText>")]
    template_name: Option<String>,
    /// Of a template: its language, such as `en` or `en_US`. Needed there.
    #[schemars(with = "Option<LanguageText>")]
    language: Option<String>,
    /// Of a template: what fills it in.
    #[schemars(length(max = MAX_COMPONENTS))]
    components: Option<Vec<Object<ComponentWire>>>,
    /// The message that this one answers.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    reply_to: Option<String>,
    /// Your own name for it; history and events give it back.
    #[schemars(length(min = 1, max = MAX_CLIENT_REF_LENGTH))]
    client_ref: Option<String>,
    /// Your own notes on it.
    #[schemars(with = "Option<Metadata>")]
    metadata: Option<BTreeMap<String, String>>,
    /// Whether to check only: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

const FILE: &str = r#"{
  "type": "media",
  "phone_number": "+12025550100",
  "media_url": "https://example.com/invoice-1042.pdf",
  "caption": "Your invoice",
  "filename": "invoice.pdf"
}"#;

const BUTTONS: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "button",
    "body": { "text": "Is Tuesday at ten fine?" },
    "footer": { "text": "Delivery of order 1042" },
    "action": {
      "buttons": [
        { "type": "reply", "reply": { "id": "yes", "title": "Yes" } },
        { "type": "reply", "reply": { "id": "no", "title": "Another day" } }
      ]
    }
  }
}"#;

const LIST: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "list",
    "header": { "type": "text", "text": "Delivery" },
    "body": { "text": "When shall we come?" },
    "action": {
      "button": "Choose a time",
      "sections": [
        {
          "title": "Tuesday",
          "rows": [
            { "id": "tue-10", "title": "10:00", "description": "Until 11:00" },
            { "id": "tue-14", "title": "14:00" }
          ]
        },
        { "title": "Wednesday", "rows": [{ "id": "wed-10", "title": "10:00" }] }
      ]
    }
  }
}"#;

const LINK: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550100",
  "interactive": {
    "type": "cta_url",
    "body": { "text": "Your order is on its way." },
    "action": {
      "name": "cta_url",
      "parameters": { "display_text": "Follow it", "url": "https://example.com/orders/1042" }
    }
  }
}"#;

impl Operation for SendMessage {
    const ID: &'static str = "send_message";
    const SUMMARY: &'static str = "Send a message.";
    const DESCRIPTION: &'static str = "\
Sends a text, a file, buttons, a list, a link or a template to one person, from the number that the
key is bound to, or else from the organization's default number. Name the person by exactly one of
`phone_number`, `contact_id` and `conversation_id`; a number that nobody knows yet makes a contact and a
conversation.

The answer comes as soon as the message is durable. It then goes to the channel in the order of its
conversation; follow it by the webhooks `message.sent`, `message.delivered`, `message.read` and
`message.failed`, or by reading the message. A free-form message pauses the AI agent in that conversation;
a template leaves it running.

`window_closed` in `warnings` means that the person has not written in the last 24 hours, so the channel
may refuse a free-form message. With `dry_run` everything is checked, nothing is sent, stored or counted
as a message, and the answer is a 200 that says what the person would read.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{
  "type": "text",
  "phone_number": "+12025550100",
  "text": "Your order is on its way.",
  "client_ref": "order-1042"
}"#,
        reply: r#"{
  "id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa",
  "status": "queued",
  "direction": "outbound",
  "type": "text",
  "conversation_id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
  "contact_id": "ctc_01jd7qkz5refa9k3x7d5s2n0pg",
  "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
  "phone_number": "+12025550100",
  "channel_message_id": null,
  "client_ref": "order-1042",
  "warnings": ["window_closed"],
  "created_at": "2026-11-21T12:00:00.000Z"
}"#,
    };
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "media", title: "A file", input: FILE },
        Variant { name: "buttons", title: "Buttons", input: BUTTONS },
        Variant { name: "list", title: "A list", input: LIST },
        Variant { name: "link", title: "A link", input: LINK },
    ];
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendMessageBody;
    type Reply = SendReply;

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        SendReply::by_status(schemas)
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendReply>, Problem> {
        let uploaded_as = uploaded_as(&call).await?;
        let prepared = call.parse(|body, faults| body.prepare(uploaded_as, faults))?;
        accept(&call, prepared).await
    }
}

/// What the file is, if it is one of the organization's own uploads: then its address need not tell.
async fn uploaded_as(call: &Call<SendMessage>) -> Result<Option<MediaKind>, Problem> {
    let body = &call.input;
    let (Some(url), None) = (&body.media_url, &body.media_type) else { return Ok(None) };
    let base_url = &call.deps.settings.base_url;
    let Some(id) = id_in_address(base_url, url) else { return Ok(None) };
    let found = media::find(&call.deps, call.organization(), id).await?;
    let found = found.filter(|media| address(base_url, id, &media.file_name) == *url);
    Ok(found.and_then(|media| FileType::of_content_type(&media.content_type)).map(FileType::kind))
}

impl SendMessageBody {
    fn prepare(&self, uploaded_as: Option<MediaKind>, faults: &mut Violations) -> Option<Prepared> {
        let at = Field::root("type");
        let kind = faults.require(&at, self.kind.as_deref());
        let kind: Option<ContentType> = kind.and_then(|word| faults.word(&at, word));
        let recipient = Recipient::parse(
            self.phone_number.as_deref(),
            self.contact_id.as_deref(),
            self.conversation_id.as_deref(),
            faults,
        );
        let content = kind.and_then(|kind| {
            self.forbid_others(kind, faults);
            self.content(kind, uploaded_as, faults)
        });
        let options = Options {
            reply_to: self.reply_to.as_deref(),
            client_ref: self.client_ref.as_deref(),
            metadata: self.metadata.as_ref(),
        };
        let draft = options.draft(recipient, content, faults)?;
        let document = self.document(&draft.content).ok()?;
        Some(Prepared { draft, document, dry_run: self.dry_run.unwrap_or_default() })
    }

    fn content(
        &self,
        kind: ContentType,
        uploaded_as: Option<MediaKind>,
        faults: &mut Violations,
    ) -> Option<Content> {
        match kind {
            ContentType::Text => TextContent::parse(self.text.as_deref(), self.preview_url, faults)
                .map(Content::Text),
            ContentType::Media => {
                let proposal = MediaInput {
                    url: self.media_url.as_deref(),
                    kind: self.media_type.as_deref(),
                    uploaded_as,
                    caption: self.caption.as_deref(),
                    filename: self.filename.as_deref(),
                };
                MediaContent::parse(proposal, faults).map(Content::Media)
            }
            ContentType::Interactive => {
                let interactive = faults.require(&INTERACTIVE, self.interactive.as_ref())?;
                interactive.parse(faults).map(Content::Interactive)
            }
            ContentType::Template => {
                let parts =
                    components::parse(self.components.as_deref().unwrap_or_default(), faults);
                let (name, language) = (self.template_name.as_deref(), self.language.as_deref());
                TemplateContent::parse(name, language, parts, faults).map(Content::Template)
            }
        }
    }

    /// A field of another type would be silently dropped: so it is a fault.
    fn forbid_others(&self, kind: ContentType, faults: &mut Violations) {
        use ContentType::{Interactive, Media, Template, Text};
        let given = [
            ("text", self.text.is_some(), Text),
            ("preview_url", self.preview_url.is_some(), Text),
            ("media_url", self.media_url.is_some(), Media),
            ("media_type", self.media_type.is_some(), Media),
            ("caption", self.caption.is_some(), Media),
            ("filename", self.filename.is_some(), Media),
            ("interactive", self.interactive.is_some(), Interactive),
            ("template_name", self.template_name.is_some(), Template),
            ("language", self.language.is_some(), Template),
            ("components", self.components.is_some(), Template),
        ];
        for (name, given, of) in given {
            let context = format!("a message of type {kind}");
            faults.forbid(&Field::root(name), (given && of != kind).then_some(&()), &context);
        }
    }

    fn document(&self, content: &Content) -> Result<String, Problem> {
        match content {
            Content::Text(_) => {
                write(&TextDocument { text: self.text.clone(), preview_url: self.preview_url })
            }
            Content::Media(media) => write(&MediaDocument {
                url: self.media_url.clone(),
                media_type: Some(media.kind.as_str().to_owned()),
                content_type: None,
                caption: self.caption.clone(),
                filename: self.filename.clone(),
            }),
            Content::Interactive(_) => write(&self.interactive),
            Content::Template(_) => write(&TemplateDocument {
                name: self.template_name.clone(),
                language: self.language.clone(),
                components: self.components.clone().unwrap_or_default(),
            }),
        }
    }
}
