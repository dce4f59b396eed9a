//! Persistence: one set of queries, on SQLite or PostgreSQL, chosen by the database URL.
//!
//! `queries/` is written once against `Conn` and compiled twice, as `postgres::queries` and
//! `sqlite::queries`; `operations` lists what callers may do. Nothing is decided here: domain decides, and the
//! result is stored.
#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod batch;
mod batched;
mod cached;
pub mod deadline;
mod folder;
pub mod inspect;
pub mod inspection;
pub mod lock;
pub mod operations;
pub mod postgres;
pub mod sqlite;
pub mod timing;

use crate::inspection::Distribution;
use crate::records::UnreadableRow;
use diesel::migration::MigrationSource;
use diesel_migrations::EmbeddedMigrations;
use domain::id::OrganizationId;
use futures_util::future::BoxFuture;

pub use stored_content as content;
pub use tables::placement;
pub use tables::records;
pub use tables::types::Document;
use tables::{byte_order, schema, types};

/// What PostgreSQL says of a transaction that it ended because it and another waited for each other (40P01). Diesel
/// hands on no code of that, and a server that speaks another language is not understood.
const DEADLOCK: &str = "deadlock detected";
/// The same of two transactions on several nodes, as Citus says it.
const DISTRIBUTED_DEADLOCK: &str =
    "canceling the transaction since it was involved in a distributed deadlock";
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
    /// It takes no writes any more, as a primary that has become a standby (25006), so nothing was done.
    #[error("{0}")]
    ReadOnly(String),
    /// It is set up in a way that this program cannot work with.
    #[error("{0}")]
    Unsupported(String),
    /// A table could not be distributed.
    #[error("{0}")]
    Distribute(String),
    /// Its tables could not be brought up to date.
    #[error("the migrations failed: {0}")]
    Migrate(String),
    /// Nobody knows whether it was done: no answer came, or none in time.
    #[error("the outcome is unknown: {0}")]
    Unknown(String),
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

