//! Conversations and their messages.
use super::Conn;
use crate::Result;
use crate::rows::{Addressee, Conversation, Message};
use crate::schema::{conversations, messages};
use crate::types::Col;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::{AccountId, ContactId, ConversationId, MessageId, OrganizationId};

pub async fn addressee_of_contact(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Option<Addressee>> {
    let found = conversations::table
        .filter(conversations::contact_id.eq(Col(contact)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .select((conversations::phone_number, conversations::account_id))
        .get_result::<(String, Col<AccountId>)>(conn)
        .await;
    Ok(found.optional()?.map(addressee))
}

pub async fn addressee_of_conversation(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Addressee>> {
    let found = conversations::table
        .filter(conversations::id.eq(Col(conversation)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .select((conversations::phone_number, conversations::account_id))
        .get_result::<(String, Col<AccountId>)>(conn)
        .await;
    Ok(found.optional()?.map(addressee))
}

fn addressee((phone_number, account_id): (String, Col<AccountId>)) -> Addressee {
    Addressee { phone_number, account_id: account_id.0 }
}

/// The conversations with a number: one for each of the organization's accounts that knows it, or
/// only that of `account`.
pub async fn conversations_with(
    conn: &mut Conn,
    organization: OrganizationId,
    phone_number: String,
    account: Option<AccountId>,
) -> Result<Vec<Conversation>> {
    let mut with = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::phone_number.eq(phone_number))
        .select(Conversation::as_select())
        .into_boxed();
    if let Some(account) = account {
        with = with.filter(conversations::account_id.eq(Col(account)));
    }
    Ok(with.load(conn).await?)
}

/// The messages of one of the organization's conversations at the positions from the first to the second, newest or oldest first.
pub async fn part(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    (from, to): (i64, i64),
    oldest_first: bool,
) -> Result<Vec<Message>> {
    let part = messages::table
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::position.between(from, to))
        .select(Message::as_select());
    let part = if oldest_first {
        part.order(messages::position).load(conn).await?
    } else {
        part.order(messages::position.desc()).load(conn).await?
    };
    Ok(part)
}

/// A page of what was said in several of the organization's conversations, newest or oldest first. Only times order messages of
/// different conversations; positions break ties.
pub async fn page_of_several(
    conn: &mut Conn,
    organization: OrganizationId,
    within: Vec<ConversationId>,
    oldest_first: bool,
    limit: i64,
    offset: i64,
) -> Result<Vec<Message>> {
    let within: Vec<_> = within.into_iter().map(Col).collect();
    let all = messages::table
        .filter(messages::conversation_id.eq_any(within))
        .filter(messages::organization_id.eq(Col(organization)))
        .limit(limit)
        .offset(offset)
        .select(Message::as_select());
    let page = if oldest_first {
        all.order((messages::created_at, messages::position, messages::id)).load(conn).await?
    } else {
        let newest = (messages::created_at.desc(), messages::position.desc(), messages::id.desc());
        all.order(newest).load(conn).await?
    };
    Ok(page)
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
