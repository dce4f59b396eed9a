//! Each secret appears in exactly one response and nowhere else (`docs/security.md` 23): not in the
//! database's files, journals, dumps and logs, not in Redis or the bucket, not in our log at level
//! trace, not in the metrics, not on the command line, and in no other response or page. The search
//! covers several encodings. Only the operator's own secrets are in the environment.

mod forms;
mod places;
mod stage;
mod story;
mod surroundings;
mod tap;

use crate::connect::percent_encode;
use places::Subject;
use stage::{Left, Stage, Whose};

/// Does everything that involves secrets on a database. Returns the traces, and the client id of a
/// key.
async fn lived_through(subject: Subject, log_format: &str) -> (Left, String) {
    let mut stage = Stage::start(subject, log_format).await;
    let (key, partner) = stage.operate().await;
    let mut browser = story::people(&mut stage).await;
    story::dashboard(&mut stage, &mut browser).await;
    let connection = story::handshakes(&mut stage, &mut browser, &partner).await;
    story::calls(&mut stage, &connection).await;
    story::endpoints(&mut stage, &key).await;
    story::files(&mut stage, &key).await;
    story::callbacks_of_networks(&mut stage).await;
    stage.repeat_the_token();
    story::refusals_of_the_network(&mut stage, &key).await;
    for command in
        [&["config"][..], &["doctor"], &["admin", "key", "list"], &["admin", "account", "list"]]
    {
        stage.run(command, "").await;
    }
    story::locked_redis(&mut stage, &connection).await;
    story::failures(&mut stage, &mut browser, &partner, &key).await;
    (stage.end().await, key.client_id)
}

/// Asserts that no secret was found in a forbidden place, and that the search works: it finds known
/// public texts where they are expected, and reports the client id once that is declared a secret.
fn nothing_leaked(mut left: Left, client_id: &str, expected: &[&str]) {
    let found = left.found();
    assert!(found.is_empty(), "{} found:\n{}", found.len(), found.join("\n"));
    assert!(left.secrets() >= 40, "{}", left.secrets());
    let there = left.places_with(client_id);
    for place in expected {
        assert!(there.iter().any(|it| it.contains(place)), "{place} in {there:?}");
    }
    assert!(left.places_with("switchboard_http_request_duration_seconds").contains(&"the metrics"));
    assert!(left.places_with("--metrics-bind").contains(&"the command line"));
    assert!(left.environment_is_searched());
    for (text, places) in [
        ("switchboard:rate:", ["dump.rdb", "what Redis was asked"]),
        (story::IN_THE_BUCKET, ["/uploads/", "what the bucket was asked"]),
    ] {
        let there = left.places_with(text);
        for place in places {
            assert!(there.iter().any(|it| it.contains(place)), "{place} in {there:?}");
        }
    }
    let logs = left.places_with("/connect/token");
    assert!(logs.iter().any(|it| it.ends_with("/log")), "{logs:?}");
    left.plant(Whose::Once, client_id);
    let found = left.found();
    for place in expected.iter().chain(&["answers (Once)"]) {
        let complaint = found.iter().find(|it| it.contains("planted") && it.contains(place));
        assert!(complaint.is_some(), "{place} in {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_anywhere_but_in_its_answer_on_sqlite() {
    let (left, client_id) = lived_through(Subject::Sqlite, "text").await;
    nothing_leaked(left, &client_id, &["switchboard.db", "-wal", "a dump of SQLite"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_anywhere_but_in_its_answer_on_postgres() {
    let (left, client_id) = lived_through(Subject::postgres().await, "json").await;
    nothing_leaked(left, &client_id, &["/base/", "pg_wal", "/log", "a dump of PostgreSQL"]);
}
