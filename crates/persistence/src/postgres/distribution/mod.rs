//! Distributes a PostgreSQL database with the [Citus](https://www.citusdata.com) extension, table
//! by table while servers use it, and reports its state. Finished work is recognized from the
//! catalog, so an interrupted run can be continued.
mod checks;
mod rules;

use crate::node_shares::{Distribution, NodeShare};

use rules::TRIGGERS;
use std::collections::BTreeMap;
use std::error::Error as _;
use tables::placement::{Placement, REFERENCES, TABLES};
use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

/// The maximum number of rows of a small table, which is copied in less than a second.
const SMALL: u32 = 10_000;
/// The table with which the tables of all tenants are colocated.
const FIRST: &str = "messages";
/// The settings of the session. There are no timeouts, because the time to distribute a table
/// depends on its size. Citus rejects triggers by default. They are allowed here, because the
/// triggers of this database write only rows of the tenant whose row fired them (see `rules`).
const SESSION: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
                       SET citus.multi_shard_modify_mode = 'sequential'; \
                       SET citus.enable_unsafe_triggers = on; SET client_min_messages = warning";
/// The connection timeout of the coordinator when it checks the nodes, in milliseconds.
const CONNECT: &str = "SET citus.node_connection_timeout = 3000";
/// Reads how each table is distributed: `h…` is distributed by hash, `nt` is on every node, and
/// `ns` is on the coordinator only.
const PLACES: &str =
    "SELECT logicalrelid::text, partmethod::text || repmodel::text FROM pg_dist_partition";
const NODES: &str = "SELECT node.nodename || ':' || node.nodeport, node.groupid = 0, node.isactive, \
        count(shard.shardid), coalesce(sum(shard.shard_size), 0)::bigint \
    FROM pg_dist_node AS node LEFT JOIN citus_shards AS shard \
        ON shard.nodename = node.nodename AND shard.nodeport = node.nodeport \
        AND shard.citus_table_type = 'distributed' \
    WHERE node.noderole = 'primary' GROUP BY 1, 2, 3, node.groupid ORDER BY node.groupid";

/// The reason why a database was not distributed, or why its state is unknown.
#[derive(Debug, thiserror::Error)]
pub enum DistributionError {
    /// A requirement is not met. The text says what to do.
    #[error("{0}")]
    Unsupported(String),
    /// PostgreSQL rejected a statement.
    #[error("{0}")]
    Refused(String),
    /// A number in the catalog cannot be parsed.
    #[error("the catalog's figures of a node cannot be read: {0}")]
    Figure(#[from] std::num::ParseIntError),
}

/// The result of a step.
pub type Result<T> = std::result::Result<T, DistributionError>;

/// A callback that is told about each finished table.
pub type ReportProgress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Checks that a database can be distributed.
///
/// # Errors
///
/// [`DistributionError::Unsupported`] if the extension, its version, a node or a setting is not
/// suitable. The text says what to do.
pub async fn check(client: &Client) -> Result<()> {
    checks::all(client).await
}

/// Distributes the tables of a checked database, and reports each finished table. No migration may
/// run at the same time.
pub async fn distribute(client: &Client, tell: ReportProgress<'_>) -> Result<()> {
    execute(client, "the session", SESSION).await?;
    let mut work = DistributionRun { client, places: places(client).await?, tell, done: 0 };
    work.replace_triggers().await?;
    work.drop_references().await?;
    for (table, placement) in TABLES {
        if *placement == Placement::EveryNode {
            work.put_on_every_node(table).await?;
        }
    }
    let first = TABLES.iter().filter(|(table, _)| *table == FIRST);
    for (table, placement) in first.chain(TABLES.iter().filter(|(table, _)| *table != FIRST)) {
        if let Placement::Tenant(column) = placement {
            work.distribute(table, column).await?;
        }
    }
    work.add_references().await
}

/// Returns how a database is distributed, or `None` if the extension is not installed.
pub async fn state(client: &Client) -> Result<Option<Distribution>> {
    let Some(version) = checks::version(client).await? else { return Ok(None) };
    execute(client, "the session", CONNECT).await?;
    let mut nodes = rows(client, NODES).await?.iter().map(node).collect::<Result<Vec<_>>>()?;
    let silent = checks::silent(client).await?;
    for node in &mut nodes {
        node.answers = !silent.contains(&node.address);
    }
    let places = places(client).await?;
    let left = TABLES.iter().filter(|(table, placement)| !is_in_place(&places, table, *placement));
    let left = left.map(|(table, _)| (*table).to_owned()).collect();
    let begun = places.values().any(|place| place.starts_with('h'));
    Ok(Some(Distribution { version, nodes, begun, left }))
}

fn node(row: &SimpleQueryRow) -> Result<NodeShare> {
    let text = |column: usize| row.get(column).unwrap_or_default();
    let number = |column: usize| text(column).parse::<u64>();
    Ok(NodeShare {
        address: text(0).to_owned(),
        is_coordinator: text(1) == "t",
        is_active: text(2) == "t",
        answers: true,
        shards: number(3)?,
        bytes: number(4)?,
    })
}

type TablePlacements = BTreeMap<String, String>;

async fn places(client: &Client) -> Result<TablePlacements> {
    let rows = rows(client, PLACES).await?;
    let place = |row: &SimpleQueryRow| Some((row.get(0)?.to_owned(), row.get(1)?.to_owned()));
    Ok(rows.iter().filter_map(place).collect())
}

/// Whether a table is distributed as its placement says.
fn is_in_place(places: &TablePlacements, table: &str, placement: Placement) -> bool {
    let place = places.get(table).map(String::as_str);
    match placement {
        Placement::Tenant(_) => place.is_some_and(|it| it.starts_with('h')),
        Placement::EveryNode => place == Some("nt"),
        Placement::Coordinator => place.is_none_or(|it| it == "ns"),
    }
}

/// A run of the distribution.
struct DistributionRun<'a> {
    client: &'a Client,
    places: TablePlacements,
    tell: ReportProgress<'a>,
    done: usize,
}

