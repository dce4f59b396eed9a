//! Services that use cases and workers build on: clock, randomness, files, outbound calls, sealing,
//! rate limits and counters.
//!
//! [`Deps`] holds all of these. None of them is a use case.

pub mod account_channels;
pub mod callback_queue;
pub mod channel_client;
pub mod clock;
pub mod counters;
pub mod deps;
pub mod entropy;
pub mod error_chain;
pub mod export_limiter;
pub mod files;
pub mod held_accounts;
pub mod in_flight;
pub mod inbox_turns;
pub mod instance_claims;
pub mod login_throttle;
pub mod opt_out_words;
pub mod outbound;
pub mod rate_limit;
pub mod read_limiter;
pub mod sealing;
pub mod send_rate;
pub mod settings;
pub mod time_zone;
pub mod usage_counter;

pub use deps::{BaseDeps, Deps};
