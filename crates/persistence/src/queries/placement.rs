//! Finds the conversations of messages by their addresses, or creates them with their contacts.
use super::{Rows, RunQueryDsl, SharedConn, inserts};
use crate::records::{self, Contact, Conversation};
use crate::schema::{contacts, conversations};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::acceptance::{ConversationChange, ConversationRead, Places};
use domain::contact::{Address, Identity};
use domain::id::{AccountId, ContactId, ConversationId, OrganizationId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The key of a conversation whose id is not known yet.
pub(super) type Line = (OrganizationId, AccountId, Address);

/// A conversation that messages are added to, and its contact. Both are inserted if they are new.
pub(super) struct Touched {
    pub conversation: Conversation,
    pub contact: Contact,
}

/// The ids of an organization and its account, and of the conversation and contact if they are new.
pub(super) type NewIds = (OrganizationId, AccountId, ConversationId, ContactId);

impl Touched {
    /// Returns the rows that are inserted if the conversation is new, and otherwise merged into the
    /// existing row.
    pub fn new(
        (organization, account, id, contact): NewIds,
        address: &Address,
        identity: Identity,
        at: Timestamp,
        change: ConversationChange,
    ) -> Self {
        let conversation = Conversation {
            id,
            organization_id: organization,
            account_id: account,
            contact_id: contact,
            address: Some(address.as_str().to_owned()),
            agent_paused: change.paused_by.is_some(),
            message_count: change.messages,
            last_message_at: change.last_message_at,
            last_inbound_at: change.last_inbound_at,
            created_at: at,
            agent_paused_by: change.paused_by,
        };
        let contact = Contact {
            organization_id: organization,
            id: contact,
            account_id: account,
            phone_number: None,
            channel_user_id: None,
            channel_parent_user_id: None,
            username: None,
            name: None,
            identified_at: None,
            created_at: at,
            opted_out_at: None,
            preference_at: None,
        };
        Self { conversation, contact: contact.known_as(identity, at) }
    }
}

/// A conversation, and the places of the messages of this batch in it.
pub(super) struct Found {
    pub conversation: Conversation,
    pub places: Places,
}

/// Creates new conversations and adds to the counts of existing ones. The caller must insert the
/// returned contacts.
pub(super) async fn upsert(
    conn: &mut SharedConn<'_>,
    touched: Vec<Touched>,
) -> Result<(BTreeMap<Line, Found>, Vec<Contact>)> {
    let (rows, mut asked) = asked(touched)?;
    let found = each_together!(conn; rows in inserts(&rows) => upsert_rows(conn, rows))?;
    let (mut lines, mut new_contacts) = (BTreeMap::new(), Vec::new());
    for conversation in found.into_iter().flatten() {
        let line = line(&conversation)?;
        let found = asked.remove(&line);
        let (proposed, more, contact) = found
            .ok_or_else(|| Error::Internal("a conversation that was not requested".to_owned()))?;
        let mut new = None;
        if proposed == conversation.id {
            new = Some(contact.snapshot()?);
            new_contacts.push(contact);
        }
        let places = Places::new(read(&conversation), more, new);
        lines.insert(line, Found { conversation, places });
    }
    Ok((lines, new_contacts))
}

async fn upsert_rows(
    conn: &mut SharedConn<'_>,
    rows: Rows<'_, Conversation>,
) -> Result<Vec<Conversation>> {
    let upsert = diesel::insert_into(conversations::table)
        .values(rows)
        .on_conflict((
            conversations::organization_id,
            conversations::address,
            conversations::account_id,
        ))
        .do_update()
        .set((
            conversations::message_count
                .eq(conversations::message_count + excluded(conversations::message_count)),
            conversations::agent_paused
                .eq(conversations::agent_paused.or(excluded(conversations::agent_paused))),
            // If the agent was already paused, the message that paused it stays the recorded one.
            conversations::agent_paused_by.eq(diesel::dsl::case_when(
                conversations::agent_paused,
                conversations::agent_paused_by,
            )
            .otherwise(excluded(conversations::agent_paused_by))),
            conversations::last_message_at.eq(excluded(conversations::last_message_at)),
            // The contact may have written something later than a message that arrives only now.
            conversations::last_inbound_at.eq(diesel::dsl::case_when(
                conversations::last_inbound_at.is_null().or(conversations::last_inbound_at
                    .lt(excluded(conversations::last_inbound_at))
                    .assume_not_null()),
                excluded(conversations::last_inbound_at),
            )
            .otherwise(conversations::last_inbound_at)),
        ))
        .returning(Conversation::as_returning());
    Ok(prepared!(upsert).load(conn).await?)
}

/// The id and the contact of a conversation if it is new, and the number of messages that are
/// added.
type Asked = BTreeMap<Line, (ConversationId, i64, Contact)>;

fn asked(touched: Vec<Touched>) -> Result<(Vec<Conversation>, Asked)> {
    let (mut rows, mut asked) = (Vec::with_capacity(touched.len()), Asked::new());
    for Touched { conversation, contact } in touched {
        let more = (conversation.id, conversation.message_count, contact);
        asked.insert(line(&conversation)?, more);
        rows.push(conversation);
    }
    Ok((rows, asked))
}

/// Inserts the contacts of new conversations.
pub(super) async fn insert_contacts(conn: &mut SharedConn<'_>, new: &[Contact]) -> Result<()> {
    each_together!(conn; new in inserts(new) => insert_some(conn, new))?;
    Ok(())
}

async fn insert_some(conn: &mut SharedConn<'_>, new: Rows<'_, Contact>) -> Result<()> {
    prepared!(diesel::insert_into(contacts::table).values(new)).execute(conn).await?;
    Ok(())
}

fn line(row: &Conversation) -> Result<Line> {
    let address = records::address(row.id, row.address.as_deref())?;
    let address =
        address.ok_or_else(|| Error::Internal("a conversation without an address".to_owned()))?;
    Ok((row.organization_id, row.account_id, address))
}

fn read(conversation: &Conversation) -> ConversationRead {
    ConversationRead {
        organization: conversation.organization_id,
        account: conversation.account_id,
        conversation: conversation.id,
        messages: conversation.message_count,
        paused_by: conversation.agent_paused_by,
    }
}
