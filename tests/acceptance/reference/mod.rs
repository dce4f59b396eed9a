//! The reference matches the server (`docs/contract.md#reference-documents`).

mod clients;
mod coverage;
mod example_world;
mod examples;
mod forms;
mod fuzzing;
mod provoked;
mod samples;
