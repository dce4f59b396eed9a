//! Rate limits in a Redis that is reached over TLS.

use crate::starting::Starting;
use crate::world::certificate::Certificate;
use crate::world::redis::Redis;
use crate::world::{Database, World};
use domain::scope::Scope;
use std::time::Duration;
use tokio::time::sleep;

const ME: &str = "/api/v1/me";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows_are_shared_over_tls_with_an_authority_that_the_settings_name() {
    // Given a Redis with a certificate of the operator's own authority,
    let database = Database::sqlite();
    let certificate = Certificate::make_in(database.folder.path());
    let (redis, port) = Redis::start_with_tls(&certificate).await;
    let url = format!("rediss://127.0.0.1:{port}");
    let authority = certificate.authority.display().to_string();
    // when a server is configured with its URL and the authority, then it keeps its rate limits
    // there.
    let settings = [("redis_url", url.as_str()), ("redis_ca_file", authority.as_str())];
    let world = World::on(Database::migrated_sqlite(), &settings).await;
    let key = world.key_with(world.organization, &[Scope::MediaWrite], None, 2).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(world.get(ME, &key).await.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
    let kept = redis.execute("KEYS switchboard:rate:key_*").await.unwrap();
    assert!(kept.contains("switchboard:rate:key_"), "{kept}");
    // When the connection is lost, then the server connects again with TLS. A call during the loss
    // may be rejected.
    redis.execute("CLIENT KILL TYPE normal SKIPME yes").await.unwrap();
    for _ in 0..200 {
        let status = world.get(ME, &key).await.status;
        if status == 429 {
            return;
        }
        assert_eq!(status, 503);
        sleep(Duration::from_millis(50)).await; // real time: another process is connected to
    }
    panic!("the windows are not found again within ten seconds");
}

#[tokio::test]
async fn a_redis_whose_certificate_is_not_trusted_stops_the_start() {
    let database = Database::sqlite();
    let certificate = Certificate::make_in(database.folder.path());
    let (_redis, port) = Redis::start_with_tls(&certificate).await;
    let start = |host: &str, authority: Option<&str>| {
        let url = format!("rediss://{host}:{port}");
        let mut variables = vec![("SWITCHBOARD_REDIS_URL", url.as_str())];
        variables.extend(authority.map(|file| ("SWITCHBOARD_REDIS_CA_FILE", file)));
        Starting::serve(&database.url, &["--wait", "60"], &variables)
    };
    // A server does not start without the authority's file,
    let said = start("127.0.0.1", None).expect_failure("SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("invalid peer certificate: UnknownIssuer"), "{said}");
    assert!(said.contains("SWITCHBOARD_REDIS_CA_FILE"), "{said}");
    // with a host name that is not in the certificate,
    let authority = certificate.authority.display().to_string();
    let said = start("localhost", Some(&authority)).expect_failure("SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("certificate not valid for name"), "{said}");
    // or with a path where no file exists.
    let said =
        start("127.0.0.1", Some("/nowhere.pem")).expect_failure("SWITCHBOARD_REDIS_URL").await;
    assert!(said.contains("/nowhere.pem cannot be read"), "{said}");
    // A configured authority for a connection without TLS is an error.
    let variables = [
        ("SWITCHBOARD_REDIS_URL", "redis://127.0.0.1:1"),
        ("SWITCHBOARD_REDIS_CA_FILE", authority.as_str()),
    ];
    let starting = Starting::serve(&database.url, &[], &variables);
    starting.expect_failure("redis_ca_file is for a redis_url that begins with rediss://").await;
}
