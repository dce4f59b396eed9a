//! The contacts of an organization.

pub mod delete;
pub mod get;
pub mod list;
pub mod update;
