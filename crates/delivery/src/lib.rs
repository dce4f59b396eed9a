//! The server: assembles the API, the pages and the reference, and provides the command line.

pub mod channel_webhook;
pub mod checks;
pub mod cli;
pub mod connections;
pub mod demo;
mod doctor;
mod expect;
pub mod log;
pub mod observe;
pub mod output;
mod privacy;
pub mod server;
mod tls;
mod turn_answers;
