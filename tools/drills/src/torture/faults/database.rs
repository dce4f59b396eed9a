//! Faults of `PostgreSQL`: it restarts, is killed, is paused, is locked, or accepts no connections.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

use super::super::Stage;
use super::super::judge::Judge;
use super::super::subject::{Engine, Setup, Subject};
use super::{ANSWER, Answers, Tried};
use crate::proof::report::Figure;
use bench::load::float;
use servers::clock::Stopwatch;
use servers::{Postgres, Running, interrupt, programs};

const STALL: Duration = Duration::from_secs(10);
const LOCK: Duration = Duration::from_mins(5);
const TAKEN: Duration = Duration::from_secs(10);
/// The limit of connections. It is so low that all connections can be used up.
const CONNECTIONS: u32 = 40;

pub fn postgres(subject: &mut Subject) -> Result<&mut Postgres> {
    subject.postgres.as_mut().context("no PostgreSQL")
}

pub fn judged(judge: &Judge, tried: &Tried) -> Result<Vec<Figure>> {
    let mut figures = tried.of_failures(judge)?;
    figures.extend(tried.of_the_rest(judge)?);
    Ok(figures)
}

/// Restarts PostgreSQL as an operator does.
pub fn restarted(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let tried = Tried::new(&Setup::with_agent(&stage.binary, Engine::Postgres), |subject| {
        postgres(subject)?.stop()?;
        interrupt::sleep(Duration::from_secs(2))?;
        postgres(subject)?.start_again()
    })?;
    judged(judge, &tried)
}

/// Kills PostgreSQL with `kill -9`, so that it has to recover.
pub fn killed(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let tried = Tried::new(&Setup::with_agent(&stage.binary, Engine::Postgres), |subject| {
        postgres(subject)?.kill()?;
        interrupt::sleep(Duration::from_secs(2))?;
        postgres(subject)?.start_again()
    })?;
    judged(judge, &tried)
}

/// Pauses PostgreSQL with SIGSTOP. Connections stay open, but nothing answers on them.
pub fn stalled(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let tried = Tried::new(&Setup::with_agent(&stage.binary, Engine::Postgres), |subject| {
        postgres(subject)?.signal(Signal::STOP)?;
        let slept = interrupt::sleep(STALL);
        postgres(subject)?.signal(Signal::CONT)?;
        slept
    })?;
    judged(judge, &tried)
}

/// Locks the table of messages. Operations that do not need the table still succeed.
pub fn locked(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let mut others = Answers::default();
    let tried = Tried::new(&Setup::with_agent(&stage.binary, Engine::Postgres), |subject| {
        let statements = format!(
            "BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({}); COMMIT",
            LOCK.as_secs()
        );
        let mut psql = Command::new(programs::require(&["psql"])?);
        psql.args(["--no-psqlrc", "--quiet", "--command", &statements]);
        psql.arg(subject.operator.database.url());
        let log = subject.folder.join("psql.log");
        let mut psql = Running::spawn("psql", &mut psql, log, Signal::TERM)?;
        let key = &subject.organizations[0].key;
        others = Answers::of(subject.port()?, key, "/api/v1/me", LOCK)?;
        while psql.ended()?.is_none() {
            interrupt::sleep(Duration::from_millis(20))?;
        }
        Ok(())
    })?;
    let mut figures = judged(judge, &tried)?;
    figures.push(
        judge
            .none("calls that need no message and were not answered 200", others.other_than(200))
            .noted(others.seen()),
    );
    figures.push(judge.within("of them the longest until an answer", others.longest, ANSWER));
    Ok(figures)
}

/// Uses up all connections, including those of the server.
pub fn connections_taken(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let plain = Setup::with_agent(&stage.binary, Engine::Postgres);
    let setup = Setup { connections: CONNECTIONS, ..plain };
    let mut most = 0;
    let tried = Tried::new(&setup, |subject| {
        let port = postgres(subject)?.port();
        let (watch, mut held) = (Stopwatch::start(), Vec::new());
        while watch.elapsed() < TAKEN {
            while let Ok(connection) = connect(port) {
                held.push(connection);
            }
            let first: &mut TcpStream = held.first_mut().context("no connection at all")?;
            // The server's connections are closed, and other connections are opened before it
            // reconnects.
            ask(
                first,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                        WHERE application_name <> 'torture' AND backend_type = 'client backend'",
            )?;
            most = most.max(held.len());
            interrupt::sleep(Duration::from_millis(2))?;
        }
        Ok(())
    })?;
    let mut figures = vec![judge.figure("connections held by others", float(most as u64))];
    figures.extend(judged(judge, &tried)?);
    Ok(figures)
}

/// Opens a connection and waits until it is ready for a query.
fn connect(port: u16) -> Result<TcpStream> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    body.extend(b"user\0postgres\0database\0postgres\0application_name\0torture\0\0");
    stream.write_all(&u32::try_from(body.len() + 4)?.to_be_bytes())?;
    stream.write_all(&body)?;
    until_ready(&mut stream)?;
    Ok(stream)
}

fn ask(stream: &mut TcpStream, query: &str) -> Result<()> {
    stream.write_all(b"Q")?;
    stream.write_all(&u32::try_from(query.len() + 5)?.to_be_bytes())?;
    stream.write_all(query.as_bytes())?;
    stream.write_all(&[0])?;
    until_ready(stream)
}

/// Reads messages until the server is ready for a query.
fn until_ready(stream: &mut TcpStream) -> Result<()> {
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        let rest = u64::from(u32::from_be_bytes(length)).saturating_sub(4);
        let mut body = Vec::new();
        stream.take(rest).read_to_end(&mut body)?;
        ensure!(kind != b'E', "refused: {}", String::from_utf8_lossy(&body));
        if kind == b'Z' {
            return Ok(());
        }
    }
}
