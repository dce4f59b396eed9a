//! Queries on conversations and their messages.
use super::contact_lookups::{contact_of_conversation, with_contact};
use super::conversation_upsert::named_in;
use super::{Conn, RunQueryDsl, SharedConn, listed};
use crate::Result;
use crate::cached::Cached;
use crate::records::{
    self, Addressee, Contact, Conversation, ConversationWithContact, Message, PersonKey,
};
use crate::schema::{contact_numbers, contacts, conversations, messages};
use crate::types::{Col, Uid};
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::contact::Address;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::number::saturating;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::collections::BTreeMap;

// The conversation with the id that the caller passes. It may be merged into another one.
diesel::alias! {
    const NAMED: Alias<Named> = conversations as named;
}

diesel::define_sql_function! {
    /// The SQL function `coalesce`: the conversation into which a conversation was merged, or the
    /// conversation itself.
    #[sql_name = "coalesce"]
    fn answering(merged_into: Nullable<Uid>, id: Uid) -> Uid;
}

/// Returns the contact with this contact id, conversation id, number or user id. If that contact
/// was merged into another, returns the other one. Returns `None` for a deleted contact, because no
/// message can be sent to it.
pub async fn addressee(
    conn: &mut Conn,
    organization: OrganizationId,
    named: PersonKey,
) -> Result<Option<Addressee>> {
    let found = list_conversations(conn, organization, named).await?.into_iter().next();
    let found = found.filter(|it| it.contact.deleted_at.is_none());
    let Some(ConversationWithContact { conversation, contact }) = found else { return Ok(None) };
    Ok(Some(Addressee {
        address: records::address(conversation.id, conversation.address.as_deref())?,
        account_id: conversation.account_id,
        contact: contact.id,
    }))
}

/// Returns the conversations with a contact. For a phone number there may be several, one for each
/// of the organization's accounts that knows it.
pub async fn list_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    named: PersonKey,
) -> Result<Vec<ConversationWithContact>> {
    let live_conversations = || {
        conversations::table
            .inner_join(contacts::table.on(contact_of_conversation()))
            .filter(conversations::organization_id.eq(Col(organization)))
            .select((Conversation::as_select(), Contact::as_select()))
    };
    let named_by_id = || {
        let answers = conversations::id
            .eq(answering(NAMED.field(conversations::merged_into), NAMED.field(conversations::id)));
        let of_same =
            NAMED.field(conversations::organization_id).eq(conversations::organization_id);
        let in_organization = NAMED.field(conversations::organization_id).eq(Col(organization));
        live_conversations().inner_join(NAMED.on(of_same.and(answers))).filter(in_organization)
    };
    let rows: Vec<(Conversation, Contact)> = match named {
        PersonKey::Contact(id) => {
            let named = NAMED.field(conversations::contact_id).eq(Col(id));
            named_by_id().filter(named).load(conn).await?
        }
        PersonKey::Conversation(id) => {
            let named = NAMED.field(conversations::id).eq(Col(id));
            named_by_id().filter(named).load(conn).await?
        }
        PersonKey::Number(number) => {
            return with_number(conn, organization, None, &number).await;
        }
        PersonKey::Address(Address::Phone(number), account) => {
            return with_number(conn, organization, Some(account), &number).await;
        }
        PersonKey::Address(Address::User(id), account) => {
            // Two queries are used, because for one query with both conditions SQLite would read
            // all contacts of the account.
            let id = Some(id.to_string());
            let at_account = || {
                live_conversations()
                    .filter(contacts::organization_id.eq(Col(organization)))
                    .filter(contacts::account_id.eq(Col(account)))
                    .filter(conversations::merged_into.is_null())
                    .limit(1)
            };
            let own = at_account().filter(contacts::channel_user_id.eq(id.clone()));
            let found = own.load(conn).await?;
            if found.is_empty() {
                at_account().filter(contacts::channel_parent_user_id.eq(id)).load(conn).await?
            } else {
                found
            }
        }
    };
    Ok(rows.into_iter().map(with_contact).collect())
}

/// Finds the conversations with the contact that a number leads to, at one account or at each
/// account of the organization. That is the contact whose own number it is; otherwise a contact
/// that the channel has named by this number; otherwise a contact with another form of the number.
async fn with_number(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    number: &PhoneNumber,
) -> Result<Vec<ConversationWithContact>> {
    let numbers = [Some(number.clone()), number.other_form()];
    let numbers: Vec<String> = numbers.iter().flatten().map(ToString::to_string).collect();
    let is_own = |(it, _): &Led| it.as_deref() == Some(number.as_str());
    let rows = if account.is_some() {
        // At one account, a contact that has the number as its own is the only match.
        let mut rows = own_number(shared!(conn), organization, account, &numbers).await?;
        if !rows.iter().any(is_own) {
            rows.extend(named_number(shared!(conn), organization, account, &numbers).await?);
        }
        rows
    } else {
        let conn = shared!(conn);
        let (own, named) = pipelined!(conn;
            own_number(conn, organization, account, &numbers),
            named_number(conn, organization, account, &numbers),
        )?;
        own.into_iter().chain(named).collect()
    };
    let (exact, by_form): (Vec<Led>, _) = rows.into_iter().partition(is_own);
    let mut by_account: BTreeMap<AccountId, ConversationWithContact> = BTreeMap::new();
    for (_, row) in exact.into_iter().chain(by_form) {
        by_account.entry(row.0.account_id).or_insert_with(|| with_contact(row));
    }
    Ok(by_account.into_values().collect())
}

