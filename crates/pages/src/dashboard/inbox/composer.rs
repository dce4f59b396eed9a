//! The composer: a reply, a note, or a template.

use super::attachment::Attachment;
use super::thread::{REPLY_TO, RepliedMessage, Thread};
use super::view::InboxQuery;
use crate::browser::{FieldErrors, Form, PageError, ShownTime};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::query::Query;
use crate::dashboard::templates::parameters::{self, unsupported};
use api_types::send::SendMessageBody;
use api_types::template::definition;
use domain::content::ContentType;
use domain::conversation::window_expires_at;
use domain::id::{ConversationId, MessageId, SavedReplyId, TemplateId, TurnId};
use domain::keyword::Keyword as _;
use domain::role::Area;
use domain::saved_reply::{SavedReplyValues, fill};
use domain::template::variables::variables;
use domain::template::{
    BodyPart, ButtonType, Definition, HeaderPart, ParameterFormat, TemplateStatus,
};
use http_layer::deps::ServerDeps;
use persistence::records::{SavedReply, Template, TemplateFilter};
use serde_json::json;
use service::inbox::MemberConversation;
use service::{saved_replies, templates, turns};

/// The fields of the composer.
pub const TEXT: &str = "text";
pub const TEMPLATE: &str = "template";
/// The saved reply whose text is inserted.
const SAVED: &str = "saved";
/// The id of a file that an earlier submission of the form stored.
pub const MEDIA: &str = "media";
/// Whether the file was recorded as a voice message.
pub const VOICE: &str = "voice";
/// The turn whose draft the text comes from.
pub const DRAFT_OF: &str = "draft_of";
/// The prefix of the action that reacts with an emoji.
pub const REACT: &str = "react ";
/// The emoji that the composer offers.
const EMOJI: [&str; 6] = ["👍", "❤️", "😂", "😮", "😢", "🙏"];
/// The prefix of the fields that fill in a template.
const PARAMETER: &str = "parameter.";
/// Number of templates that the composer offers.
const TEMPLATES_SHOWN: usize = 20;
/// Number of approved templates of the organization that are read to find those of one number.
const TEMPLATES_READ: i64 = 100;
/// Number of characters of a template that its line shows.
const TEMPLATE_LINE: usize = 100;

/// The kind of message that the member writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComposerMode {
    #[default]
    Reply,
    Note,
    Template,
    /// The member chooses a saved reply.
    Saved,
}

pub struct Composer {
    pub mode: ComposerMode,
    pub text: String,
    /// Whether the text is a draft of the AI agent.
    pub by_agent: bool,
    /// The path of the turn of the agent's draft; empty if the member may not open it.
    pub turn_path: String,
    /// The turn whose draft the text comes from. The member may have edited it.
    pub draft_of: Option<TurnId>,
    pub errors: FieldErrors,
    /// The person who answered while the member was writing, and the time, in words. `None` if
    /// nobody did.
    pub answered: Option<String>,
    pub window: WindowView,
    pub templates: Vec<TemplateLink>,
    pub chosen: Option<ChosenTemplate>,
    pub reply_path: String,
    pub note_path: String,
    pub template_path: String,
    pub saved_path: String,
    /// The saved replies of the organization, in mode [`ComposerMode::Saved`].
    pub saved: Vec<TemplateLink>,
    /// The saved reply whose text is inserted.
    wanted_saved: Option<SavedReplyId>,
    /// The stored file that is sent with the message.
    pub attachment: Option<Attachment>,
    /// The message that is answered.
    pub reply: Option<RepliedMessage>,
    /// The id of the message to answer.
    reply_to: Option<MessageId>,
    /// The parameters as they were submitted.
    typed: Vec<(String, String)>,
    wanted: Option<TemplateId>,
}

/// The customer service window.
#[derive(Default)]
pub struct WindowView {
    pub is_open: bool,
    /// The time that is left, or the time at which the window closed; `None` if the contact never
    /// wrote.
    pub closes: Option<ShownTime>,
}

pub struct TemplateLink {
    pub path: String,
    pub name: String,
    pub text: String,
    pub current: bool,
}

/// A template with the fields that fill it in.
pub struct ChosenTemplate {
    pub id: String,
    pub fields: Vec<ParameterField>,
    pub preview: String,
    /// The text of the template without values for its variables.
    pub unfilled: String,
    pub buttons: Vec<String>,
    /// The reason why the template cannot be sent from here, or `None` if it can.
    pub unsupported: Option<&'static str>,
}

