//! Accounts: the numbers of the business (`docs/contract.md#numbers`).

pub mod list;
