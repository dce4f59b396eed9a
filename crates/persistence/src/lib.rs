//! Persistence: one set of queries, on SQLite or PostgreSQL, chosen by the database URL.
//!
//! `queries/` is written once against `Conn` and compiled twice, as `postgres::queries` and
//! `sqlite::queries`; `operations` lists what callers may do. Nothing is decided here: domain decides, and the
//! result is stored.
#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod batched;
pub mod inspect;
pub mod inspection;
pub mod operations;
pub mod postgres;
mod seen;
pub mod sqlite;

use crate::inspection::Distribution;
use domain::id::OrganizationId;
use futures_util::future::BoxFuture;

pub use database::folder::give_to_owner_of_folder;
pub use database::migrations::MigrationState;
use database::migrations::{migration_states, pending_and_unknown};
pub use database::{Error, Location, ReportWait, Result, deadline, lock, timing};
use database::{batch, cached, folder, prepared};
pub use seen::{Reader, Seen};
pub use stored_content as content;
pub use tables::placement;
pub use tables::records;
pub use tables::types::Document;
use tables::{byte_order, schema, types};

/// The database. Cheap to clone.
#[derive(Clone)]
pub enum Db {
    /// Several instances may share it.
    Postgres(postgres::Db),
    /// One server has it to itself.
    Sqlite(sqlite::Db),
}

impl Db {
    /// Opens a database and brings its tables up to date; `connections` bounds PostgreSQL's pool, and `report_wait`
    /// hears of each migration that runs, and who else is migrating when that takes long.
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
                Location::Sqlite(file) => Ok(Self::Sqlite(sqlite::Db::open(file, report_wait)?)),
            }
        })
    }

    /// Reads what may be read from a standby there (`operations::standby`), with at most so many connections, whenever it can
    /// be used: it need not be there yet.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] for a URL that names no PostgreSQL, [`Error::Unsupported`] where the database is a SQLite file.
    pub fn read_from_standby(&self, url: &str, connections: usize) -> Result<()> {
        match self {
            Self::Postgres(db) => db.read_from_standby(url, connections),
            Self::Sqlite(_) => Err(Error::Unsupported("a SQLite file has no standby".to_owned())),
        }
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

    /// Copies what was committed into the file of a SQLite database, so that this is all of it when nothing has it open any more.
    #[must_use]
    pub fn copy_log(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(_) => Ok(()),
                Self::Sqlite(db) => db.copy_log().await,
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

    /// The versions of the migrations that have run and that this program does not know: a newer one has been there.
    #[must_use]
    pub fn unknown_migrations(location: &Location) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            match location {
                Location::Postgres(url) => postgres::Db::unknown_migrations(url).await,
                Location::Sqlite(file) => sqlite::Db::unknown_migrations(file),
            }
        })
    }
}
