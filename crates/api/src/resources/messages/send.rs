//! `POST /api/v1/messages` (`docs/contract.md#send-a-message`).

use super::accept::{Accepted, Options, PreparedSend, SendReply, accept};
use super::variants;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation, Variant};
use actix_web::http::{Method, StatusCode};
use api_types::components::{self, ComponentWire, MAX_COMPONENTS};
use api_types::contact_card::{self, ContactCardWire};
use api_types::content::INTERACTIVE;
use api_types::interactive::{self, InteractiveWire};
use api_types::location::LocationWire;
use api_types::object::Object;
use api_types::reaction::ReactionWire;
use api_types::sample;
use api_types::schema::{
    ChannelBody, IdOf, LanguageText, LooseNumber, Metadata, OneOf, TemplateNameText, UrlText,
    UserIdText,
};
use domain::content::contacts::MAX_CARDS;
use domain::content::media::{MAX_CAPTION_LENGTH, MAX_FILENAME_LENGTH};
use domain::content::text::MAX_TEXT_LENGTH;
use domain::content::{
    Content, ContentType, MediaContent, MediaInput, PassthroughContent, TemplateContent,
    TextContent,
};
use domain::conversation::Warning;
use domain::id;
use domain::keyword::Keyword as _;
use domain::media::{FileType, MediaKind};
use domain::message::{MAX_CLIENT_REF_LENGTH, Recipient, RecipientFields};
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use platform::files::{id_in_address, is_address_of};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service::media;
use std::collections::BTreeMap;

/// Sends a message.
pub struct SendMessage;

/// A message to send.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SendMessage")]
pub struct SendMessageBody {
    /// The kind of message.
    #[serde(rename = "type")]
    #[schemars(required, with = "OneOf<ContentType>")]
    kind: Option<String>,
    /// The recipient's phone number; a new one creates a contact and a conversation. Set exactly
    /// one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`.
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// The channel's user id of the recipient, for recipients whose phone number may not be known
    /// (since 2026); a new one creates a contact and a conversation.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The id of the contact to send to.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    contact_id: Option<String>,
    /// The id of the conversation to send to.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// The text. Required for `text`.
    #[schemars(length(min = 1, max = MAX_TEXT_LENGTH))]
    text: Option<String>,
    /// Whether to show a preview of the first link. For `text`.
    preview_url: Option<bool>,
    /// The URL of the file, such as the one that an upload returned. Required for `media`.
    #[schemars(with = "Option<UrlText>")]
    media_url: Option<String>,
    /// The kind of file. For `media`; required if the URL does not end with a known file extension.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    media_type: Option<String>,
    /// The caption below the file. For `media`, except audio and stickers.
    #[schemars(length(min = 1, max = MAX_CAPTION_LENGTH))]
    caption: Option<String>,
    /// The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name.
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    filename: Option<String>,
    /// Whether to show audio as a voice message. For `media` with audio.
    voice: Option<bool>,
    /// The buttons, list, link or other interactive content. Required for `interactive`.
    interactive: Option<Object<InteractiveWire>>,
    /// The template's name. Required for `template`.
    #[schemars(with = "Option<TemplateNameText>")]
    template_name: Option<String>,
    /// The template's language, such as `en` or `en_US`. Required for `template`.
    #[schemars(with = "Option<LanguageText>")]
    language: Option<String>,
    /// The template's parameters. For `template`.
    #[schemars(length(max = MAX_COMPONENTS))]
    components: Option<Vec<Object<ComponentWire>>>,
    /// The location. Required for `location`.
    location: Option<Object<LocationWire>>,
    /// The contact cards. Required for `contacts`.
    #[schemars(length(min = 1, max = MAX_CARDS))]
    contacts: Option<Vec<Object<ContactCardWire>>>,
    /// The emoji, and the message to react to. Required for `reaction`.
    reaction: Option<Object<ReactionWire>>,
    /// The message in the channel's own format, without the recipient, the context and the tracking
    /// fields. Required for `channel`.
    #[schemars(with = "Option<ChannelBody>")]
    channel: Option<Map<String, Value>>,
    /// The id of the message to reply to.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    reply_to: Option<String>,
    /// Your own reference for the message; it is included in history and events.
    #[schemars(length(min = 1, max = MAX_CLIENT_REF_LENGTH))]
    client_ref: Option<String>,
    /// Your own key-value pairs.
    #[schemars(with = "Option<Metadata>")]
    metadata: Option<BTreeMap<String, String>>,
    /// Whether to only validate the request: nothing is sent, stored or counted as a message.
    dry_run: Option<bool>,
}

