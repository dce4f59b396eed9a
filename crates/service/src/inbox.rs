//! Use cases of the inbox (`docs/contract.md#conversations`).

use crate::{audit, turns};
use channel::SubmitError;
use domain::account::HealthState;
use domain::conversation::{Agent, AgentRefusal, MessageSource};
use domain::id::{AccountId, ConversationId, MemberId, MessageId, NoteId, OrganizationId, TurnId};
use domain::inbox::{AgentPause, InboxChange, NoteAuthor, ReadMark};
use domain::mention::mentioned;
use domain::number::saturating;
use domain::recent_events::{MAX_RECENT_EVENTS, StreamedEvent};
use domain::role::VisibleConversations;
use domain::time::Timestamp;
use domain::words::{SoughtWord, words};
use persistence::records::{
    ChannelAccess, Conversation, HandOver, InboxAttention, InboxConversation, InboxCursor,
    InboxFilter, InboxMemberChange, InboxMemberSettings, InboxMemberState, InboxPart, InboxUpdate,
    Message, Note, RequestedHandOver, address as address_of,
};
use persistence::{Db, Reader, Result};
use platform::Deps;
use platform::channel_client::{adapter, run};
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum number of conversations that are scanned for a page of a filtered list.
const MAX_SCANNED_CONVERSATIONS: i64 = 5_000;
/// Number of events that are applied to the inbox in one transaction.
const EVENTS_AT_ONCE: i64 = 1_000;
/// Maximum number of transactions with which a request brings the inbox up to date. A worker does
/// the rest.
const CATCH_UP_ROUNDS: usize = 5;

/// Maximum number of conversations that are counted.
pub const MAX_COUNTED_CONVERSATIONS: i64 = 100;
/// Maximum number of conversations that are scanned to count those that need a member's attention.
const MAX_ATTENDED_CONVERSATIONS: i64 = 1_000;
/// Maximum number of words in a search. Further words are ignored.
pub(crate) const MAX_SOUGHT_WORDS: usize = 8;
/// Maximum number of characters of a draft that is stored.
const MAX_DRAFT_LENGTH: usize = 4096;
/// Maximum number of members whose state in a conversation is read.
const MAX_MEMBER_STATES: i64 = 500;
/// Maximum number of members whose names are looked for in a note that mentions members.
const MAX_MENTIONABLE: i64 = 500;
/// Minimum time between two records of a member who looks at a conversation.
const VIEW_RECORDED_EVERY: Duration = Duration::from_secs(10);

/// The reason why a conversation is not changed.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// The conversation does not exist, or the caller may not see it.
    #[error("the conversation does not exist")]
    NotFound,
    #[error("the assignee is not a member of the organization who may use the inbox")]
    NoSuchAssignee,
    /// The channel did not take back control of the conversation.
    #[error("the channel cannot be reached: {0}")]
    ChannelUnavailable(String),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// The reason why an AI agent does not hand a conversation over.
#[derive(Debug, thiserror::Error)]
pub enum HandOverError {
    /// The agent may not answer in the conversation.
    #[error(transparent)]
    Refused(#[from] AgentRefusal),
    #[error(transparent)]
    Inbox(#[from] InboxError),
}

/// Applies the organization's next events to its inbox. Returns whether all were applied.
pub async fn catch_up(deps: &Deps, organization: OrganizationId) -> Result<bool> {
    Ok(advance(deps, organization, Until::LastEvent).await? != Progress::Behind)
}

/// Brings the inbox up to date. Returns the reader for it: the primary if new entries were written,
/// because a standby may not have them yet.
pub async fn current(deps: &Deps, reader: Reader) -> Result<Reader> {
    Ok(match advance(deps, reader.organization, Until::Now).await? {
        Progress::WasCurrent => reader,
        Progress::Current | Progress::Behind => Reader::from_primary(reader.organization),
    })
}

/// The events that are applied to an inbox.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Those that are recorded when the caller asks. Later ones do not concern a page that is being
    /// loaded, and while many are recorded, there would be no end.
    Now,
    /// Also those that are recorded meanwhile.
    LastEvent,
}

/// The progress of an organization's inbox.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// There was nothing to apply.
    WasCurrent,
    /// All events that the caller asked for were applied.
    Current,
    /// Some of them are left, because there are more than one call applies.
    Behind,
}

