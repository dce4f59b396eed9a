//! The most frequent operations, which are batched on PostgreSQL.
use crate::operations::OperatorDb;
use crate::records::{
    Account, AccountWithUsage, Caller, MessageSubmission, Settlement, SubmissionOutcome,
};
use crate::{Db, Result, sqlite};
use futures_util::future::BoxFuture;

/// What is asked most: on PostgreSQL these travel in batches.
impl Db {
    /// The key whose secret has this digest, if there is one.
    #[must_use]
    pub fn caller(&self, secret_digest: Vec<u8>) -> BoxFuture<'_, Result<Option<Caller>>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callers.ask(secret_digest).await,
                Self::Sqlite(db) => {
                    db.read(|conn| Box::pin(sqlite::queries::keys::caller(conn, secret_digest)))
                        .await
                }
            }
        })
    }

    /// A number of an organization, with the messages that this has sent in a period.
    #[must_use]
    pub fn account_with_usage(
        &self,
        asked: AccountWithUsage,
    ) -> BoxFuture<'_, Result<Option<(Account, u32)>>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().accounts.ask(asked).await,
                Self::Sqlite(db) => {
                    let found = db.read(move |conn| {
                        Box::pin(sqlite::queries::accounts::accounts_with_usage(conn, vec![asked]))
                    });
                    Ok(found.await?.pop().flatten())
                }
            }
        })
    }

    /// Takes a message in; it is durable when this answers.
    #[must_use]
    pub fn send(&self, new: MessageSubmission) -> BoxFuture<'_, Result<SubmissionOutcome>> {
        Box::pin(self.take_in(new))
    }

    /// How many messages wait to be taken in.
    #[must_use]
    pub fn sends_under_way(&self) -> usize {
        match self {
            Self::Postgres(db) => db.gathered().sends.under_way(),
            Self::Sqlite(db) => db.gathered().sends.under_way(),
        }
    }

    async fn take_in(&self, new: MessageSubmission) -> Result<SubmissionOutcome> {
        match self {
            Self::Postgres(db) => db.gathered().sends.ask(new).await,
            Self::Sqlite(db) => db.gathered().sends.ask(new).await,
        }
    }
}

impl<'a> OperatorDb<'a> {
    /// Records the result of messages of a claimed conversation; if that is let go of, returns whether
    /// more messages wait in it.
    ///
    /// The channel has the messages whatever it calls them: an id that another message has already is
    /// left out, for a settlement that never came to be would submit them again and again.
    #[must_use]
    pub fn settle(self, settlement: Settlement) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self.settle_once(settlement))
    }

    async fn settle_once(self, settlement: Settlement) -> Result<bool> {
        match self.try_settle(settlement.clone()).await {
            Err(error) if error.is_duplicate() => {
                let conversation = settlement.conversation;
                tracing::error!(%conversation, "the channel gave one id to two messages");
                self.try_settle(settlement.without_ids()).await
            }
            settled => settled,
        }
    }

    async fn try_settle(self, settlement: Settlement) -> Result<bool> {
        match self.db {
            Db::Postgres(db) => db.gathered().settlements.ask(settlement).await,
            Db::Sqlite(db) => db.gathered().settlements.ask(settlement).await,
        }
    }
}
