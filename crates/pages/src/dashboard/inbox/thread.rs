//! The messages of a conversation, with the notes about it.

use super::view::InboxQuery;
use crate::browser::{ObjectState, PageError, ShownTime, StateLabel, initials};
use crate::dashboard::MESSAGES;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::messages::{contact_name, preview, state};
use crate::dashboard::query::Query;
use domain::agent::{AgentMode, TurnState};
use domain::content::{Content, MessageKind};
use domain::conversation::{Agent, MessageSource};
use domain::id::{MemberId, MessageId};
use domain::inbox::{ConversationStatus, NoteAuthor, PauseCause};
use domain::keyword::Keyword as _;
use domain::mention::{MentionPart, split_at_mentions};
use domain::message::{Direction, Recipient};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::content::{decode, revisions};
use persistence::records::{
    Account, InboxConversation, InboxMemberState, ListedMember, Message, Note, Turn,
};
use serde_json::Value;
use service::audit::{self, MessageSender};
use service::conversations::{self, HistoryError, HistoryRequest};
use service::inbox::{self, MemberConversation};
use service::templates::sent::{SentTemplates, find_sent};
use service::{accounts, turns};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The parameter with the id of the message that the member answers or reacts to.
pub const REPLY_TO: &str = "reply_to";
/// The words beside the member who sent a draft of the agent.
const FROM_DRAFT: &str = "draft by the AI agent";
/// The text that the page shows for a message that the sender deleted.
const DELETED: &str = "Deleted by the sender";
/// Maximum number of messages on a page, and of notes among them.
const MESSAGES_SHOWN: i64 = 50;
const NOTES_SHOWN: i64 = 50;
/// The time for which a member counts as viewing the conversation, and as writing.
const VIEWS_FOR: Duration = Duration::from_secs(30);
const WRITES_FOR: Duration = Duration::from_secs(10);

/// The message that the member answers or reacts to.
pub struct RepliedMessage {
    pub id: MessageId,
    /// The message's author and text as one line.
    pub line: String,
    /// The emoji to react with.
    pub emoji: &'static [&'static str],
    /// The emoji that the organization reacted with; empty if it did not.
    pub own: String,
}

/// A conversation with its messages.
pub struct Thread {
    pub name: String,
    pub phone_number: Option<String>,
    pub initials: String,
    /// The other members who view the conversation or write in it, in words; empty if there are
    /// none.
    pub presence: String,
    /// The contact's number, unless the number is already shown as the contact's name.
    pub contact_number: Option<String>,
    /// The organization's number.
    pub account: AccountView,
    pub status: StatusView,
    /// Whether the conversation waits for a person's answer.
    pub needs_person: bool,
    pub strip: AgentStrip,
    pub entries: Vec<Entry>,
    /// The path of the page with earlier messages; empty if there are none.
    pub earlier: String,
    /// The path of the page with the newest messages, if this page shows earlier ones.
    pub latest: String,
    /// The position of the newest message.
    pub last_position: i64,
    /// The members who can be the assignee, with their names.
    pub assignable: Vec<(MemberId, String)>,
    /// The newest messages, oldest first.
    pub messages: Vec<Message>,
    /// The templates that the messages use.
    pub templates: SentTemplates,
    /// The AI agent's newest turn.
    pub newest_turn: Option<Turn>,
}

/// The organization's number that the contact writes to.
#[derive(Default)]
pub struct AccountView {
    pub name: String,
    pub number: String,
}

impl From<Account> for AccountView {
    fn from(account: Account) -> Self {
        Self { name: account.display_name, number: account.phone_number }
    }
}

/// The conversation's status in the head of the thread.
pub struct StatusView {
    pub is_closed: bool,
    /// The status, if the conversation is not open.
    pub badge: Option<StateLabel>,
    pub snoozed_until: Option<ShownTime>,
}

/// The line above the thread about the AI agent.
pub enum AgentStrip {
    Running(Answering),
    Paused(Box<PausedAgent>),
}

/// The pause of the AI agent: who paused it, the times, and the reason.
pub struct PausedAgent {
    pub by: String,
    pub since: Option<ShownTime>,
    pub reason: Option<String>,
    pub until: Option<ShownTime>,
    /// Whether the agent, once it is resumed, answers a message that waits.
    pub answers_waiting: bool,
}

