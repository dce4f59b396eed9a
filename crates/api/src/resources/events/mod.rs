//! Reading events (`docs/contract.md#events`).

pub mod list;
