//! Creating and reading templates (`docs/contract.md#manage-templates`).

pub mod create;
pub mod get;
pub mod list;
