//! The words of conversations, with which the search of the inbox finds conversations: the words of
//! their messages, and the names and numbers of their contacts. A worker follows the events and adds
//! the words, so that accepting a message needs no write to this table.
use super::message_lists::BY_ORGANIZATION;
use super::{Conn, RunQueryDsl, Transactional, events as recording, insert_words, listed};
use crate::cached::Cached;
use crate::records::{ConversationWord, WordPosition};
use crate::schema::{
    contacts, conversation_words, conversations, event_counters, events, messages, word_positions,
};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::contact_words;
use domain::conversation::MessageSource;
use domain::event::EventKind;
use domain::id::{ContactId, ConversationId, MediaId, MessageId, OrganizationId, SubjectId};
use domain::number::saturating;
use domain::words::{SoughtWord, words};
use std::collections::{BTreeMap, BTreeSet};
use stored_content::erasure::file_ids;
use stored_content::said::said;

/// The maximum number of conversations that are read for one word of a search.
const MOST_FOUND: i64 = 2_000;
/// The maximum number of entries that are read for one word of a search. A conversation has an entry for
/// each of its words that begin with the searched text.
const MOST_READ: i64 = 8_000;
/// The greatest character. It ends the range of words that begin with a text.
const LAST: char = char::MAX;
/// The range of words that are names and numbers of contacts: those that begin with `@`.
const NAMES: (&str, &str) = ("@", "A");

/// A conversation and its contact.
type PairRow = (Col<ConversationId>, Col<ContactId>);

/// The id, the name, the username and the phone number of a contact.
type NamedRow = (Col<ContactId>, Option<String>, Option<String>, Option<String>);

/// Returns the word that represents a file. It begins with a colon, so no search by a member finds
/// it.
fn file_word(file: MediaId) -> String {
    format!(":{file}")
}

