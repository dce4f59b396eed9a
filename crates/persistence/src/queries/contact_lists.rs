//! Lists of contacts.
use super::contact_lookups::{contact_of_conversation, with_contact};
use super::{Conn, RunQueryDsl, listed};
use crate::Result;
use crate::records::{Contact, ContactFilter, Conversation, ConversationWithContact};
use crate::schema::{contacts, conversations};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ContactId, ConversationId, OrganizationId};

/// Returns the organization's contacts that follow one of them, newest first, with their
/// conversations. Merged contacts are left out.
pub async fn list_contacts(
    conn: &mut Conn,
    organization: OrganizationId,
    wanted: ContactFilter,
    after: Option<ContactId>,
    limit: i64,
) -> Result<Vec<ConversationWithContact>> {
    let mut page = contacts::table
        .inner_join(conversations::table.on(contact_of_conversation()))
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.is_null())
        .filter(contacts::deleted_at.is_null())
        .order(contacts::id.desc())
        .limit(limit)
        .select((Conversation::as_select(), Contact::as_select()))
        .into_boxed();
    if let Some(after) = after {
        page = page.filter(contacts::id.lt(Col(after)));
    }
    if let Some(account) = wanted.account {
        page = page.filter(contacts::account_id.eq(Col(account)));
    }
    page = match wanted.opted_out {
        Some(true) => page.filter(contacts::opted_out_at.is_not_null()),
        Some(false) => page.filter(contacts::opted_out_at.is_null()),
        None => page,
    };
    let rows: Vec<(Conversation, Contact)> = page.load(conn).await?;
    Ok(rows.into_iter().map(with_contact).collect())
}

/// Returns up to `limit` contacts of these conversations, the newest first, with the conversations.
pub async fn contacts_of_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
    limit: i64,
) -> Result<Vec<ConversationWithContact>> {
    let found = contacts::table
        .inner_join(conversations::table.on(contact_of_conversation()))
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(listed(of.into_iter().map(Col))))
        .filter(conversations::merged_into.is_null())
        .filter(contacts::deleted_at.is_null())
        .order(contacts::id.desc())
        .limit(limit)
        .select((Conversation::as_select(), Contact::as_select()));
    let found: Vec<(Conversation, Contact)> = found.load(conn).await?;
    Ok(found.into_iter().map(with_contact).collect())
}
