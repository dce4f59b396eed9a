//! Settings are checked at the start and not by the first callers: a setting that names something
//! unusable stops the start with an error that contains the setting's name and advice.

use crate::starting::Starting;
use crate::world::redis::Redis;
use crate::world::{Database, free_port};
use std::path::Path;

/// Starts a server with this Redis.
fn with_redis(database: &Database, url: &str) -> Starting {
    // The server waits for an unavailable Redis, but not for one with a permanent problem.
    Starting::serve(&database.url, &["--wait", "60"], &[("SWITCHBOARD_REDIS_URL", url)])
}

#[tokio::test]
async fn a_redis_that_wants_another_password_stops_the_start() {
    let database = Database::sqlite();
    let redis = Redis::start(Some("sesame")).await;
    let starting = with_redis(&database, &format!("redis://127.0.0.1:{}", redis.port()));
    let said = starting.expect_failure("cannot use the Redis of SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("it requires a password"), "{said}");
    assert!(said.contains("redis://:PASSWORD@HOST:PORT"), "{said}");

    let starting = with_redis(&database, &format!("redis://:wrong@127.0.0.1:{}", redis.port()));
    let said = starting.expect_failure("cannot use the Redis of SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("it refuses this user or password"), "{said}");
    assert!(!said.contains("wrong"), "{said}");
}

#[tokio::test]
async fn a_redis_that_takes_no_writes_stops_the_start() {
    // Given a replica of another Redis,
    let (primary, replica) = (Redis::start(None).await, Redis::start(None).await);
    let answer = replica.execute(&format!("REPLICAOF 127.0.0.1 {}", primary.port())).await.unwrap();
    assert!(answer.contains("+OK"), "{answer}");
    // when a server is configured to keep its rate limits there, then it does not start.
    let database = Database::sqlite();
    let said = with_redis(&database, &replica.url()).expect_failure("SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("it is a read-only replica"), "{said}");
    assert!(said.contains("name the primary"), "{said}");

    // If a user of Redis may not run scripts, the error names the missing permissions.
    let reported = "ACL SETUSER reader on >secret ~* +@read +@connection";
    assert!(primary.execute(reported).await.unwrap().contains("+OK"));
    let url = format!("redis://reader:secret@127.0.0.1:{}", primary.port());
    let said = with_redis(&database, &url).expect_failure("SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("EVALSHA and SCRIPT LOAD on the keys switchboard:*"), "{said}");
}

#[tokio::test]
async fn folders_that_cannot_be_written_to_stop_the_start() {
    let database = Database::sqlite();
    // Nobody, not even root, can create a directory inside a file.
    let file = database.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let within = |name: &str| file.join(name).display().to_string();
    let variables = [
        ("SWITCHBOARD_MEDIA_URL", format!("file:{}", within("media"))),
        ("SWITCHBOARD_ENCRYPTION_KEY", format!("file:{}", within("encryption.key"))),
    ];
    let variables: Vec<_> = variables.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let said = Starting::serve(&database.url, &[], &variables).expect_failure("cannot run").await;
    for (name, _) in variables {
        assert!(said.contains(&format!("{name}: ")), "{said}");
    }
    assert!(said.contains("name a folder that this server may write to"), "{said}");
}

#[tokio::test]
async fn a_temporary_folder_that_is_not_there_stops_the_start() {
    let database = Database::postgres().await;
    let nowhere = "/nowhere/at/all";
    let variables = [
        ("SWITCHBOARD_MEDIA_URL", "s3://uploads"),
        ("SWITCHBOARD_MEDIA_S3_ENDPOINT", &format!("http://127.0.0.1:{}", free_port())),
        ("SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID", "key"),
        ("SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY", "secret"),
        ("TMPDIR", nowhere),
    ];
    let said = Starting::serve(&database.url, &[], &variables).expect_failure("TMPDIR: ").await;
    assert!(said.contains(nowhere), "{said}");
    assert!(!Path::new(nowhere).exists(), "nothing is made there");
}
