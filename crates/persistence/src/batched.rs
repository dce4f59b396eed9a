//! The most frequent operations, which are batched on PostgreSQL.
use crate::operations::OperatorDb;
use crate::postgres::session_and_seen;
use crate::records::{
    AnswerQuestion, Callback, Caller, CallerQuestion, CallerWithUsage, CodeConsumption, Count,
    Counted, DeliverySettlement, MessageSubmission, NewConnection, Session, Settlement, ShownCode,
    StoredAnswer, SubmissionOutcome,
};
use crate::{Db, Result, Seen, sqlite};
use domain::time::Timestamp;
use futures_util::future::BoxFuture;

/// What is asked most: on PostgreSQL these travel in batches.
impl Db {
    /// The key whose secret has this digest, if there is one.
    #[must_use]
    pub fn caller(&self, secret_digest: Vec<u8>) -> BoxFuture<'_, Result<Option<Caller>>> {
        Box::pin(async move { Ok(self.caller_and_seen(secret_digest).await?.0) })
    }

    /// The same key with what the primary had written by then, for reads from a standby.
    #[must_use]
    pub fn caller_and_seen(
        &self,
        secret_digest: Vec<u8>,
    ) -> BoxFuture<'_, Result<(Option<Caller>, Seen)>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callers.ask(secret_digest).await,
                Self::Sqlite(db) => {
                    let found = db.read(|conn| {
                        Box::pin(async move {
                            sqlite::queries::keys::caller(&mut &mut *conn, secret_digest).await
                        })
                    });
                    Ok((found.await?, Seen::default()))
                }
            }
        })
    }

    /// A session that is still in use, with what the primary had written by then where there is a standby.
    #[must_use]
    pub fn session_and_seen(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
    ) -> BoxFuture<'_, Result<(Option<Session>, Seen)>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) if db.has_standby() => {
                    db.read(move |conn| Box::pin(session_and_seen(conn, digest, cutoff))).await
                }
                _ => Ok((self.session(digest, cutoff).await?, Seen::default())),
            }
        })
    }

    /// The same key with its usage in a period.
    #[must_use]
    pub fn caller_with_usage(
        &self,
        asked: CallerQuestion,
    ) -> BoxFuture<'_, Result<Option<CallerWithUsage>>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callers_with_usage.ask(asked).await,
                Self::Sqlite(db) => {
                    db.read(|conn| Box::pin(sqlite::callers::caller_with_usage(conn, asked))).await
                }
            }
        })
    }

    /// Takes a message in; it is durable when this answers.
    #[must_use]
    pub fn send(&self, new: MessageSubmission) -> BoxFuture<'_, Result<SubmissionOutcome>> {
        Box::pin(self.take_in(new))
    }

    /// Burns a code, whatever is then found wrong: of any number of racers exactly one gets it. What the exchange is decided
    /// by comes with it, in one trip.
    #[must_use]
    pub fn consume_code(&self, code: CodeConsumption) -> BoxFuture<'_, Result<ShownCode>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().consumptions.ask(code).await,
                Self::Sqlite(db) => db.gathered().consumptions.ask(code).await,
            }
        })
    }

    /// Keeps a report of the channel until it is processed.
    #[must_use]
    pub fn keep_callback(&self, new: Callback) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callbacks.ask(new).await,
                Self::Sqlite(_) => self.operator().insert_callbacks(vec![new]).await,
            }
        })
    }

    /// Makes a connection with its key, in place of the one before.
    #[must_use]
    pub fn connect(&self, new: NewConnection) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().connections.ask(new).await,
                Self::Sqlite(db) => db.gathered().connections.ask(new).await,
            }
        })
    }

    /// Whether several servers may work with it at a time.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Whether its rows are on several nodes: a statement then locks those of one tenant.
    #[must_use]
    pub fn has_several_nodes(&self) -> bool {
        match self {
            Self::Postgres(db) => db.has_several_nodes(),
            Self::Sqlite(_) => false,
        }
    }

    /// Counts a call, if there is room under its ceiling; nothing where the count cannot be read.
    #[must_use]
    pub fn count_call(&self, call: Count) -> BoxFuture<'_, Result<Option<Counted>>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().counts.ask(call).await,
                Self::Sqlite(db) => {
                    let counted = db.write(move |conn| {
                        Box::pin(sqlite::queries::usage::count(conn, vec![call]))
                    });
                    Ok(counted.await?.pop().flatten())
                }
            }
        })
    }

    /// How often so many messages were taken in together that they came faster than that.
    #[must_use]
    pub fn large_sends(&self) -> u64 {
        match self {
            Self::Postgres(db) => db.gathered().sends.large_batches(),
            Self::Sqlite(db) => db.gathered().sends.large_batches(),
        }
    }

    /// The answer that was given to a request, if it is not too old.
    #[must_use]
    pub fn stored_answer(
        &self,
        asked: AnswerQuestion,
    ) -> BoxFuture<'_, Result<Option<StoredAnswer>>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().answers.ask(asked).await,
                Self::Sqlite(db) => {
                    db.read(|conn| {
                        Box::pin(sqlite::queries::idempotency::stored_answer(conn, asked))
                    })
                    .await
                }
            }
        })
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

    /// Records the result of attempts to deliver to a claimed endpoint.
    #[must_use]
    pub fn settle_deliveries(self, settlement: DeliverySettlement) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match self.db {
                Db::Postgres(db) => db.gathered().delivery_settlements.ask(settlement).await,
                Db::Sqlite(db) => db.gathered().delivery_settlements.ask(settlement).await,
            }
        })
    }

    async fn try_settle(self, settlement: Settlement) -> Result<bool> {
        match self.db {
            Db::Postgres(db) => db.gathered().settlements.ask(settlement).await,
            Db::Sqlite(db) => db.gathered().settlements.ask(settlement).await,
        }
    }
}
