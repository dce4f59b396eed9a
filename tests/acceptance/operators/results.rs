//! Results and errors of commands, as programs read them with `--json`
//! (`docs/contract.md#commands`).

use super::{Output, admin, folder, prepare, run};
use crate::world::{free_port, switchboard};
use serde_json::{Value, json};

/// Returns the error that a command printed with `--json`, and its exit code.
async fn error_of(arguments: &[&str], variables: &[(&str, &str)]) -> (Value, i32) {
    let mut command = switchboard(&[arguments, &["--json"]].concat());
    let said = Output::of(command.envs(variables.iter().copied())).await;
    let last = said.err.lines().last().unwrap_or_default();
    let error =
        serde_json::from_str(last).unwrap_or_else(|_| panic!("{arguments:?}: {}", said.err));
    (error, said.code.expect("an exit code"))
}

#[tokio::test]
async fn an_error_is_an_object_with_a_code_a_message_and_a_hint() {
    // Given a database with two organizations of one name, and a key,
    let (folder, url) = folder();
    let key = prepare(&url).await;
    admin(&url, &["organization", "create", "--name", "Bakery"]).await;
    let missing = format!("sqlite:{}/missing.db", folder.path().display());
    let nowhere = format!("http://127.0.0.1:{}", free_port());
    let there = ["--database-url", url.as_str()];
    let id = key.client_id.as_str();
    let send = ["send", "--to", "+12025550100", "--text", "x", "--url", &nowhere];
    let credentials = ["--client-id", "swk_1", "--client-secret", "sws_1"];

    // when a command fails, then the code says why, and the exit code whether the arguments are
    // wrong.
    for (arguments, code, exit_code) in [
        (&["admin", "key", "show", "Nobody"][..], "not_found", 1),
        (&["admin", "organization", "show", "Bakery"], "ambiguous_name", 1),
        (&["admin", "plan", "rename", "Pro", "--name", ""], "invalid_value", 1),
        (&["admin", "plan", "remove", "Pro", "--yes"], "conflict", 1),
        (&["admin", "key", "delete", id], "confirmation_required", 1),
        (&["admin", "key", "list", "--limit", "0"], "usage", 2),
        (&["admin", "key", "lst"], "usage", 2),
        (&["admin", "organization", "create"], "usage", 2),
        (&["admin", "agent", "create", "--organization", "Bakery", "--kind", "api"], "usage", 2),
        (&["config", "--workers", "0"], "invalid_settings", 1),
    ] {
        let (error, ended) = error_of(&[arguments, &there].concat(), &[]).await;
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(ended, exit_code, "{error}");
        for text in ["message", "hint"] {
            assert!(error[text].as_str().is_some_and(|it| !it.is_empty()), "{text} in {error}");
        }
    }
    let (error, _) = error_of(&["admin", "key", "list", "--database-url", &missing], &[]).await;
    assert_eq!(error["code"], "no_database", "{error}");
    let (error, _) = error_of(&[&send[..], &credentials].concat(), &[]).await;
    assert_eq!(error["code"], "server_unreachable", "{error}");
    let (error, ended) = error_of(&send, &[]).await;
    assert_eq!(error["code"], "usage", "{error}");
    assert_eq!(ended, 2, "{error}");

    // A similar word is the hint.
    let (error, _) = error_of(&["admin", "organisation", "list"], &[]).await;
    assert!(error["hint"].as_str().unwrap().contains("organization"), "{error}");
    let (error, _) = error_of(&["config"], &[("SWITCHBOARD_BINDD", "x")]).await;
    assert!(error["message"].as_str().unwrap().contains("SWITCHBOARD_BIND?"), "{error}");

    // Without --json the error is text, and nothing is on the standard output.
    let said =
        run(folder.path(), &["admin", "key", "show", "x", "--database-url", &url], &[]).await;
    said.failed_with(&["error: there is no key"]);
    assert_eq!(said.out, "");
}

#[tokio::test]
async fn each_result_is_one_line_of_json() {
    let (_folder, url) = folder();
    prepare(&url).await;
    for arguments in [
        &["config"][..],
        &["migrate", "run"],
        &["migrate", "status"],
        &["admin", "organization", "show", "Bakery"],
        &["admin", "subscription", "show", "Bakery"],
        &["admin", "organization", "opt-out-words", "--organization", "Bakery"],
        &["admin", "setup-link"],
    ] {
        let arguments = [arguments, &["--json", "--database-url", &url]].concat();
        let out = Output::of(&mut switchboard(&arguments)).await.succeeded();
        assert_eq!(out.lines().count(), 1, "{arguments:?}: {out}");
        let value: Value = serde_json::from_str(&out).unwrap();
        assert!(value.is_object(), "{arguments:?}: {out}");
    }
    // Every list has the same shape.
    for noun in ["organization", "member", "account", "plan", "subscription", "key"] {
        is_list(&admin(&url, &[noun, "list"]).await);
    }
    for noun in ["application", "endpoint", "agent", "callback"] {
        let list = admin(&url, &[noun, "list"]).await;
        is_list(&list);
        assert_eq!(list["data"], json!([]));
    }
}

#[track_caller]
fn is_list(list: &Value) {
    let fields: Vec<&String> = list.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["data", "has_more", "next_after"], "{list}");
}
