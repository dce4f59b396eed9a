//! What Switchboard does: the use cases, and the workers behind them.
//!
//! The API's operations, the pages and the command line call what is here; it knows nothing of HTTP requests, pages or
//! terminals. Rules are in `domain` and `auth`, queries in `persistence`.

pub mod admin;
pub mod clock;
pub mod connections;
pub mod deps;
pub mod endpoints;
pub mod entropy;
pub mod error_chain;
pub mod files;
pub mod handshake_log;
pub mod in_flight;
pub mod lease;
pub mod login_throttle;
pub mod media;
pub mod outbound;
pub mod reads;
pub mod sealing;
pub mod sending;
pub mod settings;
pub mod templates;
pub mod windows;
pub mod worker;

pub use deps::Deps;
