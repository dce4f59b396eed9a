//! The contacts of an organization.

pub mod get;
pub mod list;
