//! The most frequent operations. PostgreSQL runs all of them in batches, SQLite only some of them.
use crate::operations::{DbFuture, OperatorDb};
use crate::postgres::session_and_seen;
use crate::records::{
    AnswerQuestion, Callback, Caller, CallerQuestion, CallerWithUsage, CodeConsumption,
    CountQuestion, Counted, DeliverySettlement, MessageSubmission, NewConnectedKey, Session,
    Settlement, ShownCode, StoredAnswer, SubmissionOutcome,
};
use crate::{Db, Result, Seen, sqlite};
use domain::time::Timestamp;

/// The most frequent operations of requests.
impl Db {
    /// Returns the key whose secret has this digest.
    #[must_use]
    pub fn caller(&self, secret_digest: Vec<u8>) -> DbFuture<'_, Option<Caller>> {
        Box::pin(async move { Ok(self.caller_and_seen(secret_digest).await?.0) })
    }

    /// Returns the key whose secret has this digest, and the primary's log position at that time if
    /// there is a standby.
    #[must_use]
    pub fn caller_and_seen(&self, secret_digest: Vec<u8>) -> DbFuture<'_, (Option<Caller>, Seen)> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callers.submit(secret_digest).await,
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

    /// Returns a session that was used since `cutoff`, and the primary's log position at that time
    /// if there is a standby.
    #[must_use]
    pub fn session_and_seen(
        &self,
        digest: Vec<u8>,
        cutoff: Timestamp,
    ) -> DbFuture<'_, (Option<Session>, Seen)> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) if db.has_standby() => {
                    db.read(move |conn| Box::pin(session_and_seen(conn, digest, cutoff))).await
                }
                _ => Ok((self.session(digest, cutoff).await?, Seen::default())),
            }
        })
    }

    /// Returns the key whose secret has the digest of the question, the account that the key sends
    /// from, and the usage of its organization in the period.
    #[must_use]
    pub fn caller_with_usage(
        &self,
        asked: CallerQuestion,
    ) -> DbFuture<'_, Option<CallerWithUsage>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callers_with_usage.submit(asked).await,
                Self::Sqlite(db) => {
                    db.read(|conn| Box::pin(sqlite::callers::caller_with_usage(conn, asked))).await
                }
            }
        })
    }

    /// Accepts a message. The message is stored durably when the call returns.
    #[must_use]
    pub fn send(&self, new: MessageSubmission) -> DbFuture<'_, SubmissionOutcome> {
        Box::pin(self.submit(new))
    }

    /// Consumes an authorization code. Of several concurrent callers exactly one receives the code,
    /// even if a later check fails. The rows that decide whether the code can be exchanged are read
    /// in the same round trip.
    #[must_use]
    pub fn consume_code(&self, code: CodeConsumption) -> DbFuture<'_, ShownCode> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().consumptions.submit(code).await,
                Self::Sqlite(db) => db.gathered().consumptions.submit(code).await,
            }
        })
    }

    /// Stores a callback until it is processed.
    #[must_use]
    pub fn keep_callback(&self, new: Callback) -> DbFuture<'_, ()> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().callbacks.submit(new).await,
                Self::Sqlite(_) => self.operator().insert_callbacks(vec![new]).await,
            }
        })
    }

    /// Creates a connection with its key, and ends the application's previous connection to the
    /// organization.
    #[must_use]
    pub fn connect(&self, new: NewConnectedKey) -> DbFuture<'_, ()> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().connections.submit(new).await,
                Self::Sqlite(db) => db.gathered().connections.submit(new).await,
            }
        })
    }

    /// Whether several instances may use the database at the same time.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Whether the rows are distributed over several nodes. A statement that locks rows must then
    /// name one tenant.
    #[must_use]
    pub fn has_several_nodes(&self) -> bool {
        match self {
            Self::Postgres(db) => db.has_several_nodes(),
            Self::Sqlite(_) => false,
        }
    }

    /// Counts a call if the ceiling allows it. Returns `None` if the stored count cannot be read.
    #[must_use]
    pub fn count_call(&self, call: CountQuestion) -> DbFuture<'_, Option<Counted>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().counts.submit(call).await,
                Self::Sqlite(db) => {
                    let counted = db.write(move |conn| {
                        Box::pin(sqlite::queries::usage::count(conn, vec![call]))
                    });
                    Ok(counted.await?.pop().flatten())
                }
            }
        })
    }

    /// Returns the number of batches of sends that were large (see [`database::batch`]).
    #[must_use]
    pub fn large_sends(&self) -> u64 {
        match self {
            Self::Postgres(db) => db.gathered().sends.large_batches(),
            Self::Sqlite(db) => db.gathered().sends.large_batches(),
        }
    }

    /// Returns the number of large batches of sends and of callbacks. On `SQLite`, a commit with
    /// many requests counts as a large batch.
    #[must_use]
    pub fn large_batches(&self) -> u64 {
        let others = match self {
            Self::Postgres(db) => db.gathered().callbacks.large_batches(),
            Self::Sqlite(db) => db.large_commits(),
        };
        self.large_sends() + others
    }

    /// Returns the stored answer of an idempotent request, if the answer is not too old.
    #[must_use]
    pub fn stored_answer(&self, asked: AnswerQuestion) -> DbFuture<'_, Option<StoredAnswer>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.gathered().answers.submit(asked).await,
                Self::Sqlite(db) => {
                    db.read(|conn| {
                        Box::pin(sqlite::queries::idempotency::stored_answer(conn, asked))
                    })
                    .await
                }
            }
        })
    }

    async fn submit(&self, new: MessageSubmission) -> Result<SubmissionOutcome> {
        match self {
            Self::Postgres(db) => db.gathered().sends.submit(new).await,
            Self::Sqlite(db) => db.gathered().sends.submit(new).await,
        }
    }
}

impl<'a> OperatorDb<'a> {
    /// Records the result of the messages of a claimed conversation. If the conversation is
    /// released, returns whether more messages wait in it.
    ///
    /// The channel may give the same id to two messages. The second message is then stored without
    /// the id. It has been sent, and if its settlement failed, the worker would send it again and
    /// again.
    #[must_use]
    pub fn record_settlement(self, settlement: Settlement) -> DbFuture<'a, bool> {
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

    /// Records the result of delivery attempts to a claimed endpoint.
    #[must_use]
    pub fn record_delivery_results(self, settlement: DeliverySettlement) -> DbFuture<'a, ()> {
        Box::pin(async move {
            match self.db {
                Db::Postgres(db) => db.gathered().delivery_settlements.submit(settlement).await,
                Db::Sqlite(db) => db.gathered().delivery_settlements.submit(settlement).await,
            }
        })
    }

    async fn try_settle(self, settlement: Settlement) -> Result<bool> {
        match self.db {
            Db::Postgres(db) => db.gathered().settlements.submit(settlement).await,
            Db::Sqlite(db) => db.gathered().settlements.submit(settlement).await,
        }
    }
}
