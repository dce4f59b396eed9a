//! `POST /api/v1/messages` (`service.md` 4.1).

use super::accept::{Options, Prepared, SendReply, accept};
use crate::files::{address, id_in_address};
use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation, write};
use crate::problem::{Code, Problem};
use crate::wire::components::{self, ComponentWire};
use crate::wire::content::{INTERACTIVE, MediaDocument, TemplateDocument, TextDocument};
use crate::wire::interactive::InteractiveWire;
use crate::wire::object::Object;
use actix_web::http::{Method, StatusCode};
use domain::content::{
    Content, ContentType, MediaContent, MediaProposal, TemplateContent, TextContent,
};
use domain::media::{FileType, MediaKind};
use domain::message::Recipient;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use domain::word::Word as _;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Sends a message.
pub struct SendMessage;

/// A message to send.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct SendMessageBody {
    /// `text`, `media`, `interactive` or `template`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The person's number; a new one makes a contact and a conversation.
    phone_number: Option<String>,
    /// The person, if you know their id.
    contact_id: Option<String>,
    /// The conversation, if you know its id.
    conversation_id: Option<String>,
    /// Of a text: 1 to 4096 characters.
    text: Option<String>,
    /// Of a text: whether the first link is shown with a preview.
    preview_url: Option<bool>,
    /// Of a media message: an http or https address, such as one that an upload gave.
    media_url: Option<String>,
    /// Of a media message: `image`, `video`, `audio`, `document` or `sticker`; needed where the address does not tell.
    media_type: Option<String>,
    /// Of a media message: at most 1024 characters; not for audio and stickers.
    caption: Option<String>,
    /// Of a document: what it is called on the other side, at most 240 characters.
    filename: Option<String>,
    /// Of an interactive message.
    interactive: Option<Object<InteractiveWire>>,
    /// Of a template: its name.
    template_name: Option<String>,
    /// Of a template: its language, such as `en` or `en_US`.
    language: Option<String>,
    /// Of a template: what fills it in.
    components: Option<Vec<Object<ComponentWire>>>,
    /// The message that this one answers.
    reply_to: Option<String>,
    /// Your own name for it, at most 512 characters; history and events give it back.
    client_ref: Option<String>,
    /// Your own notes on it: at most 20 keys of at most 40 characters, values of at most 500.
    metadata: Option<BTreeMap<String, String>>,
    /// Whether to check only: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

impl Operation for SendMessage {
    const ID: &'static str = "send_message";
    const SUMMARY: &'static str = "Send a message.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages";
    const ACCESS: Access = Access::Key(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[
        Code::PlanLimitExceeded,
        Code::NotFound,
        Code::TemplateNotApproved,
        Code::TemplateParamsMismatch,
        Code::NoMessagingAccount,
    ];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendMessageBody;
    type Reply = SendReply;

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
    let found = call.deps.db.own_media(call.organization(), id).await?;
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
                let proposal = MediaProposal {
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
