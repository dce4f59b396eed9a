//! JSON types of the public API: the types that several operations share, messages, templates, and
//! events, which are the same in `GET /events` and in webhooks. Each type has its schema for the
//! reference, and its conversion to or from the domain.

#![warn(missing_docs)]

pub mod account;
pub mod agent_turn;
pub mod components;
pub mod contact;
pub mod contact_card;
pub mod content;
pub mod conversation;
pub mod event;
pub mod interactive;
pub mod json;
pub mod location;
pub mod message;
pub mod object;
pub mod pagination;
pub mod reaction;
pub mod revisions;
pub mod sample;
pub mod send;
pub mod send_examples;
pub mod template;

pub use persistence::content::schema;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// Characters to escape in a part of a URL: all except the unreserved ones of RFC 3986 section 2.3.
pub const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