async fn advance(deps: &Deps, organization: OrganizationId, until: Until) -> Result<Progress> {
    let organization_db = deps.db.organization(organization);
    // Reads first, so that a request does not wait for the writer if there is nothing to do.
    let (position, end) = organization_db.inbox_sequences().await?;
    if position >= end {
        return Ok(Progress::WasCurrent);
    }
    let is_reached = async || {
        let (position, last) = organization_db.inbox_sequences().await?;
        Ok::<_, persistence::Error>(position >= if until == Until::Now { end } else { last })
    };
    for _ in 0..CATCH_UP_ROUNDS {
        // Taken for each round, so that a page does not wait for rounds that it does not need.
        let _turn = deps.inbox_turns.wait(organization).await;
        if is_reached().await? {
            return Ok(Progress::Current);
        }
        organization_db.advance_inbox(EVENTS_AT_ONCE, deps.clock.now()).await?;
        deps.wakeups.turns.notify_one();
    }
    Ok(if is_reached().await? { Progress::Current } else { Progress::Behind })
}

/// Returns the sequence of the organization's last event, or 0 if there is none.
pub async fn last_sequence(deps: &Deps, organization: OrganizationId) -> Result<i64> {
    deps.db.organization(organization).last_sequence().await
}

/// Returns the organization's events after `after`, up to `last`, as the stream of the inbox
/// reports them. Returns none if there are more than the stream keeps.
pub async fn streamed_events(
    deps: &Deps,
    organization: OrganizationId,
    after: i64,
    last: i64,
) -> Result<Vec<StreamedEvent>> {
    let most = last.saturating_sub(after);
    if most > MAX_RECENT_EVENTS {
        return Ok(Vec::new());
    }
    deps.db.organization(organization).streamed_events(after, most).await
}

/// Lists the matching conversations after a position, those with the newest messages first.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    filter: InboxFilter,
    after: Option<InboxCursor>,
    limit: i64,
) -> Result<InboxPart> {
    let reader = if after.is_none() { current(deps, reader).await? } else { reader };
    let read = move |db: Db| async move {
        db.reads(reader).list_inbox(None, filter, after, limit, MAX_SCANNED_CONVERSATIONS).await
    };
    let mut page: InboxPart = deps.read_limiter.run(reader.organization, &deps.db, read).await?;
    name_who_paused(deps, reader, &mut page.found).await?;
    Ok(page)
}

/// Looks up the members whose messages paused the agent.
async fn name_who_paused(
    deps: &Deps,
    reader: Reader,
    conversations: &mut [InboxConversation],
) -> Result<()> {
    let is_members =
        |it: &&InboxConversation| matches!(it.paused_by_message, Some((MessageSource::Inbox, _)));
    let paused = conversations.iter().filter(is_members);
    let messages: Vec<_> = paused.filter_map(|it| it.conversation.agent_paused_by).collect();
    let senders = audit::senders(deps, reader, &messages).await?;
    for found in conversations {
        let message = found.conversation.agent_paused_by;
        found.paused_by_member = message.and_then(|id| senders.get(&id)).map(|it| it.id);
    }
    Ok(())
}

/// Finds a conversation, or the one that it was merged into. A caller that is confined to an
/// account finds only the conversations of that account.
pub async fn find(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
) -> Result<InboxConversation, InboxError> {
    let reader = current(deps, reader).await?;
    let found = deps.db.reads(reader).find_inbox_conversation(id).await?;
    let visible = found.filter(|it| account.is_none_or(|at| at == it.conversation.account_id));
    let mut visible = visible.ok_or(InboxError::NotFound)?;
    name_who_paused(deps, reader, std::slice::from_mut(&mut visible)).await?;
    Ok(visible)
}

