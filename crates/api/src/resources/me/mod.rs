//! Current key, and ending a connection (`docs/contract.md#current-key`).

pub mod delete;
pub mod get;
