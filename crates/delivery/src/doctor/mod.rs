//! `switchboard doctor`: whether this machine, the settings and what they name fit together. Nothing is changed:
//! no migration runs, and what is tried out is undone.

mod base_url;
mod certificate;
mod cloud;
mod database;
mod encryption;
mod host;
mod own_certificate;
mod owner;
mod probe;
mod report;
mod servers;
mod standby;
mod twilio;

pub use probe::{HEADER as PROBE_HEADER, answer as answer_probe};
pub use report::Report;

use crate::checks::{self, Finding, State};
use auth::seal::ClientStateKey;
use config::{ConfigError, Effective, Origin, SETTINGS, Settings, setting};
use persistence::Db;
use service::clock::Clock;
use service::entropy::Entropy;

/// The setting, as it is called in the environment.
const DATABASE_URL: &str = "SWITCHBOARD_DATABASE_URL";
const BASE_URL: &str = "SWITCHBOARD_BASE_URL";

/// What the checks share.
struct Examination {
    settings: Settings,
    entropy: Entropy,
    /// The database, where it can be read with this version's queries.
    db: Option<Db>,
    /// The key that all servers of this database share; none, if it has not been made or cannot be read.
    key: Option<ClientStateKey>,
}

/// Checks everything. `wrong` is what was wrong where the settings come from.
pub async fn examine(effective: &Effective, wrong: &[String]) -> Report {
    let settings = match read(effective, wrong) {
        Ok(settings) => settings,
        Err(findings) => return Report(findings),
    };
    let mut findings = vec![configuration(effective)];
    let clock = Clock::system();
    let (found, db) = database::check(&settings, &clock).await;
    findings.extend(found);
    findings.extend(standby::check(&settings, clock.wall()).await);
    let key = shared_key(db.as_ref()).await;
    let it = Examination { settings, entropy: Entropy::system(), db, key };
    let first_look = servers::sample(&it).await;
    findings.extend(checks::all(&it.settings).await.into_iter().map(now));
    findings.extend(checks::tls::soon(&it.settings));
    findings.extend(host::check(&it.settings));
    let here = base_url::is_served_here(&it).await;
    findings.extend(base_url::check(&it, here).await);
    findings.extend(cloud::check(&it).await);
    findings.extend(twilio::check(&it).await);
    findings.extend(servers::check(&it, here, first_look).await);
    Report(findings)
}

/// The settings, or everything that is wrong with them.
fn read(effective: &Effective, wrong: &[String]) -> Result<Settings, Vec<Finding>> {
    let (settings, more) = match Settings::read(effective) {
        Ok(settings) => (Some(settings), Vec::new()),
        Err(ConfigError(more)) => (None, more),
    };
    let found = |line: &String| Finding::failed(subject_of(line), line.clone(), advice_for(line));
    let findings: Vec<Finding> = wrong.iter().chain(&more).map(found).collect();
    match settings {
        Some(settings) if findings.is_empty() => Ok(settings),
        _ => Err(findings),
    }
}

/// An error of the configuration begins with the setting's name, if it is about one.
fn subject_of(line: &str) -> &'static str {
    let word = line.split_whitespace().next().unwrap_or_default();
    setting(word).map_or("configuration", |setting| setting.name)
}

fn advice_for(line: &str) -> String {
    match subject_of(line) {
        "configuration" => "correct or remove it".to_owned(),
        name => {
            let variable = name.to_ascii_uppercase();
            format!("correct SWITCHBOARD_{variable}; `switchboard serve --help` says what it takes")
        }
    }
}

fn configuration(effective: &Effective) -> Finding {
    let said = |setting: &&config::Setting| effective.value(setting.name).1 != Origin::Default;
    let said = SETTINGS.iter().filter(said).count();
    Finding::ok(
        "configuration",
        format!("{} settings, {said} of them not at their default", SETTINGS.len()),
    )
}

/// A start may go on without what comes back by itself; who asks how it is wants to hear that it does not work.
fn now(mut finding: Finding) -> Finding {
    if finding.state == State::Warning {
        finding.state = State::Failed;
    }
    finding
}

async fn shared_key(db: Option<&Db>) -> Option<ClientStateKey> {
    let kept = db?.stored_server_key("client_state").await;
    kept.ok().flatten().map(|key| ClientStateKey::new(&key))
}