impl Operation for SendMessage {
    const ID: &'static str = "send_message";
    const SUMMARY: &'static str = "Send a message.";
    const DESCRIPTION: &'static str = "\
Sends a text, a file, buttons, a list, a link, a template, a location, contact cards, a reaction or another message of
the channel to one recipient. The message is sent from the number that the key is bound to, or else from the
organization's default number. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`;
a new phone number or user id creates a contact and a conversation. The message is sent to the contact's phone number if
it is known, and to the user id otherwise.

The response is sent as soon as the message is stored durably. The messages of a conversation are then sent to the
channel in order. Follow them with the events `message.sent`, `message.delivered`, `message.read` and `message.failed`,
or by getting the message. A free-form message pauses the AI agent in that conversation; a template leaves it running.

Interactive messages and contact cards are in Meta's format. A `reaction` is on a message of the same conversation. To
send a message that the channel supports and this version does not, use the type `channel`: its body is passed on
unchanged. Leave out the recipient, the context and the tracking fields, which the service adds.

`window_closed` in `warnings` means that the recipient has not written in the last 24 hours, so the channel may reject a
free-form message. With `dry_run` the request is only validated: nothing is sent, stored or counted as a message, and
the response is a 200 with the text that the recipient would see.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[
        Code::PlanLimitExceeded,
        Code::NotFound,
        Code::TemplateNotApproved,
        Code::TemplateParamsMismatch,
        Code::NotSupportedByChannel,
        Code::PhoneNumberRequired,
        Code::RecipientOptedOut,
        Code::NoMessagingAccount,
    ];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendMessageBody;
    type Reply = SendReply;

    fn example() -> ExampleOf<Self> {
        let input = SendMessageBody {
            text: Some(sample::TEXT.to_owned()),
            client_ref: Some(sample::CLIENT_REF.to_owned()),
            ..Self::Input::sample(ContentType::Text, sample::CONTACT_NUMBER)
        };
        let warnings = [Warning::WindowClosed];
        let reply = Accepted::sample(ContentType::Text, Some(sample::CLIENT_REF), &warnings);
        Example { path: Nothing {}, input: Some(input), reply }
    }

    fn variants() -> Vec<Variant<SendMessageBody>> {
        let file = SendMessageBody {
            media_url: Some("https://example.com/invoice-1042.pdf".to_owned()),
            caption: Some("Your invoice".to_owned()),
            filename: Some("invoice.pdf".to_owned()),
            ..Self::Input::sample(ContentType::Media, sample::CONTACT_NUMBER)
        };
        let interactive = |phone_number, interactive| SendMessageBody {
            interactive: Some(Object(interactive)),
            ..Self::Input::sample(ContentType::Interactive, phone_number)
        };
        let buttons = interactive(sample::TAPPING_NUMBER, interactive::sample::buttons());
        let list = interactive(sample::TAPPING_NUMBER, interactive::sample::list());
        let link = interactive(sample::CONTACT_NUMBER, interactive::sample::link());
        let typed = [
            Variant { name: "media", title: "A file", input: file },
            Variant { name: "buttons", title: "Buttons", input: buttons },
            Variant { name: "list", title: "A list", input: list },
            Variant { name: "link", title: "A link", input: link },
        ];
        typed.into_iter().chain(variants::variants()).collect()
    }

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        SendReply::by_status(schemas)
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendReply>, Problem> {
        let uploaded_as = uploaded_as(&call).await?;
        let prepared = call.parse(|body, faults| body.prepare(uploaded_as, faults))?;
        accept(&call, prepared).await
    }
}

/// Returns the kind of the file if it is one of the organization's own uploads, whose URL need not
/// have an extension.
async fn uploaded_as(call: &Call<SendMessage>) -> Result<Option<MediaKind>, Problem> {
    let body = &call.input;
    let (Some(url), None) = (&body.media_url, &body.media_type) else { return Ok(None) };
    let base_url = &call.deps.settings.base_url;
    let Some(id) = id_in_address(base_url, url) else { return Ok(None) };
    let found = media::find(&call.deps, call.organization(), id).await?;
    let found = found.filter(|media| is_address_of(base_url, id, &media.file_name, url));
    Ok(found.and_then(|media| FileType::of_content_type(&media.content_type)).map(FileType::kind))
}

impl SendMessageBody {
    /// Returns an example message of that type to that number.
    fn sample(kind: ContentType, phone_number: &str) -> Self {
        Self {
            kind: Some(kind.as_str().to_owned()),
            phone_number: Some(phone_number.to_owned()),
            ..Self::default()
        }
    }

