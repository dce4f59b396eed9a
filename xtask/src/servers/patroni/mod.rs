//! A private cluster of `PostgreSQL` under Patroni: one primary, and standbys of which one is synchronous.

mod configuration;
mod node;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::node::Node;
use super::account::Account;
use super::etcd::Etcd;
use super::request;
use crate::clock::Stopwatch;
use crate::interrupt;

/// Making the first cluster and copying it takes longer than any failover.
const START: Duration = Duration::from_mins(3);
const POLL: Duration = Duration::from_millis(200);

/// It; dropping it stops everything and removes its data.
pub struct Patroni {
    // In this order: nothing goes before what uses it.
    nodes: Vec<Node>,
    _etcd: Etcd,
    _files: TempDir,
}

impl Patroni {
    /// Makes a cluster of so many nodes in a new directory under `base`, configured as a page of docs/ in `root` shows, and
    /// starts it.
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

    /// URLs of its first database on whichever node takes writes, for a superuser: one with the nodes in their order, and one
    /// with the last first.
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

    /// The places of its nodes.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    /// Waits until all nodes run on one timeline, with a leader and a synchronous standby; returns the leader's place.
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

    /// Whether that node leads and takes writes.
    pub fn is_primary(&self, place: usize) -> bool {
        self.nodes.get(place).is_some_and(Node::is_primary)
    }

    /// Ends Patroni and `PostgreSQL` of a node as a power cut does.
    pub fn kill(&mut self, place: usize) -> Result<()> {
        self.node(place)?.kill();
        Ok(())
    }

    /// Starts a node again.
    pub fn restart(&mut self, place: usize) -> Result<()> {
        self.node(place)?.start()
    }

    /// Stops all processes of a node, whose connections stay open.
    pub fn freeze(&mut self, place: usize) -> Result<()> {
        self.node(place)?.freeze()
    }

    /// Lets them go on.
    pub fn thaw(&mut self, place: usize) -> Result<()> {
        self.node(place)?.thaw()
    }

    /// Asks the leader to hand over to its synchronous standby, and does not wait for that.
    pub fn switch_over(&self, leader: usize) -> Result<()> {
        let node = self.nodes.get(leader).context("no such node")?;
        let (port, body) = (node.api, json!({"leader": node.name}).to_string());
        std::thread::spawn(move || {
            let answer = request(port, "POST", "/switchover", &[], &body);
            // Whoever waits for the promotion notices what did not come to be; this says why.
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

/// One node, as Patroni tells of it.
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
            // A standby `runs` for Patroni 3, and is `streaming` from the next version on.
            runs: matches!(text("state"), Some("running" | "streaming")),
            timeline: member.get("timeline").and_then(Value::as_u64),
        })
    }
}

/// The place of the leader, if nothing is missing.
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
                json!({"name": format!("node{number}"), "role": role, "state": state, "timeline": timeline})
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
