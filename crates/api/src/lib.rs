//! The REST API: the declaration of an operation, the checks that a call goes through, and the
//! operations themselves.

pub mod admission;
pub mod call;
#[cfg(test)]
mod changed_bodies;
pub mod input;
pub mod operation;
pub mod operations;
pub mod registry;
pub mod resources;

pub use resources::{operations, registry};
