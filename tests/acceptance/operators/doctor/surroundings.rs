//! The doctor's findings on Redis, directories and the base URL.

use super::DoctorTarget;
use crate::world::redis::Redis;
use crate::world::{Database, Process, free_port};
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt as _;

#[tokio::test]
async fn a_redis_that_is_gone_locked_or_a_replica_is_named() {
    let database = Database::sqlite();
    let patient = DoctorTarget::on(&database.url).await;
    let redis = Redis::start(Some("hunter2")).await;
    let (url, port) = (redis.url(), redis.port());
    let examine = async |url: &str| patient.examine(&[("SWITCHBOARD_REDIS_URL", url)]).await;
    examine(&url).await.is_well(&["SWITCHBOARD_REDIS_URL", "can keep rate limits"]);
    let locked = format!("redis://127.0.0.1:{port}");
    examine(&locked).await.fails(&["SWITCHBOARD_REDIS_URL"]);
    redis.execute("REPLICAOF 127.0.0.1 1").await.unwrap();
    examine(&url).await.fails(&["SWITCHBOARD_REDIS_URL", "read-only replica", "primary"]);
    redis.kill().await;
    examine(&url).await.fails(&["SWITCHBOARD_REDIS_URL", "make sure that it runs"]);
}

#[tokio::test]
async fn folders_that_others_may_change_or_nobody_can_write_to_are_named() {
    let database = Database::sqlite();
    let patient = DoctorTarget::on(&database.url).await;
    let folder = database.folder.path();
    set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
    patient.examine(&[]).await.fails(&["SWITCHBOARD_DATABASE_URL", "0777", "chmod 700"]);
    set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    let found = patient.examine(&[]).await;
    found
        .is_well(&["configuration"])
        .says("warning", &["SWITCHBOARD_DATABASE_URL", "0755", "chmod 700"]);
    set_permissions(folder, Permissions::from_mode(0o700)).unwrap();

    // Not even root can create a directory inside a file.
    let file = folder.join("file");
    std::fs::write(&file, "").unwrap();
    let media = format!("file:{}/media", file.display());
    patient
        .examine(&[("SWITCHBOARD_MEDIA_URL", &media)])
        .await
        .fails(&["SWITCHBOARD_MEDIA_URL", "file:FOLDER"]);
}

#[tokio::test]
async fn a_base_url_that_leads_nowhere_or_elsewhere_is_named() {
    let database = Database::sqlite();
    let patient = DoctorTarget::on(&database.url).await;
    let examine = async |url: &str| patient.examine(&[("SWITCHBOARD_BASE_URL", url)]).await;
    let nowhere = format!("http://127.0.0.1:{}", free_port());
    examine(&nowhere).await.fails(&["SWITCHBOARD_BASE_URL", "cannot be reached", "refused"]);
    let unknown = examine("http://nowhere.invalid").await;
    unknown.fails(&["SWITCHBOARD_BASE_URL", "cannot be resolved", "AAAA"]);

    // A server with another database does not count as this service.
    let other = Database::sqlite();
    let other = Process::serve(&other.url, free_port()).await;
    examine(&other.base).await.fails(&["SWITCHBOARD_BASE_URL", "not as a server of this database"]);
    // The doctor also reports such a server on the address where this one is to listen.
    let bind = other.base.strip_prefix("http://").unwrap();
    let found = patient.examine(&[("SWITCHBOARD_BIND", bind)]).await;
    found.says("failed", &["SWITCHBOARD_BIND", "another database"]);
}

#[tokio::test]
async fn an_invalid_probe_reveals_nothing_about_the_server() {
    let database = Database::sqlite();
    let patient = DoctorTarget::on(&database.url).await;
    let http = crate::world::client();
    for question in ["", "x", &"A".repeat(60)] {
        let asked = http.get(format!("{}/healthz", patient.server.base));
        let answer = asked.header("switchboard-probe", question).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(!answer.headers().contains_key("switchboard-probe"));
        assert_eq!(answer.text().await.unwrap(), r#"{"status":"ok"}"#);
    }
}
