//! Turns a PostgreSQL with the extension [Citus](https://www.citusdata.com) into a distributed one, table by table while
//! servers use it, and says how it stands. What is done already is seen from the catalog, so a run that was broken off goes on.
mod checks;
mod rules;
mod shares;

pub use shares::{Distribution, NodeShare};

use rules::TRIGGERS;
use std::collections::BTreeMap;
use std::error::Error as _;
use tables::placement::{Placement, REFERENCES, TABLES};
use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

/// So many rows are copied in less than a second.
const SMALL: u32 = 10_000;
/// All tables of tenants have their shards where those of this table are.
const FIRST: &str = "messages";
/// No table is waited for longer than it takes; and the triggers write rows of their own tenant only, see `rules`.
const SESSION: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
                       SET citus.multi_shard_modify_mode = 'sequential'; \
                       SET citus.enable_unsafe_triggers = on; SET client_min_messages = warning";
/// How long the coordinator may try to connect with a node that is looked at.
const CONNECT: &str = "SET citus.node_connection_timeout = 3000";
/// How a table is distributed: `n` is on every node or on the coordinator alone, and of those the first are `t`.
const PLACES: &str =
    "SELECT logicalrelid::text, partmethod::text || repmodel::text FROM pg_dist_partition";
const NODES: &str = "SELECT node.nodename || ':' || node.nodeport, node.groupid = 0, node.isactive, \
        count(shard.shardid), coalesce(sum(shard.shard_size), 0)::bigint \
    FROM pg_dist_node AS node LEFT JOIN citus_shards AS shard \
        ON shard.nodename = node.nodename AND shard.nodeport = node.nodeport \
        AND shard.citus_table_type = 'distributed' \
    WHERE node.noderole = 'primary' GROUP BY 1, 2, 3, node.groupid ORDER BY node.groupid";

/// Why a database is not distributed, or how it stands is not known.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is missing; the sentence says what to do.
    #[error("{0}")]
    Unsupported(String),
    /// PostgreSQL refused a statement.
    #[error("{0}")]
    Refused(String),
    /// A figure in its catalog is none.
    #[error("a node's figures: {0}")]
    Figure(#[from] std::num::ParseIntError),
}

/// What a question gives.
pub type Result<T> = std::result::Result<T, Error>;

/// How anyone who distributes is told of each table.
pub type Report<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Refuses a database that cannot be distributed, with what to do.
///
/// # Errors
///
/// [`Error::Unsupported`] where the extension, its version, a node or a setting is wrong.
pub async fn check(client: &Client) -> Result<()> {
    checks::all(client).await
}

/// Distributes the tables of a database that was checked, and says of each that it is done. Nobody may migrate it meanwhile.
pub async fn distribute(client: &Client, tell: Report<'_>) -> Result<()> {
    execute(client, "the session", SESSION).await?;
    let mut work = Work { client, places: places(client).await?, tell, done: 0 };
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

/// How a database is distributed; nothing if the extension is not there.
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

type Places = BTreeMap<String, String>;

async fn places(client: &Client) -> Result<Places> {
    let rows = rows(client, PLACES).await?;
    let place = |row: &SimpleQueryRow| Some((row.get(0)?.to_owned(), row.get(1)?.to_owned()));
    Ok(rows.iter().filter_map(place).collect())
}

/// Whether a table's rows are where they are to be.
fn is_in_place(places: &Places, table: &str, placement: Placement) -> bool {
    let place = places.get(table).map(String::as_str);
    match placement {
        Placement::Tenant(_) => place.is_some_and(|it| it.starts_with('h')),
        Placement::EveryNode => place == Some("nt"),
        Placement::Coordinator => place.is_none_or(|it| it == "ns"),
    }
}

/// A run.
struct Work<'a> {
    client: &'a Client,
    places: Places,
    tell: Report<'a>,
    done: usize,
}

impl Work<'_> {
    fn tell(&mut self, table: &str, what: &str) {
        self.done += 1;
        let all = TABLES.iter().filter(|(_, it)| *it != Placement::Coordinator).count();
        (self.tell)(&format!("{table}: {what} ({} of {all})", self.done));
    }

    /// Triggers run on the nodes from now on, where a table is known by the name of its shard.
    async fn replace_triggers(&self) -> Result<()> {
        for (name, body) in TRIGGERS {
            let replace = format!(
                "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$"
            );
            execute(self.client, name, &replace).await?;
        }
        Ok(())
    }

    /// A table that is distributed cannot refer to one that is not yet, nor the other way round.
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
        self.tell(table, if was_there { "was on every node" } else { "on every node" });
        Ok(())
    }

    async fn distribute(&mut self, table: &str, column: &'static str) -> Result<()> {
        let was_there = is_in_place(&self.places, table, Placement::Tenant(column));
        if !was_there {
            let beside = if table == FIRST { "none" } else { FIRST };
            // What is small is done in less than a second, for which writers wait; otherwise it takes some seconds for each
            // table, in which it can be written to.
            let others = format!("SELECT 1 FROM {table} OFFSET {SMALL} LIMIT 1");
            let is_small = rows(self.client, &others).await?.is_empty();
            let how = if is_small { "" } else { "_concurrently" };
            // In the same transaction: the rows that were copied stay on the coordinator else, where nobody sees them.
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
        let was = if was_there { "was distributed" } else { "distributed" };
        self.tell(table, &format!("{was} by {column}"));
        Ok(())
    }
}

async fn execute(client: &Client, what: &str, statements: &str) -> Result<()> {
    client.batch_execute(statements).await.map_err(|error| failed(what, &error))
}

/// The rows of the answer to a query without values.
async fn rows(client: &Client, query: &str) -> Result<Vec<SimpleQueryRow>> {
    let answer = client.simple_query(query).await.map_err(|error| failed("a question", &error))?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    };
    Ok(answer.into_iter().filter_map(row).collect())
}

/// What PostgreSQL said, with what it adds.
fn failed(what: &str, error: &tokio_postgres::Error) -> Error {
    let said = match error.as_db_error() {
        Some(said) => {
            let detail = said.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{}{detail}", said.message())
        }
        None => error.source().map_or_else(|| error.to_string(), ToString::to_string),
    };
    Error::Refused(format!("{what}: {said}"))
}
