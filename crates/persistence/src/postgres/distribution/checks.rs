//! Checks whether a PostgreSQL database can be distributed.
use super::{DistributionError, Result, rows};
use database::postgres::citus;
use std::collections::BTreeSet;
use tokio_postgres::Client;

const VERSION: &str = "SELECT extversion FROM pg_extension WHERE extname = 'citus'";

/// Runs all checks. The first failed check is returned as an error that says what to do.
pub(super) async fn all(client: &Client) -> Result<()> {
    let Some(version) = version(client).await? else {
        return refuse(
            "the database does not have the extension citus: install Citus on each node, add citus to shared_preload_libraries, \
             and run CREATE EXTENSION citus in this database on each of them",
        );
    };
    if !citus::is_new_enough(&version) {
        let (major, minor) = citus::OLDEST_VERSION;
        return refuse(&format!("Citus {version} is too old: install {major}.{minor} or newer"));
    }
    nodes(client).await?;
    health(client).await?;
    wal_level(client).await?;
    output_plugin(client).await
}

/// Returns the version of Citus, such as `13.2-1`, or `None` if the extension is not installed.
pub(super) async fn version(client: &Client) -> Result<Option<String>> {
    let version = rows(client, VERSION).await?;
    Ok(version.first().and_then(|row| row.get(0)).map(ToOwned::to_owned))
}

/// Checks that this server is the coordinator, that it is registered as such, and that it has
/// workers.
async fn nodes(client: &Client) -> Result<()> {
    let is_worker = "SELECT 1 FROM pg_dist_local_group WHERE groupid <> 0";
    if !rows(client, is_worker).await?.is_empty() {
        return refuse("SWITCHBOARD_DATABASE_URL leads to a worker: name the coordinator");
    }
    let coordinator = "SELECT 1 FROM pg_dist_node WHERE groupid = 0";
    if rows(client, coordinator).await?.is_empty() {
        return refuse(
            "the coordinator does not know its own address: run SELECT citus_set_coordinator_host('ITS ADDRESS', 5432)",
        );
    }
    let workers = "SELECT 1 FROM pg_dist_node \
                   WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND shouldhaveshards";
    if rows(client, workers).await?.is_empty() {
        return refuse(
            "there is no worker: run SELECT citus_add_node('ITS ADDRESS', 5432) for each of them",
        );
    }
    Ok(())
}

/// Checks that all nodes can connect to each other.
async fn health(client: &Client) -> Result<()> {
    let broken = "SELECT from_nodename || ':' || from_nodeport, to_nodename || ':' || to_nodeport \
                  FROM citus_check_cluster_node_health() WHERE result IS NOT TRUE";
    match rows(client, broken).await?.first() {
        None => Ok(()),
        Some(row) => {
            let name = |column: usize| row.get(column).unwrap_or_default();
            refuse(&format!("node {} does not reach node {}", name(0), name(1)))
        }
    }
}

/// Returns the nodes to which the coordinator cannot connect.
pub(super) async fn silent(client: &Client) -> Result<BTreeSet<String>> {
    let silent = "SELECT to_nodename || ':' || to_nodeport FROM citus_check_cluster_node_health() \
                  JOIN pg_dist_node ON nodename = from_nodename AND nodeport = from_nodeport \
                  WHERE groupid = 0 AND result IS NOT TRUE";
    let silent = rows(client, silent).await?;
    Ok(silent.iter().filter_map(|row| row.get(0)).map(ToOwned::to_owned).collect())
}

/// Checks that every node has logical replication, which is needed to distribute tables and to move
/// shards.
async fn wal_level(client: &Client) -> Result<()> {
    let levels = "SELECT 'the coordinator', current_setting('wal_level') UNION ALL \
                  SELECT 'node ' || nodename || ':' || nodeport, result FROM run_command_on_workers('SHOW wal_level')";
    let levels = rows(client, levels).await?;
    match levels.iter().find(|row| row.get(1) != Some("logical")) {
        None => Ok(()),
        Some(row) => {
            let (place, level) = (row.get(0).unwrap_or_default(), row.get(1).unwrap_or_default());
            refuse(&format!(
                "wal_level is {level} on {place}: set it to logical, and restart that PostgreSQL"
            ))
        }
    }
}

/// Checks that logical replication may use Citus' plugin. The newest versions of PostgreSQL have a
/// list of allowed libraries.
async fn output_plugin(client: &Client) -> Result<()> {
    let allowed = "SELECT current_setting('output_plugin_libraries', true)";
    let allowed = rows(client, allowed).await?;
    match allowed.first().and_then(|row| row.get(0)) {
        Some(allowed) if !allowed.split(',').any(|it| it.trim() == "citus") => refuse(&format!(
            "output_plugin_libraries is {allowed}: add citus to it on each node, and reload the configuration"
        )),
        _ => Ok(()),
    }
}

fn refuse(why: &str) -> Result<()> {
    Err(DistributionError::Unsupported(why.to_owned()))
}
