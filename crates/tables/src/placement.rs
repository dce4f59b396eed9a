//! The placement of each table in a distributed PostgreSQL (`docs/scale.md`). Tables that grow with
//! traffic are distributed by tenant: their keys contain the tenant column, and every statement on
//! them names it.

use uuid::Uuid;

/// The nodes that have the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Each row is on the node of its tenant. The field is the name of the column with the tenant.
    Tenant(&'static str),
    /// All nodes: the rows are few and seldom change.
    EveryNode,
    Coordinator,
}

use Placement::{Coordinator, EveryNode, Tenant};

/// The tenant is an organization.
const ORGANIZATION: Placement = Tenant("organization_id");
/// The tenant is an organization or an application.
const OWNER: Placement = Tenant("owner_id");

/// The placement of every table.
pub const TABLES: &[(&str, Placement)] = &[
    ("accounts", EveryNode),
    ("agent_accounts", ORGANIZATION),
    ("agent_cost_limits", ORGANIZATION),
    ("agent_costs", ORGANIZATION),
    ("agent_entries", ORGANIZATION),
    ("agents", ORGANIZATION),
    ("application_events", OWNER),
    ("applications", EveryNode),
    ("audit_entries", ORGANIZATION),
    // A callback's tenant is unknown until the callback is parsed.
    ("callbacks", Coordinator),
    ("codes", Coordinator),
    ("connections", EveryNode),
    ("consents", Coordinator),
    ("contact_deletions", ORGANIZATION),
    ("contact_numbers", ORGANIZATION),
    ("contacts", ORGANIZATION),
    ("conversation_words", ORGANIZATION),
    ("conversations", ORGANIZATION),
    ("dead_callbacks", Coordinator),
    // These columns of an endpoint change with each delivery. Its other columns are in
    // `webhook_endpoints`, on every node.
    ("endpoint_work", OWNER),
    ("event_counters", ORGANIZATION),
    ("event_resends", ORGANIZATION),
    ("events", ORGANIZATION),
    ("fetches", ORGANIZATION),
    ("first_setup", Coordinator),
    ("form_results", Coordinator),
    ("former_assignees", ORGANIZATION),
    ("handshakes", Coordinator),
    ("idempotency", OWNER),
    ("inbox_entries", ORGANIZATION),
    ("inbox_member_settings", ORGANIZATION),
    ("inbox_member_states", ORGANIZATION),
    ("inbox_positions", ORGANIZATION),
    ("instances", Coordinator),
    // An invitation is found by its secret alone.
    ("invitations", Coordinator),
    ("key_uses", ORGANIZATION),
    ("keys", EveryNode),
    ("media", ORGANIZATION),
    // A file is found by its id alone, so its id is the tenant.
    ("media_owners", Tenant("media_id")),
    ("members", EveryNode),
    ("memberships", EveryNode),
    ("messages", ORGANIZATION),
    ("notes", ORGANIZATION),
    ("organization_work", ORGANIZATION),
    ("organizations", EveryNode),
    ("outbox", ORGANIZATION),
    ("outbox_conversations", ORGANIZATION),
    ("password_resets", Coordinator),
    ("plans", EveryNode),
    ("retention_rules", ORGANIZATION),
    ("saved_replies", ORGANIZATION),
    ("scheduled_messages", ORGANIZATION),
    ("server_keys", EveryNode),
    ("sessions", Coordinator),
    ("template_counts", ORGANIZATION),
    ("templates", ORGANIZATION),
    ("turns", ORGANIZATION),
    ("usage", ORGANIZATION),
    ("verdicts", ORGANIZATION),
    ("webhook_attempts", OWNER),
    ("webhook_deliveries", OWNER),
    ("webhook_endpoints", EveryNode),
    ("webhook_feeds", ORGANIZATION),
    ("word_positions", ORGANIZATION),
    ("write_checks", Coordinator),
];

/// Returns the placement of the table with this name.
#[must_use]
pub fn placement(table: &str) -> Option<Placement> {
    TABLES.iter().find(|(name, _)| *name == table).map(|(_, placement)| *placement)
}

/// A foreign key between two distributed tables. It is dropped before the first of them is
/// distributed, and created again after both are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The referencing table.
    pub from: &'static str,
    /// The referenced table.
    pub to: &'static str,
    /// The name of the constraint.
    pub name: &'static str,
    /// The definition, as `pg_get_constraintdef` prints it.
    pub definition: &'static str,
}

/// All foreign keys between distributed tables.
pub const REFERENCES: [ForeignKey; 2] = [
    ForeignKey {
        from: "verdicts",
        to: "templates",
        name: "verdicts_template_id_organization_id_fkey",
        definition: "FOREIGN KEY (template_id, organization_id) REFERENCES templates(id, organization_id)",
    },
    ForeignKey {
        from: "webhook_attempts",
        to: "webhook_deliveries",
        name: "webhook_attempts_delivery_id_owner_id_fkey",
        definition: "FOREIGN KEY (delivery_id, owner_id) REFERENCES webhook_deliveries(id, owner_id) ON DELETE CASCADE",
    },
];

/// Computes PostgreSQL's `uuid_hash`, with which Citus chooses a tenant's shard. The algorithm is
/// Bob Jenkins' lookup3 (`src/common/hashfn.c`) over the id's 16 bytes.
#[must_use]
pub fn hash(tenant: &Uuid) -> i32 {
    // The four words of the id, each in little-endian order.
    let (first, second, third, &[l0, l1, l2, l3, e0, e1, e2, e3]) = tenant.as_fields();
    let (last, end) = (u32::from_le_bytes([l0, l1, l2, l3]), u32::from_le_bytes([e0, e1, e2, e3]));
    let (second, third) = (u32::from(second.swap_bytes()), u32::from(third.swap_bytes()));
    let start = 0x9e37_79b9_u32.wrapping_add(16).wrapping_add(3_923_095);
    let mut a = start.wrapping_add(first.swap_bytes());
    let mut b = start.wrapping_add(second | third << 16);
    let mut c = start.wrapping_add(last);
    for by in [4, 6, 8, 16, 19, 4] {
        a = a.wrapping_sub(c) ^ c.rotate_left(by);
        c = c.wrapping_add(b);
        (a, b, c) = (b, c, a);
    }
    a = a.wrapping_add(end);
    for by in [14, 11, 25, 16, 4, 14, 24] {
        c = (c ^ b).wrapping_sub(b.rotate_left(by));
        (a, b, c) = (b, c, a);
    }
    b.cast_signed()
}