impl DistributionRun<'_> {
    fn tell(&mut self, table: &str, what: &str) {
        self.done += 1;
        let all = TABLES.iter().filter(|(_, it)| *it != Placement::Coordinator).count();
        (self.tell)(&format!("{table}: {what} ({} of {all})", self.done));
    }

    /// Replaces trigger functions. On the nodes, triggers run on shards, where a table has the name
    /// of its shard.
    async fn replace_triggers(&self) -> Result<()> {
        for (name, body) in TRIGGERS {
            let replace = format!(
                "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$"
            );
            execute(self.client, name, &replace).await?;
        }
        Ok(())
    }

    /// Drops foreign keys. A distributed table and a table that is not distributed yet cannot refer
    /// to each other.
    async fn drop_references(&self) -> Result<()> {
        for reference in &REFERENCES {
            let both = [reference.from, reference.to];
            let are_there = both
                .iter()
                .all(|it| self.places.get(*it).is_some_and(|place| place.starts_with('h')));
            if !are_there {
                let (from, name) = (reference.from, reference.name);
                let drop = format!("ALTER TABLE {from} DROP CONSTRAINT IF EXISTS {name}");
                execute(self.client, from, &drop).await?;
            }
        }
        Ok(())
    }

    async fn add_references(&self) -> Result<()> {
        for reference in &REFERENCES {
            let is_there = format!(
                "SELECT 1 FROM pg_constraint WHERE conname = '{}' AND conrelid = '{}'::regclass",
                reference.name, reference.from
            );
            if rows(self.client, &is_there).await?.is_empty() {
                let (from, name, definition) =
                    (reference.from, reference.name, reference.definition);
                let add = format!("ALTER TABLE {from} ADD CONSTRAINT {name} {definition}");
                execute(self.client, from, &add).await?;
            }
        }
        Ok(())
    }

    async fn put_on_every_node(&mut self, table: &str) -> Result<()> {
        let was_there = is_in_place(&self.places, table, Placement::EveryNode);
        if !was_there {
            let make = format!("SELECT create_reference_table('{table}')");
            execute(self.client, table, &make).await?;
        }
        self.tell(table, if was_there { "already on every node" } else { "on every node" });
        Ok(())
    }

    async fn distribute(&mut self, table: &str, column: &'static str) -> Result<()> {
        let was_there = is_in_place(&self.places, table, Placement::Tenant(column));
        if !was_there {
            let beside = if table == FIRST { "none" } else { FIRST };
            // A small table is copied in less than a second while writers wait. A larger table
            // takes longer, so it is distributed in a way that keeps it writable.
            let others = format!("SELECT 1 FROM {table} OFFSET {SMALL} LIMIT 1");
            let is_small = rows(self.client, &others).await?.is_empty();
            let how = if is_small { "" } else { "_concurrently" };
            // The local rows are removed in the same transaction. Otherwise the copied rows stay on
            // the coordinator, invisible to every query.
            let leave = if is_small {
                format!("; SELECT truncate_local_data_after_distributing_table('{table}')")
            } else {
                String::new()
            };
            let make = format!(
                "SELECT create_distributed_table{how}('{table}', '{column}', colocate_with => '{beside}'){leave}"
            );
            execute(self.client, table, &make).await?;
        }
        let was = if was_there { "already distributed" } else { "distributed" };
        self.tell(table, &format!("{was} by {column}"));
        Ok(())
    }
}

async fn execute(client: &Client, what: &str, statements: &str) -> Result<()> {
    client.batch_execute(statements).await.map_err(|error| failed(what, &error))
}

/// Runs a query without parameters and returns its rows.
async fn rows(client: &Client, query: &str) -> Result<Vec<SimpleQueryRow>> {
    let answer = client.simple_query(query).await.map_err(|error| failed("a query", &error))?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    };
    Ok(answer.into_iter().filter_map(row).collect())
}

/// Converts an error of PostgreSQL, with its detail.
fn failed(what: &str, error: &tokio_postgres::Error) -> DistributionError {
    let message = match error.as_db_error() {
        Some(said) => {
            let detail = said.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{}{detail}", said.message())
        }
        None => error.source().map_or_else(|| error.to_string(), ToString::to_string),
    };
    DistributionError::Refused(format!("{what}: {message}"))
}
