//! Who is calling, and handing a connection back (`docs/contract.md#current-key`).

pub mod delete;
pub mod get;
