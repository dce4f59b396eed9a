//! Conversations and their messages.
use super::people::{theirs, with_contact};
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::{
    self, Addressee, Contact, Conversation, ConversationWithContact, Message, PersonKey,
};
use crate::schema::{contacts, conversations, messages};
use crate::types::{Col, Uid};
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::contact::Address;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};

// A conversation that an id names, which may have been merged into another.
diesel::alias! {
    const NAMED: Alias<Named> = conversations as named;
}

diesel::define_sql_function! {
    /// The conversation that answers: the one that it was merged into, or itself.
    #[sql_name = "coalesce"]
    fn answering(merged_into: Nullable<Uid>, id: Uid) -> Uid;
}

/// Whom a contact id, a conversation id or a user id names, also where their contact was merged into another.
pub async fn addressee(
    conn: &mut Conn,
    organization: OrganizationId,
    named: PersonKey,
) -> Result<Option<Addressee>> {
    let found = conversations_of(conn, organization, named).await?.into_iter().next();
    let Some(ConversationWithContact { conversation, contact }) = found else { return Ok(None) };
    Ok(Some(Addressee {
        address: records::address(conversation.id, conversation.address.as_deref())?,
        account_id: conversation.account_id,
        contact: contact.id,
    }))
}

/// The conversations with a person: one, or for a phone number one for each of the organization's numbers that knows it.
pub async fn conversations_of(
    conn: &mut Conn,
    organization: OrganizationId,
    named: PersonKey,
) -> Result<Vec<ConversationWithContact>> {
    let living = || {
        conversations::table
            .inner_join(contacts::table.on(theirs()))
            .filter(conversations::organization_id.eq(Col(organization)))
            .select((Conversation::as_select(), Contact::as_select()))
    };
    let named_by_id = || {
        let answers = conversations::id
            .eq(answering(NAMED.field(conversations::merged_into), NAMED.field(conversations::id)));
        let of_same =
            NAMED.field(conversations::organization_id).eq(conversations::organization_id);
        let whose = NAMED.field(conversations::organization_id).eq(Col(organization));
        living().inner_join(NAMED.on(of_same.and(answers))).filter(whose)
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
            living().filter(conversations::address.eq(Some(number.to_string()))).load(conn).await?
        }
        PersonKey::Address(Address::Phone(number), account) => {
            living()
                .filter(conversations::address.eq(Some(number.to_string())))
                .filter(conversations::account_id.eq(Col(account)))
                .load(conn)
                .await?
        }
        PersonKey::Address(Address::User(id), account) => {
            living()
                .filter(contacts::organization_id.eq(Col(organization)))
                .filter(contacts::channel_user_id.eq(Some(id.to_string())))
                .filter(contacts::account_id.eq(Col(account)))
                .load(conn)
                .await?
        }
    };
    Ok(rows.into_iter().map(with_contact).collect())
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