/// Whether a member belongs to the organization, so that conversations can be assigned to them.
pub async fn is_member(
    deps: &Deps,
    organization: OrganizationId,
    member: MemberId,
) -> Result<bool> {
    Ok(deps.db.organization(organization).member_of_organization(member).await?.is_some())
}

/// Changes the status, the assignee or the labels of a conversation.
pub async fn update(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    change: InboxChange,
) -> Result<InboxConversation, InboxError> {
    let found = find(deps, reader, account, id).await?;
    let (id, now) = (found.conversation.id, deps.clock.now());
    match deps.db.organization(reader.organization).update_inbox(id, change, now).await? {
        InboxUpdate::Changed(conversation) => Ok(*conversation),
        InboxUpdate::NotFound => Err(InboxError::NotFound),
        InboxUpdate::NoSuchAssignee => Err(InboxError::NoSuchAssignee),
    }
}

/// Pauses the AI agent in a conversation.
pub async fn pause_agent(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    pause: AgentPause,
) -> Result<InboxConversation, InboxError> {
    let id = find(deps, reader, account, id).await?.conversation.id;
    let organization_db = deps.db.organization(reader.organization);
    let paused = organization_db.pause_agent(id, pause, deps.clock.now()).await?;
    paused.ok_or(InboxError::NotFound)
}

/// Hands a conversation over to a person, because an AI agent asks for it over the API. `client_id`
/// and `key_name` belong to the key of the agent's program.
pub async fn hand_over(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    hand_over: HandOver,
    client_id: String,
    key_name: String,
) -> Result<InboxConversation, HandOverError> {
    let id = find(deps, reader, account, id).await?.conversation.id;
    let now = deps.clock.now();
    let new = RequestedHandOver { hand_over, note: deps.id(now), client_id, key_name };
    let organization_db = deps.db.organization(reader.organization);
    let handed_over = match organization_db.hand_over_as_agent(id, new, now).await {
        Err(persistence::Error::AgentRefused(refusal)) => return Err(refusal.into()),
        handed_over => handed_over.map_err(InboxError::from)?,
    };
    deps.events_recorded_of([reader.organization]);
    Ok(handed_over.ok_or(InboxError::NotFound)?)
}

/// Resumes the AI agent in a conversation. The agent also answers the contact's newest message if
/// nobody has answered it, unless that message would pause the agent again.
pub async fn resume_agent(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
) -> Result<InboxConversation, InboxError> {
    let found = find(deps, reader, account, id).await?;
    let is_channels = found.entry.channel_agent_at.is_some();
    if is_channels && found.agent() == Agent::Paused {
        release_thread(deps, &found.conversation).await?;
    }
    // Most events are applied before the resumption, because its transaction applies the rest, and
    // sends of the organization wait for that transaction.
    catch_up(deps, reader.organization).await?;
    // A message that has arrived already does not pause the agent again, because the caller resumes
    // it in spite of that message. A message that arrives later may pause it.
    let left = message_to_leave(deps, &found.conversation).await?;
    let organization_db = deps.db.organization(reader.organization);
    let resumed = organization_db.resume_agent(found.conversation.id, left, deps.clock.now());
    let running = resumed.await?;
    deps.wakeups.turns.notify_one();
    running.ok_or(InboxError::NotFound)
}

/// Whether a resumed AI agent would answer a message that waits for an answer.
pub async fn has_waiting_message(deps: &Deps, conversation: &Conversation) -> Result<bool> {
    let waiting = find_waiting_message(deps, conversation).await?;
    let Some(message) = waiting else { return Ok(false) };
    Ok(!turns::would_pause_again(deps, conversation, message).await?)
}

/// Returns the message that waits for an answer, if it would pause the AI agent again after the
/// resumption.
async fn message_to_leave(deps: &Deps, conversation: &Conversation) -> Result<Option<MessageId>> {
    let waiting = find_waiting_message(deps, conversation).await?;
    let Some(message) = waiting else { return Ok(None) };
    let pauses = turns::would_pause_again(deps, conversation, message).await?;
    Ok(pauses.then_some(message))
}