/// The responder in the conversation while the agent is not paused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answering {
    Agent,
    /// The agent, whose answers wait as drafts until a member sends them.
    Drafts,
    /// The agent, which waits for more messages of the contact before it writes a draft.
    WaitsForMore,
    /// The agent, which is being asked for a draft.
    WritesDraft,
    /// The agent, which failed to answer the last message, with the reason.
    Failed(&'static str),
    /// A program of the organization, if there is one.
    Program,
    /// The channel's own agent. The organization takes the conversation over only by a reply.
    Channel,
}

/// A line of the thread.
pub enum Entry {
    Day(ShownTime),
    /// The number of unread messages that follow.
    New(i64),
    Message(Box<Bubble>),
    Note {
        author: String,
        at: ShownTime,
        text: Vec<NotePart>,
    },
}

/// A part of a note.
pub struct NotePart {
    pub text: String,
    /// Whether this part mentions a member.
    pub is_mention: bool,
}

/// A message.
pub struct Bubble {
    pub id: String,
    pub path: String,
    pub class: &'static str,
    /// The ad or the post that led the contact to the organization.
    pub referral: Option<String>,
    pub quote: Option<String>,
    pub file: Option<FileView>,
    pub text: String,
    /// The labels of the buttons of a template.
    pub buttons: Vec<String>,
    /// The emoji of both sides; empty if there are none.
    pub reaction: String,
    /// The path for answering the message, if it can be answered.
    pub reply_path: Option<String>,
    /// The icon and the words before the author.
    pub label: Option<(&'static str, String)>,
    pub author: String,
    pub at: ShownTime,
    pub state: Option<StateLabel>,
    pub failure: Option<(&'static str, &'static str)>,
    pub change: Option<&'static str>,
}

/// A file of a message.
pub struct FileView {
    pub kind: FileKind,
    pub url: String,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Picture,
    Audio,
    Video,
    /// Any other file, and every file on another server.
    Download,
}

impl Thread {
    pub async fn load(
        deps: &ServerDeps,
        member_context: &MemberContext,
        opened: &MemberConversation,
        query: &Query,
    ) -> Result<Self, PageError> {
        let (reader, now) = (member_context.reader(), deps.clock.now());
        let it = &opened.found;
        let offset: i64 = query.value("skip").and_then(|it| it.parse().ok()).unwrap_or_default();
        let request = HistoryRequest {
            person: Recipient::Conversation(it.conversation.id),
            account: None,
            sends_from: None,
            oldest_first: false,
            limit: MESSAGES_SHOWN,
            offset: offset.max(0),
        };
        let history = conversations::history(deps, reader, request).await;
        let history = history.map_err(|error| match error {
            HistoryError::NotFound(_) => PageError::NoConversation,
            HistoryError::Database(error) => error.into(),
        })?;
        let mut messages = history.messages;
        messages.reverse();
        let templates = find_sent(deps, reader, &messages).await?;
        let notes = inbox::list_notes(deps, reader, None, it.conversation.id, None, NOTES_SHOWN);
        let notes = notes.await.map_err(super::page_error)?.notes;
        let listed = member_context.actor(deps).members().list().await?;
        let may_be_assigned = |it: &&ListedMember| it.role.may_be_assigned();
        let named = |it: &ListedMember| (it.member.id, it.member.display_name().to_owned());
        let assignable: BTreeMap<MemberId, String> =
            listed.iter().filter(may_be_assigned).map(named).collect();
        let members: BTreeMap<MemberId, String> = listed.iter().map(named).collect();
        let sent: Vec<MessageId> = messages
            .iter()
            .filter(|it| it.source == MessageSource::Inbox)
            .map(|it| it.id)
            .chain(it.conversation.agent_paused_by)
            .collect();
        let senders = audit::senders(deps, reader, &sent).await?;
        let sent_drafts = if messages.iter().any(|it| it.source == MessageSource::Inbox) {
            turns::sent_drafts(deps, member_context.id(), it.conversation.id).await?
        } else {
            BTreeSet::new()
        };
        let account = accounts::find(deps, member_context.id(), it.conversation.account_id).await?;
        let mode = turns::mode_on(deps, &it.conversation).await?;
        let newest_turn = turns::newest(deps, &it.conversation).await?;
        let answers_waiting = it.agent() == Agent::Paused
            && inbox::has_waiting_message(deps, &it.conversation).await?;
        let name = contact_name(&it.contact);
        let list = InboxQuery::of(query);
        let path = |parameters: &str| list.path_of(it.conversation.id, parameters);
        let shown = offset.saturating_add(MESSAGES_SHOWN);
        let reply_prefix = match offset {
            0 => path(&format!("{REPLY_TO}=")),
            _ => path(&format!("skip={offset}&{REPLY_TO}=")),
        };
        let writer = ThreadWriter {
            reply_prefix: &reply_prefix,
            base_url: &deps.config.base_url,
            members: &members,
            senders: &senders,
            sent_drafts: &sent_drafts,
            contact: &name,
            messages: &messages,
            templates: &templates,
        };
        let unread = if offset == 0 { it.unread_count()? } else { 0 };
        Ok(Self {
            presence: presence(&opened.others, &members, now),
            contact_number: it.contact.phone_number.clone().filter(|number| *number != name),
            account: account.map(AccountView::from).unwrap_or_default(),
            initials: initials(&name),
            phone_number: it.contact.phone_number.clone(),
            status: status(it, now),
            needs_person: it.entry.needs_person_since.is_some(),
            strip: match it.agent() {
                Agent::Running => {
                    AgentStrip::Running(answering(it, mode, newest_turn.as_ref(), now))
                }
                Agent::Paused => pause_strip(it, &members, &senders, answers_waiting, now),
            },
            entries: entries(&writer, notes, unread, offset == 0),
            earlier: if shown < history.total {
                path(&format!("skip={shown}"))
            } else {
                String::new()
            },
            latest: if offset > 0 { path("") } else { String::new() },
            last_position: it.conversation.message_count,
            assignable: assignable.into_iter().collect(),
            name,
            messages,
            templates,
            newest_turn,
        })
    }
}

impl Thread {
    /// Returns a message of the page for the composer, to answer or to react to.
    pub fn replied(&self, id: MessageId) -> Option<RepliedMessage> {
        let message = self.messages.iter().find(|it| it.id == id)?;
        Some(RepliedMessage {
            id,
            line: format!(
                "{}: {}",
                author(message, &self.name),
                preview::line(message, &self.templates)
            ),
            emoji: &[],
            own: reaction(&self.messages, id, Direction::Outbound),
        })
    }
}

/// Returns the author of a quoted message.
const fn author<'a>(message: &Message, contact: &'a str) -> &'a str {
    match message.direction {
        Direction::Inbound => contact,
        Direction::Outbound => "Us",
    }
}

