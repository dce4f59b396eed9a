//! How a database is reached: connections, pools, batches, deadlines, locks, and what can go wrong. What is asked of it is
//! in `persistence`.
pub mod batch;
pub mod cached;
pub mod deadline;
mod error;
pub mod folder;
mod location;
pub mod lock;
pub mod migrations;
pub mod postgres;
pub mod prepared;
pub mod sqlite;
pub mod timing;

pub use error::{Error, Result};
pub use location::Location;

/// How anyone who opens a database is told what it waits for.
pub type ReportWait<'a> = &'a (dyn Fn(&str) + Send + Sync);