/// The number that led to a contact, and the conversation with its contact.
type Led = (Option<String>, (Conversation, Contact));

async fn own_number(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    account: Option<AccountId>,
    numbers: &[String],
) -> Result<Vec<Led>> {
    let mut own = conversations::table
        .inner_join(contacts::table.on(contact_of_conversation()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::address.eq_any(listed(numbers.iter().cloned().map(Some))))
        .select((conversations::address, (Conversation::as_select(), Contact::as_select())))
        .into_boxed();
    if let Some(account) = account {
        own = own.filter(conversations::account_id.eq(Col(account)));
    }
    Ok(Cached(own).load(conn).await?)
}

async fn named_number(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    account: Option<AccountId>,
    numbers: &[String],
) -> Result<Vec<Led>> {
    let mut named = conversations::table
        .inner_join(contacts::table.on(contact_of_conversation()))
        .inner_join(contact_numbers::table.on(named_in()))
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(contact_numbers::phone_number.eq_any(listed(numbers.iter().cloned())))
        .select((
            contact_numbers::phone_number.nullable(),
            (Conversation::as_select(), Contact::as_select()),
        ))
        .into_boxed();
    if let Some(account) = account {
        named = named.filter(contact_numbers::account_id.eq(Col(account)));
    }
    Ok(Cached(named).load(conn).await?)
}

/// Returns the messages of one of the organization's conversations at the positions `from..=to`,
/// newest or oldest first.
pub async fn part(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    from: i64,
    to: i64,
    oldest_first: bool,
) -> Result<Vec<Message>> {
    let part = messages::table
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::position.between(from, to))
        // The limit tells PostgreSQL that there are few rows. Otherwise PostgreSQL expects many
        // rows if one conversation has most of the messages.
        .limit((to - from).saturating_add(1).max(0))
        .select(Message::as_select());
    let part = if oldest_first {
        part.order(messages::position).load(conn).await?
    } else {
        part.order(messages::position.desc()).load(conn).await?
    };
    Ok(part)
}

/// Returns a page of the messages of several of the organization's conversations, newest or oldest
/// first. The messages of each conversation keep their order; messages of different conversations
/// are merged by time. At most `offset + limit` messages of each conversation are read.
pub async fn list_conversation_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    within: Vec<ConversationId>,
    oldest_first: bool,
    limit: i64,
    offset: i64,
) -> Result<Vec<Message>> {
    let most = offset.saturating_add(limit);
    let mut places = Vec::with_capacity(within.len());
    for conversation in within {
        places.push(first_places(conn, organization, conversation, oldest_first, most).await?);
    }
    let (skipped, some) = (saturating(offset, usize::MAX), saturating(limit, usize::MAX));
    let ids: Vec<_> =
        merged(places, oldest_first).skip(skipped).take(some).map(|(.., id)| id).collect();
    let page = messages::table
        .filter(messages::id.eq_any(&ids))
        .filter(messages::organization_id.eq(Col(organization)))
        .select(Message::as_select());
    let page: Vec<Message> = page.load(conn).await?;
    let mut page: BTreeMap<_, _> = page.into_iter().map(|it| (it.id, it)).collect();
    Ok(ids.into_iter().filter_map(|id| page.remove(&id.0)).collect())
}

/// The sort key of a message among those of several conversations: time, position and id.
type HistoryPosition = (Col<Timestamp>, i64, Col<MessageId>);

/// Merges the messages of several conversations by time. The messages of each conversation keep
/// their order.
fn merged(
    places: Vec<Vec<HistoryPosition>>,
    oldest_first: bool,
) -> impl Iterator<Item = HistoryPosition> {
    let mut places: Vec<_> = places.into_iter().map(|it| it.into_iter().peekable()).collect();
    std::iter::from_fn(move || {
        let heads = places.iter_mut().filter_map(|it| it.peek().copied().map(|head| (head, it)));
        let next = if oldest_first {
            heads.min_by_key(|(head, _)| *head)
        } else {
            heads.max_by_key(|(head, _)| *head)
        };
        next?.1.next()
    })
}

/// Returns the sort keys of the first messages of a conversation, in its order.
async fn first_places(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    oldest_first: bool,
    most: i64,
) -> Result<Vec<HistoryPosition>> {
    let first = messages::table
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::organization_id.eq(Col(organization)))
        .limit(most)
        .select((messages::created_at, messages::position, messages::id));
    Ok(if oldest_first {
        first.order(messages::position).load(conn).await?
    } else {
        first.order(messages::position.desc()).load(conn).await?
    })
}

pub async fn message(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<Message>> {
    let mut wanted = messages::table
        .filter(messages::id.eq(Col(id)))
        .filter(messages::organization_id.eq(Col(organization)))
        .select(Message::as_select())
        .into_boxed();
    if let Some(account) = account {
        wanted = wanted.filter(messages::account_id.eq(Col(account)));
    }
    Ok(wanted.get_result(conn).await.optional()?)
}

/// Returns a message with its contact.
pub async fn message_with_contact(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<(Message, Contact)>> {
    let person = contacts::organization_id
        .eq(messages::organization_id)
        .and(contacts::id.eq(messages::contact_id));
    let mut wanted = messages::table
        .inner_join(contacts::table.on(person))
        .filter(messages::id.eq(Col(id)))
        .filter(messages::organization_id.eq(Col(organization)))
        .select((Message::as_select(), Contact::as_select()))
        .into_boxed();
    if let Some(account) = account {
        wanted = wanted.filter(messages::account_id.eq(Col(account)));
    }
    Ok(wanted.get_result(conn).await.optional()?)
}
