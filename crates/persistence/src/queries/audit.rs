//! The audit log.
use super::{Conn, RunQueryDsl, listed};
use crate::Result;
use crate::records::{AuditEntry, Member};
use crate::schema::{audit_entries, members};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{AuditEntryId, MemberId, MessageId, OrganizationId};
use domain::role::MemberAction;
use std::collections::BTreeMap;

pub async fn insert_audit_entry(conn: &mut Conn, new: AuditEntry) -> Result<()> {
    diesel::insert_into(audit_entries::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Returns the organization's audit entries that follow one of them, the newest first.
pub async fn audit_entries(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<AuditEntryId>,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    let mut theirs = audit_entries::table
        .filter(audit_entries::organization_id.eq(Col(organization)))
        .into_boxed();
    if let Some(after) = after {
        theirs = theirs.filter(audit_entries::id.lt(Col(after)));
    }
    let some = theirs.order(audit_entries::id.desc()).limit(limit).select(AuditEntry::as_select());
    Ok(some.load(conn).await?)
}

/// Returns the newest audit entry about an object that records one of these actions.
pub async fn last_action_on(
    conn: &mut Conn,
    organization: OrganizationId,
    object_id: String,
    actions: Vec<MemberAction>,
) -> Result<Option<AuditEntry>> {
    let actions: Vec<_> = actions.into_iter().map(Col).collect();
    let newest = audit_entries::table
        .filter(audit_entries::organization_id.eq(Col(organization)))
        .filter(audit_entries::object_id.eq(object_id))
        .filter(audit_entries::action.eq_any(actions))
        // SQLite uses the index `audit_entries_by_object` for this order only.
        .order((audit_entries::at.desc(), audit_entries::id.desc()))
        .limit(1)
        .select(AuditEntry::as_select());
    Ok(newest.get_result(conn).await.optional()?)
}

/// Returns, for each of these objects, the person who did one of these actions to it, also if that
/// person has left the organization.
pub async fn list_actors_on(
    conn: &mut Conn,
    organization: OrganizationId,
    objects: Vec<String>,
    actions: Vec<MemberAction>,
    limit: i64,
) -> Result<Vec<(String, Member)>> {
    let theirs = audit_entries::table
        .inner_join(members::table)
        .filter(audit_entries::organization_id.eq(Col(organization)))
        .filter(audit_entries::object_id.eq_any(listed(objects.into_iter().map(Some))))
        .filter(audit_entries::action.eq_any(listed(actions.into_iter().map(Col))))
        .limit(limit)
        .select((audit_entries::object_id.assume_not_null(), Member::as_select()));
    Ok(theirs.load(conn).await?)
}

/// Returns the members who sent these messages from the inbox, as far as that is recorded yet.
pub(super) async fn message_senders(
    conn: &mut Conn,
    organization: OrganizationId,
    messages: Vec<MessageId>,
) -> Result<BTreeMap<MessageId, MemberId>> {
    if messages.is_empty() {
        return Ok(BTreeMap::new());
    }
    let objects = messages.iter().map(|id| Some(id.to_string()));
    let sends = [MemberAction::MessageSent, MemberAction::MessageResent];
    let sent = audit_entries::table
        .filter(audit_entries::organization_id.eq(Col(organization)))
        .filter(audit_entries::object_id.eq_any(listed(objects)))
        .filter(audit_entries::action.eq_any(listed(sends.into_iter().map(Col))))
        .select((audit_entries::object_id.assume_not_null(), audit_entries::member_id));
    let sent: Vec<(String, Col<MemberId>)> = sent.load(conn).await?;
    let sender =
        |(message, member): (String, Col<MemberId>)| Some((message.parse().ok()?, member.0));
    Ok(sent.into_iter().filter_map(sender).collect())
}
