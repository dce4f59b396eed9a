//! Records the SQL statements of the server, and asks the database for their query plans.

use super::database::DirectConnection;
use super::tenants;
use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use diesel::prelude::*;
use diesel::sql_types::Text;
use parking_lot::Mutex;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// With this statement a connection to SQLite asks for the number of changed rows. It reads nothing,
/// so it is not recorded.
const CHANGED_ROWS: &str = "SELECT 0";

static STATEMENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static IS_RECORDING: AtomicBool = AtomicBool::new(false);

#[expect(clippy::unnecessary_wraps, reason = "diesel asks for it")]
fn recorder() -> Option<Box<dyn Instrumentation>> {
    Some(Box::new(|event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let statement = query.to_string();
            tenants::check(without_values(&statement));
            let is_counted = without_values(&statement) != CHANGED_ROWS;
            if is_counted && IS_RECORDING.load(Ordering::Relaxed) {
                STATEMENTS.lock().push(statement);
            }
        }
    }))
}

/// Checks the statements of all connections that this process opens from now on: they must name
/// their tenants.
pub fn check_tenants() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_default_instrumentation(recorder).unwrap());
}

/// Records the statements of all connections that this process opens from now on.
pub fn record() {
    check_tenants();
    IS_RECORDING.store(true, Ordering::Relaxed);
}

fn without_values(statement: &str) -> &str {
    statement.split(" -- binds").next().unwrap_or(statement)
}

/// Returns the statements recorded since the last call, without their values and with PostgreSQL's
/// quotation marks.
pub fn taken() -> Vec<String> {
    let statements = std::mem::take(&mut *STATEMENTS.lock());
    statements.iter().map(|it| without_values(it).trim().replace('`', "\"")).collect()
}

#[derive(QueryableByName)]
struct Detail {
    #[diesel(sql_type = Text)]
    detail: String,
}

/// Returns the query plan of a statement as lines, independent of its values.
pub async fn plan(database: &mut DirectConnection, statement: &str) -> Vec<String> {
    match database {
        // SQLite is built so that it plans without looking at values.
        DirectConnection::Sqlite(conn) => {
            let plan = diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}"));
            let plan: Vec<Detail> = plan.load(&mut **conn).unwrap();
            plan.into_iter().map(|it| it.detail).collect()
        }
        DirectConnection::Postgres(client) => {
            let values = (1..100).take_while(|it| statement.contains(&format!("${it}"))).count();
            let values = vec!["NULL"; values].join(", ");
            let prepare = format!(
                "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                 PREPARE planned AS {statement}"
            );
            client.batch_execute(&prepare).await.unwrap();
            let values = if values.is_empty() { values } else { format!("({values})") };
            let plan = format!("EXPLAIN EXECUTE planned{values}");
            let plan = client.query(&plan, &[]).await.unwrap();
            client.batch_execute("DEALLOCATE planned").await.unwrap();
            plan.iter().map(|row| row.get(0)).collect()
        }
    }
}
