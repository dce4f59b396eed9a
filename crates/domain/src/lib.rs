//! Rules and state machines of the product.
//!
//! The functions of this crate are pure: they do not wait, read a clock or draw random numbers. The
//! current time (`now`), new ids and random numbers are arguments. The crate knows no database and
//! no wire format. `parse` functions create values from input and check the rules. `stored`
//! functions create values from the database, and most of them do not check the rules again.

pub mod acceptance;
pub mod account;
pub mod agent;
pub mod application;
pub mod callback;
pub mod clock;
pub mod connection;
pub mod contact;
pub mod content;
pub mod conversation;
pub mod email;
pub mod emoji;
pub mod endpoint;
pub mod event;
pub mod id;
pub mod inbound;
pub mod inbox;
pub mod instance;
mod invisible;
pub mod key;
pub mod keyword;
pub mod location;
pub mod media;
pub mod mention;
pub mod message;
pub mod name;
pub mod number;
pub mod opt_out;
pub mod phone;
pub mod plan;
pub mod recent_events;
pub mod retry;
pub mod revision;
pub mod role;
pub mod saved_reply;
pub mod scope;
pub mod template;
pub mod time;
pub mod violation;
pub mod webhook;
pub mod words;