/// Describes the other members who view the conversation or write in it.
fn presence(
    others: &[InboxMemberState],
    members: &BTreeMap<MemberId, String>,
    now: Timestamp,
) -> String {
    let is_recent = |at: Option<Timestamp>, within| at.is_some_and(|at| now.since(at) < within);
    let presence = others.iter().filter_map(|it| {
        let name = members.get(&it.member_id)?;
        if is_recent(it.typed_at, WRITES_FOR) {
            return Some(format!("{name} is writing"));
        }
        is_recent(it.viewed_at, VIEWS_FOR).then(|| format!("{name} is viewing"))
    });
    presence.collect::<Vec<_>>().join(" · ")
}

fn status(it: &InboxConversation, now: Timestamp) -> StatusView {
    let until = |at: Timestamp| {
        let is_soon = at.since(now) < Duration::from_hours(12);
        if is_soon { ShownTime::clock(at) } else { ShownTime::date(at) }
    };
    let badge = match it.entry.status {
        ConversationStatus::Open => None,
        ConversationStatus::Waiting => Some(ObjectState::Queued.saying("Waiting")),
        ConversationStatus::Snoozed => Some(ObjectState::Held.saying("Snoozed")),
        ConversationStatus::Closed => Some(ObjectState::Ok.saying("Closed")),
    };
    StatusView {
        is_closed: it.entry.status == ConversationStatus::Closed,
        badge,
        snoozed_until: it.entry.snoozed_until.map(until),
    }
}

/// Returns who answers while the agent is not paused. `turn` is the newest one.
fn answering(
    it: &InboxConversation,
    mode: Option<AgentMode>,
    turn: Option<&Turn>,
    now: Timestamp,
) -> Answering {
    if it.entry.has_channel_agent(now) {
        return Answering::Channel;
    }
    let Some(mode) = mode.filter(|mode| *mode != AgentMode::Off) else {
        return Answering::Program;
    };
    let failed = turn.filter(|_| it.entry.needs_person_since.is_some());
    if let Some(why) = failed.and_then(turns::why_failed) {
        return Answering::Failed(why);
    }
    match (mode, turn.map(|it| it.state)) {
        (AgentMode::Draft, Some(TurnState::Waiting)) => Answering::WaitsForMore,
        (AgentMode::Draft, Some(TurnState::Asking)) => Answering::WritesDraft,
        (AgentMode::Draft, _) => Answering::Drafts,
        _ => Answering::Agent,
    }
}