impl From<Box<dyn std::error::Error + Send + Sync>> for Error {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Unknown(error.to_string())
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl Error {
    /// Whether the database looked at the data and said no, ended one of two writes that waited for each other, or a row
    /// could not be read: either way nothing was done.
    /// Anything else (a connection lost in the middle of a commit, say) leaves open the result of the write.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error::DatabaseError};
        match self {
            Self::Moved | Self::LargeMerge | Self::Unreadable(_) => true,
            Self::Query(DatabaseError(kind, why)) => match kind {
                Kind::ForeignKeyViolation
                | Kind::UniqueViolation
                | Kind::CheckViolation
                | Kind::NotNullViolation
                | Kind::SerializationFailure => true,
                _ => matches!(why.message(), DEADLOCK | DISTRIBUTED_DEADLOCK),
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
    fn ends_connection(&self) -> bool {
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
    fn again(&self) -> Self {
        match self {
            Self::Connect(why) => Self::Connect(why.clone()),
            Self::ReadOnly(why) => Self::ReadOnly(why.clone()),
            other => Self::Unknown(other.to_string()),
        }
    }
}

/// How anyone who opens a database is told what it waits for.
pub type ReportWait<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// What a query gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The database. Cheap to clone.
#[derive(Clone)]
pub enum Db {
    /// Several instances may share it.
    Postgres(postgres::Db),
    /// One server has it to itself.
    Sqlite(sqlite::Db),
}

/// Where a URL leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A PostgreSQL server.
    Postgres(String),
    /// A file.
    Sqlite(String),
}

impl Location {
    /// Reads `postgres://…`, `postgresql://…` or `sqlite:PATH`.
    pub fn parse(url: &str) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        let path = url.strip_prefix("sqlite:").unwrap_or_default();
        // `sqlite:///a/b` is the usual spelling of an absolute path.
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(Error::Url(url.to_owned()));
        }
        Ok(Self::Sqlite(path.to_owned()))
    }
}

impl Db {
    /// Opens a database and brings its tables up to date; `connections` bounds PostgreSQL's pool, and `tell`
    /// hears who else is migrating when that takes long.
    #[must_use]
    pub fn open<'a>(
        location: &'a Location,
        connections: usize,
        report_wait: ReportWait<'a>,
    ) -> BoxFuture<'a, Result<Self>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => {
                    Ok(Self::Postgres(postgres::Db::open(url, connections, report_wait).await?))
                }
                Location::Sqlite(file) => Ok(Self::Sqlite(sqlite::Db::open(file)?)),
            }
        })
    }

    /// Opens a database that is there already as it is, for reading only: nothing is made or migrated.
    #[must_use]
    pub fn attach(location: &Location, connections: usize) -> BoxFuture<'_, Result<Self>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => {
                    Ok(Self::Postgres(postgres::Db::attach(url, connections).await?))
                }
                Location::Sqlite(file) => Ok(Self::Sqlite(sqlite::Db::attach(file)?)),
            }
        })
    }

    /// Notifies the servers that share the database that something is due for organizations.
    #[must_use]
    pub fn notify_work(&self, organizations: Vec<OrganizationId>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.notify_work(organizations).await,
                Self::Sqlite(_) => Ok(()),
            }
        })
    }

    /// Listens for what other servers notify of, until that fails.
    ///
    /// # Errors
    ///
    /// Always ends with one; [`Error::Unsupported`] where no notification can come.
    #[must_use]
    pub fn listen_for_work<'a>(
        &'a self,
        heard: &'a (dyn Fn(OrganizationId) + Send + Sync),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.listen_for_work(&heard).await,
                Self::Sqlite(_) => {
                    Err(Error::Unsupported("a SQLite file belongs to one server".to_owned()))
                }
            }
        })
    }

    /// Distributes the tables of a PostgreSQL with the extension Citus over its nodes, while servers use it; `tell` hears of
    /// each table that is done.
    #[must_use]
    pub fn distribute<'a>(
        location: &'a Location,
        tell: ReportWait<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => postgres::Db::distribute(url, tell).await,
                Location::Sqlite(_) => {
                    Err(Error::Unsupported("a SQLite file cannot be distributed".to_owned()))
                }
            }
        })
    }

    /// How a database is distributed; nothing where it cannot be.
    #[must_use]
    pub fn distribution(location: &Location) -> BoxFuture<'_, Result<Option<Distribution>>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => postgres::Db::distribution(url).await,
                Location::Sqlite(_) => Ok(None),
            }
        })
    }

    /// Which migrations there are, and whether each has run.
    #[must_use]
    pub fn migrations(location: &Location) -> BoxFuture<'_, Result<Vec<MigrationState>>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => postgres::Db::migrations(url).await,
                Location::Sqlite(file) => sqlite::Db::migrations(file),
            }
        })
    }
}

/// One migration of this program, and whether it has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationState {
    /// Its folder's name.
    pub name: String,
    /// Whether it has run on that database.
    pub applied: bool,
}

/// Of all migrations of this program, which have run.
fn migration_states<DB: diesel::backend::Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<Vec<MigrationState>>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let known = MigrationSource::<DB>::migrations(migrations);
    let known = known.map_err(|error| Error::Migrate(error.to_string()))?;
    let mut states: Vec<_> = known
        .iter()
        .map(|migration| MigrationState {
            name: migration.name().to_string(),
            applied: applied.contains(&migration.name().version().to_string()),
        })
        .collect();
    states.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(states)
}

/// Of all migrations, those that have not run, and the versions of those that have and that nobody knows here.
fn pending_and_unknown<DB: diesel::backend::Backend>(
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<(Vec<String>, Vec<String>)>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let known = MigrationSource::<DB>::migrations(migrations);
    let known = known.map_err(|error| Error::Migrate(error.to_string()))?;
    let versions: Vec<String> = known.iter().map(|it| it.name().version().to_string()).collect();
    let unknown = applied.iter().filter(|it| !versions.contains(it)).cloned().collect();
    let states = migration_states::<DB>(applied, migrations)?;
    let pending = states.into_iter().filter(|it| !it.applied).map(|it| it.name).collect();
    Ok((pending, unknown))
}
