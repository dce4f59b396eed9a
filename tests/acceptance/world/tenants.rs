//! Checks every statement of every test: a statement on a table that is distributed by tenant must
//! name the tenant.

use parking_lot::Mutex;
use persistence::placement::{Placement, TABLES};
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Statements that may cover all tenants: a part of the statement's text, and the reason.
const ABOUT_ALL: [(&str, &str); 48] = [
    ("FROM turns WHERE (turns.due_at IS NOT NULL)", "a metric"),
    ("FROM turns WHERE (turns.due_at <=", "which agents are to be asked"),
    ("FROM turns WHERE ((turns.due_at <=", "which agents are to be asked, except busy ones"),
    ("DELETE FROM turns WHERE (organization_id, id) IN (SELECT ", "retention"),
    ("FROM (agents INNER JOIN organizations ON ", "`switchboard admin agent list`"),
    ("FROM organization_work WHERE (((organization_work.kind =", "whose work is due"),
    ("FROM templates WHERE (templates.submission_due_at <=", "whose work is due"),
    ("FROM fetches WHERE (((fetches.due_at >=", "whose work is due"),
    ("FROM contact_deletions WHERE (contact_deletions.due_at <=", "whose work is due"),
    ("FROM former_assignees ORDER BY", "whose conversations are to be unassigned"),
    ("FROM retention_rules ORDER BY", "whose messages are erased after some days"),
    ("FROM (event_counters LEFT OUTER JOIN word_positions ON ", "whose search is behind"),
    ("FROM endpoint_work WHERE (((endpoint_work.due_at IS NOT NULL)", "whose work is due"),
    ("FROM endpoint_work WHERE (endpoint_work.due_at IS NOT NULL)", "a metric"),
    (
        "webhook_endpoints.owner_id = endpoint_work.owner_id))) WHERE (((endpoint_work.due_at",
        "whose work is due",
    ),
    (
        "FROM endpoint_work WHERE ((endpoint_work.claimed_until IS NOT NULL) AND ",
        "a server is gone",
    ),
    ("WHERE (endpoint_work.claimed_until IS NOT NULL)", "a server is gone"),
    ("WHERE (endpoint_work.endpoint_id ", "of several owners, where there is one node"),
    ("WHERE (((endpoint_work.endpoint_id ", "of several owners, where there is one node"),
    ("WHERE ((((endpoint_work.endpoint_id ", "of several owners, where there is one node"),
    (
        "FROM (outbox_conversations INNER JOIN accounts ON ",
        "numbers for which messages wait, once a minute",
    ),
    ("WHERE (organization_work.claimed_by = ", "a server is gone"),
    ("WHERE (organization_work.claimed_by IS NOT NULL)", "a server is gone"),
    ("WHERE ((fetches.claimed_by IS NOT NULL) AND ", "a server is gone"),
    ("(templates.submission_claimed_by IS NOT NULL)) AND ", "a server is gone"),
    ("FROM (event_counters LEFT OUTER JOIN inbox_positions ON ", "whose inbox is behind"),
    ("FROM inbox_entries WHERE ((inbox_entries.snoozed_until <= ", "whose snooze is over"),
    ("FROM inbox_entries WHERE (inbox_entries.agent_paused_until <= ", "whose pause is over"),
    (
        "FROM inbox_entries WHERE (inbox_entries.window_closing_at <= ",
        "whose window is about to close",
    ),
    ("SELECT COUNT(*), min(outbox.accepted_at) FROM outbox", "a metric"),
    ("FROM ((((webhook_feeds INNER JOIN webhook_endpoints ON ", "whose events are to be told"),
    ("FROM webhook_feeds WHERE (webhook_feeds.endpoint_id", "an endpoint is told of many"),
    ("FROM webhook_feeds WHERE ((webhook_feeds.endpoint_id", "an endpoint is told of many"),
    ("SELECT count(*) AS count FROM ", "`switchboard doctor`"),
    ("FROM media WHERE ((media.state = 'arriving')", "retention"),
    ("FROM webhook_deliveries WHERE (((webhook_deliveries.owner_id ", "retention"),
    ("FROM event_counters WHERE ((SELECT events.at ", "retention"),
    ("DELETE FROM webhook_feeds WHERE (organization_id, id) IN (SELECT ", "retention"),
    ("SELECT webhook_feeds.connection_id FROM webhook_feeds", "retention"),
    ("DELETE FROM audit_entries WHERE (organization_id, id) IN (SELECT ", "retention"),
    ("DELETE FROM scheduled_messages WHERE (organization_id, id) IN (SELECT ", "retention"),
    ("DELETE FROM verdicts WHERE (organization_id, id) IN (SELECT ", "retention"),
    ("DELETE FROM agent_costs WHERE (organization_id, month, agent_id) IN (SELECT ", "retention"),
    ("DELETE FROM usage WHERE (((usage.organization_id ", "retention"),
    ("DELETE FROM idempotency WHERE (owner_id, key_id, path, idempotency_key) IN (", "retention"),
    (
        "usage.organization_id = ANY(SELECT keys.organization_id FROM keys",
        "with the key, on one node",
    ),
    (
        "usage.organization_id IN (SELECT keys.organization_id FROM keys",
        "with the key, on one node",
    ),
    ("LEFT OUTER JOIN usage ON ", "with the key, on SQLite"),
];

static SEEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
static VIOLATIONS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Fails the test, when it is dropped, if a statement did not name its tenants.
pub struct Check;

impl Drop for Check {
    fn drop(&mut self) {
        let violations = VIOLATIONS.lock();
        let all: Vec<_> = violations.iter().map(String::as_str).collect();
        assert!(
            all.is_empty() || std::thread::panicking(),
            "{} statements do not name their tenants:\n{}",
            all.len(),
            all.join("\n")
        );
    }
}

/// Checks one statement. A text with several statements is a migration and is not checked.
pub fn check(statement: &str) {
    let is_one = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        .iter()
        .any(|verb| statement.trim_start().starts_with(verb) && !statement.contains(';'));
    if !is_one {
        return;
    }
    let is_new = SEEN.lock().insert(statement.to_owned());
    if is_new && !names_tenants(statement) {
        let mut violations = VIOLATIONS.lock();
        violations.insert(statement.trim().to_owned());
    }
}

fn names_tenants(statement: &str) -> bool {
    let text = statement.replace(['"', '`'], "");
    if ABOUT_ALL.iter().any(|(part, _)| text.contains(part)) {
        return true;
    }
    let text = text.to_lowercase();
    let words = words(&text);
    let mentioned = TABLES.iter().filter_map(|(table, placement)| match placement {
        Placement::Tenant(column) if is_mentioned(&words, table) => Some((*table, *column)),
        _ => None,
    });
    let mentioned: Vec<_> = mentioned.collect();
    mentioned.is_empty()
        || (mentioned.iter().all(|(table, column)| is_bound(&words, table, column))
            && mentioned.iter().any(|(_, column)| is_given(&words, column)))
}

/// Splits a statement into names (with the table before the dot), placeholders and single
/// characters.
fn words(text: &str) -> Vec<&str> {
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | '$' | '?');
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|it| !is_word(it)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

fn is_mentioned(words: &[&str], table: &str) -> bool {
    let mut introduces = false;
    for word in words {
        if introduces && *word == table {
            return true;
        }
        introduces = matches!(*word, "from" | "join" | "update" | "into" | "using")
            || (introduces && *word == "(");
    }
    false
}

/// Returns the columns that an `INSERT` writes into a table.
fn inserted<'text>(words: &'text [&'text str], table: &str) -> Option<&'text [&'text str]> {
    let into = words.windows(3).position(|it| it[0] == "into" && it[1] == table && it[2] == "(")?;
    let columns = words.get(into + 3..)?;
    columns.split(|it| *it == ")").next()
}

/// Returns what the wanted columns are compared with by `=`.
fn compared<'text>(words: &[&'text str], is_wanted: impl Fn(&str) -> bool) -> Vec<&'text str> {
    let equalities = words.windows(3).filter(|it| it[1] == "=");
    let others = equalities.filter_map(|it| match (is_wanted(it[0]), is_wanted(it[2])) {
        (true, _) => Some(it[2]),
        (_, true) => Some(it[0]),
        _ => None,
    });
    others.collect()
}

/// Returns whether the statement writes the table's tenant, or compares it with a value or with
/// another table's column.
fn is_bound(words: &[&str], table: &str, column: &str) -> bool {
    if let Some(columns) = inserted(words, table) {
        return columns.contains(&column);
    }
    let is_tenant = |word: &str| word == column || word == format!("{table}.{column}");
    let others = compared(words, is_tenant);
    others.iter().any(|it| is_value(it) || it.contains('.'))
}

/// Returns whether the statement writes a tenant, or compares the tenant of any table with a value.
fn is_given(words: &[&str], column: &str) -> bool {
    let is_tenant = |word: &str| word.rsplit('.').next() == Some(column);
    words.contains(&"into") || compared(words, is_tenant).iter().any(|it| is_value(it))
}

fn is_value(word: &str) -> bool {
    word.starts_with(['$', '?'])
}

#[cfg(test)]
mod tests {
    use super::names_tenants;

    #[test]
    fn a_tenant_is_named_by_a_value_or_by_another_table_that_names_it() {
        for named in [
            "SELECT * FROM `messages` WHERE (`messages`.`organization_id` = ?) AND `id` = ?",
            "INSERT INTO \"messages\" (\"organization_id\", \"id\") VALUES ($1, $2)",
            "SELECT * FROM (outbox INNER JOIN messages ON messages.organization_id = outbox.organization_id) \
             WHERE outbox.organization_id = $1",
            "DELETE FROM accounts WHERE id = $1",
        ] {
            assert!(names_tenants(named), "{named}");
        }
        for unnamed in [
            "SELECT * FROM messages WHERE id = $1",
            "SELECT * FROM (outbox INNER JOIN messages ON messages.id = outbox.message_id) \
             WHERE outbox.organization_id = $1",
            "UPDATE messages SET status = $1 WHERE organization_id IN ($2, $3)",
            "INSERT INTO messages (id) VALUES ($1)",
            "SELECT * FROM events WHERE events.organization_id = event_counters.organization_id",
        ] {
            assert!(!names_tenants(unnamed), "{unnamed}");
        }
    }
}
