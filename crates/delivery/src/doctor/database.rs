//! Checks of the database: whether it answers, is up to date, accepts writes, and has the same time
//! as this machine.

use super::{DATABASE_URL, encryption};
use crate::checks::Finding;
use config::Settings;
use domain::time::Timestamp;
use persistence::inspect::inspect;
use persistence::inspection::{ConnectionInspection, Distribution, InspectError, Inspection};
use persistence::{DatabaseLocation, Db};
use platform::clock::{Clock, Stopwatch};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// Clock differences. Above the first one there is a warning, above the second one a failure. The
/// instances of a database coordinate by times of a few seconds.
const CLOCK_APART: Duration = Duration::from_secs(1);
const CLOCK_WRONG: Duration = Duration::from_secs(30);
/// The ratio between the fullest node's share and the average above which there is a warning.
const MUCH: f64 = 1.5;
/// The number of connections that the checks need.
const CONNECTIONS: usize = 2;

/// Inspects the database, and opens it for reading if its schema fits this version's queries.
pub async fn check(settings: &Settings, clock: &Clock) -> (Vec<Finding>, Option<Db>) {
    let location = &settings.database;
    let (watch, before) = (Stopwatch::start(), clock.wall());
    let found = match inspect(location).await {
        Ok(found) => found,
        Err(error) => return (vec![not_inspected(location, &error)], None),
    };
    let mut findings = vec![answers(location, &found)];
    findings.extend(found.link.iter().flat_map(|link| encryption(location, link, before)));
    findings.push(migrations(&found));
    findings.push(write(&found));
    findings.extend(found.distribution.as_ref().map(distribution));
    findings.push(match found.link {
        Some(link) => apart(before, link.clock, watch.elapsed()),
        None => Finding::ok(
            "clock",
            format!("{} by this machine, the only clock there is", clock.wall()),
        ),
    });
    let fits = found.pending.is_empty();
    let db = if fits { Db::attach(location, CONNECTIONS).await.ok() } else { None };
    (findings, db)
}

fn display(location: &DatabaseLocation) -> String {
    match location {
        DatabaseLocation::Sqlite(file) => format!("sqlite:{file}"),
        DatabaseLocation::Postgres(url) => config::without_password(url),
    }
}

/// Returns advice about a file that cannot be opened, depending on the system's error. The owner of
/// the file and of its folder is a separate finding ([`super::owner`]).
fn advice_for_file(opened: &io::Result<File>) -> &'static str {
    match opened {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            "let the file and its folder belong to the user that the server runs as, with the modes 0600 and 0700 (`chown`, `chmod`)"
        }
        _ => {
            "make sure that SWITCHBOARD_DATABASE_URL names a database of Switchboard and that its disk works; if it is damaged, restore a backup"
        }
    }
}

fn not_inspected(location: &DatabaseLocation, error: &InspectError) -> Finding {
    if let (DatabaseLocation::Sqlite(file), InspectError::Unreachable(why)) = (location, error) {
        let opened = File::options().read(true).write(true).open(file);
        let advice = advice_for_file(&opened);
        let mut what = why.clone();
        // SQLite's error text does not contain the system's error.
        if let Err(error) = opened
            && !what.contains(&error.to_string())
        {
            what = format!("{what}: {error}");
        }
        return Finding::failed(DATABASE_URL, what, advice);
    }
    let advice = match error {
        InspectError::NoFile(_) => {
            let advice = "`switchboard serve` creates it; if it should exist already, correct the path (it is relative to the working directory)";
            return Finding::warning(DATABASE_URL, error.to_string(), advice);
        }
        InspectError::Credentials(_) => {
            "correct user and password in SWITCHBOARD_DATABASE_URL (escape special characters as %40 and the like), or the server's pg_hba.conf"
        }
        InspectError::NoDatabase(_) => {
            "create it (`CREATE DATABASE switchboard OWNER switchboard`), or correct the name in SWITCHBOARD_DATABASE_URL"
        }
        InspectError::Unreachable(_) => {
            "make sure that it runs, that host and port in SWITCHBOARD_DATABASE_URL are right, and that no firewall blocks them"
        }
        InspectError::Tls { advice, .. }
        | InspectError::Failed(persistence::Error::Tls { advice, .. }) => advice,
        InspectError::Failed(persistence::Error::Setup { advice, .. }) => advice,
        InspectError::Failed(persistence::Error::Unsupported(_)) => {
            "set max_prepared_statements above 0 in PgBouncer 1.21 or newer, or pool_mode = session, or let SWITCHBOARD_DATABASE_URL lead to PostgreSQL itself"
        }
        InspectError::Failed(_) => "see the database's own log",
    };
    let what = match error {
        InspectError::Failed(
            persistence::Error::Tls { what, .. } | persistence::Error::Setup { what, .. },
        ) => what.clone(),
        error => error.to_string(),
    };
    Finding::failed(DATABASE_URL, format!("{}: {what}", display(location)), advice)
}

fn answers(location: &DatabaseLocation, found: &Inspection) -> Finding {
    let pooled = match found.link {
        Some(ConnectionInspection { pooled: true, .. }) => {
            ", through a pooler that lends connections for a transaction"
        }
        _ => "",
    };
    Finding::ok(DATABASE_URL, format!("{} answers at {}{pooled}", found.version, display(location)))
}

/// Checks that a connection over a network is encrypted.
fn encryption(
    location: &DatabaseLocation,
    link: &ConnectionInspection,
    now: Timestamp,
) -> Vec<Finding> {
    match location {
        DatabaseLocation::Postgres(url) => {
            encryption::check(DATABASE_URL, url, link.encryption, now)
        }
        DatabaseLocation::Sqlite(_) => {
            vec![Finding::ok(DATABASE_URL, "a file needs no encrypted connection")]
        }
    }
}