pub struct ParameterField {
    pub name: String,
    pub label: String,
    pub value: String,
    pub is_url: bool,
}

impl Composer {
    fn empty() -> Self {
        Self {
            mode: ComposerMode::default(),
            text: String::new(),
            by_agent: false,
            turn_path: String::new(),
            draft_of: None,
            errors: FieldErrors::default(),
            answered: None,
            window: WindowView::default(),
            templates: Vec::new(),
            chosen: None,
            reply_path: String::new(),
            note_path: String::new(),
            template_path: String::new(),
            saved_path: String::new(),
            saved: Vec::new(),
            wanted_saved: None,
            attachment: None,
            reply: None,
            reply_to: None,
            typed: Vec::new(),
            wanted: None,
        }
    }

    /// Returns the composer that the URL asks for.
    pub fn of(query: &Query) -> Self {
        let wanted = query.value(TEMPLATE).and_then(|it| it.parse().ok());
        let mode = match query.value("compose") {
            Some("note") => ComposerMode::Note,
            Some(TEMPLATE) => ComposerMode::Template,
            Some(SAVED) => ComposerMode::Saved,
            _ if wanted.is_some() => ComposerMode::Template,
            _ => ComposerMode::Reply,
        };
        let reply_to = query.value(REPLY_TO).and_then(|it| it.parse().ok());
        let wanted_saved = query.value(SAVED).and_then(|it| it.parse().ok());
        Self { mode, wanted_saved, reply_to, wanted, ..Self::empty() }
    }

    /// Whether the text field gets the focus when the page opens.
    pub const fn has_focus(&self) -> bool {
        self.reply.is_some() || self.wanted_saved.is_some()
    }

    /// Keeps the file of a refused message, so that it need not be attached again.
    pub fn with_attachment(self, attachment: Option<Attachment>) -> Self {
        Self { attachment, ..self }
    }

    /// Returns the composer as it was submitted, with the reason why nothing was sent.
    pub fn refused(form: &Form, mode: ComposerMode, why: String) -> Self {
        Self { errors: FieldErrors::one("", why), ..Self::typed(form, mode) }
    }

    /// Returns the composer as it was submitted, after somebody else answered.
    pub fn answered(form: &Form, mode: ComposerMode, what: String) -> Self {
        Self { answered: Some(what), ..Self::typed(form, mode) }
    }

    fn typed(form: &Form, mode: ComposerMode) -> Self {
        let typed = form.form_values().into_iter().filter(|(name, _)| name.starts_with(PARAMETER));
        Self {
            mode,
            text: form.typed(TEXT),
            typed: typed.collect(),
            wanted: form.value(TEMPLATE).parse().ok(),
            reply_to: form.value(REPLY_TO).parse().ok(),
            draft_of: form.value(DRAFT_OF).parse().ok(),
            ..Self::empty()
        }
    }

