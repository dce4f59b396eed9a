//! Making templates and reading how they stand (`docs/contract.md#manage-templates`).

pub mod create;
pub mod get;
pub mod list;
