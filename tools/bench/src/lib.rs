//! Measurements of the server, and databases that are filled for them.
//!
//! The server and its command line run as separate programs, so that the measurements show what
//! operators run. Ids and rows have the types of the project's crates.

#![expect(clippy::must_use_candidate, reason = "only the programs of this workspace call it")]

pub mod client;
pub mod fill;
pub mod growth;
pub mod instructions;
pub mod load;
pub mod member;
pub mod meta;
