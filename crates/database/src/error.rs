//! Why a database did not do as asked.
use tables::records::UnreadableRow;

/// What PostgreSQL says of a transaction that it ended because it and another waited for each other (40P01). Diesel
/// hands on no code of that, and a server that speaks another language is not understood.
const DEADLOCK: &str = "deadlock detected";
/// The same of two transactions on several nodes, as Citus says it.
const DISTRIBUTED_DEADLOCK: &str =
    "canceling the transaction since it was involved in a distributed deadlock";
/// The same, as a node says it that logs no errors, and of a statement that an administrator has canceled.
const CANCELED: &str = "canceling statement due to user request";
/// How PostgreSQL begins to say that it ends a connection (57P01, 57P02): it stops, or one of its processes crashed.
const TERMINATED: &str = "terminating connection";

/// Why the database did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It said no, or could not be understood.
    #[error(transparent)]
    Query(diesel::result::Error),
    /// A row holds what this version cannot read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
    /// It could not be reached or opened, so nothing was done.
    #[error("{0}")]
    Connect(String),
    /// What its URL says of TLS cannot be used, and what to do.
    #[error("{what}; {advice}")]
    Tls {
        /// What is wrong.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// It takes no writes any more, as a primary that has become a standby (25006), so nothing was done.
    #[error("{0}")]
    ReadOnly(String),
    /// The database server is set up in a way that this program cannot work with, and how to change that.
    #[error("{what}; {advice}")]
    Setup {
        /// What is wrong.
        what: String,
        /// What to do.
        advice: String,
    },
    /// It is set up in a way that this program cannot work with.
    #[error("{0}")]
    Unsupported(String),
    /// A table could not be distributed.
    #[error("{0}")]
    Distribute(String),
    /// Its tables could not be brought up to date.
    #[error("the migrations failed: {0}")]
    Migrate(String),
    /// No answer came, or none in time: the write may or may not have been committed.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
    /// The program broke a rule of its own, so the transaction was rolled back. Trying again does not help.
    #[error("internal error: {0}")]
    Internal(String),
    /// The person that a message was meant for has another address by now, so nothing was done.
    #[error("the person goes by another address now")]
    Moved,
    /// Two people turned out to be one whose histories are so long that joining them takes longer than an operation
    /// may, so nothing was done.
    #[error("two histories are too long to be joined in the time of an operation")]
    LargeMerge,
    /// A URL that names no database.
    #[error(
        "{0:?} is no database URL; write sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"
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

/// A value that cannot be encoded or decoded is a mistake of the program, not of the connection.
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
    /// Whether the program itself is at fault: the answer to the caller is a 500, and trying again does not help.
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

    /// Whether the transaction was certainly rolled back because of its own data: a constraint, a deadlock with another
    /// transaction, a row that cannot be read, an internal error.
    ///
    /// Other errors, such as a connection that is lost during a commit, leave open whether the write was done.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        if self.is_internal() {
            return true;
        }
        match self {
            Self::Moved | Self::LargeMerge => true,
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

    /// Whether the database could not be reached, or takes no writes, so that nothing was done.
    #[must_use]
    pub const fn is_unreached(&self) -> bool {
        matches!(self, Self::Connect(_) | Self::ReadOnly(_))
    }

    /// Whether the server has ended the connection, so that nothing else can be done on it.
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

    /// Whether a row with the same unique value is there already.
    #[must_use]
    pub const fn is_duplicate(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        matches!(self, Self::Query(DatabaseError(Kind::UniqueViolation, _)))
    }

    /// The same error for one more caller of a batch.
    #[must_use]
    pub fn again(&self) -> Self {
        match self {
            Self::Connect(why) => Self::Connect(why.clone()),
            Self::ReadOnly(why) => Self::ReadOnly(why.clone()),
            other => Self::Unknown(other.to_string()),
        }
    }
}

/// What a query gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;
