//! The JSON that is spoken outside: what several operations share, messages and templates as they are shown, and
//! events, which `GET /events` and webhooks give alike. Each type brings its schema for the reference, and its way
//! into the domain.

#![warn(missing_docs)]

pub mod account;
pub mod components;
pub mod contact;
pub mod contact_card;
pub mod content;
pub mod event;
pub mod interactive;
pub mod json;
pub mod location;
pub mod message;
pub mod object;
pub mod pagination;
pub mod reaction;
pub mod received;
pub mod revisions;
pub mod sample;
pub mod schema;
pub mod template;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// What is written in an address as it is; all else is escaped (RFC 3986 2.3).
pub const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
