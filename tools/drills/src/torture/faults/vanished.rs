//! A host vanishes: packets to and from it are dropped on this machine, so nothing answers, refuses
//! or closes a connection.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::Stage;
use super::super::judge::Judge;
use super::super::subject::{Engine, Setup, Subject};
use super::{Tried, database, limits, neighbors};
use crate::proof::report::Figure;
use servers::{interrupt, process, programs};

const VANISHED: Duration = Duration::from_secs(10);
/// The duration of a short outage. It ends before the retry after 5 s. The next retry would be five
/// minutes later.
const SHORT: Duration = Duration::from_secs(4);

/// A port of this machine whose packets are dropped in both directions until this value is dropped.
pub struct Vanished(String);

impl Vanished {
    /// Drops the packets of a port by a separate nftables table. Requires root.
    pub fn port(port: u16) -> Result<Self> {
        let table = format!("switchboard_{}_{port}", std::process::id());
        let rules = format!(
            "table inet {table} {{\nchain dropped {{\ntype filter hook input priority -10\n\
             tcp dport {port} drop\ntcp sport {port} drop\n}}\n}}\n"
        );
        let mut nft = Command::new(programs::require(&["nft"])?);
        nft.args(["-f", "-"]).stdin(Stdio::piped());
        let mut nft = nft.spawn().context("cannot start nft")?;
        nft.stdin.take().context("nft reads nothing")?.write_all(rules.as_bytes())?;
        ensure!(nft.wait()?.success(), "only root can drop packets");
        Ok(Self(table))
    }
}

impl Drop for Vanished {
    fn drop(&mut self) {
        let _ = programs::require(&["nft"]).and_then(|nft| {
            process::run(Command::new(nft).args(["delete", "table", "inet", &self.0]))
        });
    }
}

/// The database vanishes.
pub fn postgres(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let tried = Tried::new(&Setup::with_agent(&stage.binary, Engine::Postgres), |subject| {
        let vanished = Vanished::port(database::postgres(subject)?.port())?;
        let slept = interrupt::sleep(VANISHED);
        drop(vanished);
        slept
    })?;
    database::judged(judge, &tried)
}

/// Redis vanishes.
pub fn redis(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let mut vanished = None;
    limits::without(stage, judge, |redis| {
        vanished = match vanished.take() {
            None => Some(Vanished::port(redis.port())?),
            Some(_) => None,
        };
        Ok(())
    })
}

/// The channel vanishes. Its messages wait.
pub fn channel(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    away(stage, judge, VANISHED, |it| it.channel.port())
}

/// The endpoints vanish.
pub fn endpoint(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    away(stage, judge, SHORT, |it| it.receiver.port())
}

fn away(
    stage: &Stage,
    judge: &Judge,
    length: Duration,
    port: impl Fn(&Subject) -> u16,
) -> Result<Vec<Figure>> {
    neighbors::while_away(stage, judge, |subject| {
        let vanished = Vanished::port(port(subject))?;
        let slept = interrupt::sleep(length);
        drop(vanished);
        slept
    })
}
