//! The identities of contacts. What the channel reports is compared with what is stored, in the
//! transaction that writes it.
use super::people::{theirs, with_contact};
use super::{Conn, RunQueryDsl, Transactional, events, merging};
use crate::records::{Contact, Conversation, ConversationWithContact, Identification, Merges};
use crate::schema::{contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{
    ContactChange, ContactSnapshot, Identity, Judgement, Step, Update, of_change,
};
use domain::event::{Event, EventKind, Payload};
use domain::id::{AccountId, ContactId, OrganizationId};
use domain::time::Timestamp;

/// The parameters of a change of contacts.
#[derive(Clone, Copy)]
pub(super) struct Book {
    pub organization: OrganizationId,
    /// The account that knows the contacts.
    pub account: AccountId,
    /// The time of the events.
    pub now: Timestamp,
    pub merges: Merges,
}

/// Records that a contact has changed its number or user id. Returns the number of changes.
pub async fn identify(conn: &mut Conn, said: Identification, merges: Merges) -> Result<usize> {
    let Identification { organization, account, change, at, now } = said;
    let book = Book { organization, account, now, merges };
    conn.transaction(async |conn| {
        let (mut new_events, mut steps) = (Vec::new(), 0);
        loop {
            let found = found(conn, &book, [&change.from, &change.to]).await?;
            let known: Vec<_> =
                found.iter().map(ConversationWithContact::known).collect::<Result<_, _>>()?;
            let judgement = of_change(&known, &change, at);
            steps += judgement.steps.len();
            new_events.extend(apply(conn, &book, found, &judgement).await?);
            if !judgement.unfinished {
                break;
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(steps)
    })
    .await
}

/// Returns the contacts with any of these numbers and user ids, with their conversations. The rows
/// are locked in the order in which sends lock them. The contacts are locked, too: an unlocked row
/// would be read as it was before a concurrent write ended.
pub(super) async fn found(
    conn: &mut Conn,
    book: &Book,
    [one, other]: [&Identity; 2],
) -> Result<Vec<ConversationWithContact>> {
    // Each alternative is a whole key, so that SQLite uses an index for each.
    let number = |of: &Identity| {
        contacts::organization_id
            .eq(Col(book.organization))
            .and(contacts::phone_number.eq(of.phone_number.as_ref().map(ToString::to_string)))
            .and(contacts::account_id.eq(Col(book.account)))
    };
    let user = |of: &Identity| {
        contacts::organization_id
            .eq(Col(book.organization))
            .and(contacts::channel_user_id.eq(of.user_id.as_ref().map(ToString::to_string)))
            .and(contacts::account_id.eq(Col(book.account)))
    };
    let rows = contacts::table
        .inner_join(conversations::table.on(theirs()))
        .filter(number(one).or(number(other)).or(user(one)).or(user(other)))
        .select((Conversation::as_select(), Contact::as_select()));
    let rows: Vec<(Conversation, Contact)> =
        held_in_order!(rows, conversations::address).load(conn).await?;
    Ok(rows.into_iter().map(with_contact).collect())
}

/// Returns and locks a contact with its conversation. Returns nothing if the contact was merged
/// into another.
pub(super) async fn one(
    conn: &mut Conn,
    book: &Book,
    contact: ContactId,
) -> Result<Option<ConversationWithContact>> {
    let row = contacts::table
        .inner_join(conversations::table.on(theirs()))
        .filter(contacts::organization_id.eq(Col(book.organization)))
        .filter(contacts::id.eq(Col(contact)))
        .filter(conversations::merged_into.is_null())
        .select((Conversation::as_select(), Contact::as_select()));
    let row: Option<(Conversation, Contact)> = held!(row).get_result(conn).await.optional()?;
    Ok(row.map(with_contact))
}

/// Applies the steps of a judgement in order, and returns the events.
pub(super) async fn apply(
    conn: &mut Conn,
    book: &Book,
    found: Vec<ConversationWithContact>,
    judgement: &Judgement,
) -> Result<Vec<Event>> {
    let mut new_events = Vec::new();
    let named = |id: ContactId| {
        let it = found.iter().find(|it| it.contact.id == id);
        it.ok_or_else(|| Error::Internal("a contact went missing".to_owned()))
    };
    let Book { organization, account, now, merges } = *book;
    let event = |kind, payload| Event::of_account(organization, account, kind, payload, now);
    for step in &judgement.steps {
        match step {
            Step::Update(update) => {
                let known = named(update.contact)?;
                write(conn, known, update).await?;
                let now = ContactSnapshot {
                    id: update.contact,
                    account: known.contact.account_id,
                    identity: update.after.clone(),
                    opted_out_at: known.contact.opted_out_at,
                    created_at: known.contact.created_at,
                };
                let opted_out_before = now.opted_out_at;
                let before = update.before.clone();
                let change = ContactChange { now, before, opted_out_before };
                let payload = Payload::ContactUpdate(Box::new(change));
                new_events.push(event(EventKind::ContactUpdated, payload));
            }
            Step::Merge { kept, merged } => {
                let (kept, merged) = (named(*kept)?, named(*merged)?);
                let merge = merging::merge(conn, kept, merged, merges).await?;
                new_events.push(event(EventKind::ContactMerged, Payload::ContactMerge(merge)));
                if merged.conversation.agent_paused && !kept.conversation.agent_paused {
                    let payload = Payload::Conversation(merge.conversation);
                    new_events.push(event(EventKind::ConversationAgentPaused, payload));
                }
            }
        }
    }
    Ok(new_events)
}

async fn write(conn: &mut Conn, known: &ConversationWithContact, update: &Update) -> Result<()> {
    // The conversation is updated first, because sends create a conversation before its contact.
    // The same order avoids deadlocks.
    if update.before.address() != update.after.address() {
        let conversation = conversations::table
            .find((Col(known.conversation.organization_id), Col(known.conversation.id)));
        let address =
            conversations::address.eq(update.after.address().map(|it| it.as_str().to_owned()));
        diesel::update(conversation).set(address).execute(conn).await?;
    }
    let contact = known.contact.clone().known_as(update.after.clone(), update.identified_at);
    let row = contacts::table.find((Col(contact.organization_id), Col(contact.id)));
    let changed = (
        contacts::phone_number.eq(contact.phone_number.clone()),
        contacts::channel_user_id.eq(contact.channel_user_id.clone()),
        contacts::channel_parent_user_id.eq(contact.channel_parent_user_id.clone()),
        contacts::username.eq(contact.username.clone()),
        contacts::name.eq(contact.name.clone()),
        contacts::identified_at.eq(contact.identified_at),
    );
    diesel::update(row).set(changed).execute(conn).await?;
    Ok(())
}
