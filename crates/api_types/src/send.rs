//! The body of a send, as callers of the API and the sandbox phone write it
//! (`docs/contract.md#send-a-message`).

use crate::components::{self, ComponentWire, MAX_COMPONENTS};
use crate::contact_card::{self, ContactCardWire};
use crate::content::INTERACTIVE;
use crate::interactive::InteractiveWire;
use crate::location::LocationWire;
use crate::object::Object;
use crate::reaction::ReactionWire;
use crate::schema::{
    ChannelBody, IdOf, Instant, LanguageText, LooseNumber, Metadata, OneOf, TemplateNameText,
    UrlText, UserIdText,
};
use domain::content::contacts::MAX_CARDS;
use domain::content::media::{MAX_CAPTION_LENGTH, MAX_FILENAME_LENGTH};
use domain::content::text::MAX_TEXT_LENGTH;
use domain::content::{
    Content, ContentType, MediaContent, MediaInput, PassthroughContent, TemplateContent,
    TextContent,
};
use domain::conversation::{AgentAnswer, AgentChange, SendAs};
use domain::id::{self, MessageId};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::message::{Draft, MAX_CLIENT_REF_LENGTH, Recipient, RecipientFields, check_metadata};
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A message to send.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SendMessage")]
pub struct SendMessageBody {
    /// The kind of message.
    #[serde(rename = "type")]
    #[schemars(required, with = "OneOf<ContentType>")]
    pub kind: Option<String>,
    /// The recipient's phone number; a new one creates a contact and a conversation. Set exactly
    /// one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`.
    #[schemars(with = "Option<LooseNumber>")]
    pub phone_number: Option<String>,
    /// The channel's user id of the recipient, for recipients whose phone number may not be known
    /// (since 2026); a new one creates a contact and a conversation.
    #[schemars(with = "Option<UserIdText>")]
    pub channel_user_id: Option<String>,
    /// The id of the contact to send to.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    pub contact_id: Option<String>,
    /// The id of the conversation to send to.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    pub conversation_id: Option<String>,
    /// The text. Required for `text`.
    #[schemars(length(min = 1, max = MAX_TEXT_LENGTH))]
    pub text: Option<String>,
    /// Whether to show a preview of the first link. For `text`.
    pub preview_url: Option<bool>,
    /// The URL of the file, such as the one that an upload returned. Required for `media`.
    #[schemars(with = "Option<UrlText>")]
    pub media_url: Option<String>,
    /// The kind of file. For `media`; required if the URL does not end with a known file extension.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    pub media_type: Option<String>,
    /// The caption below the file. For `media`, except audio and stickers.
    #[schemars(length(min = 1, max = MAX_CAPTION_LENGTH))]
    pub caption: Option<String>,
    /// The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name.
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    pub filename: Option<String>,
    /// Whether to show audio as a voice message. For `media` with audio.
    pub voice: Option<bool>,
    /// The buttons, list, link or other interactive content. Required for `interactive`.
    pub interactive: Option<Object<InteractiveWire>>,
    /// The template's name. Required for `template`.
    #[schemars(with = "Option<TemplateNameText>")]
    pub template_name: Option<String>,
    /// The template's language, such as `en` or `en_US`. Required for `template`.
    #[schemars(with = "Option<LanguageText>")]
    pub language: Option<String>,
    /// The template's parameters. For `template`.
    #[schemars(length(max = MAX_COMPONENTS))]
    pub components: Option<Vec<Object<ComponentWire>>>,
    /// The location. Required for `location`.
    pub location: Option<Object<LocationWire>>,
    /// The contact cards. Required for `contacts`.
    #[schemars(length(min = 1, max = MAX_CARDS))]
    pub contacts: Option<Vec<Object<ContactCardWire>>>,
    /// The emoji, and the message to react to. Required for `reaction`.
    pub reaction: Option<Object<ReactionWire>>,
    /// The message in the channel's own format, without the recipient, the context and the tracking
    /// fields. Required for `channel`.
    #[schemars(with = "Option<ChannelBody>")]
    pub channel: Option<Map<String, Value>>,
    /// The id of the message to reply to, in the same conversation.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    pub reply_to: Option<String>,
    /// Your own reference for the message; it is included in history and events.
    #[schemars(length(min = 1, max = MAX_CLIENT_REF_LENGTH))]
    pub client_ref: Option<String>,
    /// Your own key-value pairs.
    #[schemars(with = "Option<Metadata>")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// Who writes the message, if it is not a person: `agent` for your AI agent. Requires the scope
    /// `agent.reply` instead of `messages.send`.
    #[serde(rename = "as")]
    #[schemars(with = "Option<OneOf<SendAs>>")]
    pub send_as: Option<String>,
    /// The id of the message that the AI agent answers. With `as`; the answer is refused if the
    /// contact has written again.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    pub after_message_id: Option<String>,
    /// `paused` to pause the AI agent with this message, so that people answer what comes back.
    #[schemars(with = "Option<OneOf<AgentChange>>")]
    pub agent: Option<String>,
    /// When to send the message, at most 30 days ahead. Until then its status is `scheduled`, and it can be canceled.
    #[schemars(with = "Option<Instant>")]
    pub send_at: Option<String>,
    /// The template to send instead if the customer service window is closed. For free-form messages.
    pub fallback_template: Option<Object<FallbackTemplateWire>>,
    /// Whether to only validate the request: nothing is sent, stored or counted as a message.
    pub dry_run: Option<bool>,
}

/// A template that is sent if a free-form message cannot be.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FallbackTemplate")]
pub struct FallbackTemplateWire {
    /// The template's name.
    #[schemars(required, with = "TemplateNameText")]
    pub template_name: Option<String>,
    /// The template's language, such as `en` or `en_US`.
    #[schemars(required, with = "LanguageText")]
    pub language: Option<String>,
    /// The template's parameters.
    #[schemars(length(max = MAX_COMPONENTS))]
    pub components: Option<Vec<Object<ComponentWire>>>,
}