/// Returns organizations that follow `after` and have messages whose words are not in the search
/// yet.
pub async fn lagging_words(
    conn: &mut Conn,
    after: Option<OrganizationId>,
    limit: i64,
) -> Result<Vec<OrganizationId>> {
    let own = word_positions::organization_id.eq(event_counters::organization_id);
    let reflected = word_positions::sequence.nullable();
    let has_all = word_positions::has_all.nullable();
    let has_contacts = word_positions::has_contacts.nullable();
    let named = word_positions::named_sequence.nullable();
    let mut lagging = event_counters::table
        .left_join(word_positions::table.on(own))
        .filter(
            reflected
                .is_null()
                .or(reflected.lt(event_counters::last.nullable()))
                .or(named.lt(event_counters::last.nullable()))
                .or(has_all.eq(Some(false)))
                .or(has_contacts.eq(Some(false))),
        )
        .order(event_counters::organization_id)
        .limit(limit)
        .select(event_counters::organization_id)
        .into_boxed();
    if let Some(after) = after {
        lagging = lagging.filter(event_counters::organization_id.gt(Col(after)));
    }
    let found: Vec<Col<OrganizationId>> = lagging.load(conn).await?;
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// Locks the organization's position in its events. If there is none, a position is created. It is
/// before the first event if that still exists, because then the events tell of all messages and
/// contacts. Otherwise it is at the last event, and the messages and contacts from before that event
/// are read in portions.
async fn lock_position(conn: &mut Conn, organization: OrganizationId) -> Result<WordPosition> {
    let read = async |conn: &mut Conn| {
        let row = word_positions::table.find(Col(organization)).select(WordPosition::as_select());
        let row: Option<WordPosition> = for_update!(row).get_result(conn).await.optional()?;
        Ok::<_, Error>(row)
    };
    if let Some(position) = read(conn).await? {
        return Ok(position);
    }
    let first = events::table.find((Col(organization), 1)).select(events::sequence);
    let first: Option<i64> = first.get_result(conn).await.optional()?;
    let sequence = match first {
        Some(_) => 0,
        None => recording::last_sequence(conn, organization).await?,
    };
    let new = WordPosition {
        organization_id: organization,
        sequence,
        last_message: None,
        has_all: first.is_some(),
        last_contact: None,
        has_contacts: first.is_some(),
        named_sequence: sequence,
    };
    diesel::insert_into(word_positions::table)
        .values(&new)
        .on_conflict(word_positions::organization_id)
        .do_nothing()
        .execute(conn)
        .await?;
    Ok(read(conn).await?.unwrap_or(new))
}

/// Adds the words of the messages and contacts of the next events, and of the next portions of older
/// messages and contacts. Returns whether there may be more.
pub async fn advance_words(
    conn: &mut Conn,
    organization: OrganizationId,
    most_events: i64,
    most_messages: i64,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let mut position = lock_position(conn, organization).await?;
        // All events up to this sequence are committed, so the next query sees them.
        let known = recording::last_sequence(conn, organization).await?;
        let next = events::table
            .filter(events::organization_id.eq(Col(organization)))
            .filter(recording::following(position.followed(), most_events))
            .order(events::sequence)
            .select((events::sequence, events::kind, events::subject));
        let next: Vec<FollowedEvent> = next.load(conn).await?;
        let followed = saturating(next.len(), most_events);
        let first = next.iter().map(|(sequence, ..)| *sequence).min().unwrap_or(known + 1);
        if first > position.followed() + 1 {
            // Some events were deleted before they were read, so all messages and contacts are read
            // again.
            (position.last_message, position.has_all) = (None, false);
            (position.last_contact, position.has_contacts) = (None, false);
        }
        follow(conn, organization, &position, &next).await?;
        let last = next.last().map_or(known, |(last, ..)| *last);
        position.sequence = last.max(position.sequence);
        position.named_sequence = last.max(position.named_sequence);
        if !position.has_all {
            let last = add_older(conn, organization, position.last_message, most_messages).await?;
            position.has_all = last.is_none();
            position.last_message = last.or(position.last_message);
        }
        if !position.has_contacts {
            let last =
                add_older_names(conn, organization, position.last_contact, most_messages).await?;
            position.has_contacts = last.is_none();
            position.last_contact = last.or(position.last_contact);
        }
        let row = word_positions::table.find(Col(organization));
        let now = (
            word_positions::sequence.eq(position.sequence),
            word_positions::last_message.eq(position.last_message.map(Col)),
            word_positions::has_all.eq(position.has_all),
            word_positions::last_contact.eq(position.last_contact.map(Col)),
            word_positions::has_contacts.eq(position.has_contacts),
            word_positions::named_sequence.eq(position.named_sequence),
        );
        diesel::update(row).set(now).execute(conn).await?;
        Ok::<_, Error>(followed >= most_events || !position.has_all || !position.has_contacts)
    })
    .await
}

/// The sequence, the kind and the subject of an event.
type FollowedEvent = (i64, Col<EventKind>, Option<Col<SubjectId>>);