async fn find_waiting_message(
    deps: &Deps,
    conversation: &Conversation,
) -> Result<Option<MessageId>> {
    let organization_db = deps.db.organization(conversation.organization_id);
    organization_db.find_waiting_message(conversation.id, deps.clock.now()).await
}

/// Gives control of a conversation back to the channel's own agent. A refusal counts as success: it
/// means that the organization does not have control.
async fn release_thread(deps: &Deps, conversation: &Conversation) -> Result<(), InboxError> {
    let away = |why: String| {
        tracing::warn!(why, conversation = %conversation.id, "control of a conversation was not given back");
        InboxError::ChannelUnavailable(why)
    };
    let organization_db = deps.db.organization(conversation.organization_id);
    let found = organization_db.account(conversation.account_id).await?;
    let address = conversation.address.as_deref();
    let address = address_of(conversation.id, address).map_err(persistence::Error::from)?;
    let (Some(account), Some(to)) = (found, address) else {
        return Err(InboxError::NotFound);
    };
    if account.health == HealthState::Held {
        return Err(away("the number is held".to_owned()));
    }
    let line = adapter(deps, &ChannelAccess::from(account)).map_err(away)?;
    match run(deps, |answers| line.release_thread(&to, answers)).await {
        Ok(()) | Err(SubmitError::Exists) => Ok(()),
        Err(SubmitError::Later { why, .. }) => Err(away(why)),
        Err(SubmitError::Definite(why)) => {
            tracing::warn!(why, conversation = %conversation.id, "the channel refused to take back control of a conversation");
            Ok(())
        }
    }
}

/// Writes a note about a conversation.
pub async fn create_note(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    text: String,
    author: NoteAuthor,
) -> Result<Note, InboxError> {
    let conversation = find(deps, reader, account, id).await?.conversation.id;
    let now = deps.clock.now();
    let (member_id, client_id, author_name): (Option<MemberId>, _, _) = match author {
        NoteAuthor::Member { id, name } => (Some(id), None, name),
        NoteAuthor::Key { client_id, name } => (None, Some(client_id), name),
        NoteAuthor::Agent { id, name } => (None, Some(id.to_string()), name),
        NoteAuthor::Channel { name } => (None, None, name),
    };
    let note = Note {
        organization_id: reader.organization,
        id: deps.id(now),
        conversation_id: conversation,
        text,
        member_id,
        client_id,
        author_name,
        created_at: now,
    };
    mark_mentioned(deps, &note).await?;
    let organization_db = deps.db.organization(reader.organization);
    organization_db.insert_note(note).await?.ok_or(InboxError::NotFound)
}

/// Writes a note that an AI agent asks for over the API. The author is the agent that answers on the
/// number of the conversation. Without one it is the key of the agent's program, to which
/// `client_id` and `key_name` belong.
pub async fn create_agent_note(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    text: String,
    client_id: String,
    key_name: String,
) -> Result<Note, InboxError> {
    let conversation = find(deps, reader, account, id).await?.conversation;
    let organization_db = deps.db.organization(reader.organization);
    let author = match organization_db.agent_of_account(conversation.account_id).await? {
        Some(agent) => NoteAuthor::Agent { id: agent.id, name: agent.name },
        None => NoteAuthor::Key { client_id, name: key_name },
    };
    create_note(deps, reader, account, conversation.id, text, author).await
}

/// Marks a conversation as unread for the members whom a note mentions, except its author. This is
/// done before the note is stored, because the event of the note refreshes the members' pages.
async fn mark_mentioned(deps: &Deps, note: &Note) -> Result<()> {
    if !note.text.contains('@') {
        return Ok(());
    }
    let organization_db = deps.db.organization(note.organization_id);
    let members = organization_db.members_of(MAX_MENTIONABLE).await?;
    let names = members.iter().map(|it| (it.member.id, it.member.display_name()));
    for member in mentioned(&note.text, names) {
        if Some(member) != note.member_id {
            let change = InboxMemberChange { marks_unread: true, ..InboxMemberChange::default() };
            let of = note.conversation_id;
            organization_db.update_member_state(of, member, change).await?;
        }
    }
    Ok(())
}

