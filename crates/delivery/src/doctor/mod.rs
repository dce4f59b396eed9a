//! `switchboard doctor`: checks that this machine, the settings and the resources that they name
//! fit together. It changes nothing: no migration runs, and every test is undone.

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
pub use report::DoctorReport;

use crate::checks::{self, CheckState, Finding};
use auth::seal::ClientStateKey;
use config::{ConfigError, Effective, SETTINGS, SettingOrigin, Settings, setting};
use persistence::Db;
use platform::clock::Clock;
use platform::entropy::Entropy;

/// The environment variable of the setting.
const DATABASE_URL: &str = "SWITCHBOARD_DATABASE_URL";
const BASE_URL: &str = "SWITCHBOARD_BASE_URL";

/// The data that the checks share.
struct Examination {
    settings: Settings,
    entropy: Entropy,
    /// The database, if this version's queries can read it.
    db: Option<Db>,
    /// The key that all instances of this database share; `None` if it has not been created or
    /// cannot be read.
    key: Option<ClientStateKey>,
}

/// Runs all checks. `wrong` holds the faults in the sources of the settings.
pub async fn examine(effective: &Effective, wrong: &[String]) -> DoctorReport {
    let settings = match read(effective, wrong) {
        Ok(settings) => settings,
        Err(findings) => return DoctorReport(findings),
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
    findings.extend(checks::tls::expires_soon(&it.settings));
    findings.extend(host::check(&it.settings));
    let here = base_url::is_served_here(&it).await;
    findings.extend(base_url::check(&it, here).await);
    findings.extend(cloud::check(&it).await);
    findings.extend(twilio::check(&it).await);
    findings.extend(servers::check(&it, here, first_look).await);
    DoctorReport(findings)
}

/// Reads the settings.
///
/// # Errors
///
/// Returns all faults in the settings.
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

/// Returns the setting that an error is about: its text begins with the setting's name.
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
    let said =
        |setting: &&config::Setting| effective.value(setting.name).1 != SettingOrigin::Default;
    let said = SETTINGS.iter().filter(said).count();
    Finding::ok(
        "configuration",
        format!("{} settings, {said} of them not at their default", SETTINGS.len()),
    )
}

/// Turns a warning into a failure. A server may start despite a fault that may resolve, but an
/// operator who runs doctor wants to know that something does not work now.
fn now(mut finding: Finding) -> Finding {
    if finding.state == CheckState::Warning {
        finding.state = CheckState::Failed;
    }
    finding
}

async fn shared_key(db: Option<&Db>) -> Option<ClientStateKey> {
    let kept = db?.stored_server_key("client_state").await;
    kept.ok().flatten().map(|key| ClientStateKey::new(&key))
}
