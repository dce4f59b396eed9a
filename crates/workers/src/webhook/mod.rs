//! Delivers events to webhook endpoints (`docs/contract.md#webhooks`). First the events are matched
//! with endpoints, then they are delivered, each at least once. The order of delivery is not
//! guaranteed; `sequence` gives the order of events.

mod attempt;
mod fan_out;
mod lane;
mod send;
mod turn;

pub use fan_out::{round as fan_out_round, step as fan_out};
pub use lane::LANES;
pub use send::{run, step as send};
