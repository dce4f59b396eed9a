//! The rules for how long organizations keep the texts of messages, and the files that contacts
//! sent.
use super::conversation_words::reread_words;
use super::erasure::{erase_file, erase_text};
use super::message_lists::BY_ORGANIZATION;
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{Message, RetentionRule};
use crate::schema::{messages, retention_rules};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::content::MessageKind;
use domain::id::{MediaId, MessageId, OrganizationId};
use domain::message::Direction;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use stored_content::erasure::file_ids;

/// Returns the organization's rule, if it has one.
pub async fn find_retention_rule(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Option<RetentionRule>> {
    let row = retention_rules::table.find(Col(organization)).select(RetentionRule::as_select());
    Ok(row.get_result(conn).await.optional()?)
}

/// Sets how many days the organization keeps texts and received files. `None` keeps them forever.
pub async fn set_retention_rule(
    conn: &mut Conn,
    organization: OrganizationId,
    text_days: Option<u32>,
    file_days: Option<u32>,
) -> Result<()> {
    let rule = RetentionRule {
        organization_id: organization,
        text_days,
        file_days,
        last_text: None,
        last_file: None,
    };
    diesel::insert_into(retention_rules::table)
        .values(&rule)
        .on_conflict(retention_rules::organization_id)
        .do_update()
        .set((
            retention_rules::text_days.eq(text_days.map(Col)),
            retention_rules::file_days.eq(file_days.map(Col)),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the rules of the organizations that follow `after`.
pub async fn list_retention_rules(
    conn: &mut Conn,
    after: Option<OrganizationId>,
    limit: i64,
) -> Result<Vec<RetentionRule>> {
    let mut rules = retention_rules::table
        .order(retention_rules::organization_id)
        .limit(limit)
        .select(RetentionRule::as_select())
        .into_boxed();
    if let Some(after) = after {
        rules = rules.filter(retention_rules::organization_id.gt(Col(after)));
    }
    Ok(rules.load(conn).await?)
}

/// Returns the messages that follow `after` and were created before `cutoff`, the oldest first.
/// Message ids begin with the time of creation.
async fn old_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<MessageId>,
    cutoff: Timestamp,
    limit: i64,
) -> Result<Vec<Message>> {
    let mut old = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(BY_ORGANIZATION)
        .filter(messages::id.lt(Col(MessageId::new(cutoff, [0; 10]))))
        .order(messages::id)
        .limit(limit)
        .select(Message::as_select())
        .into_boxed();
    if let Some(after) = after {
        old = old.filter(messages::id.gt(Col(after)));
    }
    Ok(old.load(conn).await?)
}

/// Erases the texts of the organization's oldest messages that were created before `cutoff`.
/// Returns how many messages were read.
pub async fn erase_old_texts(
    conn: &mut Conn,
    organization: OrganizationId,
    cutoff: Timestamp,
    limit: i64,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let rule = find_retention_rule(conn, organization).await?;
        let Some(rule) = rule else { return Ok(0) };
        let old = old_messages(conn, organization, rule.last_text, cutoff, limit).await?;
        let Some(last) = old.last().map(|it| it.id) else { return Ok(0) };
        let ids = old.iter().map(|row| Col(row.id)).collect::<Vec<_>>();
        let locked = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::id.eq_any(super::listed(ids)))
            .order(messages::id)
            .select(Message::as_select());
        let old: Vec<Message> = for_update!(locked).load(conn).await?;
        for row in &old {
            erase_text(conn, row).await?;
        }
        let conversations: BTreeSet<_> = old.iter().map(|row| row.conversation_id).collect();
        for conversation in conversations {
            reread_words(conn, organization, conversation).await?;
        }
        let rule = retention_rules::table.find(Col(organization));
        let last = retention_rules::last_text.eq(Some(Col(last)));
        diesel::update(rule).set(last).execute(conn).await?;
        Ok::<_, Error>(old.len())
    })
    .await
}

/// Reads the organization's next `limit` messages from before `cutoff`. Returns the files of the
/// messages that contacts sent, and the newest message that was read.
pub async fn old_received_files(
    conn: &mut Conn,
    organization: OrganizationId,
    cutoff: Timestamp,
    limit: i64,
) -> Result<Option<(Vec<MediaId>, MessageId)>> {
    let rule = find_retention_rule(conn, organization).await?;
    let Some(rule) = rule else { return Ok(None) };
    let old = old_messages(conn, organization, rule.last_file, cutoff, limit).await?;
    let Some(last) = old.last().map(|it| it.id) else { return Ok(None) };
    let received = old.iter().filter(|row| is_received_file(row));
    let files = received.flat_map(|row| {
        let earlier = row.changes.iter().flat_map(|it| file_ids(&it.0));
        file_ids(&row.content.0).into_iter().chain(earlier)
    });
    Ok(Some((files.collect(), last)))
}

fn is_received_file(row: &Message) -> bool {
    row.direction == Direction::Inbound && row.kind == MessageKind::Media
}

/// Erases the addresses of the files of received messages up to the message `until`, after the
/// files were removed.
pub async fn erase_received_files(
    conn: &mut Conn,
    organization: OrganizationId,
    until: MessageId,
    cutoff: Timestamp,
    limit: i64,
) -> Result<()> {
    conn.transaction(async |conn| {
        let rule = find_retention_rule(conn, organization).await?;
        let Some(rule) = rule else { return Ok(()) };
        let old = old_messages(conn, organization, rule.last_file, cutoff, limit).await?;
        for row in old.iter().filter(|row| row.id <= until && is_received_file(row)) {
            erase_file(conn, row).await?;
        }
        let rule = retention_rules::table.find(Col(organization));
        let last = retention_rules::last_file.eq(Some(Col(until)));
        diesel::update(rule).set(last).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
}