async fn follow(
    conn: &mut Conn,
    organization: OrganizationId,
    position: &WordPosition,
    next: &[FollowedEvent],
) -> Result<()> {
    let of_kind = |wanted: &'static [EventKind], after: i64| {
        next.iter()
            .filter(move |(sequence, kind, _)| *sequence > after && wanted.contains(&kind.0))
            .filter_map(|(_, _, subject)| Some(*subject.as_ref()?.0.uuid()))
    };
    let of_messages = |wanted| -> BTreeSet<_> {
        of_kind(wanted, position.sequence).map(|id| Col(MessageId::from_uuid(id))).collect()
    };
    let added = of_messages(&[
        EventKind::MessageReceived,
        EventKind::MessageQueued,
        EventKind::MessageEdited,
        EventKind::MessageTranscribed,
    ]);
    // For a message that was sent from the phone or by the channel's own agent, `message.sent` is
    // the first event. All other messages have an earlier event, `message.queued`.
    let sent: BTreeSet<_> =
        of_messages(&[EventKind::MessageSent]).difference(&added).copied().collect();
    let mut rows: Vec<(Col<ConversationId>, Document)> = Vec::new();
    if !added.is_empty() {
        let of_added = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::id.eq_any(listed(added)))
            .select((messages::conversation_id, messages::content));
        rows = Cached(of_added).load(conn).await?;
    }
    if !sent.is_empty() {
        let sent_elsewhere = listed([MessageSource::Phone, MessageSource::Agent].map(Col));
        let from_elsewhere = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::id.eq_any(listed(sent)))
            .filter(messages::source.eq_any(sent_elsewhere))
            .select((messages::conversation_id, messages::content));
        rows.extend(Cached(from_elsewhere).load::<(Col<ConversationId>, Document)>(conn).await?);
    }
    add(conn, organization, &rows).await?;
    let merged = of_kind(&[EventKind::ContactMerged], position.followed());
    let kept: Vec<_> = merged.map(ContactId::from_uuid).collect();
    move_merged(conn, organization, &kept).await?;
    let created: BTreeSet<_> = of_kind(&[EventKind::ConversationCreated], position.named_sequence)
        .map(|id| Col(ConversationId::from_uuid(id)))
        .collect();
    let updated = of_kind(&[EventKind::ContactUpdated], position.named_sequence);
    let updated = updated.map(ContactId::from_uuid);
    let renamed: BTreeSet<_> = updated.chain(kept).map(Col).collect();
    if !created.is_empty() {
        let created = conversations::table
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(conversations::id.eq_any(listed(created)))
            .filter(conversations::merged_into.is_null())
            .select((conversations::id, conversations::contact_id));
        let created: Vec<PairRow> = Cached(created).load(conn).await?;
        add_names(conn, organization, &created).await?;
    }
    if !renamed.is_empty() {
        let renamed = conversations_of(conn, organization, renamed).await?;
        replace_names(conn, organization, &renamed).await?;
    }
    Ok(())
}

/// Returns the conversations of these contacts.
async fn conversations_of(
    conn: &mut Conn,
    organization: OrganizationId,
    of: impl IntoIterator<Item = Col<ContactId>>,
) -> Result<Vec<PairRow>> {
    let pairs = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::contact_id.eq_any(listed(of)))
        .filter(conversations::merged_into.is_null())
        .select((conversations::id, conversations::contact_id));
    Ok(Cached(pairs).load(conn).await?)
}

/// Adds the names and numbers of contacts to the words of their conversations. The contacts are read
/// by their ids and not with a join, because PostgreSQL may read all contacts for a join while the
/// tables have no statistics.
async fn add_names(conn: &mut Conn, organization: OrganizationId, of: &[PairRow]) -> Result<()> {
    let conversations: BTreeMap<_, _> = of.iter().map(|(id, contact)| (*contact, id.0)).collect();
    if conversations.is_empty() {
        return Ok(());
    }
    let named = contacts::table
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(contacts::id.eq_any(listed(conversations.keys().copied())))
        .filter(contacts::deleted_at.is_null())
        .select((contacts::id, contacts::name, contacts::username, contacts::phone_number));
    let named: Vec<NamedRow> = Cached(named).load(conn).await?;
    let mut new = Vec::new();
    for (contact, name, username, number) in named {
        let Some(conversation_id) = conversations.get(&contact).copied() else { continue };
        let known_as = [&name, &username].into_iter().flatten().map(String::as_str);
        for word in contact_words(known_as, number.as_deref()) {
            new.push(ConversationWord { organization_id: organization, word, conversation_id });
        }
    }
    insert_words(conn, &new).await
}

/// Replaces the names and numbers among the words of conversations.
async fn replace_names(
    conn: &mut Conn,
    organization: OrganizationId,
    of: &[PairRow],
) -> Result<()> {
    let (first, end) = NAMES;
    let renamed = listed(of.iter().map(|(conversation, _)| *conversation));
    let old = conversation_words::table
        .filter(conversation_words::organization_id.eq(Col(organization)))
        .filter(conversation_words::conversation_id.eq_any(renamed))
        .filter(conversation_words::word.ge(first))
        .filter(conversation_words::word.lt(end));
    diesel::delete(old).execute(conn).await?;
    add_names(conn, organization, of).await
}