    /// Adds the data of the conversation that the composer shows.
    pub async fn complete(
        self,
        deps: &ServerDeps,
        member_context: &MemberContext,
        opened: &MemberConversation,
        thread: &Thread,
        list: &InboxQuery,
    ) -> Result<Self, PageError> {
        let (conversation, now) = (&opened.found.conversation, deps.clock.now());
        let path = |parameters: &str| list.path_of(conversation.id, parameters);
        let closes = window_expires_at(conversation.last_inbound_at);
        let is_open = closes.is_some_and(|at| at > now);
        // In a closed window only a template can be sent.
        let mode = match self.mode {
            ComposerMode::Reply | ComposerMode::Saved if !is_open => ComposerMode::Template,
            mode => mode,
        };
        let draft = opened.found.member_state.as_ref().and_then(|it| it.draft.clone());
        let saved = match self.wanted_saved.filter(|_| mode == ComposerMode::Reply) {
            Some(id) => saved_replies::find(deps, member_context.reader(), id).await?,
            None => None,
        };
        let draft = match saved {
            Some(it) => Some(filled(member_context, thread, &it.text)),
            None => draft,
        };
        let is_reply = mode == ComposerMode::Reply && self.text.is_empty() && draft.is_none();
        let newest_turn = thread.newest_turn.as_ref().filter(|_| is_reply);
        let agents = newest_turn.and_then(|turn| turns::draft_in(turn, conversation));
        let by_agent = agents.is_some();
        let opens_turns = member_context.authority.role.may_read(Area::Agents);
        let turn_path = agents.as_ref().filter(|_| opens_turns);
        let turn_path = turn_path.map(|it| format!("{AGENTS}/{}/turns/{}", it.agent, it.turn));
        let (draft_of, agents) = match agents {
            Some(it) => (Some(it.turn), Some(it.text)),
            None => (self.draft_of, None),
        };
        let text = if self.text.is_empty() && mode != ComposerMode::Note {
            draft.or(agents).unwrap_or_default()
        } else {
            self.text
        };
        let reply = self.reply_to.filter(|_| mode == ComposerMode::Reply);
        let reply = reply.and_then(|id| thread.replied(id));
        let reply = reply.map(|it| RepliedMessage { emoji: &EMOJI, ..it });
        let mut composer = Self {
            mode,
            text,
            reply,
            by_agent,
            turn_path: turn_path.unwrap_or_default(),
            draft_of,
            window: WindowView {
                is_open,
                closes: closes.map(|at| {
                    if is_open { ShownTime::left(at, now) } else { ShownTime::ago(at, now) }
                }),
            },
            reply_path: path(""),
            note_path: path("compose=note"),
            template_path: path("compose=template"),
            saved_path: path("compose=saved"),
            ..self
        };
        if mode == ComposerMode::Saved {
            let all = saved_replies::list(deps, member_context.reader()).await?;
            let link = |it: SavedReply| TemplateLink {
                path: path(&format!("{SAVED}={}", it.id)),
                text: one_line(&filled(member_context, thread, &it.text)),
                name: it.name,
                current: false,
            };
            composer.saved = all.into_iter().map(link).collect();
        }
        if mode == ComposerMode::Template {
            let found = approved(deps, member_context, opened).await?;
            let chosen = composer.wanted.and_then(|id| found.iter().find(|it| it.id == id));
            composer.chosen = chosen
                .map(|it| ChosenTemplate::new(it, &composer.typed, &thread.name))
                .transpose()?;
            let chosen = chosen.map(|it| it.id);
            composer.templates = found
                .iter()
                .map(|it| {
                    let path = path(&format!("{TEMPLATE}={}", it.id));
                    TemplateLink::new(it, path, chosen == Some(it.id))
                })
                .collect::<Result<_, _>>()?;
        }
        Ok(composer)
    }
}

/// Returns the text of a saved reply with the values of its variables.
fn filled(member_context: &MemberContext, thread: &Thread, text: &str) -> String {
    let name = if thread.name.starts_with('+') { "" } else { thread.name.as_str() };
    let number = thread.phone_number.as_deref().unwrap_or_default();
    fill(
        text,
        &SavedReplyValues {
            name,
            number,
            member: &member_context.member.name,
            organization: &member_context.organization.name,
        },
    )
}

/// Returns the beginning of a text as one line.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(TEMPLATE_LINE).collect()
}

/// Returns the approved templates of the conversation's number.
async fn approved(
    deps: &ServerDeps,
    member_context: &MemberContext,
    opened: &MemberConversation,
) -> Result<Vec<Template>, PageError> {
    let wanted =
        TemplateFilter { status: Some(TemplateStatus::Approved), ..TemplateFilter::default() };
    let (found, _) =
        templates::list(deps, member_context.reader(), wanted, TEMPLATES_READ, 0).await?;
    let account = opened.found.conversation.account_id;
    let of_number = found.into_iter().filter(|it| it.account_id == account);
    Ok(of_number.take(TEMPLATES_SHOWN).collect())
}

fn parsed(template: &Template) -> Result<Definition, PageError> {
    definition(&template.components.0).map_err(|error| {
        let error = persistence::records::UnreadableRow::new("template", &template.id, error);
        persistence::Error::from(error).into()
    })
}

impl TemplateLink {
    fn new(template: &Template, path: String, current: bool) -> Result<Self, PageError> {
        let text = match parsed(template)?.body {
            BodyPart::Text(text) => one_line(&text),
            BodyPart::OneTimeCode { .. } => "One-time code".to_owned(),
        };
        Ok(Self { path, name: format!("{} ({})", template.name, template.language), text, current })
    }
}

