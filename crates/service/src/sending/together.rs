//! Sending several messages of one request in one commit (`docs/contract.md#send-a-batch`).

use super::references::TemplateLookups;
use super::{
    AcceptedMessage, MAX_MOVES, PreparedMessage, SendError, Sender, UnplacedMessage, prepare,
};
use domain::id::MessageId;
use domain::message::Draft;
use domain::plan::Usage;
use futures_util::StreamExt as _;
use persistence::records::{
    Idempotent, MessageSubmission, RenderTogether, StoredAnswer, SubmissionOutcome, TogetherOutcome,
};
use platform::Deps;
use std::sync::Arc;

/// Number of messages that are checked at a time.
const CHECKED_AT_ONCE: usize = 8;

/// A message to send with others.
#[derive(Clone, Debug)]
pub struct BatchEntry {
    pub draft: Draft,
    /// Whether the message pauses the AI agent, whatever it is.
    pub pauses_agent: bool,
}

/// The result of one message of a batch. It is shared by the answer that is stored and the one that
/// is sent.
pub type BatchedSend = Result<AcceptedMessage, Arc<SendError>>;

/// The result of a batch.
#[derive(Debug)]
pub enum BatchOutcome {
    /// Each message was judged. With the answer that was stored for an idempotent request.
    Judged { sent: Vec<BatchedSend>, answer: Option<String> },
    /// The same request was answered before.
    Answered(StoredAnswer),
}

/// An idempotent request, and the function that writes its answer.
pub type OnceTogether =
    (Idempotent, Arc<dyn Fn(&[BatchedSend]) -> serde_json::Result<String> + Send + Sync>);

/// A message that was checked: what is known of it, or why it is refused.
type CheckedEntry = Result<UnplacedMessage, Arc<SendError>>;

/// Sends several messages. Each is judged by itself, and those that are accepted are stored in one
/// transaction, with the answer of an idempotent request.
///
/// # Errors
///
/// [`SendError::Database`]: nothing was sent.
pub async fn send_together(
    deps: &Deps,
    sender: &Sender,
    entries: Vec<BatchEntry>,
    once: Option<OnceTogether>,
) -> Result<BatchOutcome, SendError> {
    let mut moves = 0;
    loop {
        let (checked, submissions) = check_all(deps, sender, &entries).await?;
        if submissions.is_empty() {
            let sent = judged(&checked, &[], sender);
            return Ok(BatchOutcome::Judged { sent, answer: None });
        }
        let request = once.as_ref().map(|(request, render)| {
            let (render, checked, sender) = (Arc::clone(render), Arc::clone(&checked), *sender);
            let render: RenderTogether =
                Arc::new(move |outcomes| render(&judged(&checked, outcomes, &sender)));
            (request.clone(), render)
        });
        let (outcomes, answer) = match deps.db.send_together(submissions, request).await {
            Ok(TogetherOutcome::Judged(outcomes, answer)) => (outcomes, answer),
            Ok(TogetherOutcome::Answered(stored)) => return Ok(BatchOutcome::Answered(stored)),
            // The address of a recipient has changed since it was looked up.
            Err(persistence::Error::Moved) if moves < MAX_MOVES => {
                moves += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let sent = judged(&checked, &outcomes, sender);
        let accepted = sent.iter().filter(|it| it.is_ok()).count();
        if accepted > 0 {
            metrics::counter!("switchboard_messages_accepted_total").increment(accepted as u64);
            deps.messages_due_of(sender.organization);
            deps.events_recorded_of([sender.organization]);
        }
        return Ok(BatchOutcome::Judged { sent, answer });
    }
}

/// Checks the messages, and returns the submissions of those that are not refused.
async fn check_all(
    deps: &Deps,
    sender: &Sender,
    entries: &[BatchEntry],
) -> Result<(Arc<[CheckedEntry]>, Vec<MessageSubmission>), SendError> {
    let templates = TemplateLookups::default();
    let check = async |entry: &BatchEntry| {
        let sender = Sender { pauses_agent: entry.pauses_agent, ..*sender };
        prepare(deps, &sender, &entry.draft, &templates).await
    };
    let prepared = futures_util::stream::iter(entries.iter().map(check));
    let prepared: Vec<_> = prepared.buffered(CHECKED_AT_ONCE).collect().await;
    // Lists are in the order of ids, so that ids made in the same millisecond are sorted.
    let ids = prepared.iter().flatten().map(|it| it.new.id);
    let mut ids: Vec<MessageId> = ids.collect();
    ids.sort_unstable();
    let mut ids = ids.into_iter();
    let (mut checked, mut submissions) = (Vec::new(), Vec::new());
    for entry in prepared {
        checked.push(match entry {
            Ok(PreparedMessage { mut new, mut submission }) => {
                let id = ids.next().unwrap_or(new.id);
                (new.id, submission.message) = (id, id);
                submissions.push(submission);
                Ok(new)
            }
            Err(error @ SendError::Database(_)) => return Err(error),
            Err(refused) => Err(Arc::new(refused)),
        });
    }
    Ok((checked.into(), submissions))
}

/// Returns the results of all messages. `outcomes` are those of the messages that were submitted.
fn judged(
    checked: &[CheckedEntry],
    outcomes: &[SubmissionOutcome],
    sender: &Sender,
) -> Vec<BatchedSend> {
    let mut outcomes = outcomes.iter();
    let judge = |entry: &CheckedEntry| {
        let new = entry.as_ref().map_err(Arc::clone)?;
        let resets_at = new.month.ends_at;
        let refused = match outcomes.next() {
            Some(SubmissionOutcome::Accepted(placed)) => return Ok(new.accepted(placed)),
            Some(SubmissionOutcome::AllowanceReached { used }) => {
                SendError::AllowanceReached(Usage {
                    limit: sender.allowance,
                    used: *used,
                    resets_at,
                })
            }
            Some(SubmissionOutcome::AgentRefused(refusal)) => SendError::AgentRefused(*refusal),
            Some(SubmissionOutcome::Answered(_)) | None => SendError::Database(
                persistence::Error::Internal("a message of a batch got no outcome".to_owned()),
            ),
        };
        Err(Arc::new(refused))
    };
    checked.iter().map(judge).collect()
}
