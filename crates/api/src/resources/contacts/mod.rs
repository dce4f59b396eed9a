//! The contacts of an organization.

pub mod delete;
pub mod export;
pub mod get;
pub mod list;
pub mod update;
