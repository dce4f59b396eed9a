//! `cargo xtask growth`: finds operations that get slower as the tables grow.

mod calls;
mod deletions;
mod idle;
mod measure;
mod pages;
mod report;
mod server;
mod workers;
mod writes;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use self::measure::{Measured, median};
use self::pages::pages;
use self::report::Subject;
use self::server::Server;
use self::writes::To;
use crate::client;
use crate::fill::{self, Backlog, Counts, Database, Filled, PASSWORD};
use crate::member::Member;
use servers::clock::Stopwatch;
use servers::step::step;
use servers::workspace::Workspace;
use servers::{Durability, Postgres, programs};

/// The sizes of backlogs: numbers of messages that wait in one conversation. The cost of a message
/// must not depend on them.
const BACKLOGS: [i64; 2] = [500, 5000];

/// The pause in which workers finish earlier work.
const REST: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum On {
    Sqlite,
    Postgres,
}

#[derive(Args)]
pub struct Options {
    /// The server's binary; built if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Number of messages in each filled database, the smallest first
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 10_000_000])]
    rows: Vec<i64>,
    /// The databases to measure
    #[arg(long, value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    on: Vec<On>,
    /// Measure the databases that `fill` filled with the server's files in these folders; fill
    /// nothing
    #[arg(long, value_name = "FOLDERS", value_delimiter = ',', conflicts_with_all = ["rows", "on"])]
    filled: Vec<PathBuf>,
    /// The folder in which databases are created, and removed once they are measured; the full size
    /// needs 20 GB
    #[arg(long, value_name = "FOLDER", default_value = "/var/tmp")]
    folder: PathBuf,
    /// How often each call is measured, unless it takes too long
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=1000))]
    calls: u16,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_FILL)?;
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => fill::built(workspace)?,
    };
    let file = workspace.root().join("docs/openapi.json");
    let reference =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let growth = Growth { binary, reference, calls: options.calls.into() };
    let mut subjects = Vec::new();
    for folder in &options.filled {
        subjects.push(growth.measure(&Filled::read(folder)?)?);
    }
    if options.filled.is_empty() {
        for on in &options.on {
            for rows in &options.rows {
                subjects.push(growth.subject(*on, *rows, &options.folder)?);
            }
        }
    }
    if options.json {
        println!("{}", report::json(&subjects));
    } else {
        print!("{}", report::table(&subjects));
    }
    Ok(())
}

struct Growth {
    binary: PathBuf,
    reference: String,
    calls: usize,
}

impl Growth {
    /// Fills a temporary database and measures it.
    fn subject(&self, on: On, rows: i64, base: &Path) -> Result<Subject> {
        let files = tempfile::Builder::new()
            .prefix("switchboard-growth-")
            .tempdir_in(base)
            .with_context(|| format!("cannot make a directory in {}", base.display()))?;
        // PostgreSQL is stopped at the end of this function, after the measurement.
        let postgres = match on {
            On::Sqlite => None,
            On::Postgres => Some(Postgres::start(Durability::Durable, base)?),
        };
        let url = match &postgres {
            Some(postgres) => postgres.url(),
            None => format!("sqlite:{}", files.path().join("switchboard.db").display()),
        };
        let watch = Stopwatch::start();
        let filled = fill::fill(Database::of(&url)?, &self.binary, files.path(), Counts::of(rows))?;
        let took = watch.elapsed();
        let subject = self.measure(&filled)?;
        Ok(Subject { filled_in: Some(took.as_secs_f64()), ..subject })
    }

    /// Measures everything, reads first.
    fn measure(&self, filled: &Filled) -> Result<Subject> {
        let (database, rows) = (filled.database.name(), filled.counts().messages);
        let name = |what: &str| format!("{database} with {rows} messages: {what}");
        let watch = Stopwatch::start();
        let server = Server::start(&self.binary, filled)?;
        let mut measured = vec![Measured::once("a server's start", watch.elapsed())];
        measured.extend(step(&name("the inbox and the search"), || {
            workers::until_followed(&filled.database)
        })?);
        measured.extend(step(&name("reads"), || self.reads(&server, filled))?);
        measured.extend(step(&name("pages"), || self.pages(&server, filled))?);
        measured.extend(step(&name("writes"), || self.writes(&server, filled))?);
        measured.extend(step(&name("workers"), || workers(&server, filled))?);
        measured.extend(step(&name("deletions of contacts"), || {
            deletions::deletions(&server, &self.binary, filled)
        })?);
        measured.push(step(&name("a server at rest"), || idle::at_rest(&server, filled))?);
        drop(server);
        for backlog in BACKLOGS {
            let drained =
                step(&name(&format!("a backlog of {backlog}")), || self.drain(filled, backlog));
            measured.push(drained?);
        }
        let server = Server::start(&self.binary, filled)?;
        measured.extend(step(&name("revoking connections"), || revoke(&server, filled))?);
        drop(server);
        let tables = step(&name("counting rows"), || filled.database.counts())?;
        Ok(Subject { database, rows, measured, tables, filled_in: None })
    }

