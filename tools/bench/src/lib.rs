//! Measurements of the server, and databases that are filled for them.
//!
//! The server and its command line run as programs of their own, so that what is measured is what
//! operators run. Ids and rows are those of the project's crates.

#![expect(clippy::must_use_candidate, reason = "only the programs of this workspace call it")]

pub mod client;
pub mod fill;
pub mod growth;
pub mod instructions;
pub mod load;
pub mod member;
pub mod meta;
