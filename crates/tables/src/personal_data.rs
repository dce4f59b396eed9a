//! The effect of a contact's deletion on each table (`docs/contract.md#contacts`).
//!
//! Every new table is added to the list. The personal data in a table (texts, names, numbers or
//! files of contacts) is erased in a stage of `workers::contact_deletion`, and
//! `tests/acceptance/contact_deletion.rs` writes a text into the table.

use domain::contact::DeletionStage;

/// The time at which a table's personal data of a deleted contact is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonalData {
    /// The table never has personal data of contacts.
    Never,
    /// In the transaction of the request that deletes the contact.
    AtOnce,
    /// By the worker, in this stage.
    InStage(DeletionStage),
    /// Within a minute or a day: the row is deleted when the work that it is for is done.
    Expires,
}

use DeletionStage::{Answers, Conversation, Events, Files, Messages};
use PersonalData::{AtOnce, Expires, InStage, Never};

/// Every table.
pub const TABLES: &[(&str, PersonalData)] = &[
    ("accounts", Never),
    ("agent_accounts", Never),
    ("agent_cost_limits", Never),
    ("agent_costs", Never),
    ("agent_entries", Never),
    ("agents", Never),
    ("application_events", Never),
    ("applications", Never),
    ("audit_entries", InStage(Messages)),
    ("callbacks", Expires),
    ("codes", Never),
    ("connections", Never),
    ("consents", Never),
    ("contact_deletions", Expires),
    ("contact_numbers", AtOnce),
    ("contacts", AtOnce),
    ("conversation_words", InStage(Conversation)),
    ("conversations", AtOnce),
    ("dead_callbacks", InStage(Conversation)),
    ("endpoint_work", Never),
    ("event_counters", Never),
    ("event_resends", Never),
    ("events", InStage(Events)),
    ("fetches", InStage(Messages)),
    ("first_setup", Never),
    // The notices are encrypted with a key of the member's session.
    ("form_results", Expires),
    ("former_assignees", Never),
    ("handshakes", Never),
    ("idempotency", InStage(Answers)),
    ("inbox_entries", InStage(Conversation)),
    ("inbox_member_settings", Never),
    ("inbox_member_states", InStage(Conversation)),
    ("inbox_positions", Never),
    ("instances", Never),
    ("invitations", Never),
    ("key_uses", Never),
    ("keys", Never),
    ("media", InStage(Files)),
    ("media_owners", InStage(Files)),
    ("members", Never),
    ("memberships", Never),
    ("messages", InStage(Messages)),
    ("notes", InStage(Conversation)),
    ("organization_work", Never),
    ("organizations", Never),
    ("outbox", AtOnce),
    ("outbox_conversations", AtOnce),
    ("password_resets", Never),
    ("plans", Never),
    ("retention_rules", Never),
    ("saved_replies", Never),
    ("scheduled_messages", InStage(Conversation)),
    ("server_keys", Never),
    ("sessions", Never),
    ("template_counts", Never),
    ("templates", Never),
    ("turns", InStage(Conversation)),
    ("usage", Never),
    ("verdicts", Never),
    ("webhook_attempts", InStage(Messages)),
    ("webhook_deliveries", Never),
    ("webhook_endpoints", Never),
    ("webhook_feeds", Never),
    ("word_positions", Never),
    ("write_checks", Never),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement;

    #[test]
    fn every_table_says_what_the_deletion_of_a_contact_does_with_it() {
        let placed: Vec<&str> = placement::TABLES.iter().map(|(name, _)| *name).collect();
        let here: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        assert_eq!(here, placed);
    }
}
