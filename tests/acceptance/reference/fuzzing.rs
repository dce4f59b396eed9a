//! Thousands of requests that schemathesis generates from the document: none causes a server error,
//! and each response matches the document.

use super::example_world::ExampleWorld;
use tokio::process::Command;

/// The checks of each response.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,unsupported_method";

/// The coverage phase uses each bound of a schema and violates each of its rules. A list of messages
/// would repeat what it does with a message, which has by far the largest schema. Batches have examples
/// and random requests; the bounds of their list are tested in `message_batches`.
const CONFIGURATION: &str = r#"
[[operations]]
include-path = "/api/v1/messages/batch"
phases.coverage.enabled = false
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_of_schemathesis_gets_an_answer_that_is_not_declared() {
    // Given a server and a key with all scopes,
    let stage = ExampleWorld::start().await;
    let python = std::env::var("SWITCHBOARD_TEST_PYTHON");
    let python = python.expect("SWITCHBOARD_TEST_PYTHON names a Python: run `cargo xtask test`");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("schemathesis.toml"), CONFIGURATION).unwrap();

    // when schemathesis generates requests for each operation,
    let (id, secret) = (&stage.world.key.client_id, &stage.world.key.client_secret);
    // One worker: two threads of CPython 3.11 in `ast.parse` can fail with "AST constructor recursion
    // depth mismatch" (python/cpython#106905).
    let mut command = Command::new(python);
    command
        .args(["-m", "schemathesis.cli", "run"])
        .arg(format!("{}/openapi.json", stage.world.base));
    command.args([
        "--checks",
        CHECKS,
        "--max-examples",
        "12",
        "--seed",
        "1",
        "--workers",
        "1",
        "--no-color",
    ]);
    command.args(["--phases", "examples,coverage,fuzzing", "--generation-database", "none"]);
    command.args(["--header", &format!("x-client-id: {id}")]);
    command.args(["--header", &format!("x-client-secret: {secret}")]);
    let output = command.current_dir(folder.path()).output().await.unwrap();

    // then it finds no failure.
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{complaint}");
}
