//! Checks of the instances that share the database.

use super::{Examination, base_url::Responder};
use crate::checks::Finding;
use domain::id::InstanceId;
use domain::instance::HEARTBEAT_INTERVAL;
use persistence::Db;
use platform::clock::Stopwatch;
use platform::settings::FileSettings;
use std::collections::BTreeMap;
use std::time::Duration;

/// The time within which a running instance sends a heartbeat, even under load.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(6);

/// The heartbeat counters at one time.
pub struct HeartbeatSample {
    beats: BTreeMap<InstanceId, i64>,
    at: Stopwatch,
}

/// Reads the heartbeats for the first time.
pub async fn sample(it: &Examination) -> Option<HeartbeatSample> {
    // The single instance of a SQLite file sends no heartbeats.
    let db = it.db.as_ref().filter(|db| matches!(db, Db::Postgres(_)))?;
    let beats = db.operator().beats().await.ok()?;
    Some(HeartbeatSample { beats: beats.into_iter().collect(), at: Stopwatch::start() })
}

impl HeartbeatSample {
    /// Whether the instance has sent a heartbeat since this sample.
    fn lives(&self, (id, beat): &(InstanceId, i64)) -> bool {
        self.beats.get(id) != Some(beat)
    }
}

/// Reads the heartbeats again until every instance has sent one, or until the time for it is over.
async fn second_sample(
    db: &Db,
    first: &HeartbeatSample,
) -> persistence::Result<Vec<(InstanceId, i64)>> {
    loop {
        let beats = db.operator().beats().await?;
        if first.at.elapsed() > HEARTBEAT_TIMEOUT || beats.iter().all(|entry| first.lives(entry)) {
            return Ok(beats);
        }
        tokio::time::sleep(HEARTBEAT_INTERVAL / 4).await;
    }
}

/// Compares a second sample with the first, and reports the running instances.
pub async fn check(
    it: &Examination,
    here: Responder,
    first: Option<HeartbeatSample>,
) -> Vec<Finding> {
    let Some(first) = first else { return alone(it, here) };
    let Some(db) = &it.db else { return Vec::new() };
    if first.beats.is_empty() {
        return vec![Finding::ok("servers", "no server runs on this database")];
    }
    let second = match second_sample(db, &first).await {
        Ok(beats) => beats,
        Err(error) => {
            let (what, advice) = (
                format!("the servers' heartbeats cannot be read: {error}"),
                "see the findings about the database",
            );
            return vec![Finding::failed("servers", what, advice)];
        }
    };
    let lives = |entry: &&(InstanceId, i64)| first.lives(entry);
    let living = second.iter().filter(lives).count();
    let dead = second.iter().filter(|entry| !lives(entry)).map(|(id, _)| id.to_string());
    let mut findings = vec![counted(living, &dead.collect::<Vec<_>>())];
    if living > 1 {
        findings.extend(shared(it, living));
    }
    findings
}

fn counted(living: usize, dead: &[String]) -> Finding {
    let run = match living {
        0 => "no server runs on this database".to_owned(),
        1 => "1 server runs on this database".to_owned(),
        living => format!("{living} servers run on this database"),
    };
    if dead.is_empty() {
        return Finding::ok("servers", run);
    }
    let what =
        format!("{run}; these have ended, and only their entries are left: {}", dead.join(", "));
    let advice = "they ended without signing off; a running server takes over their work within 5 seconds, \
                  so start one, or run doctor again";
    Finding::warning("servers", what, advice)
}

/// Checks the other resources that several instances must share.
fn shared(it: &Examination, living: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    if it.settings.redis_url.is_none() {
        let what = format!(
            "{living} servers each count rate limits alone, so the limits are {living} times as high"
        );
        findings.push(Finding::warning(
            "SWITCHBOARD_REDIS_URL",
            what,
            "give all servers one Redis or Valkey",
        ));
    }
    if matches!(it.settings.files, FileSettings::Folder(_)) {
        let what = "several servers run, but uploads are kept in a folder";
        let advice = "keep them in a bucket (s3://…), unless all servers share that folder";
        findings.push(Finding::warning("SWITCHBOARD_MEDIA_URL", what, advice));
    }
    findings
}

fn alone(it: &Examination, here: Responder) -> Vec<Finding> {
    if it.db.is_none() {
        return Vec::new();
    }
    let what = match here {
        Responder::This => "the only server of this database runs",
        _ => "no server of this database answers here",
    };
    vec![Finding::ok("servers", what)]
}
