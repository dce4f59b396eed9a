//! Wire types that several operations share, and their way into the domain.

pub mod components;
pub mod content;
pub mod interactive;
pub mod message;
pub mod object;
pub mod pagination;
pub mod template;
