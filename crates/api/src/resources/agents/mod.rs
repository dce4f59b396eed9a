//! AI agents.

pub mod test;
