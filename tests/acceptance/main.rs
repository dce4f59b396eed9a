//! Acceptance tests. Each test starts a real server with its own database, once on SQLite and once
//! on PostgreSQL, and drives it over HTTP. The test moves the server's clock.
//!
//!
//! Run them with `cargo xtask test`, which starts the programs that they need.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a story that meets something unexpected is to stop there"
)]

mod accounts;
mod agent_answers;
mod agents;
mod backup;
mod bad_input;
mod billing;
mod browser;
mod ceilings;
mod client_commands;
mod clock_steps;
mod closing_windows;
mod cloud;
mod cloud_callbacks;
mod cloud_dead_letters;
mod cloud_health;
mod cloud_held_numbers;
mod cloud_inbound;
mod cloud_media;
mod cloud_outage;
mod cloud_pacing;
mod cloud_preferences;
mod cloud_sending;
mod cloud_template_updates;
mod cloud_templates;
mod cloud_unreadable;
mod connect;
mod contact_changes;
mod contact_deletion;
mod contacts;
mod conversations;
mod crashes;
mod credentials;
mod dashboard;
mod deploy;
mod disk_full;
mod events;
mod expect_continue;
mod failover;
mod first_run;
mod guides;
mod handover;
mod heads;
mod history;
mod housekeeping;
mod idempotency;
mod identity;
mod inbox_search;
mod kept_databases;
mod media_broken_off;
mod media_crashes;
mod media_files;
mod media_input;
mod media_s3;
mod media_serving;
mod media_upload;
mod members;
mod message_batches;
mod message_lists;
mod message_retention;
mod messages;
mod metrics;
mod monitoring;
mod names;
mod operators;
mod opting_out;
mod outbound_proxies;
mod packaged_clients;
mod placement;
mod postgres_tls;
mod process_memory;
mod query_plans;
mod rate_limit;
mod rate_limit_outage;
mod rate_limit_shared;
mod rate_limit_tls;
mod read_receipts;
mod received;
mod recipients;
mod reference;
mod retention;
mod sandbox;
mod sandbox_inbound;
mod scheduled_messages;
mod secrets;
mod sending;
mod sent_faults;
mod sent_types;
mod silent_clients;
mod silent_database;
mod simulation;
mod slow_bodies;
mod standby;
mod start_checks;
mod start_checks_bucket;
mod starting;
mod template_changes;
mod template_components;
mod template_creation;
mod template_filling;
mod template_input;
mod template_lint;
mod template_listing;
mod template_review;
mod template_variables;
mod templates;
mod tenants;
mod twilio;
mod twilio_callbacks;
mod twilio_crashes;
mod twilio_templates;
mod unreadable_rows;
mod webhooks;
mod world;