    fn prepare(
        &self,
        uploaded_as: Option<MediaKind>,
        faults: &mut Violations,
    ) -> Option<PreparedSend> {
        let at = Field::root("type");
        let kind = faults.require(&at, self.kind.as_deref());
        let kind: Option<ContentType> = kind.and_then(|word| faults.word(&at, word));
        let recipient = Recipient::parse(
            &RecipientFields {
                phone_number: self.phone_number.as_deref(),
                channel_user_id: self.channel_user_id.as_deref(),
                contact_id: self.contact_id.as_deref(),
                conversation_id: self.conversation_id.as_deref(),
            },
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
        let mut draft = options.draft(recipient, content, faults)?;
        if let Content::Reaction(reaction) = &draft.content {
            draft.reply_to = Some(reaction.message);
        }
        Some(PreparedSend { draft, dry_run: self.dry_run.unwrap_or_default() })
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
                    voice: self.voice,
                };
                MediaContent::parse(proposal, faults).map(Content::Media)
            }
            ContentType::Interactive => {
                let interactive = faults.require(&INTERACTIVE, self.interactive.as_ref())?;
                interactive.parse(faults).map(Content::Interactive)
            }
            ContentType::Template => {
                let (components, cards) =
                    components::parse(self.components.as_deref().unwrap_or_default(), faults);
                let (name, language) = (self.template_name.as_deref(), self.language.as_deref());
                TemplateContent::parse(name, language, components, cards, faults)
                    .map(Content::Template)
            }
            ContentType::Location => {
                let at = Field::root("location");
                let place = faults.require(&at, self.location.as_ref())?;
                place.parse(&at, faults).map(Content::Location)
            }
            ContentType::Contacts => {
                let at = Field::root("contacts");
                let cards = faults.require(&at, self.contacts.as_deref())?;
                contact_card::parse(&at, cards, faults).map(Content::Contacts)
            }
            ContentType::Reaction => {
                let at = Field::root("reaction");
                let context = "a reaction: it is on the message in reaction.message_id";
                faults.forbid(&Field::root("reply_to"), self.reply_to.as_ref(), context);
                let reaction = faults.require(&at, self.reaction.as_ref())?;
                reaction.parse(&at, faults).map(Content::Reaction)
            }
            ContentType::Channel => {
                let at = Field::root("channel");
                let body = faults.require(&at, self.channel.as_ref())?;
                let (kind, names) = (body.get("type"), body.keys().map(String::as_str));
                if kind.is_some_and(|kind| !kind.is_string()) {
                    faults.add(&at.key("type"), Fault::WrongType, "must be a string");
                    return None;
                }
                let kind = kind.and_then(Value::as_str);
                let text = Value::Object(body.clone()).to_string();
                PassthroughContent::parse(&at, kind, names, text, faults).map(Content::Channel)
            }
        }
    }

    /// Adds a violation for each field of another type, because it would be silently dropped.
    fn forbid_others(&self, kind: ContentType, faults: &mut Violations) {
        use ContentType::{
            Channel, Contacts, Interactive, Location, Media, Reaction, Template, Text,
        };
        let given = [
            ("text", self.text.is_some(), Text),
            ("preview_url", self.preview_url.is_some(), Text),
            ("media_url", self.media_url.is_some(), Media),
            ("media_type", self.media_type.is_some(), Media),
            ("caption", self.caption.is_some(), Media),
            ("filename", self.filename.is_some(), Media),
            ("voice", self.voice.is_some(), Media),
            ("location", self.location.is_some(), Location),
            ("contacts", self.contacts.is_some(), Contacts),
            ("reaction", self.reaction.is_some(), Reaction),
            ("channel", self.channel.is_some(), Channel),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_bodies::{changed, changes, is_read_or_refused};
    use proptest::prelude::*;

    proptest! {
        /// Each example of the reference is read or rejected after random changes.
        #[test]
        fn whatever_is_sent_is_read_or_refused(which: usize, changes in changes()) {
            let first = SendMessage::example().input.into_iter();
            let mut bodies: Vec<_> = first.chain(SendMessage::variants().into_iter().map(|it| it.input)).collect();
            let body = bodies.swap_remove(which % bodies.len());
            let body = changed(serde_json::to_value(body).unwrap(), &changes);
            is_read_or_refused(&body, |body: &SendMessageBody, faults| body.prepare(None, faults))?;
        }
    }
}
