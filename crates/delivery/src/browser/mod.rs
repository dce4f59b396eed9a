//! What pages have in common: who is looking, what a form may do, and how a page is sent.

mod form;
mod origin;
mod page;
mod visitor;

pub use form::{Form, Unwanted};
pub use origin::caller;
pub use page::{Alone, Failed, Message, POLICY, message, redirect};
pub use visitor::Visitor;