/// A page of notes, the newest first.
#[derive(Clone, Debug)]
pub struct NotesPart {
    pub notes: Vec<Note>,
    pub has_more: bool,
}

/// Lists the notes about a conversation that follow one of them, the newest first.
pub async fn list_notes(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ConversationId,
    after: Option<NoteId>,
    limit: i64,
) -> Result<NotesPart, InboxError> {
    let id = find(deps, reader, account, id).await?.conversation.id;
    let one_more = limit.saturating_add(1);
    let mut notes = deps.db.reads(reader).list_notes(id, after, one_more).await?;
    let shown = saturating(limit, usize::MAX);
    let has_more = notes.len() > shown;
    notes.truncate(shown);
    Ok(NotesPart { notes, has_more })
}

/// A page of the inbox as a member sees it.
#[derive(Clone, Debug)]
pub struct MemberInboxPage {
    pub page: InboxPart,
    /// The last message of each conversation.
    pub last_messages: BTreeMap<ConversationId, Message>,
}

/// Lists the matching conversations after a position, each with its state for a member.
pub async fn list_for_member(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    filter: InboxFilter,
    after: Option<InboxCursor>,
    limit: i64,
) -> Result<MemberInboxPage> {
    let read = move |db: Db| async move {
        let organization_db = db.reads(reader);
        let most = MAX_SCANNED_CONVERSATIONS;
        let page = organization_db.list_inbox(Some(member), filter, after, limit, most).await?;
        let shown = page.found.iter().map(|it| it.conversation.id).collect();
        let last = organization_db.last_messages(shown).await?;
        let last_messages = last.into_iter().map(|it| (it.conversation_id, it)).collect();
        Ok(MemberInboxPage { page, last_messages })
    };
    deps.read_limiter.run(reader.organization, &deps.db, read).await
}

/// Finds conversations by the words of their messages. A word of the search matches every word that
/// begins with it. Messages of the last seconds may be missing, because a worker adds their words.
pub async fn find_by_words(
    deps: &Deps,
    organization: OrganizationId,
    sought: &str,
) -> Result<Vec<ConversationId>> {
    let sought = words(sought).into_iter().take(MAX_SOUGHT_WORDS);
    let sought: Vec<_> = sought.map(SoughtWord::beginning).collect();
    if sought.is_empty() {
        return Ok(Vec::new());
    }
    deps.db.organization(organization).conversations_with_words(sought).await
}

/// Counts the matching conversations, up to [`MAX_COUNTED_CONVERSATIONS`].
pub async fn count(deps: &Deps, reader: Reader, filter: InboxFilter) -> Result<usize> {
    let organization_db = deps.db.reads(reader);
    organization_db.count_inbox(filter, MAX_COUNTED_CONVERSATIONS, MAX_SCANNED_CONVERSATIONS).await
}

/// Counts the conversations that need a member's attention. The newest events may be missing,
/// because a worker applies them.
pub async fn count_attention(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    visible: VisibleConversations,
) -> Result<InboxAttention> {
    let organization_db = deps.db.reads(reader);
    let (most, scan) = (MAX_COUNTED_CONVERSATIONS, MAX_ATTENDED_CONVERSATIONS);
    organization_db.count_attention(member, visible, most, scan).await
}

/// A conversation as a member sees it.
#[derive(Clone, Debug)]
pub struct MemberConversation {
    pub found: InboxConversation,
    /// The state of the conversation for the other members.
    pub others: Vec<InboxMemberState>,
}

