//! Tells endpoints of events (`docs/contract.md#webhooks`): first it is looked which events are for whom, then these
//! are delivered, each at least once. Their order is not guaranteed; `sequence` gives it.

mod attempt;
mod fan_out;
mod lane;
mod send;
mod turn;

pub use attempt::{body, secrets_of};
pub use fan_out::{round as fan_out_round, step as fan_out};
pub use lane::LANES;
pub use send::{run, step as send};