fn pause_strip(
    it: &InboxConversation,
    members: &BTreeMap<MemberId, String>,
    senders: &BTreeMap<MessageId, MessageSender>,
    answers_waiting: bool,
    now: Timestamp,
) -> AgentStrip {
    let by = match it.paused_by_message {
        Some((MessageSource::Inbox, _)) => {
            let sender = it.conversation.agent_paused_by.and_then(|id| senders.get(&id));
            format!("by a reply of {}", sender.map_or("a colleague", |it| it.name.as_str()))
        }
        Some((MessageSource::Phone, _)) => "by a reply on the phone".to_owned(),
        Some(_) => "by a reply through the API".to_owned(),
        None => {
            let member = it.entry.agent_paused_by.and_then(|id| members.get(&id));
            match (it.entry.agent_pause_cause, member) {
                (_, Some(name)) => format!("by {name}"),
                (Some(PauseCause::Member), None) => "by somebody who has left".to_owned(),
                (Some(PauseCause::Api), None) => "through the API".to_owned(),
                (Some(PauseCause::HandedOver), None) => "by its hand-over".to_owned(),
                (Some(PauseCause::Limit), None) => "at its limit".to_owned(),
                (Some(PauseCause::Loop), None) => "because it talked to a program".to_owned(),
                (Some(PauseCause::OptedOut), None) => "because the customer opted out".to_owned(),
                (Some(PauseCause::Channel), None) => {
                    "because the channel handed the conversation over".to_owned()
                }
                (Some(PauseCause::Phone) | None, None) => String::new(),
            }
        }
    };
    let shown = |at: Timestamp| {
        // One of the two differences is zero, because `since` never returns less than zero.
        let is_near = now.since(at).max(at.since(now)) < Duration::from_hours(12);
        if is_near { ShownTime::clock(at) } else { ShownTime::exact(at) }
    };
    AgentStrip::Paused(Box::new(PausedAgent {
        by,
        since: it.paused_since().map(shown),
        reason: it.entry.agent_pause_reason.as_deref().map(without_period),
        until: it.entry.agent_paused_until.map(shown),
        answers_waiting,
    }))
}

/// Returns a sentence without its period, so that more words can follow it on the line.
fn without_period(sentence: &str) -> String {
    let part = sentence.strip_suffix('.').filter(|it| !it.ends_with('.'));
    part.unwrap_or(sentence).to_owned()
}

/// The data from which the lines of a thread are written.
struct ThreadWriter<'a> {
    base_url: &'a str,
    members: &'a BTreeMap<MemberId, String>,
    /// The senders of the messages that were sent from the inbox.
    senders: &'a BTreeMap<MessageId, MessageSender>,
    /// The messages that members sent from drafts of the agent.
    sent_drafts: &'a BTreeSet<MessageId>,
    contact: &'a str,
    messages: &'a [Message],
    templates: &'a SentTemplates,
    /// The beginning of the paths for answering a message; the message's id follows.
    reply_prefix: &'a str,
}

