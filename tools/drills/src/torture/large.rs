//! Large part: a server is started repeatedly on a database of a million messages, also after `kill
//! -9` under load.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::Stage;
use super::judge::Judge;
use super::subject::{Engine, FILES, PAUSE, SENDERS};
use crate::proof::chance::Chance;
use crate::proof::instance::{Instance, Shared};
use crate::proof::operator::{Operator, Organization, client};
use crate::proof::report::Figure;
use crate::proof::sender::{Failed, Load, Outcome};
use bench::fill::{self, Counts, Filled, fill};
use bench::load;
use servers::clock::Stopwatch;
use servers::{Durability, Postgres, interrupt};

const PART: &str = "large";
const MESSAGES: i64 = 1_000_000;
/// The time limit for being ready.
const READY: Duration = Duration::from_secs(2);
/// The number of starts after a stop.
const STARTS: usize = 3;
/// The number of starts after a kill.
const CRASHES: usize = 10;
/// The URL of the channel. No server listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Runs the part on the databases.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (number, engine) in (1..).zip(&stage.engines) {
        figures.extend(on(stage, *engine, Chance::seeded(stage.seed.wrapping_add(number)))?);
    }
    Ok(figures)
}

fn on(stage: &Stage, engine: Engine, chance: Chance) -> Result<Vec<Figure>> {
    let files = tempfile::Builder::new()
        .prefix("switchboard-torture-")
        .tempdir_in(FILES)
        .with_context(|| format!("cannot make a directory in {FILES}"))?;
    let postgres = match engine {
        Engine::Postgres => Some(Postgres::start_with(Durability::Durable, Path::new(FILES), 100)?),
        Engine::Sqlite => None,
    };
    let database = match &postgres {
        Some(postgres) => load::Database::Postgres(postgres.url()),
        None => load::Database::Sqlite(files.path().join("switchboard.db")),
    };
    let filling = fill::Database::of(&database.url())?;
    let filled = fill(filling, &stage.binary, files.path(), Counts::of(MESSAGES))?;
    let mut site = Site::of(&stage.binary, files.path(), database, &filled)?;
    let stopped = site.after_stops()?;
    let (killed, outcome) = site.after_kills(chance)?;
    let lost = site.lost(&outcome)?;
    let longest = |all: &[Duration]| all.iter().max().copied().unwrap_or_default();
    let each = |all: &[Duration]| {
        let each = all.iter().map(|it| it.as_millis().to_string());
        format!("ms: {}", each.collect::<Vec<_>>().join(", "))
    };
    let judge = Judge { part: PART, run: engine.name().to_owned() };
    let many = |count: usize| load::float(count as u64);
    Ok(vec![
        judge.figure("messages in the database", load::float(MESSAGES.unsigned_abs())),
        judge.within("longest start after a stop", longest(&stopped), READY).noted(each(&stopped)),
        judge
            .within("longest start after kill -9 under load", longest(&killed), READY)
            .noted(each(&killed)),
        judge.figure("messages acknowledged meanwhile", many(outcome.sent.len())),
        judge.none("of them lost", lost.len()).noted(lost.first().cloned().unwrap_or_default()),
    ])
}

/// A server on the filled database.
struct Site {
    binary: PathBuf,
    server: Instance,
    organization: Organization,
}

impl Site {
    fn of(binary: &Path, folder: &Path, database: load::Database, filled: &Filled) -> Result<Self> {
        let shared = Shared {
            folder: folder.to_owned(),
            logs: folder.to_owned(),
            database: database.url(),
            settings: vec![("SWITCHBOARD_GRAPH_URL", NOWHERE.to_owned())],
            graph: None,
        };
        let server = Instance::new(&shared, 1)?;
        let operator = Operator { binary: binary.to_owned(), folder: folder.to_owned(), database };
        let id = filled.organization();
        let key = operator.key(&id, "0")?;
        Ok(Self { binary: binary.to_owned(), server, organization: Organization { id, key } })
    }

    /// Measures starts after a stop.
    fn after_stops(&mut self) -> Result<Vec<Duration>> {
        let mut took = Vec::new();
        for _ in 0..STARTS {
            took.push(self.server.start(&self.binary)?);
            self.server.stop()?;
        }
        Ok(took)
    }

    /// Measures starts after a kill under load. Also returns the outcome of the load.
    fn after_kills(&mut self, mut chance: Chance) -> Result<(Vec<Duration>, Outcome)> {
        let (server, binary) = (&mut self.server, &self.binary);
        server.start(binary)?;
        let load = Load {
            port: server.port,
            organizations: std::slice::from_ref(&self.organization),
            senders: SENDERS,
            pause: PAUSE,
            failed: Failed::Repeat,
            watch: Stopwatch::start(),
        };
        let mut took = Vec::new();
        let outcome = load.during(|| {
            for _ in 0..CRASHES {
                interrupt::sleep(chance.millis(200, 1500))?;
                server.kill();
                took.push(server.start(binary)?);
            }
            interrupt::sleep(Duration::from_secs(1))
        })?;
        Ok((took, outcome))
    }

    /// Returns acknowledged messages that the server does not have.
    fn lost(&self, outcome: &Outcome) -> Result<Vec<String>> {
        let mut client = client(self.server.port, &self.organization.key);
        let mut lost = Vec::new();
        for id in outcome.sent.iter().map(|it| &it.id) {
            let answer = client.ask("GET", &format!("/api/v1/messages/{id}"), &[], "")?;
            if answer.status != 200 {
                lost.push(format!("{id}: {}", answer.status));
            }
        }
        Ok(lost)
    }
}
