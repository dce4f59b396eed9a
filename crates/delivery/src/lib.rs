//! Switchboard's server: HTTP in, durable messages out.
//!
//! A handler turns wire values into domain values, makes one call into persistence and answers. It
//! holds no rules and no queries.

pub mod admission;
pub mod answer_headers;
pub mod api;
pub mod assets;
pub mod browser;
pub mod call;
pub mod channel_webhook;
pub mod checks;
pub mod cli;
pub mod config;
pub mod connect;
pub mod connections;
pub mod dashboard;
pub mod demo;
pub mod deps;
mod doctor;
mod expect;
pub mod files;
pub mod input;
mod list_headers;
pub mod log;
pub mod observe;
pub mod operation;
pub mod output;
pub mod people;
pub mod problem;
pub mod public_text;
pub mod reference;
pub mod registry;
pub mod request_id;
pub mod server;