/// Returns messages and notes in the order of time, with a line before each day and before the
/// unread messages. Notes that are older than the first message are left out, unless the page shows
/// the newest messages and there are no earlier ones.
fn entries(
    writer: &ThreadWriter<'_>,
    notes: Vec<Note>,
    unread: i64,
    with_notes: bool,
) -> Vec<Entry> {
    let first = writer.messages.first().map(|it| it.created_at);
    let mut lines: Vec<(Timestamp, Entry)> = Vec::new();
    for message in writer.messages {
        if let Some(bubble) = writer.bubble(message) {
            lines.push((message.created_at, Entry::Message(Box::new(bubble))));
        }
    }
    let shown = |note: &Note| first.is_none_or(|first| note.created_at >= first);
    for note in notes.into_iter().filter(|note| with_notes && shown(note)) {
        let author = match note.author() {
            NoteAuthor::Member { id, name } => writer.members.get(&id).cloned().unwrap_or(name),
            NoteAuthor::Key { name, .. }
            | NoteAuthor::Agent { name, .. }
            | NoteAuthor::Channel { name } => name,
        };
        let at = ShownTime::clock(note.created_at);
        let names = writer.members.iter().map(|(id, name)| (*id, name.as_str()));
        let part =
            |it: MentionPart<'_>| NotePart { text: it.text.to_owned(), is_mention: it.is_mention };
        let text = split_at_mentions(&note.text, names).into_iter().map(part).collect();
        lines.push((note.created_at, Entry::Note { author, at, text }));
    }
    lines.sort_by_key(|(at, _)| *at);
    let inbound = |it: &Message| it.direction == Direction::Inbound;
    let skipped = writer.messages.iter().filter(|it| inbound(it)).count();
    let skipped = skipped.saturating_sub(domain::number::saturating(unread, usize::MAX));
    let mut unread_messages = writer.messages.iter().filter(|it| inbound(it)).skip(skipped);
    // A reaction is shown at its message and not as a line of its own, so the line "New" cannot
    // stand before it.
    let first_new = unread_messages.find(|it| !writer.is_shown_at_another(it));
    let first_new = first_new.filter(|_| unread > 0).map(|it| it.id.to_string());
    let mut entries = Vec::with_capacity(lines.len());
    let mut days = BTreeSet::new();
    for (at, line) in lines {
        let day = at.to_string().split('T').next().unwrap_or_default().to_owned();
        if days.insert(day) {
            entries.push(Entry::Day(ShownTime::date(at)));
        }
        if let Entry::Message(bubble) = &line
            && first_new.as_ref() == Some(&bubble.id)
        {
            entries.push(Entry::New(unread));
        }
        entries.push(line);
    }
    entries
}

