//! Tells endpoints of events (`docs/contract.md#webhooks`): first it is looked which events are for whom, then these
//! are delivered, each at least once. Their order is not promised; `sequence` tells it.

mod attempt;
mod look;
mod send;

pub use attempt::{body, secrets_of};
pub use look::step as look;
pub use send::{LANES, run, step as send};
