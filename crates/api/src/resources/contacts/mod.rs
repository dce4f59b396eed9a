//! The people whom an organization knows.

pub mod get;
pub mod list;