impl FallbackTemplateWire {
    /// Parses the template. The fields of its violations are within `fallback_template`.
    fn parse(&self, faults: &mut Violations) -> Option<TemplateContent> {
        let mut inner = Violations::default();
        let (components, cards) =
            components::parse(self.components.as_deref().unwrap_or_default(), &mut inner);
        let (name, language) = (self.template_name.as_deref(), self.language.as_deref());
        let parsed = TemplateContent::parse(name, language, components, cards, &mut inner);
        let at = Field::root("fallback_template");
        for violation in inner.into_vec() {
            faults.add(&at.key(&violation.field), violation.fault, violation.message);
        }
        parsed
    }
}

/// A parsed send request.
#[derive(Debug)]
pub struct PreparedSend {
    /// The message.
    pub draft: Draft,
    /// The answer of an AI agent, if the message is one.
    pub agent_answer: Option<AgentAnswer>,
    /// Whether the message pauses the AI agent in any case.
    pub pauses_agent: bool,
    /// When to send the message, if not at once.
    pub send_at: Option<Timestamp>,
    /// Whether to only validate the draft.
    pub dry_run: bool,
}

/// The optional fields that both send operations have.
#[derive(Clone, Copy, Debug)]
pub struct SendOptions<'a> {
    /// The message to reply to.
    pub reply_to: Option<&'a str>,
    /// The caller's reference.
    pub client_ref: Option<&'a str>,
    /// The caller's own pairs.
    pub metadata: Option<&'a BTreeMap<String, String>>,
}

impl SendOptions<'_> {
    /// Creates a draft from these fields, the recipient and the content.
    pub fn draft(
        &self,
        recipient: Option<Recipient>,
        content: Option<Content>,
        faults: &mut Violations,
    ) -> Option<Draft> {
        let at = Field::root("reply_to");
        let reply_to = self.reply_to.map(|text| {
            let parsed = text.parse::<MessageId>();
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let client_ref = faults.optional_text(
            &Field::root("client_ref"),
            self.client_ref,
            MAX_CLIENT_REF_LENGTH,
        );
        let metadata = self.metadata.cloned().unwrap_or_default();
        check_metadata(&metadata, faults);
        Some(Draft {
            recipient: recipient?,
            content: content?,
            reply_to: reply_to.flatten(),
            client_ref,
            metadata,
            fallback: None,
        })
    }
}

/// Parses the field `send_at`.
pub fn send_at(text: Option<&str>, faults: &mut Violations) -> Option<Timestamp> {
    faults.optional_time(&Field::root("send_at"), text)
}

/// Parses the field `agent`: whether the message pauses the AI agent.
pub fn pauses_agent(word: Option<&str>, faults: &mut Violations) -> bool {
    let change: Option<AgentChange> =
        word.and_then(|word| faults.word(&Field::root("agent"), word));
    change == Some(AgentChange::Paused)
}

impl SendMessageBody {
    /// Returns an example message of that type to that number.
    #[must_use]
    pub fn sample(kind: ContentType, phone_number: &str) -> Self {
        Self {
            kind: Some(kind.as_str().to_owned()),
            phone_number: Some(phone_number.to_owned()),
            ..Self::default()
        }
    }

    /// Parses the message. `uploaded_as` is the kind of the file at `media_url` if that is one of the
    /// organization's own uploads.
    pub fn prepare(
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
        let options = SendOptions {
            reply_to: self.reply_to.as_deref(),
            client_ref: self.client_ref.as_deref(),
            metadata: self.metadata.as_ref(),
        };
        let agent_answer = self.agent_answer(faults);
        let pauses_agent = pauses_agent(self.agent.as_deref(), faults);
        if self.send_as.is_some() {
            let within = "an answer of the AI agent";
            faults.forbid(&Field::root("agent"), self.agent.as_ref(), within);
        }
        let send_at = send_at(self.send_at.as_deref(), faults);
        let within = "an answer of the AI agent";
        let is_answer = self.send_as.is_some();
        faults.forbid(&Field::root("send_at"), self.send_at.as_ref().filter(|_| is_answer), within);
        let fallback = self.fallback(kind, faults);
        let mut draft = options.draft(recipient, content, faults)?;
        draft.fallback = fallback;
        if let Content::Reaction(reaction) = &draft.content {
            draft.reply_to = Some(reaction.message);
        }
        let dry_run = self.dry_run.unwrap_or_default();
        Some(PreparedSend { draft, agent_answer, pauses_agent, send_at, dry_run })
    }

    fn fallback(
        &self,
        kind: Option<ContentType>,
        faults: &mut Violations,
    ) -> Option<TemplateContent> {
        let wire = self.fallback_template.as_ref()?;
        if let Some(kind @ (ContentType::Template | ContentType::Reaction)) = kind {
            let context = format!("a message of type {kind}");
            faults.forbid(&Field::root("fallback_template"), Some(wire), &context);
        }
        wire.parse(faults)
    }

    fn agent_answer(&self, faults: &mut Violations) -> Option<AgentAnswer> {
        let at = Field::root("after_message_id");
        let Some(word) = &self.send_as else {
            let context = "a message without `as`";
            faults.forbid(&at, self.after_message_id.as_ref(), context);
            return None;
        };
        let SendAs::Agent = faults.word(&Field::root("as"), word)?;
        let after = self.after_message_id.as_ref().map(|text| {
            let parsed = text.parse::<MessageId>();
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        Some(AgentAnswer { after: after.flatten() })
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