impl ChosenTemplate {
    fn new(
        template: &Template,
        typed: &[(String, String)],
        contact: &str,
    ) -> Result<Self, PageError> {
        let definition = parsed(template)?;
        let fields = fields(&definition, template.parameter_format);
        let value = |field: &ParameterField| {
            let typed = typed.iter().find(|(name, _)| *name == field.name).map(|(_, it)| it);
            let is_name = field.label.to_lowercase().contains("name") && !contact.starts_with('+');
            typed.cloned().unwrap_or_else(|| {
                let first = contact.split_whitespace().next().unwrap_or_default();
                if is_name { first.to_owned() } else { String::new() }
            })
        };
        let fields: Vec<ParameterField> =
            fields.into_iter().map(|it| ParameterField { value: value(&it), ..it }).collect();
        Ok(Self {
            id: template.id.to_string(),
            preview: preview(&definition, &fields),
            unfilled: preview(&definition, &[]),
            buttons: definition.buttons.iter().map(|it| it.text.clone()).collect(),
            unsupported: unsupported(&definition),
            fields,
        })
    }
}

/// Returns the label of the file that a header shows.
fn header_label(kind: impl std::fmt::Display) -> String {
    let kind = kind.to_string();
    let (first, rest) = kind.split_at(1);
    format!("{}{rest} of the header", first.to_uppercase())
}

/// Returns the fields that fill in a template.
fn fields(definition: &Definition, format: ParameterFormat) -> Vec<ParameterField> {
    let field = |name: String, label: String, is_url| ParameterField {
        name: format!("{PARAMETER}{name}"),
        label,
        value: String::new(),
        is_url,
    };
    let variable = |place: &str, name: &str| {
        let label = match format {
            ParameterFormat::Positional => format!("{{{{{name}}}}}"),
            ParameterFormat::Named => name.replace('_', " "),
        };
        field(format!("{place}.{name}"), label, false)
    };
    let mut fields = Vec::new();
    match &definition.header {
        Some(HeaderPart::Text(text)) => {
            fields.extend(variables(text).into_iter().map(|it| variable("header", it)));
        }
        Some(HeaderPart::Media(kind)) => {
            fields.push(field("header.link".to_owned(), header_label(kind), true));
        }
        Some(HeaderPart::Gif) => {
            fields.push(field("header.link".to_owned(), "Video of the header".to_owned(), true));
        }
        _ => {}
    }
    if let BodyPart::Text(text) = &definition.body {
        fields.extend(variables(text).into_iter().map(|it| variable("body", it)));
    }
    for (place, button) in definition.buttons.iter().enumerate() {
        let url = button.url.as_deref().unwrap_or_default();
        if !variables(url).is_empty() {
            let label = format!("End of the link “{}”", button.text);
            fields.push(field(format!("button.{place}"), label, false));
        }
        if button.kind == Some(ButtonType::CopyCode) {
            fields.push(field(format!("button.{place}"), "Code to copy".to_owned(), false));
        }
    }
    fields
}

/// Returns the text of a template with the values that are filled in so far.
fn preview(definition: &Definition, fields: &[ParameterField]) -> String {
    let fill = |place: &str, text: &str| {
        let mut text = text.to_owned();
        for field in fields.iter().filter(|it| !it.value.is_empty()) {
            let prefix = format!("{PARAMETER}{place}.");
            if let Some(variable) = field.name.strip_prefix(&prefix) {
                text = text.replace(&format!("{{{{{variable}}}}}"), &field.value);
            }
        }
        text
    };
    let mut lines = Vec::new();
    match &definition.header {
        Some(HeaderPart::Text(text)) => lines.push(fill("header", text)),
        Some(HeaderPart::Media(kind)) => lines.push(format!("[{kind}]")),
        _ => {}
    }
    if let BodyPart::Text(text) = &definition.body {
        lines.push(fill("body", text));
    }
    lines.join("\n")
}

/// Returns the request body that sends a template with the values of a form. `file` is the URL of
/// the file that was attached for the header.
pub fn body_of(
    template: &Template,
    conversation: ConversationId,
    form: &Form,
    file: Option<&str>,
) -> Result<SendMessageBody, PageError> {
    let definition = parsed(template)?;
    let value = |name: &str| form.typed(&format!("{PARAMETER}{name}")).trim().to_owned();
    let link = file.map_or_else(|| value("header.link"), str::to_owned);
    let components = parameters::components(&definition, template.parameter_format, value, &link);
    let body = json!({
        "type": ContentType::Template.as_str(),
        "conversation_id": conversation.to_string(),
        "template_name": template.name,
        "language": template.language,
        "components": components,
    });
    serde_json::from_value(body)
        .map_err(|error| http_layer::problem::Problem::internal(&error).into())
}
