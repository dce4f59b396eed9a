//! The database of the product: one set of queries, on SQLite or PostgreSQL, chosen by the database
//! URL. `README.md` explains how to add a query.
//!
//! `queries/` is written once against `Conn` and compiled twice, as `postgres::queries` and
//! `sqlite::queries`. `operations` lists the queries that callers may run. The rules of the product
//! are in `domain`; this crate only stores the results.
#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod batched;
pub mod inspect;
pub mod inspection;
mod node_shares;
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
pub use database::{DatabaseLocation, Error, ReportWait, Result, deadline, lock, timing};
use database::{batch, cached, folder, prepared};
pub use seen::{Reader, Seen};
pub use stored_content as content;
pub use tables::placement;
pub use tables::records;
pub use tables::types::Document;
use tables::{byte_order, schema, types};

/// A database. Cheap to clone.
#[derive(Clone)]
pub enum Db {
    /// PostgreSQL, which several instances may share.
    Postgres(postgres::Db),
    /// SQLite, which belongs to one instance.
    Sqlite(sqlite::Db),
}

impl Db {
    /// Opens a database and runs the pending migrations. `connections` limits PostgreSQL's pool.
    /// `report_wait` is called for each migration that runs. If another process holds the migration
    /// lock for a long time, `report_wait` is also called with a description of that process.
    #[must_use]
    pub fn open<'a>(
        location: &'a DatabaseLocation,
        connections: usize,
        report_wait: ReportWait<'a>,
    ) -> BoxFuture<'a, Result<Self>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => {
                    Ok(Self::Postgres(postgres::Db::open(url, connections, report_wait).await?))
                }
                DatabaseLocation::Sqlite(file) => {
                    Ok(Self::Sqlite(sqlite::Db::open(file, report_wait)?))
                }
            }
        })
    }

    /// Serves the operations of `operations::standby` from the standby behind `url` whenever the
    /// standby is usable, with at most `connections` connections. The standby need not be reachable
    /// yet.
    ///
    /// # Errors
    ///
    /// [`Error::Url`] if `url` does not name a PostgreSQL database; [`Error::Unsupported`] if this
    /// database is a SQLite file.
    pub fn read_from_standby(&self, url: &str, connections: usize) -> Result<()> {
        match self {
            Self::Postgres(db) => db.read_from_standby(url, connections),
            Self::Sqlite(_) => Err(Error::Unsupported("a SQLite file has no standby".to_owned())),
        }
    }

    /// Opens an existing database for reading only. Nothing is created or migrated.
    #[must_use]
    pub fn attach(location: &DatabaseLocation, connections: usize) -> BoxFuture<'_, Result<Self>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => {
                    Ok(Self::Postgres(postgres::Db::attach(url, connections).await?))
                }
                DatabaseLocation::Sqlite(file) => Ok(Self::Sqlite(sqlite::Db::attach(file)?)),
            }
        })
    }

    /// Notifies the instances that share the database that these organizations have work due.
    #[must_use]
    pub fn notify_work(&self, organizations: Vec<OrganizationId>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(db) => db.notify_work(organizations).await,
                Self::Sqlite(_) => Ok(()),
            }
        })
    }

    /// Copies the write-ahead log into the file of a SQLite database. The file is then complete
    /// without the log, provided that no other process has the database open.
    #[must_use]
    pub fn copy_log(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self {
                Self::Postgres(_) => Ok(()),
                Self::Sqlite(db) => db.copy_log().await,
            }
        })
    }

    /// Listens for the notifications of other instances until the connection fails.
    ///
    /// # Errors
    ///
    /// Always returns an error: [`Error::Unsupported`] for SQLite, where no notification can come.
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

    /// Distributes the tables of a PostgreSQL database with the Citus extension over its nodes,
    /// while instances use it. Each finished table is reported to `tell`.
    #[must_use]
    pub fn distribute<'a>(
        location: &'a DatabaseLocation,
        tell: ReportWait<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => postgres::Db::distribute(url, tell).await,
                DatabaseLocation::Sqlite(_) => {
                    Err(Error::Unsupported("a SQLite file cannot be distributed".to_owned()))
                }
            }
        })
    }

    /// Returns how a database is distributed, or `None` for SQLite and for PostgreSQL without
    /// Citus.
    #[must_use]
    pub fn distribution(
        location: &DatabaseLocation,
    ) -> BoxFuture<'_, Result<Option<Distribution>>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => postgres::Db::distribution(url).await,
                DatabaseLocation::Sqlite(_) => Ok(None),
            }
        })
    }

    /// Returns all migrations of this program, and whether each has run.
    #[must_use]
    pub fn migrations(location: &DatabaseLocation) -> BoxFuture<'_, Result<Vec<MigrationState>>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => postgres::Db::migrations(url).await,
                DatabaseLocation::Sqlite(file) => sqlite::Db::migrations(file),
            }
        })
    }

    /// Returns the versions of migrations that have run and that this program does not know,
    /// because a newer version of the program ran them.
    #[must_use]
    pub fn unknown_migrations(location: &DatabaseLocation) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async move {
            match location {
                DatabaseLocation::Postgres(url) => postgres::Db::unknown_migrations(url).await,
                DatabaseLocation::Sqlite(file) => sqlite::Db::unknown_migrations(file),
            }
        })
    }
}
