//! All queries. This module is compiled once for each database; `super::Conn` is the connection of
//! that database.
//!
//! A query that takes an id also takes the organization (or another owner), so that it never finds
//! a row of another tenant.
pub mod account_health;
pub mod accounts;
pub mod agent_costs;
pub mod agent_entries;
pub mod agent_resumes;
pub mod agent_sends;
pub mod agents;
pub mod application_events;
pub mod applications;
mod arrivals;
pub mod assignees;
pub mod audit;
pub mod batches;
pub mod callbacks;
pub mod channel_agents;
pub mod connect;
pub mod contact_changes;
pub mod contact_deletions;
pub mod contact_lists;
mod contact_lookups;
pub mod contacts;
mod conversation_upsert;
pub mod conversation_words;
pub mod conversations;
pub mod dead_callbacks;
pub mod deliveries;
pub mod delivery_lists;
pub mod delivery_settlement;
pub mod endpoint_work;
pub mod endpoints;
mod erasure;
pub mod event_resends;
pub mod events;
pub mod exchanges;
mod feed_ends;
pub mod feeds;
pub mod forms;
pub mod idempotency;
pub mod inbound;
pub mod inbox;
pub mod inbox_events;
pub mod inbox_lists;
pub mod inbox_members;
pub mod inbox_wakes;
pub mod instances;
pub mod invitations;
pub mod key_uses;
pub mod keys;
pub mod listing;
pub mod media;
pub mod member_sends;
pub mod members;
mod merging;
pub mod message_lists;
pub mod messages;
pub mod notes;
pub mod organizations;
pub mod outbox;
mod owners;
pub mod password_resets;
pub mod preferences;
pub mod recipient_reports;
pub mod retention;
pub mod retention_rules;
pub mod revisions;
pub mod saved_replies;
pub mod scheduled;
pub mod server_keys;
pub mod sessions;
pub mod settlement;
pub mod template_lists;
pub mod templates;
pub mod turns;
pub mod usage;
pub mod work;
pub mod write_checks;

use super::contacts::{contacts_at, contacts_by_id};
use super::inbox::{inbox_entries_of, insert_words, newest_turns_of};
use super::outbox::{first_waiting, record_channel_ids, waiting_conversations};
use super::{
    Backend, Conn, Rows, RunQueryDsl, SharedConn, Transactional, allow_long, insert_events,
    inserts, listed,
};