fn migrations(found: &Inspection) -> Finding {
    if !found.unknown.is_empty() {
        let what = format!(
            "the database has migrations that this version does not know: {}",
            found.unknown.join(", ")
        );
        let advice = "run the version of Switchboard that made them, or a newer one";
        return Finding::failed(DATABASE_URL, what, advice);
    }
    if found.pending.is_empty() {
        return Finding::ok(DATABASE_URL, "all migrations have run");
    }
    let what = format!("migrations have not run yet: {}", found.pending.join(", "));
    let advice =
        "the next start of `switchboard serve` runs them, or `switchboard migrate run` now";
    Finding::warning(DATABASE_URL, what, advice)
}

fn write(found: &Inspection) -> Finding {
    match &found.write {
        Ok(()) => Finding::ok(DATABASE_URL, "it accepts writes (one was tried and undone)"),
        Err(why) => {
            let advice = "make sure that it is not a standby, that its disk is not full, and that this user may write";
            Finding::failed(DATABASE_URL, format!("it accepts no writes: {why}"), advice)
        }
    }
}

/// Checks how the rows are spread over the nodes of a distributed database.
fn distribution(found: &Distribution) -> Finding {
    let what = format!("Citus {} with {} nodes", found.version, found.nodes.len());
    if let Some(node) = found.nodes.iter().find(|node| !node.is_active) {
        let advice =
            "make sure that it runs, and run SELECT citus_activate_node(…) on the coordinator";
        return Finding::failed("nodes", format!("{what}: {} is not in use", node.address), advice);
    }
    if let Some(node) = found.nodes.iter().find(|node| !node.answers) {
        let what = format!("{what}: the coordinator does not reach {}", node.address);
        return Finding::failed("nodes", what, "make sure that PostgreSQL runs there; see its log");
    }
    if !found.begun {
        let advice = "`switchboard migrate distribute` spreads the tables over the nodes";
        return Finding::warning("nodes", format!("{what}: no table is distributed"), advice);
    }
    if !found.left.is_empty() {
        let what = format!("{what}: still to distribute: {}", found.left.join(", "));
        return Finding::warning("nodes", what, "run `switchboard migrate distribute` again");
    }
    let shards: u64 = found.nodes.iter().map(|node| node.shards).sum();
    let (skew, without) = (found.skew(), found.nodes.iter().find(|it| it.is_empty_worker()));
    let what = format!("{what}: {shards} shards, the fullest node has {skew:.1} times the average");
    let advice = "SELECT citus_rebalance_start() on the coordinator moves shards while servers run";
    match without {
        Some(node) => {
            Finding::warning("nodes", format!("{what}; {} has no shard", node.address), advice)
        }
        None if skew > MUCH => Finding::warning("nodes", what, advice),
        None => Finding::ok("nodes", what),
    }
}

/// Compares this machine's clock with the database's clock. `theirs` was read from the database's
/// clock between `before` and `before` plus `took`.
fn apart(before: Timestamp, theirs: Timestamp, took: Duration) -> Finding {
    let (ahead, behind) = (theirs.since(before).saturating_sub(took), before.since(theirs));
    let apart = ahead.max(behind);
    let what = match (ahead.is_zero(), behind.is_zero()) {
        (true, true) => "this machine's and the database's clock agree".to_owned(),
        (false, _) => format!("the database's clock is {} ahead of this machine's", seconds(ahead)),
        (true, false) => {
            format!("the database's clock is {} behind this machine's", seconds(behind))
        }
    };
    let advice = "set both machines' clocks by NTP (`timedatectl` shows whether it is done)";
    match apart {
        apart if apart > CLOCK_WRONG => Finding::failed("clock", what, advice),
        apart if apart > CLOCK_APART => Finding::warning("clock", what, advice),
        _ => Finding::ok("clock", what),
    }
}

fn seconds(apart: Duration) -> String {
    format!("{:.1} s", apart.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::CheckState;

    #[test]
    fn a_file_that_may_not_be_opened_is_a_matter_of_owner_and_mode_and_has_no_port() {
        let advice = |kind: ErrorKind| advice_for_file(&Err(kind.into()));
        assert!(advice(ErrorKind::PermissionDenied).contains("0700"));
        assert!(advice(ErrorKind::IsADirectory).contains("names a database"));
        let location = DatabaseLocation::Sqlite("/".to_owned());
        let found = not_inspected(&location, &InspectError::Unreachable("/: no".to_owned()));
        assert!(!found.advice.contains("port"), "{}", found.advice);
        assert_eq!(found.what, "/: no: Is a directory (os error 21)");
        let again = not_inspected(&location, &InspectError::Unreachable(found.what.clone()));
        assert_eq!(again.what, found.what);
    }

    #[test]
    fn clocks_are_compared_with_what_the_question_took() {
        let (noon, second) = (Timestamp::from_seconds(1_000), Duration::from_secs(1));
        let state = |theirs: i64, took: Duration| {
            apart(noon, Timestamp::from_seconds(1_000 + theirs), took).state
        };
        assert_eq!(state(0, second), CheckState::Ok);
        // The clock was read at the end of that second.
        assert_eq!(state(2, second), CheckState::Ok);
        assert_eq!(state(3, second), CheckState::Warning);
        assert_eq!(state(-2, second), CheckState::Warning);
        assert_eq!(state(40, second), CheckState::Failed);
        assert_eq!(state(-40, second), CheckState::Failed);
    }
}
