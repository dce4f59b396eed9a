//! Checks of the standby: whether it answers, belongs to this database, and is up to date.

use super::encryption;
use crate::checks::Finding;
use config::Settings;
use domain::time::Timestamp;
use persistence::inspect::inspect_standby;
use persistence::inspection::{InspectError, StandbyInspection};

/// The environment variable of the setting.
const SUBJECT: &str = "SWITCHBOARD_DATABASE_URL_READ";
/// The maximum number of bytes that a standby may be behind: two files of the write-ahead log.
const MUCH: i64 = 32 * 1024 * 1024;

/// Checks the standby, if one is configured.
pub async fn check(settings: &Settings, now: Timestamp) -> Vec<Finding> {
    let Some(standby) = &settings.standby else { return Vec::new() };
    let place = config::without_password(&standby.url);
    match inspect_standby(&settings.database, &standby.url).await {
        Ok(None) => Vec::new(),
        Ok(Some(found)) => {
            let mut findings = vec![finding(&place, &found)];
            findings.extend(encryption::check(SUBJECT, &standby.url, found.encryption, now));
            findings
        }
        Err(error) => vec![unreachable(&place, &error)],
    }
}

fn finding(place: &str, found: &StandbyInspection) -> Finding {
    let StandbyInspection { version, is_standby, is_of_primary, behind, .. } = found;
    if !is_standby {
        let advice = "name a standby; a server that was promoted has to be made a standby again (pg_rewind or pg_basebackup)";
        let what = format!("{version} at {place} is not a standby: reads go to the primary");
        return Finding::failed(SUBJECT, what, advice);
    }
    if !is_of_primary {
        let what = format!("{version} at {place} is a standby of another database");
        let advice = "name a standby of the server in SWITCHBOARD_DATABASE_URL";
        return Finding::failed(SUBJECT, what, advice);
    }
    let what = format!("{version} at {place} is a standby, {behind} bytes behind the primary");
    if *behind > MUCH {
        let advice = "see pg_stat_replication on the primary, and pg_is_wal_replay_paused() and the log of the standby; reads go to the primary meanwhile";
        return Finding::warning(SUBJECT, what, advice);
    }
    Finding::ok(SUBJECT, what)
}

fn unreachable(place: &str, error: &InspectError) -> Finding {
    let advice = match error {
        InspectError::Tls { advice, .. }
        | InspectError::Failed(persistence::Error::Tls { advice, .. }) => advice,
        _ => {
            "make sure that the standby runs, and that host, port, user and password in SWITCHBOARD_DATABASE_URL_READ are right; reads go to the primary meanwhile"
        }
    };
    let what = match error {
        InspectError::Failed(persistence::Error::Tls { what, .. }) => what.clone(),
        error => error.to_string(),
    };
    Finding::failed(SUBJECT, format!("{place}: {what}"), advice)
}
