//! What happened, to be read (`docs/contract.md#events`).

pub mod list;
