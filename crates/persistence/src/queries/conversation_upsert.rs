//! Finds the conversations of messages by their addresses, or creates them with their contacts.
use super::{Rows, RunQueryDsl, SharedConn, inserts, listed};
use crate::cached::Cached;
use crate::records::{self, Contact, Conversation};
use crate::schema::{contact_numbers, contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::acceptance::{BatchPositions, ConversationChange, ConversationRead};
use domain::contact::{Address, Identity};
use domain::id::{AccountId, ContactId, ConversationId, OrganizationId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The key of a conversation whose id is not known yet.
pub(super) type ConversationKey = (OrganizationId, AccountId, Address);

/// A conversation that messages are added to, and its contact. The conversation and the contact are
/// inserted if they are new.
pub(super) struct ChangedConversation {
    pub conversation: Conversation,
    pub contact: Contact,
}

/// The ids of an organization and its account, and of the conversation and contact if they are new.
pub(super) type NewIds = (OrganizationId, AccountId, ConversationId, ContactId);

impl ChangedConversation {
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
            deleted_at: None,
            name_edited_at: None,
        };
        Self { conversation, contact: contact.known_as(identity, at) }
    }
}

/// A conversation, and the positions in it for the messages of this batch.
pub(super) struct Found {
    pub conversation: Conversation,
    pub places: BatchPositions,
}

/// Returns the conversation addresses for these recipients. The address for a recipient is that of
/// the conversation with the contact to which the recipient's number leads. That is the contact
/// whose own number it is; otherwise a contact that the channel has named by this number; otherwise
/// a contact with another form of the number. Recipients without such a contact are left out. Locks
/// nothing.
pub(super) async fn leading(
    conn: &mut SharedConn<'_>,
    keys: impl Iterator<Item = ConversationKey>,
) -> Result<BTreeMap<ConversationKey, Address>> {
    let mut by_organization: BTreeMap<OrganizationId, BTreeSet<(AccountId, Address)>> =
        BTreeMap::new();
    for (organization, account, address) in keys.filter(|(.., to)| to.phone_number().is_some()) {
        by_organization.entry(organization).or_default().insert((account, address));
    }
    let found = pipelined_each!(conn; (organization, addresses) in by_organization.into_iter() => list_leading_numbers(conn, organization, addresses))?;
    Ok(found.into_iter().flatten().collect())
}

async fn list_leading_numbers(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    addresses: BTreeSet<(AccountId, Address)>,
) -> Result<Vec<(ConversationKey, Address)>> {
    let accounts: BTreeSet<_> = addresses.iter().map(|(account, _)| Col(*account)).collect();
    let forms = addresses.iter().filter_map(|(_, address)| address.other_form());
    let numbers = addresses.iter().map(|(_, address)| address.clone()).chain(forms);
    let numbers: BTreeSet<String> = numbers.map(|it| it.as_str().to_owned()).collect();
    let (own, named) = pipelined!(conn;
        own_lines(conn, organization, &accounts, &numbers),
        named_lines(conn, organization, &accounts, &numbers),
    )?;
    let mut leads: BTreeMap<(AccountId, String), Address> = BTreeMap::new();
    for (account, number, address) in own.into_iter().chain(named) {
        let address = address.as_deref().and_then(Address::read);
        if let (Some(number), Some(address)) = (number, address) {
            leads.entry((account.0, number)).or_insert(address);
        }
    }
    let lead = |account: AccountId, to: &Address| leads.get(&(account, to.as_str().to_owned()));
    let found = addresses.iter().filter_map(|(account, to)| {
        let form = || lead(*account, &to.other_form()?);
        let leads = lead(*account, to).or_else(form)?.clone();
        Some(((organization, *account, to.clone()), leads))
    });
    Ok(found.collect())
}

/// The join condition between a contact's number and the contact's conversation.
#[diesel::dsl::auto_type]
pub(super) fn named_in() -> _ {
    conversations::organization_id
        .eq(contact_numbers::organization_id)
        .and(conversations::contact_id.eq(contact_numbers::contact_id))
}

/// A contact's number at an account, and the address of the contact's conversation.
type Leading = (Col<AccountId>, Option<String>, Option<String>);

async fn own_lines(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    accounts: &BTreeSet<Col<AccountId>>,
    numbers: &BTreeSet<String>,
) -> Result<Vec<Leading>> {
    let own = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::account_id.eq_any(listed(accounts.iter().copied())))
        .filter(conversations::address.eq_any(listed(numbers.iter().map(Some))))
        .select((conversations::account_id, conversations::address, conversations::address));
    Ok(Cached(own).load(conn).await?)
}

async fn named_lines(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    accounts: &BTreeSet<Col<AccountId>>,
    numbers: &BTreeSet<String>,
) -> Result<Vec<Leading>> {
    let named = contact_numbers::table
        .inner_join(conversations::table.on(named_in()))
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(contact_numbers::account_id.eq_any(listed(accounts.iter().copied())))
        .filter(contact_numbers::phone_number.eq_any(listed(numbers)))
        .select((
            contact_numbers::account_id,
            contact_numbers::phone_number.nullable(),
            conversations::address,
        ));
    Ok(Cached(named).load(conn).await?)
}

