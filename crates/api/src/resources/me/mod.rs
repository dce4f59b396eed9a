//! The current key, and the end of its connection (`docs/contract.md#current-key`).

pub mod delete;
pub mod get;
