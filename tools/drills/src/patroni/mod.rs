//! A private cluster of `PostgreSQL` under Patroni: one primary and several standbys, one of them
//! synchronous.

mod configuration;
mod node;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::node::Node;
use crate::etcd::Etcd;
use bench::client::request;
use servers::clock::Stopwatch;
use servers::{Account, interrupt};

/// The time limit for creating the cluster and copying it to the standbys. This takes longer than
/// any failover.
const START: Duration = Duration::from_mins(3);
const POLL: Duration = Duration::from_millis(200);

/// A running cluster; dropping it stops everything and removes its data.
pub struct Patroni {
    // Fields are dropped in this order, so that each stops before the services that it uses.
    nodes: Vec<Node>,
    _etcd: Etcd,
    _files: TempDir,
}

impl Patroni {
    /// Creates a cluster of this many nodes in a new directory under `base` and starts it. The
    /// configuration is taken from docs/deploy/failover.md below `root`.
    pub fn start(root: &Path, nodes: usize, base: &Path) -> Result<Self> {
        let page = configuration::page(root)?;
        let account = Account::ordinary()?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-patroni-")
            .tempdir_in(base)
            .with_context(|| format!("cannot make a directory in {}", base.display()))?;
        account.own(files.path())?;
        let etcd = Etcd::start(account, files.path())?;
        let mut all = Vec::new();
        for number in 1..=nodes {
            let mut node = Node::new(&page, number, account, files.path(), etcd.port)?;
            node.start()?;
            all.push(node);
        }
        let cluster = Self { nodes: all, _etcd: etcd, _files: files };
        cluster.until_whole(START)?;
        Ok(cluster)
    }

    /// Returns two URLs of the default database for a superuser. Both lead to the node that accepts
    /// writes. The first URL lists the nodes in their order, the second in reverse order.
    pub fn urls(&self) -> [String; 2] {
        let mut hosts: Vec<String> =
            self.nodes.iter().map(|it| format!("127.0.0.1:{}", it.postgres)).collect();
        let url = |hosts: &[String]| {
            let (hosts, password) = (hosts.join(","), configuration::PASSWORD);
            format!(
                "postgres://postgres:{password}@{hosts}/postgres?target_session_attrs=read-write"
            )
        };
        let in_order = url(&hosts);
        hosts.reverse();
        [in_order, url(&hosts)]
    }

    /// Returns the indexes of the nodes.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    /// Waits until all nodes run on the same timeline, with a leader and a synchronous standby.
    /// Returns the leader's index.
    pub fn until_whole(&self, within: Duration) -> Result<usize> {
        let watch = Stopwatch::start();
        loop {
            let members = self.members();
            if let Some(leader) = leader_of_whole(&members, self.nodes.len()) {
                return Ok(leader);
            }
            if watch.elapsed() > within {
                bail!(
                    "the cluster is not whole after {} s: {members:?}; {}",
                    within.as_secs(),
                    self.last_words()
                );
            }
            interrupt::sleep(POLL)?;
        }
    }

    fn members(&self) -> Vec<Member> {
        self.nodes.iter().find_map(Node::members).unwrap_or_default()
    }

    /// Whether a node is the leader and accepts writes.
    pub fn is_primary(&self, place: usize) -> bool {
        self.nodes.get(place).is_some_and(Node::is_primary)
    }

    /// Kills Patroni and PostgreSQL of a node, to simulate a power failure.
    pub fn kill(&mut self, place: usize) -> Result<()> {
        self.node(place)?.kill();
        Ok(())
    }

    pub fn restart(&mut self, place: usize) -> Result<()> {
        self.node(place)?.start()
    }

    /// Suspends all processes of a node. Its connections stay open.
    pub fn freeze(&mut self, place: usize) -> Result<()> {
        self.node(place)?.freeze()
    }

    /// Continues the processes of a frozen node.
    pub fn thaw(&mut self, place: usize) -> Result<()> {
        self.node(place)?.thaw()
    }

    /// Asks the leader to hand over to its synchronous standby, without waiting for the switchover.
    pub fn switch_over(&self, leader: usize) -> Result<()> {
        let node = self.nodes.get(leader).context("no such node")?;
        let (port, body) = (node.api, json!({"leader": node.name}).to_string());
        std::thread::spawn(move || {
            let answer = request(port, "POST", "/switchover", &[], &body);
            // The result is only printed, because the caller waits for the promotion and notices if
            // it does not happen.
            match answer {
                Ok(answer) if answer.status == 200 => {}
                Ok(answer) => eprintln!("[xtask] the switchover is answered {answer:?}"),
                Err(error) => eprintln!("[xtask] the switchover has no answer: {error:#}"),
            }
        });
        Ok(())
    }

    fn node(&mut self, place: usize) -> Result<&mut Node> {
        self.nodes.get_mut(place).context("no such node")
    }

    fn last_words(&self) -> String {
        self.nodes.iter().map(Node::last_words).collect::<Vec<_>>().join("\n")
    }
}

/// The state of a node as Patroni reports it.
#[derive(Debug, PartialEq, Eq)]
struct Member {
    place: usize,
    role: String,
    runs: bool,
    timeline: Option<u64>,
}

impl Member {
    fn all(cluster: &Value) -> Option<Vec<Self>> {
        cluster.get("members")?.as_array()?.iter().map(Self::of).collect()
    }

    fn of(member: &Value) -> Option<Self> {
        let text = |name: &str| member.get(name).and_then(Value::as_str);
        let number: usize = text("name")?.strip_prefix(node::NAME)?.parse().ok()?;
        Some(Self {
            place: number.checked_sub(1)?,
            role: text("role")?.to_owned(),
            // Patroni 3 reports a standby as `running`, later versions as `streaming`.
            runs: matches!(text("state"), Some("running" | "streaming")),
            timeline: member.get("timeline").and_then(Value::as_u64),
        })
    }
}

/// Returns the leader's index if the cluster is complete.
fn leader_of_whole(members: &[Member], nodes: usize) -> Option<usize> {
    let first = members.first()?;
    let of = |role: &str| -> Vec<&Member> { members.iter().filter(|it| it.role == role).collect() };
    let is_whole = members.len() == nodes
        && members.iter().all(|it| it.runs && it.timeline == first.timeline)
        && of("sync_standby").len() == 1;
    match of("leader").as_slice() {
        [leader] if is_whole => Some(leader.place),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(states: [(&str, &str, u64); 3]) -> Vec<Member> {
        let members: Vec<Value> = (1..)
            .zip(states)
            .map(|(number, (role, state, timeline))| {
                json!({
                    "name": format!("node{number}"),
                    "role": role,
                    "state": state,
                    "timeline": timeline,
                })
            })
            .collect();
        Member::all(&json!({"members": members})).unwrap()
    }

    #[test]
    fn a_whole_cluster_has_a_leader_and_a_synchronous_standby_on_one_timeline() {
        let whole =
            [("sync_standby", "streaming", 2), ("leader", "running", 2), ("replica", "running", 2)];
        assert_eq!(leader_of_whole(&members(whole), 3), Some(1));
        assert_eq!(leader_of_whole(&members(whole), 4), None);
        for (place, other) in [
            (0, ("replica", "running", 2)),
            (2, ("replica", "starting", 2)),
            (2, ("replica", "running", 1)),
            (1, ("replica", "running", 2)),
        ] {
            let mut part = whole;
            part[place] = other;
            assert_eq!(leader_of_whole(&members(part), 3), None, "{part:?}");
        }
        assert_eq!(leader_of_whole(&[], 0), None);
    }
}
