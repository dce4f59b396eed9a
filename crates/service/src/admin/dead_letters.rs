//! Dead letters: what callbacks of the channel held that could not be processed.

use super::Admin;
use domain::id::CallbackId;
use persistence::Result;
use persistence::records::{DeadCallback, DeadCallbackFilter};

/// Dead letters replayed or deleted in one transaction.
const BATCH_SIZE: i64 = 200;

/// Which dead letters.
#[derive(Clone, Debug)]
pub enum DeadLetters {
    /// These.
    Ids(Vec<CallbackId>),
    /// All of a kind, or all there are.
    All(Option<String>),
}

/// What is done to dead letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetterAction {
    /// They are processed again. What still cannot be processed is kept again.
    Replay,
    /// They are removed permanently.
    Delete,
}

/// Why nothing is done to dead letters.
#[derive(Debug, thiserror::Error)]
pub enum DeadLetterError {
    /// One of them is not there.
    #[error("there is no dead letter {0}")]
    NotFound(CallbackId),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl Admin<'_> {
    /// At most `limit` dead letters after one, the oldest first.
    pub async fn dead_letters(
        &self,
        kind: Option<String>,
        after: Option<CallbackId>,
        limit: i64,
    ) -> Result<Vec<DeadCallback>> {
        let wanted = DeadCallbackFilter { kind, after };
        self.db.operator().dead_callbacks(wanted, limit).await
    }

    /// The dead letter of an id.
    pub async fn dead_letter(&self, id: CallbackId) -> Result<Option<DeadCallback>> {
        self.db.operator().dead_callback(id).await
    }

    /// Does it to the dead letters that are there now, in portions; returns how many they were.
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
        // What is kept again in the meantime has a later id, and is not met twice.
        let last = self.db.operator().last_dead_callback().await?;
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
        let all = self.db.operator();
        match action {
            DeadLetterAction::Replay => Ok(all.replay_dead_callbacks(ids).await?.len()),
            DeadLetterAction::Delete => all.delete_dead_callbacks(ids).await,
        }
    }
}
