//! Sending several messages of one request in one commit (`docs/contract.md#send-a-batch`).

use super::references::TemplateLookups;
use super::scheduled::scheduled;
use super::{
    AcceptedMessage, MAX_MOVES, PreparedMessage, SendError, Sender, UnplacedMessage, not_stored,
    prepare,
};
use domain::id::MessageId;
use domain::message::Draft;
use domain::plan::Usage;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::records::{
    Idempotent, MessageSubmission, RenderTogether, ScheduledMessage, StoredAnswer,
    SubmissionOutcome, TogetherOutcome,
};
use platform::Deps;
use std::sync::Arc;

/// Number of messages that are checked at a time.
const CHECKED_AT_ONCE: usize = 8;

/// A message to send with others.
#[derive(Clone, Debug)]
pub struct BatchEntry {
    pub draft: Draft,
    /// Whether the message pauses the AI agent in any case.
    pub pauses_agent: bool,
    /// When to send the message, if not at once.
    pub send_at: Option<Timestamp>,
}

/// A message of a batch that was not refused.
#[derive(Clone, Debug)]
pub enum BatchedMessage {
    Accepted(Box<AcceptedMessage>),
    Scheduled(Box<ScheduledMessage>),
}

/// The result of one message of a batch. The stored answer and the sent answer share it.
pub type BatchedSend = Result<BatchedMessage, Arc<SendError>>;

/// The result of a batch.
#[derive(Debug)]
pub enum BatchOutcome {
    /// Each message was accepted or refused. `answer` is the stored answer of an idempotent
    /// request.
    Judged { sent: Vec<BatchedSend>, answer: Option<String> },
    /// The same request was answered before.
    Answered(StoredAnswer),
}

/// An idempotent request, and the function that writes its answer.
pub type OnceTogether =
    (Idempotent, Arc<dyn Fn(&[BatchedSend]) -> serde_json::Result<String> + Send + Sync>);

/// A checked message, or the reason why it is refused.
type CheckedEntry = Result<CheckedMessage, Arc<SendError>>;

enum CheckedMessage {
    Submitted(UnplacedMessage),
    Scheduled(Box<ScheduledMessage>),
}

/// The messages of a batch that are stored.
#[derive(Default)]
struct Submissions {
    now: Vec<MessageSubmission>,
    later: Vec<ScheduledMessage>,
}

/// Sends several messages. Each one is accepted or refused by itself. One transaction stores the
/// accepted ones, together with the answer to an idempotent request.
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
        let Submissions { now, later } = submissions;
        let is_scheduled = !later.is_empty();
        if now.is_empty() && later.is_empty() {
            let sent = judged(&checked, &[], sender);
            return Ok(BatchOutcome::Judged { sent, answer: None });
        }
        let request = once.as_ref().map(|(request, render)| {
            let (render, checked, sender) = (Arc::clone(render), Arc::clone(&checked), *sender);
            let render: RenderTogether =
                Arc::new(move |outcomes| render(&judged(&checked, outcomes, &sender)));
            (request.clone(), render)
        });
        let (outcomes, answer) = match deps.db.send_together(now, later, request).await {
            Ok(TogetherOutcome::Judged(outcomes, answer)) => (outcomes, answer),
            Ok(TogetherOutcome::Answered(stored)) => return Ok(BatchOutcome::Answered(stored)),
            // The address of a recipient has changed after the look-up.
            Err(persistence::Error::Moved) if moves < MAX_MOVES => {
                moves += 1;
                continue;
            }
            Err(error) => return Err(not_stored(error)),
        };
        let sent = judged(&checked, &outcomes, sender);
        if is_scheduled {
            deps.wakeups.scheduled.notify_one();
        }
        let accepted =
            sent.iter().filter(|it| matches!(it, Ok(BatchedMessage::Accepted(_)))).count();
        if accepted > 0 {
            metrics::counter!("switchboard_messages_accepted_total").increment(accepted as u64);
            deps.messages_due_of(sender.organization);
            deps.events_recorded_of([sender.organization]);
        }
        return Ok(BatchOutcome::Judged { sent, answer });
    }
}

