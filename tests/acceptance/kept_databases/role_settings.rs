//! An upgrade by a role with the time limits that `docs/deploy/pgbouncer.md` sets for requests.

use super::{restore, versions};
use crate::operators::{Output, run};
use std::time::Duration;

/// Counts the backends that have waited for a lock longer than the role's time limit of a
/// statement.
const WAITING: &str = "SELECT count(*) AS number FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock' \
    AND clock_timestamp() - query_start > '2.5 s'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_of_the_role_do_not_end_a_migration() {
    // Given a database of an earlier version, whose role has time limits,
    let (database, _) = restore(&versions()[0], "postgres").await;
    let mut beside = database.beside().await;
    for setting in [
        "statement_timeout = '1s'",
        "lock_timeout = '1s'",
        "idle_in_transaction_session_timeout = '1s'",
        "enable_seqscan = off",
    ] {
        let set = "DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I SET";
        let of = "', current_user, current_database()); END $$";
        beside.execute(&format!("{set} {}{of}", setting.replace('\'', "''"))).await;
    }

    // when a migration takes longer than the limits, because somebody reads a table that it
    // changes,
    let mut reader = database.beside().await;
    let read =
        "SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK messages IN ACCESS SHARE MODE";
    reader.execute(read).await;
    let arguments = ["migrate", "run", "--database-url", &database.url];
    let migrating = run(database.folder.path(), &arguments, &[]);
    let reading = async {
        while beside.number(WAITING).await == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: PostgreSQL's limits go by it
        }
        reader.execute("COMMIT").await;
    };
    let migrated = async {
        tokio::pin!(migrating, reading);
        tokio::select! {
            said = &mut migrating => return said,
            () = &mut reading => {}
        }
        migrating.await
    };
    let said: Output = migrated.await;

    // then the limits do not end the migration, and the log does not say that it waits for
    // somebody.
    assert!(!said.err.contains("still waiting"), "{}", said.err);
    said.succeeded();
}