impl ThreadWriter<'_> {
    /// Whether a message is a reaction to another message on the page, which shows it.
    fn is_shown_at_another(&self, message: &Message) -> bool {
        let is_reaction = message.kind == MessageKind::Reaction;
        is_reaction && message.reply_to.is_some_and(|to| self.find(to).is_some())
    }

    /// Returns the bubble of a message. Returns `None` for a reaction to a message on the page,
    /// because that message's bubble shows it.
    fn bubble(&self, message: &Message) -> Option<Bubble> {
        if self.is_shown_at_another(message) {
            return None;
        }
        let inbound = message.direction == Direction::Inbound;
        let failed = message.failure;
        let class = match (message.direction, message.source) {
            (Direction::Inbound, _) => "msg",
            (Direction::Outbound, _) if failed.is_some() => "msg out bad",
            (Direction::Outbound, MessageSource::Agent) => "msg out ai",
            (Direction::Outbound, MessageSource::Api) => "msg out api",
            (Direction::Outbound, _) => "msg out",
        };
        let author = match message.source {
            MessageSource::Customer => String::new(),
            MessageSource::Api => "API".to_owned(),
            MessageSource::Agent => "AI agent".to_owned(),
            MessageSource::Phone => "Phone".to_owned(),
            MessageSource::Inbox => {
                let sender = self.senders.get(&message.id);
                let name = sender.map_or("A colleague", |it| it.name.as_str());
                let is_draft = self.sent_drafts.contains(&message.id);
                if is_draft { format!("{name} · {FROM_DRAFT}") } else { name.to_owned() }
            }
        };
        let (file, text, label) = self.content(message);
        let filled = self.templates.fill(message);
        Some(Bubble {
            id: message.id.to_string(),
            path: format!("{MESSAGES}/{}", message.id),
            class,
            referral: preview::referral(message),
            quote: message.reply_to.and_then(|to| self.quote(to)),
            file,
            text,
            buttons: filled.map(|it| it.buttons).unwrap_or_default(),
            reaction: [Direction::Inbound, Direction::Outbound]
                .map(|side| reaction(self.messages, message.id, side))
                .concat(),
            reply_path: (failed.is_none() && change(message).is_none_or(|it| it != DELETED))
                .then(|| format!("{}{}", self.reply_prefix, message.id)),
            label,
            author,
            at: ShownTime::clock(message.created_at),
            state: (!inbound && failed.is_none()).then(|| state(message, false)),
            failure: failed.map(|it| (it.title(), it.advice())),
            change: change(message),
        })
    }

    fn find(&self, id: MessageId) -> Option<&Message> {
        self.messages.iter().find(|it| it.id == id)
    }

    /// Returns the message with this id, which another message answers, as one line.
    fn quote(&self, id: MessageId) -> Option<String> {
        let message = self.find(id)?;
        let line = preview::line(message, self.templates);
        Some(format!("{}: {line}", author(message, self.contact)))
    }

    /// Returns the file, the text, and the icon and the label of content other than text.
    fn content(
        &self,
        message: &Message,
    ) -> (Option<FileView>, String, Option<(&'static str, String)>) {
        if message.direction == Direction::Inbound {
            let content: Value =
                serde_json::from_str(&message.content.0).ok().unwrap_or(Value::Null);
            return self.inbound(message, &content);
        }
        match decode(message.content_format, message.kind, &message.content.0) {
            Ok(Content::Media(media)) => {
                let name = media.filename.clone();
                let url = media.url.as_str().to_owned();
                let file = self.file(&url, media.kind.as_str(), name.as_deref());
                (Some(file), media.caption.as_deref().unwrap_or_default().to_owned(), None)
            }
            Ok(Content::Template(template)) => {
                let label = Some(("layout-template", template.name.to_string()));
                (None, preview::text(message, self.templates), label)
            }
            Ok(Content::Interactive(interactive)) => (None, interactive.text(), None),
            _ => (None, preview::text(message, self.templates), None),
        }
    }

    fn inbound(
        &self,
        message: &Message,
        content: &Value,
    ) -> (Option<FileView>, String, Option<(&'static str, String)>) {
        let field = |name: &str| content.get(name).and_then(Value::as_str);
        if message.kind == MessageKind::Location
            && let Some((latitude, longitude)) =
                content.get("latitude").zip(content.get("longitude"))
        {
            let words = [field("name"), field("address")].into_iter().flatten();
            let mut lines: Vec<String> = words.map(str::to_owned).collect();
            lines.push(format!("{latitude}, {longitude}"));
            return (None, lines.join("\n"), Some(("map-pin", "Location".to_owned())));
        }
        if message.kind != MessageKind::Media {
            return (None, preview::text(message, self.templates), None);
        }
        let kind = field("media_type").unwrap_or_default();
        let voice = content.get("voice").and_then(Value::as_bool).unwrap_or_default();
        let label = voice.then(|| ("mic", "Voice message".to_owned()));
        let caption = field("caption").or_else(|| field("transcript")).unwrap_or_default();
        let caption = caption.to_owned();
        match field("url") {
            Some(url) => (Some(self.file(url, kind, field("filename"))), caption, label),
            // The file has not been downloaded yet, or could not be downloaded.
            None => (None, preview::text(message, self.templates), label),
        }
    }

    /// Returns how a file is shown. Only files of this server are shown in place, because the page
    /// loads nothing from other servers.
    fn file(&self, url: &str, kind: &str, name: Option<&str>) -> FileView {
        let own = preview::own_file(url, self.base_url);
        let kind = match (own, kind) {
            (Some(_), "image" | "sticker") => FileKind::Picture,
            (Some(_), "audio") => FileKind::Audio,
            (Some(_), "video") => FileKind::Video,
            _ => FileKind::Download,
        };
        let last = url.rsplit('/').next().unwrap_or(url);
        FileView { kind, url: own.unwrap_or(url).to_owned(), name: name.unwrap_or(last).to_owned() }
    }
}

/// Returns the last reaction of one side to a message, or an empty text if that side took its
/// reaction back.
fn reaction(messages: &[Message], to: MessageId, side: Direction) -> String {
    let is_to = |it: &&Message| {
        it.kind == MessageKind::Reaction && it.reply_to == Some(to) && it.direction == side
    };
    let Some(last) = messages.iter().rfind(is_to) else { return String::new() };
    let emoji = match side {
        Direction::Inbound => {
            let content: Value = serde_json::from_str(&last.content.0).ok().unwrap_or_default();
            content.get("text").and_then(Value::as_str).map(str::to_owned)
        }
        Direction::Outbound => match decode(last.content_format, last.kind, &last.content.0) {
            Ok(Content::Reaction(it)) => Some(it.emoji),
            _ => None,
        },
    };
    emoji.unwrap_or_default()
}

/// Describes whether the sender deleted or edited a message. Returns `None` if the sender did
/// neither.
fn change(message: &Message) -> Option<&'static str> {
    let changes = message.changes.as_ref()?;
    let revisions = revisions::decode(&changes.0).ok()?;
    if revisions.deletion().is_some() {
        return Some(DELETED);
    }
    (revisions.versions().len() > 1).then_some("Edited")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_followed_by_more_words_without_its_period() {
        for (reason, shown) in [
            ("The customer asks for a person.", "The customer asks for a person"),
            ("Wants a refund", "Wants a refund"),
            ("Is it ready?", "Is it ready?"),
            ("Asked, and then...", "Asked, and then..."),
            ("", ""),
        ] {
            assert_eq!(without_period(reason), shown);
        }
    }
}
