//! The use cases of the product.
//!
//! The API's operations, the pages, the command line and the background workers call this crate. It
//! does not depend on HTTP requests, pages or terminals. Rules are in `domain` and `auth`, queries
//! in `persistence`.
//!
//! A use case is a function of the dependencies, of the organization or the `persistence::Reader`
//! of it, and of what is asked for: `keys::create(deps, organization, new)`. One that the operators'
//! commands call, too, takes `platform::BaseDeps`, which exist without a running server.
//!
//! Two types stay types, because they carry who acts. An [`actor::Actor`] is a member with a role:
//! its methods check the role and write the audit log. An [`admin::Admin`] is an operator, who may
//! do everything.

pub mod account_health;
pub mod accounts;
pub mod actor;
pub mod admin;
pub mod agent_entries;
pub mod agents;
pub mod applications;
pub mod asking;
pub mod audit;
pub mod callbacks;
pub mod connect;
pub mod connections;
pub mod contact_export;
pub mod contacts;
pub mod conversations;
pub mod credentials;
pub mod endpoints;
pub mod events;
pub mod forms;
pub mod handshake_log;
pub mod idempotency;
pub mod inbox;
pub mod invitations;
pub mod keys;
pub mod media;
pub mod messages;
pub mod numbers;
pub mod overview;
pub mod password_reset;
pub mod readiness;
pub mod receipts;
pub mod rehearsals;
pub mod retention;
pub mod sandbox;
pub mod saved_replies;
pub mod sending;
pub mod sessions;
pub mod setup;
pub mod templates;
pub mod turns;
pub mod usage;
pub mod visibility;
pub mod webhook_signatures;