/// Adds the names and numbers of the next contacts after `after`. Returns the last of these
/// contacts, or `None` if there were none.
async fn add_older_names(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<ContactId>,
    most: i64,
) -> Result<Option<ContactId>> {
    let mut next = contacts::table
        .filter(contacts::organization_id.eq(Col(organization)))
        .order(contacts::id)
        .limit(most)
        .select(contacts::id)
        .into_boxed();
    if let Some(after) = after {
        next = next.filter(contacts::id.gt(Col(after)));
    }
    let next: Vec<Col<ContactId>> = next.load(conn).await?;
    let Some(last) = next.last().copied() else { return Ok(None) };
    let named = conversations_of(conn, organization, next).await?;
    // An event about a contact may be gone, so an old name may still be among the words.
    replace_names(conn, organization, &named).await?;
    Ok(Some(last.0))
}

/// Adds the words of the next messages after `after`. Returns the last of these messages, or `None`
/// if there were none.
async fn add_older(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<MessageId>,
    most: i64,
) -> Result<Option<MessageId>> {
    let mut older = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(BY_ORGANIZATION)
        .order(messages::id)
        .limit(most)
        .select((messages::id, messages::conversation_id, messages::content))
        .into_boxed();
    if let Some(after) = after {
        older = older.filter(messages::id.gt(Col(after)));
    }
    let older: Vec<(Col<MessageId>, Col<ConversationId>, Document)> = older.load(conn).await?;
    let last = older.last().map(|(id, ..)| id.0);
    let rows: Vec<_> = older.into_iter().map(|(_, of, content)| (of, content)).collect();
    add(conn, organization, &rows).await?;
    Ok(last)
}

async fn add(
    conn: &mut Conn,
    organization: OrganizationId,
    rows: &[(Col<ConversationId>, Document)],
) -> Result<()> {
    let new: BTreeSet<(ConversationId, String)> = rows
        .iter()
        .flat_map(|(of, content)| {
            let of = of.0;
            let files = file_ids(&content.0).into_iter().map(file_word);
            words(&said(&content.0)).into_iter().chain(files).map(move |word| (of, word))
        })
        .collect();
    let new: Vec<ConversationWord> = new
        .into_iter()
        .map(|(conversation_id, word)| ConversationWord {
            organization_id: organization,
            word,
            conversation_id,
        })
        .collect();
    insert_words(conn, &new).await
}

/// Moves the words of merged conversations to the conversations that stay.
async fn move_merged(
    conn: &mut Conn,
    organization: OrganizationId,
    kept: &[ContactId],
) -> Result<()> {
    for contact in kept.iter().copied() {
        let staying = conversations::table
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(conversations::contact_id.eq(Col(contact)))
            .limit(1)
            .select(conversations::id);
        let staying: Option<Col<ConversationId>> = staying.get_result(conn).await.optional()?;
        let Some(staying) = staying else { continue };
        let merged = conversations::table
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(conversations::merged_into.eq(Some(staying)))
            .select(conversations::id);
        let merged: Vec<Col<ConversationId>> = merged.load(conn).await?;
        for gone in merged {
            let of_gone = || {
                conversation_words::table
                    .filter(conversation_words::organization_id.eq(Col(organization)))
                    .filter(conversation_words::conversation_id.eq(gone))
            };
            let moved: Vec<String> = of_gone().select(conversation_words::word).load(conn).await?;
            diesel::delete(of_gone()).execute(conn).await?;
            let moved: Vec<ConversationWord> = moved
                .into_iter()
                .map(|word| ConversationWord {
                    organization_id: organization,
                    word,
                    conversation_id: staying.0,
                })
                .collect();
            insert_words(conn, &moved).await?;
        }
    }
    Ok(())
}

