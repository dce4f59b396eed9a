//! The reference: what it says is so (`service.md` 4.9, `contract.md` 8).

mod clients;
mod coverage;
mod examples;
mod forms;
mod fuzzing;
mod provoked;
mod samples;
mod stage;
