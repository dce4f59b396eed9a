//! Dead letters: parts of callbacks that could not be processed.

use super::Admin;
use domain::id::CallbackId;
use persistence::Result;
use persistence::records::{DeadCallback, DeadCallbackFilter};

/// Number of dead letters replayed or deleted in one transaction.
const BATCH_SIZE: i64 = 200;

/// A selection of dead letters.
#[derive(Clone, Debug)]
pub enum DeadLetters {
    Ids(Vec<CallbackId>),
    /// All dead letters of a kind, or all dead letters.
    All(Option<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetterAction {
    /// Process them again. A part that still cannot be processed is kept again.
    Replay,
    /// Remove them permanently.
    Delete,
}

/// The reason why dead letters were not handled.
#[derive(Debug, thiserror::Error)]
pub enum DeadLetterError {
    /// One of the selected dead letters does not exist.
    #[error("there is no dead letter {0}")]
    NotFound(CallbackId),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl Admin<'_> {
    /// Lists at most `limit` dead letters after `after`, oldest first.
    pub async fn dead_letters(
        &self,
        kind: Option<String>,
        after: Option<CallbackId>,
        limit: i64,
    ) -> Result<Vec<DeadCallback>> {
        let wanted = DeadCallbackFilter { kind, after };
        self.deps.db.operator().dead_callbacks(wanted, limit).await
    }

    pub async fn dead_letter(&self, id: CallbackId) -> Result<Option<DeadCallback>> {
        self.deps.db.operator().dead_callback(id).await
    }

    /// Applies the action to the dead letters that exist now, in batches. Returns their number.
    pub async fn handle_dead_letters(
        &self,
        which: DeadLetters,
        action: DeadLetterAction,
    ) -> std::result::Result<usize, DeadLetterError> {
        let kind = match which {
            DeadLetters::Ids(ids) => {
                for id in &ids {
                    self.dead_letter(*id).await?.ok_or(DeadLetterError::NotFound(*id))?;
                }
                return Ok(self.handle(ids, action).await?);
            }
            DeadLetters::All(kind) => kind,
        };
        let mut done = 0;
        // A part that becomes a dead letter again during the replay gets a later id, so it is not
        // handled twice.
        let last = self.deps.db.operator().last_dead_callback().await?;
        let mut after = None;
        loop {
            let found = self.dead_letters(kind.clone(), after, BATCH_SIZE).await?;
            let ids: Vec<CallbackId> =
                found.iter().map(|it| it.id).filter(|id| Some(*id) <= last).collect();
            let Some(end) = ids.last().copied() else { return Ok(done) };
            after = Some(end);
            done += self.handle(ids, action).await?;
        }
    }

    async fn handle(&self, ids: Vec<CallbackId>, action: DeadLetterAction) -> Result<usize> {
        let all = self.deps.db.operator();
        match action {
            DeadLetterAction::Replay => Ok(all.replay_dead_callbacks(ids).await?.len()),
            DeadLetterAction::Delete => all.delete_dead_callbacks(ids).await,
        }
    }
}