/// A checked message, and what is stored for it.
enum CheckedSubmission {
    Now(Box<PreparedMessage>),
    Later(Box<ScheduledMessage>),
}

impl CheckedSubmission {
    fn id(&self) -> MessageId {
        match self {
            Self::Now(prepared) => prepared.new.id,
            Self::Later(row) => row.id,
        }
    }
}

/// Checks the messages, and returns the submissions of those that are not refused.
async fn check_all(
    deps: &Deps,
    sender: &Sender,
    entries: &[BatchEntry],
) -> Result<(Arc<[CheckedEntry]>, Submissions), SendError> {
    let templates = TemplateLookups::default();
    let check = async |entry: &BatchEntry| {
        let sender = Sender { pauses_agent: entry.pauses_agent, ..*sender };
        if let Some(send_at) = entry.send_at {
            let row = scheduled(deps, &sender, &entry.draft, send_at).await?;
            return Ok(CheckedSubmission::Later(Box::new(row)));
        }
        let prepared = prepare(deps, &sender, &entry.draft, &templates).await?;
        Ok(CheckedSubmission::Now(Box::new(prepared)))
    };
    let prepared = futures_util::stream::iter(entries.iter().map(check));
    let prepared: Vec<Result<CheckedSubmission, SendError>> =
        prepared.buffered(CHECKED_AT_ONCE).collect().await;
    // Lists are in the order of ids. Ids of the same millisecond are random, so they are sorted and
    // given to the messages in the order of the request.
    let ids = prepared.iter().flatten().map(CheckedSubmission::id);
    let mut ids: Vec<MessageId> = ids.collect();
    ids.sort_unstable();
    let mut ids = ids.into_iter();
    let (mut checked, mut submissions) = (Vec::new(), Submissions::default());
    for entry in prepared {
        checked.push(match entry {
            Ok(CheckedSubmission::Now(prepared)) => {
                let PreparedMessage { mut new, mut submission } = *prepared;
                let id = ids.next().unwrap_or(new.id);
                (new.id, submission.message) = (id, id);
                submissions.now.push(submission);
                Ok(CheckedMessage::Submitted(new))
            }
            Ok(CheckedSubmission::Later(mut row)) => {
                row.id = ids.next().unwrap_or(row.id);
                submissions.later.push((*row).clone());
                Ok(CheckedMessage::Scheduled(row))
            }
            Err(error @ SendError::Database(_)) => return Err(error),
            Err(refused) => Err(Arc::new(refused)),
        });
    }
    Ok((checked.into(), submissions))
}

/// Returns the results of all messages. `outcomes` has the results of the submitted ones.
fn judged(
    checked: &[CheckedEntry],
    outcomes: &[SubmissionOutcome],
    sender: &Sender,
) -> Vec<BatchedSend> {
    let mut outcomes = outcomes.iter();
    let judge = |entry: &CheckedEntry| {
        let new = match entry.as_ref().map_err(Arc::clone)? {
            CheckedMessage::Submitted(new) => new,
            CheckedMessage::Scheduled(row) => return Ok(BatchedMessage::Scheduled(row.clone())),
        };
        let resets_at = new.month.ends_at;
        let refused = match outcomes.next() {
            Some(SubmissionOutcome::Accepted(placed)) => {
                return Ok(BatchedMessage::Accepted(Box::new(new.accepted(placed))));
            }
            Some(SubmissionOutcome::AllowanceReached { used }) => {
                SendError::AllowanceReached(Usage {
                    limit: sender.allowance,
                    used: *used,
                    resets_at,
                })
            }
            Some(SubmissionOutcome::CapReached { used }) => SendError::CapReached(Usage {
                limit: sender.cap.map(|cap| cap.limit),
                used: *used,
                resets_at,
            }),
            Some(SubmissionOutcome::AgentRefused(refusal)) => SendError::AgentRefused(*refusal),
            Some(SubmissionOutcome::AnsweredMeanwhile(answer)) => (*answer).into(),
            Some(SubmissionOutcome::Answered(_)) | None => SendError::Database(
                persistence::Error::Internal("a message of a batch got no outcome".to_owned()),
            ),
        };
        Err(Arc::new(refused))
    };
    checked.iter().map(judge).collect()
}
