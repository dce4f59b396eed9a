//! Messages: send, send a template, read one.

pub mod accept;
pub mod get;
pub mod read;
pub mod send;
pub mod send_template;
mod variants;