    fn reads(&self, server: &Server, filled: &Filled) -> Result<Vec<Measured>> {
        let mut client = server.client(filled);
        let mut measured = Vec::new();
        for call in calls::reads(&self.reference, filled)? {
            let ask = || client.ask("GET", &call.path, &[], "");
            measured.push(median(&call.name, self.calls, ask)?);
        }
        let mut of_empty = server.client_of_empty(filled);
        for path in calls::LISTS {
            let name = format!("GET {path} (an organization without messages)");
            measured.push(median(&name, self.calls, || of_empty.ask("GET", path, &[], ""))?);
        }
        measured.push(calls::walk(&mut client)?);
        let mut anybody = server.anybody();
        let ready = || anybody.ask("GET", "/readyz", &[], "");
        measured.push(median("GET /readyz", self.calls, ready)?);
        let mut metrics = client::Client::new(server.metrics, &[]);
        let ask = || metrics.ask("GET", "/metrics", &[], "");
        measured.push(median("GET /metrics", self.calls, ask)?);
        Ok(measured)
    }

    fn pages(&self, server: &Server, filled: &Filled) -> Result<Vec<Measured>> {
        let mut member = Member::sign_in(server.port, filled.email(), PASSWORD)?;
        let mut measured = Vec::new();
        for page in pages(&mut member, filled)? {
            measured.push(median(&page.name, self.calls, || member.get(&page.path))?);
        }
        Ok(measured)
    }

    fn writes(&self, server: &Server, filled: &Filled) -> Result<Vec<Measured>> {
        let (mut client, calls) = (server.client(filled), self.calls);
        let mut anybody = server.anybody();
        Ok(vec![
            median("POST /api/v1/messages", calls, || writes::text(&mut client, To::Short))?,
            median("POST /api/v1/messages (workers at rest)", calls, || {
                thread::sleep(REST);
                writes::text(&mut client, To::Short)
            })?,
            median("POST /api/v1/messages (long conversation)", calls, || {
                writes::text(&mut client, To::Long)
            })?,
            median("POST /api/v1/messages/template", calls, || writes::template(&mut client))?,
            median("POST /api/v1/messages/{id}/read", calls, || {
                writes::mark_read(&mut client, filled)
            })?,
            median("POST /api/v1/templates", calls, || writes::new_template(&mut client))?,
            median("POST a callback: a message", calls, || Ok(writes::inbound(&mut anybody)?.0))?,
            median("POST a callback: a status", calls, || writes::report(&mut anybody, filled))?,
        ])
    }

    /// Measures the time per message that a starting server needs to send the whole backlog.
    fn drain(&self, filled: &Filled, backlog: i64) -> Result<Measured> {
        Backlog(backlog).write(filled)?;
        let server = Server::start(&self.binary, filled)?;
        let took = workers::until_drained(&filled.database)
            .with_context(|| format!("the server said:\n{}", server.last_words()))?;
        let name = format!("worker: a message of {backlog} that wait in one conversation");
        Ok(Measured::once(name, took.div_f64(f64::from(i32::try_from(backlog)?))))
    }
}

fn workers(server: &Server, filled: &Filled) -> Result<Vec<Measured>> {
    let (mut client, mut reader) = (server.client(filled), server.client(filled));
    let mut member = Member::sign_in(server.port, filled.email(), PASSWORD)?;
    let mut anybody = server.anybody();
    Ok(vec![
        workers::until_event(
            "worker: from a send to message.sent",
            ("message.sent", &mut reader),
            filled,
            || writes::id(&writes::text(&mut client, To::Short)?),
        )?,
        workers::until_event(
            "worker: from a callback to message.received",
            ("message.received", &mut reader),
            filled,
            || Ok(writes::inbound(&mut anybody)?.1),
        )?,
        {
            // An event is created only if the rating changes.
            let mut is_good = false;
            writes::rate(&mut anybody, filled, is_good)?;
            thread::sleep(REST);
            workers::until_event(
                "worker: from a rating to template.updated",
                ("template.updated", &mut reader),
                filled,
                || {
                    is_good = !is_good;
                    writes::rate(&mut anybody, filled, is_good)
                },
            )?
        },
        workers::until_delivered(&mut member, || {
            writes::id(&writes::text(&mut client, To::Short)?)
        })?,
    ])
}

fn revoke(server: &Server, filled: &Filled) -> Result<Vec<Measured>> {
    let mut client = server.anybody();
    let name = "POST revoke-connections";
    // The more connections there are, the longer it takes to count and revoke all of them. The time
    // for each one must not depend on their number.
    let connections = f64::from(i32::try_from(filled.counts().organizations)?);
    let counted =
        median(&format!("{name} (dry run)"), 5, || writes::revoke(&mut client, filled, true))?;
    let revoked = writes::revoke(&mut client, filled, false)?;
    let each = revoked.took.div_f64(connections);
    let mut revoked = Measured::once(format!("{name}, for each connection"), each);
    revoked.status = Some(200);
    Ok(vec![counted, revoked])
}
