//! The sandbox: acting as the customer of a sandbox number.

pub mod inbound;
