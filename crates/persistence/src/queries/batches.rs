//! Several messages of one request (`docs/contract.md#send-a-batch`).
use super::messages::insert_submissions;
use super::scheduled::{check_scheduled, insert_scheduled};
use super::{Conn, Transactional, idempotency};
use crate::records::{
    Idempotent, MessageSubmission, RenderTogether, ScheduledMessage, TogetherOutcome,
};
use crate::{Error, Result};

/// Accepts several messages of one request in one commit. Each message is checked and accepted or
/// refused separately. Also stores the messages that are scheduled for later, and the answer of an
/// idempotent request. Messages of one conversation keep their order.
///
/// # Errors
///
/// [`Error::Moved`] if a recipient's address changed; [`Error::AccountGone`] if the account was
/// disconnected; a unique violation if another instance has answered the same request meanwhile.
/// Nothing was done.
pub async fn send_together(
    conn: &mut Conn,
    batch: Vec<MessageSubmission>,
    later: Vec<ScheduledMessage>,
    once: Option<(Idempotent, RenderTogether)>,
) -> Result<TogetherOutcome> {
    conn.transaction(async |conn| {
        if let Some((request, _)) = &once
            && let Some(stored) = idempotency::answered_meanwhile(conn, request).await?
        {
            return Ok(TogetherOutcome::Answered(stored));
        }
        let outcomes = if batch.is_empty() {
            Vec::new()
        } else {
            insert_submissions(conn, &batch, true).await?
        };
        insert_scheduled(shared!(conn), &later).await?;
        check_scheduled(shared!(conn), &later).await?;
        let at = batch.iter().map(|new| new.at).chain(later.iter().map(|it| it.created_at)).max();
        let (Some((request, render)), Some(at)) = (once, at) else {
            return Ok(TogetherOutcome::Judged(outcomes, None));
        };
        let unwritable = |error: serde_json::Error| Error::Internal(error.to_string());
        let answer = render(&outcomes).map_err(unwritable)?;
        idempotency::store_answers(shared!(conn), &[(request, answer.clone(), at)]).await?;
        Ok::<_, Error>(TogetherOutcome::Judged(outcomes, Some(answer)))
    })
    .await
}
