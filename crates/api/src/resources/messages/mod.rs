//! Messages: sending them, reading one, and marking one as read.

pub mod accept;
pub mod get;
pub mod read;
pub mod send;
pub mod send_template;
mod variants;