/// Deletes the words of conversations.
pub(super) async fn delete_words(
    conn: &mut Conn,
    organization: OrganizationId,
    of: &[ConversationId],
) -> Result<()> {
    let rows = conversation_words::table
        .filter(conversation_words::organization_id.eq(Col(organization)))
        .filter(conversation_words::conversation_id.eq_any(listed(of.iter().copied().map(Col))));
    diesel::delete(rows).execute(conn).await?;
    Ok(())
}

/// Reads the words of a conversation again, after some of its messages were erased.
pub(super) async fn reread_words(
    conn: &mut Conn,
    organization: OrganizationId,
    of: ConversationId,
) -> Result<()> {
    delete_words(conn, organization, &[of]).await?;
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(of)))
        .select((messages::conversation_id, messages::content));
    let rows: Vec<(Col<ConversationId>, Document)> = rows.load(conn).await?;
    add(conn, organization, &rows).await?;
    let contact = conversations::table
        .find((Col(organization), Col(of)))
        .filter(conversations::merged_into.is_null())
        .select((conversations::id, conversations::contact_id));
    let contact: Option<PairRow> = contact.get_result(conn).await.optional()?;
    add_names(conn, organization, contact.as_slice()).await
}

/// Returns which of these files are used by messages of other conversations. The search stores the
/// id of a file as a word of its conversation. Returns `None` if the search does not have all
/// messages up to the event `known` yet.
pub async fn indexed_files_of_others(
    conn: &mut Conn,
    organization: OrganizationId,
    files: Vec<MediaId>,
    conversation: ConversationId,
    known: i64,
) -> Result<Option<Vec<MediaId>>> {
    conn.transaction(async |conn| {
        let row = word_positions::table.find(Col(organization)).select(WordPosition::as_select());
        let position: Option<WordPosition> = row.get_result(conn).await.optional()?;
        if position.is_none_or(|it| !it.has_all || it.sequence < known) {
            return Ok(None);
        }
        let mut named = Vec::new();
        for file in files {
            let of_others = conversation_words::table
                .filter(conversation_words::organization_id.eq(Col(organization)))
                .filter(conversation_words::word.eq(file_word(file)))
                .filter(conversation_words::conversation_id.ne(Col(conversation)))
                .limit(1)
                .select(conversation_words::conversation_id);
            let found: Option<Col<ConversationId>> = of_others.get_result(conn).await.optional()?;
            named.extend(found.map(|_| file));
        }
        Ok::<_, Error>(Some(named))
    })
    .await
}

/// Returns up to 2,000 conversations that have, for each of these parts of a search, a word that
/// begins with one of its texts.
pub async fn conversations_with_words(
    conn: &mut Conn,
    organization: OrganizationId,
    mut sought: Vec<SoughtWord>,
) -> Result<Vec<ConversationId>> {
    // The search begins with the longest word, because it is probably the rarest.
    sought.sort_by_key(|word| std::cmp::Reverse(word.longest()));
    let mut found: Option<BTreeSet<Col<ConversationId>>> = None;
    for word in sought {
        // Duplicates are removed here. With `DISTINCT`, PostgreSQL would read all entries of the
        // word.
        let most = saturating(MOST_FOUND, usize::MAX);
        let mut different = BTreeSet::new();
        for beginning in word.beginnings {
            let mut with_word = conversation_words::table
                .filter(conversation_words::organization_id.eq(Col(organization)))
                .filter(conversation_words::word.lt(format!("{beginning}{LAST}")))
                .filter(conversation_words::word.ge(beginning))
                .select(conversation_words::conversation_id)
                .limit(MOST_READ)
                .into_boxed();
            if let Some(found) = &found {
                let among = listed(found.iter().copied());
                with_word = with_word.filter(conversation_words::conversation_id.eq_any(among));
            }
            let with_word: Vec<Col<ConversationId>> = with_word.load(conn).await?;
            for conversation in with_word {
                if different.len() < most {
                    different.insert(conversation);
                }
            }
        }
        if different.is_empty() {
            return Ok(Vec::new());
        }
        found = Some(different);
    }
    Ok(found.unwrap_or_default().into_iter().map(|it| it.0).collect())
}
