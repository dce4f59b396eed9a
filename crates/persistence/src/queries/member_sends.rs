//! Accepts the answers that members write in the inbox (`docs/contract.md#inbox`).
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{MessageSubmission, SubmissionOutcome};
use crate::schema::{conversations, messages};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::content::MessageKind;
use domain::conversation::{MessageSource, SeenPart, UnseenAnswer};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::message::Direction;
use domain::time::Timestamp;

/// Maximum number of messages before a member's answer that are searched for another answer.
const MAX_UNSEEN: i64 = 100;

/// Accepts a member's answer, unless the organization has answered after the part of the conversation
/// that the member had seen.
///
/// # Errors
///
/// [`Error::AnsweredMeanwhile`] if it has. Nothing was done.
pub async fn send_after(
    conn: &mut Conn,
    new: MessageSubmission,
    seen: SeenPart,
) -> Result<SubmissionOutcome> {
    conn.transaction(async |conn| {
        let outcome = insert_submissions(conn, std::slice::from_ref(&new), true).await?.pop();
        let missing = || Error::Internal("a member's answer got no outcome".to_owned());
        let outcome = outcome.ok_or_else(missing)?;
        if let SubmissionOutcome::Accepted(placed) = &outcome {
            // The insertion has locked the conversation. Another answer is either committed, and
            // found here, or comes after this one.
            let conversation = placed.conversation;
            let seen = seen.position_in(conversation);
            let found =
                answer_after(conn, new.organization, conversation, seen, new.message).await?;
            if let Some(answer) = found {
                return Err(answer.into());
            }
        }
        Ok(outcome)
    })
    .await
}

/// Returns the newest message after position `seen` that the contact did not write, apart from `own`.
/// A reaction answers nobody.
async fn answer_after(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    seen: i64,
    own: MessageId,
) -> Result<Option<UnseenAnswer>> {
    let count = conversations::table
        .find((Col(organization), Col(conversation)))
        .select(conversations::message_count);
    let count: i64 = count.get_result(conn).await?;
    let answer: Option<(Col<MessageId>, Col<MessageSource>, Col<Timestamp>)> = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::position.gt(seen.max(count.saturating_sub(MAX_UNSEEN))))
        .filter(messages::direction.eq(Col(Direction::Outbound)))
        .filter(messages::kind.ne(Col(MessageKind::Reaction)))
        .filter(messages::id.ne(Col(own)))
        .order(messages::position.desc())
        .limit(1)
        .select((messages::id, messages::source, messages::created_at))
        .get_result(conn)
        .await
        .optional()?;
    Ok(answer.map(|(id, by, at)| UnseenAnswer { message: id.0, by: by.0, at: at.0 }))
}
