//! `switchboard send`.

use super::{ECHOES, get, run};
use crate::operators::prepare;
use crate::world::{Database, Process, free_port};
use serde_json::Value;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_is_sent_from_the_command_line() {
    let database = Database::sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;

    let send = ["send", "--to", ECHOES, "--text", "Hello"];
    let (code, printed, notes) = run(&server.base, &key, &[&send[..], &["--json"]].concat()).await;
    assert_eq!(code, Some(0), "{notes}");
    let message: Value = serde_json::from_str(&printed).unwrap();
    let path = format!("/api/v1/messages/{}", message["id"].as_str().unwrap());
    assert_eq!(get(&server, &key, &path).await["text"], "Hello");

    // Without --json the id is printed for people.
    let (code, printed, _) = run(&server.base, &key, &send).await;
    assert_eq!(code, Some(0));
    assert!(printed.starts_with("The server accepted the message to +12025550100"), "{printed}");
    assert!(printed.contains("msg_"), "{printed}");

    // A refusal names the fault and the field.
    let send = ["send", "--to", "12", "--text", "Hello"];
    let (code, _, notes) = run(&server.base, &key, &send).await;
    assert_eq!(code, Some(1));
    assert!(notes.contains("422") && notes.contains("phone_number: "), "{notes}");
}