/// Finds a conversation for a member who looks at it, and records that they do.
pub async fn view(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: ConversationId,
) -> Result<MemberConversation, InboxError> {
    let mut found = find(deps, reader, None, id).await?;
    let (id, now) = (found.conversation.id, deps.clock.now());
    let states = deps.db.reads(reader).list_member_states(id, MAX_MEMBER_STATES).await?;
    let (own, others): (Vec<_>, Vec<_>) = states.into_iter().partition(|it| it.member_id == member);
    found.member_state = own.into_iter().next();
    let viewed_at = found.member_state.as_ref().and_then(|it| it.viewed_at);
    let is_recorded = viewed_at.is_some_and(|at| now.since(at) < VIEW_RECORDED_EVERY);
    let is_unread = found.unread_count().map_err(persistence::Error::from)? > 0;
    let reads = is_unread && reads_when_opened(deps, reader, member).await?;
    if !is_recorded || reads {
        let state = found.entry.state().map_err(persistence::Error::from)?;
        let mark = reads.then(|| state.all_read());
        let change =
            InboxMemberChange { mark, viewed_at: Some(now), ..InboxMemberChange::default() };
        deps.db.organization(reader.organization).update_member_state(id, member, change).await?;
    }
    Ok(MemberConversation { found, others })
}

/// Whether a conversation counts as read when this member opens it.
pub async fn reads_when_opened(deps: &Deps, reader: Reader, member: MemberId) -> Result<bool> {
    let settings = deps.db.reads(reader).find_inbox_member_settings(member).await?;
    Ok(settings.is_some_and(|it| it.reads_when_opened))
}

/// Sets whether a conversation counts as read when this member opens it.
pub async fn set_reads_when_opened(
    deps: &Deps,
    organization: OrganizationId,
    member: MemberId,
    reads_when_opened: bool,
) -> Result<()> {
    let settings =
        InboxMemberSettings { organization_id: organization, member_id: member, reads_when_opened };
    deps.db.organization(organization).set_inbox_member_settings(settings).await
}

/// Records that a member has read a conversation, or marks it as unread for them.
pub async fn mark(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: ConversationId,
    is_read: bool,
) -> Result<(), InboxError> {
    let found = find(deps, reader, None, id).await?;
    let state = found.entry.state().map_err(persistence::Error::from)?;
    let mark = if is_read {
        state.all_read()
    } else {
        ReadMark { read_count: state.answered_count, marked_unread: true }
    };
    let change = InboxMemberChange { mark: Some(mark), ..InboxMemberChange::default() };
    let organization_db = deps.db.organization(reader.organization);
    Ok(organization_db.update_member_state(found.conversation.id, member, change).await?)
}

/// Stores what a member is writing in a conversation. An empty text deletes the draft.
pub async fn save_draft(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: ConversationId,
    text: &str,
) -> Result<(), InboxError> {
    let found = find(deps, reader, None, id).await?;
    let text: String = text.chars().take(MAX_DRAFT_LENGTH).collect();
    let typed_at: Option<Timestamp> = (!text.is_empty()).then(|| deps.clock.now());
    let draft = Some(Some(text).filter(|it| !it.trim().is_empty()));
    let change = InboxMemberChange { draft, typed_at, ..InboxMemberChange::default() };
    let organization_db = deps.db.organization(reader.organization);
    Ok(organization_db.update_member_state(found.conversation.id, member, change).await?)
}

/// Discards a draft of the AI agent for all members, and this member's own version of it.
pub async fn discard_agent_draft(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: ConversationId,
    turn: TurnId,
) -> Result<(), InboxError> {
    let found = find(deps, reader, None, id).await?;
    turns::discard_draft(deps, &found.conversation, turn).await?;
    let change = InboxMemberChange { draft: Some(None), ..InboxMemberChange::default() };
    let organization_db = deps.db.organization(reader.organization);
    Ok(organization_db.update_member_state(found.conversation.id, member, change).await?)
}

/// Records that a member answered. The messages up to the answer then count as read. `sends_draft`
/// is true if the member's draft was sent.
pub async fn record_answer(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: ConversationId,
    sends_draft: bool,
) -> Result<(), InboxError> {
    let found = find(deps, reader, None, id).await?;
    let state = found.entry.state().map_err(persistence::Error::from)?;
    let change = InboxMemberChange {
        mark: Some(ReadMark { read_count: state.answered_count, marked_unread: false }),
        draft: sends_draft.then_some(None),
        ..InboxMemberChange::default()
    };
    let organization_db = deps.db.organization(reader.organization);
    Ok(organization_db.update_member_state(found.conversation.id, member, change).await?)
}
