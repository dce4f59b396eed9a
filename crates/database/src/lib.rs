//! Access to a database: connections, pools, batches, deadlines, locks and errors. The queries are
//! in `persistence`.
pub mod batch;
pub mod cached;
pub mod certificates;
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
pub use location::DatabaseLocation;

/// A function that is called with a description of what opening a database waits for.
pub type ReportWait<'a> = &'a (dyn Fn(&str) + Send + Sync);
