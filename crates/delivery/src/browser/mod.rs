//! What pages have in common: who is looking, what a form may do, and how a page is sent.

mod cookies;
mod field_errors;
mod form;
mod last_organization;
mod origin;
mod page;
mod return_to;
mod visitor;

pub use cookies::cookie;
pub use field_errors::FieldErrors;
pub use form::{Form, Unwanted};
pub use last_organization::{last_organization, remember_organization};
pub use origin::{FORWARDING, caller, is_trusted};
pub use page::{
    Alone, Failed, Message, POLICY, SignInFirst, expired_form, form_only, message, redirect, refuse,
};
pub use return_to::{ReturnTo, SUBMITTED_TO, TYPED};
pub use visitor::{SIGN_IN, Visitor};
