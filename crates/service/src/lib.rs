//! The use cases of the product, and the background workers.
//!
//! The API's operations, the pages and the command line call this crate. It knows nothing of HTTP
//! requests, pages or terminals. Rules are in `domain` and `auth`, queries in `persistence`.

pub mod account_health;
pub mod accounts;
pub mod admin;
pub mod applications;
pub mod callbacks;
pub mod clock;
pub mod connect;
pub mod connections;
pub mod contacts;
pub mod conversations;
pub mod credentials;
pub mod deps;
pub mod endpoints;
pub mod entropy;
pub mod error_chain;
pub mod events;
pub mod files;
pub mod forms;
pub mod handshake_log;
pub mod held_numbers;
pub mod idempotency;
pub mod in_flight;
pub mod keys;
pub mod lease;
pub mod ledger;
pub mod login_throttle;
pub mod media;
pub mod number_channels;
pub mod outbound;
pub mod paces;
pub mod password_reset;
pub mod readiness;
pub mod reads;
pub mod receipts;
pub mod report_queue;
pub mod sealing;
pub mod sending;
pub mod sessions;
pub mod settings;
pub mod templates;
pub mod usage;
pub mod windows;
pub mod worker;

pub use deps::Deps;
