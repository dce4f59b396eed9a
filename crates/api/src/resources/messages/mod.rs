//! Messages: sending them, listing and reading them, and marking one as read.

pub mod accept;
pub mod batch;
pub mod cancel;
pub mod get;
pub mod list;
pub mod list_scheduled;
pub mod read;
pub mod send;
pub mod send_template;
