//! The measurement of each row.

pub mod beside_members;
pub mod beside_streams;
pub mod beside_turns;
pub mod callbacks;
pub mod end_to_end;
pub mod idle;
pub mod latency;
pub mod memory;
pub mod reads;
pub mod refusals;
pub mod sends;
pub mod start;
mod steady;
mod target;
pub mod token;
pub mod webhooks;
