//! The errors of a database.
use domain::conversation::{AgentRefusal, UnseenAnswer};
use tables::records::UnreadableRow;

/// PostgreSQL's message for a transaction that it aborted because of a deadlock (SQLSTATE 40P01).
/// Diesel does not pass the code on, so the text is compared. The deadlocks of a server with
/// another message language are not recognized.
const DEADLOCK: &str = "deadlock detected";
/// Citus' message for a deadlock between transactions on several nodes.
const DISTRIBUTED_DEADLOCK: &str =
    "canceling the transaction since it was involved in a distributed deadlock";
/// A node that does not log errors sends this message for a deadlock between nodes. PostgreSQL also
/// sends it for a statement that an administrator canceled.
const CANCELED: &str = "canceling statement due to user request";
/// The start of PostgreSQL's message when it ends a connection (57P01, 57P02), because it shuts
/// down or because one of its processes crashed.
const TERMINATED: &str = "terminating connection";

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database rejected the query, or its answer could not be decoded.
    #[error(transparent)]
    Query(diesel::result::Error),
    /// A row holds a value that this version cannot read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
    /// The database could not be reached or opened. Nothing was done.
    #[error("{0}")]
    Connect(String),
    /// The URL's TLS parameters cannot be used.
    #[error("{what}; {advice}")]
    Tls { what: String, advice: &'static str },
    /// The database takes no writes, for example a primary that has become a standby (25006).
    /// Nothing was done.
    #[error("{0}")]
    ReadOnly(String),
    /// The database lacks something that this program requires, such as an encoding or a right.
    /// `advice` says how to correct it.
    #[error("{what}; {advice}")]
    Setup { what: String, advice: String },
    /// The database is set up in a way that this program cannot work with.
    #[error("{0}")]
    Unsupported(String),
    /// A table could not be distributed.
    #[error("{0}")]
    Distribute(String),
    /// The tables could not be migrated.
    #[error("the migrations failed: {0}")]
    Migrate(String),
    /// No answer came, or none in time: the write may or may not have been committed.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
    /// The program violated one of its own invariants, and the transaction was rolled back. A retry
    /// does not help.
    #[error("internal error: {0}")]
    Internal(String),
    /// The address of the contact that the message is for has changed. Nothing was done.
    #[error("the contact's address has changed")]
    Moved,
    /// The account of a new conversation, or of a scheduled message, was disconnected. Nothing was
    /// done.
    #[error("the number was disconnected")]
    AccountGone,
    /// An AI agent may not answer in a conversation. Nothing was done.
    #[error(transparent)]
    AgentRefused(#[from] AgentRefusal),
    /// The organization has sent another answer that the member had not seen. Nothing was done.
    #[error(transparent)]
    AnsweredMeanwhile(#[from] UnseenAnswer),
    /// The month's allowance has no room for the messages of an AI agent's answer. Nothing was done.
    #[error("the month's allowance of messages is used up")]
    AllowanceReached,
    /// Two contacts turned out to be one person, but merging their conversations would take longer
    /// than an operation may. Nothing was done.
    #[error("the histories of two contacts are too long to be merged within the time limit")]
    LargeMerge,
    /// The URL does not name a database.
    #[error(
        "{0:?} is not a database URL; write sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    Url(String),
}

impl From<diesel::result::Error> for Error {
    fn from(error: diesel::result::Error) -> Self {
        use diesel::result::{DatabaseErrorKind::ReadOnlyTransaction, Error::DatabaseError};
        match error {
            diesel::result::Error::DeserializationError(why) => UnreadableRow::Column(why).into(),
            DatabaseError(ReadOnlyTransaction, why) => Self::ReadOnly(why.message().to_owned()),
            other => Self::Query(other),
        }
    }
}

/// A value that cannot be encoded or decoded is an error in the program, not of the connection.
impl From<Box<dyn std::error::Error + Send + Sync>> for Error {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl Error {
    /// Whether an error in the program is the cause. The caller gets status 500, and a retry does
    /// not help.
    #[must_use]
    pub const fn is_internal(&self) -> bool {
        use diesel::result::Error::{NotFound, QueryBuilderError, SerializationError};
        matches!(
            self,
            Self::Internal(_)
                | Self::Unreadable(_)
                | Self::Query(NotFound | QueryBuilderError(_) | SerializationError(_))
        )
    }

    /// Whether the transaction was certainly rolled back because of its own data: a constraint, a
    /// deadlock with another transaction, a row that cannot be read, an internal error.
    ///
    /// Other errors, such as a connection that is lost during a commit, leave open whether the
    /// write was done.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        if self.is_internal() {
            return true;
        }
        match self {
            Self::Moved | Self::AccountGone | Self::LargeMerge => true,
            Self::Query(DatabaseError(kind, why)) => match kind {
                Kind::ForeignKeyViolation
                | Kind::UniqueViolation
                | Kind::CheckViolation
                | Kind::NotNullViolation
                | Kind::SerializationFailure => true,
                _ => matches!(why.message(), DEADLOCK | DISTRIBUTED_DEADLOCK | CANCELED),
            },
            _ => false,
        }
    }

    /// Whether the database could not be reached or takes no writes, so that nothing was done.
    #[must_use]
    pub const fn is_unreached(&self) -> bool {
        matches!(self, Self::Connect(_) | Self::ReadOnly(_))
    }

    /// Whether the server has ended the connection, so that the connection cannot be used again.
    #[must_use]
    pub fn ends_connection(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        match self {
            Self::Query(DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _)) => {
                true
            }
            Self::Query(DatabaseError(_, why)) => why.message().starts_with(TERMINATED),
            _ => false,
        }
    }

    /// Whether the error is a unique violation: a row with the same unique value exists.
    #[must_use]
    pub const fn is_duplicate(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        matches!(self, Self::Query(DatabaseError(Kind::UniqueViolation, _)))
    }

    /// Whether the error is a foreign key violation: a row cannot be deleted because another one
    /// refers to it.
    #[must_use]
    pub const fn is_reference(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        matches!(self, Self::Query(DatabaseError(Kind::ForeignKeyViolation, _)))
    }

    /// Returns this error for another caller of the same batch.
    #[must_use]
    pub fn for_another_caller(&self) -> Self {
        match self {
            Self::Connect(why) => Self::Connect(why.clone()),
            Self::ReadOnly(why) => Self::ReadOnly(why.clone()),
            other => Self::Unknown(other.to_string()),
        }
    }
}

/// The result of a database operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;