/// Returns the numbers of new contacts.
pub(super) fn new_numbers(
    new: &[Contact],
) -> BTreeMap<OrganizationId, BTreeSet<(AccountId, String)>> {
    let mut numbers_by_organization: BTreeMap<OrganizationId, BTreeSet<_>> = BTreeMap::new();
    for contact in new {
        let Some(number) = &contact.phone_number else { continue };
        let numbers = numbers_by_organization.entry(contact.organization_id).or_default();
        numbers.insert((contact.account_id, number.clone()));
    }
    numbers_by_organization
}

/// Whether the number of a new contact already leads to another contact. If so, the caller must
/// roll back the batch. Call this function after the new rows are written: a concurrent transaction
/// that adds the number to a contact then waits for this transaction, or this one for it.
pub(super) async fn lead_elsewhere(
    conn: &mut SharedConn<'_>,
    new: BTreeMap<OrganizationId, BTreeSet<(AccountId, String)>>,
) -> Result<bool> {
    let found = pipelined_each!(conn; (organization, new) in new.into_iter() => has_unknown_contacts(conn, organization, new))?;
    Ok(found.into_iter().any(|it| it))
}

async fn has_unknown_contacts(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    new: BTreeSet<(AccountId, String)>,
) -> Result<bool> {
    let accounts = new.iter().map(|(account, _)| Col(*account));
    let named = contact_numbers::table
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contact_numbers::account_id.eq_any(listed(accounts)))
        .filter(
            contact_numbers::phone_number
                .eq_any(listed(new.iter().map(|(_, number)| number.clone()))),
        )
        .select((contact_numbers::account_id, contact_numbers::phone_number));
    let rows: Vec<(Col<AccountId>, String)> = Cached(named).load(conn).await?;
    Ok(rows.into_iter().any(|(account, number)| new.contains(&(account.0, number))))
}

/// Creates new conversations and adds to the counts of existing ones. The caller must insert the
/// returned contacts.
pub(super) async fn upsert(
    conn: &mut SharedConn<'_>,
    touched: Vec<ChangedConversation>,
) -> Result<(BTreeMap<ConversationKey, Found>, Vec<Contact>)> {
    let (rows, mut asked) = asked(touched)?;
    let found = pipelined_each!(conn; rows in inserts(&rows) => upsert_rows(conn, rows))?;
    let (mut found_by_key, mut new_contacts) = (BTreeMap::new(), Vec::new());
    for conversation in found.into_iter().flatten() {
        let key = conversation_key(&conversation)?;
        let found = asked.remove(&key);
        let (proposed, more, contact) = found
            .ok_or_else(|| Error::Internal("a conversation that was not requested".to_owned()))?;
        let mut new = None;
        if proposed == conversation.id {
            new = Some(contact.snapshot()?);
            new_contacts.push(contact);
        }
        let places = BatchPositions::new(read(&conversation), more, new);
        found_by_key.insert(key, Found { conversation, places });
    }
    Ok((found_by_key, new_contacts))
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
            // If the agent was already paused, the message that paused the agent first stays
            // recorded.
            conversations::agent_paused_by.eq(diesel::dsl::case_when(
                conversations::agent_paused,
                conversations::agent_paused_by,
            )
            .otherwise(excluded(conversations::agent_paused_by))),
            conversations::last_message_at.eq(excluded(conversations::last_message_at)),
            // A message may arrive late, after a newer message of the contact.
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

/// The conversations to create or to update: the id for a new conversation, the number of messages
/// to add, and the contact for a new conversation.
type Asked = BTreeMap<ConversationKey, (ConversationId, i64, Contact)>;

fn asked(touched: Vec<ChangedConversation>) -> Result<(Vec<Conversation>, Asked)> {
    let (mut rows, mut asked) = (Vec::with_capacity(touched.len()), Asked::new());
    for ChangedConversation { conversation, contact } in touched {
        let more = (conversation.id, conversation.message_count, contact);
        asked.insert(conversation_key(&conversation)?, more);
        rows.push(conversation);
    }
    Ok((rows, asked))
}

/// Inserts the contacts of new conversations.
pub(super) async fn insert_contacts(conn: &mut SharedConn<'_>, new: &[Contact]) -> Result<()> {
    pipelined_each!(conn; new in inserts(new) => insert_some(conn, new))?;
    Ok(())
}

async fn insert_some(conn: &mut SharedConn<'_>, new: Rows<'_, Contact>) -> Result<()> {
    prepared!(diesel::insert_into(contacts::table).values(new)).execute(conn).await?;
    Ok(())
}

fn conversation_key(row: &Conversation) -> Result<ConversationKey> {
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
