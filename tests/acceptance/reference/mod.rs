//! The reference: what it says is so (`docs/contract.md#reference-documents`).

mod clients;
mod coverage;
mod examples;
mod forms;
mod fuzzing;
mod provoked;
mod samples;
mod stage;
