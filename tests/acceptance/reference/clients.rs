//! Clients that independent generators create from the served `OpenAPI` document work.

use super::example_world::ExampleWorld;
use crate::world::Pair;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// A server, its `OpenAPI` document in a directory, and a client's keys.
struct ClientFixture {
    stage: ExampleWorld,
    folder: TempDir,
    throttled: Pair,
}

impl ClientFixture {
    async fn a_server_and_its_document() -> Self {
        let stage = ExampleWorld::start().await;
        let url = format!("{}/openapi.json", stage.world.base);
        let document = stage.world.http.get(url).send().await.unwrap().text().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.json"), document).unwrap();
        let world = &stage.world;
        let throttled = world.key_with(world.organization, Scope::ALL, None, 1).await;
        Self { stage, folder, throttled }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Sets the URLs and credentials as environment variables of the program.
    fn environment(&self, program: &mut Command) {
        let pair = |pair: &Pair| format!("{}:{}", pair.client_id, pair.client_secret);
        program.env("SWITCHBOARD", &self.stage.world.base).env_remove("http_proxy");
        program.env("KEY", pair(&self.stage.world.key)).env("THROTTLED", pair(&self.throttled));
        program.current_dir(self.path());
    }

    /// Runs both parts of a program, with the sandbox's replies between them.
    async fn sends_and_reads(&self, program: impl Fn(&str) -> Command) -> String {
        let mut printed = String::new();
        for part in ["send", "read"] {
            let mut command = program(part);
            self.environment(&mut command);
            printed = succeeded(&command.output().await.unwrap());
            self.stage.world.live_through(Duration::from_secs(3)).await;
        }
        printed
    }
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{complaint}");
    printed
}

fn foreign_file(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign").join(file)
}

fn required_variable(variable: &str) -> String {
    let value = std::env::var(variable);
    value.unwrap_or_else(|_| panic!("{variable} is not set: run `cargo xtask test`"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_python_client_that_was_generated_sends_and_reads_everything() {
    // Given a client that openapi-python-client generates from the document,
    let given = ClientFixture::a_server_and_its_document().await;
    let python = required_variable("SWITCHBOARD_TEST_PYTHON");
    // The generator's formatter is not needed.
    std::fs::write(given.path().join("config.yml"), "post_hooks: []\n").unwrap();
    let mut generate = Command::new(&python);
    generate.args(["-m", "openapi_python_client", "generate", "--path", "openapi.json"]);
    generate.args(["--output-path", "switchboard", "--meta", "none", "--config", "config.yml"]);
    let reported = succeeded(&generate.current_dir(given.path()).output().await.unwrap());
    // which covers everything except file downloads, for which the generator has no type,
    let left_out: Vec<&str> = reported.lines().filter(|line| line.starts_with("WARNING")).collect();
    assert!(left_out.iter().all(|line| line.contains("GET /media/{id}/{name}")), "{reported}");

    // when each type of message is sent with it, then all responses have the declared types,
    let program = |part: &str| {
        let mut command = Command::new(&python);
        command.arg(foreign_file("generated_client.py")).arg(part).env("PYTHONPATH", given.path());
        command
    };
    given.sends_and_reads(program).await;

    // and each example event is decoded to its own type and encodes to the same JSON.
    let mut command = program("examples");
    given.environment(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let document = std::fs::read(given.path().join("openapi.json")).unwrap();
    child.stdin.take().unwrap().write_all(&document).await.unwrap();
    let printed = succeeded(&child.wait_with_output().await.unwrap());
    let kinds = domain::event::EventKind::ALL.len();
    assert_eq!(printed.trim(), format!("{kinds} events"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typescript_client_that_was_generated_sends_and_reads_everything() {
    // Given types that openapi-typescript generates from the document,
    let given = ClientFixture::a_server_and_its_document().await;
    let modules = PathBuf::from(required_variable("SWITCHBOARD_TEST_NODE_MODULES"));
    std::os::unix::fs::symlink(&modules, given.path().join("node_modules")).unwrap();
    std::fs::write(given.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    std::fs::copy(foreign_file("generated_client.ts"), given.path().join("client.ts")).unwrap();
    let run = async |script: &str, arguments: &[&str]| {
        let mut node = Command::new("node");
        node.arg(modules.join(script)).args(arguments).current_dir(given.path());
        succeeded(&node.output().await.unwrap())
    };
    run("openapi-typescript/bin/cli.js", &["openapi.json", "-o", "switchboard.d.ts"]).await;

    // when a program is compiled with them that distinguishes events, responses and errors by their
    // fields, then the compiler accepts it,
    let options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"];
    run("typescript/bin/tsc", &[&options[..], &["client.ts"]].concat()).await;

    // and the program works.
    let program = |part: &str| {
        let mut command = Command::new("node");
        command.arg("client.js").arg(part);
        command
    };
    given.sends_and_reads(program).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectral_and_redocly_find_nothing_in_the_document() {
    let given = ClientFixture::a_server_and_its_document().await;
    let modules = PathBuf::from(required_variable("SWITCHBOARD_TEST_NODE_MODULES"));
    let lint = async |script: &str, option: &str, rules: &str, further: &[&str]| {
        let mut node = Command::new("node");
        node.arg(modules.join(script)).arg("lint").arg(option).arg(foreign_file(rules));
        node.args(further).arg("openapi.json").current_dir(given.path());
        // Neither sends anything to its maker.
        node.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
        succeeded(&node.output().await.unwrap())
    };
    let severity = ["--fail-severity=hint"];
    lint("@stoplight/spectral-cli/dist/index.js", "--ruleset", "spectral.yaml", &severity).await;
    lint("@redocly/cli/bin/cli.js", "--config", "redocly.yaml", &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newman_runs_the_postman_collection() {
    // Given the collection that the server serves,
    let given = ClientFixture::a_server_and_its_document().await;
    let world = &given.stage.world;
    let url = format!("{}/postman.json", world.base);
    let collection = world.http.get(url).send().await.unwrap().text().await.unwrap();
    let collection = given.stage.real(&collection);
    std::fs::write(given.path().join("collection.json"), collection).unwrap();

    // when Newman runs the requests that read and those that send,
    let modules = PathBuf::from(required_variable("SWITCHBOARD_TEST_NODE_MODULES"));
    let mut newman = Command::new("node");
    newman.arg(modules.join("newman/bin/newman.js")).args(["run", "collection.json"]);
    newman.args(["--folder", "messages", "--folder", "conversations", "--folder", "contacts"]);
    newman.args(["--folder", "accounts", "--reporters", "json"]);
    newman.args(["--reporter-json-export", "report.json"]).current_dir(given.path());
    for (name, value) in [
        ("base_url", &world.base),
        ("client_id", &world.key.client_id),
        ("client_secret", &world.key.client_secret),
    ] {
        newman.arg("--env-var").arg(format!("{name}={value}"));
    }
    succeeded(&newman.env_remove("http_proxy").output().await.unwrap());

    // then every request succeeds.
    let report = std::fs::read(given.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let executions = report["run"]["executions"].as_array().unwrap();
    assert!(executions.len() > 20, "only {} requests ran", executions.len());
    for execution in executions {
        let status = execution["response"]["code"].as_u64();
        let name = &execution["item"]["name"];
        assert!(status.is_some_and(|it| (200..300).contains(&it)), "{name}: {execution:#}");
    }
}

#[test]
fn no_union_of_the_document_leaves_open_which_branch_it_is() {
    let reference = reference::Reference::new("https://api.example.com", "https://x.example");
    let document = reference.openapi();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        // Generators ignore `oneOf` next to `required` or `properties`.
        assert!(schema.get("anyOf").is_none(), "{name} is one of several, and not which");
        let is_union = schema.get("oneOf").is_some();
        assert!(!is_union || schema.get("properties").is_none(), "{name} is both object and union");
    }
    let branches = schemas["Event"]["oneOf"].as_array().unwrap();
    assert_eq!(branches.len(), domain::event::EventKind::ALL.len());
    for branch in branches {
        let name = branch["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let required = schemas[name]["required"].as_array().unwrap();
        for field in ["type", "data", "sequence"] {
            assert!(required.contains(&Value::from(field)), "{name} without {field}");
        }
        assert!(schemas[name]["properties"]["type"]["const"].is_string(), "{name}");
    }
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let answers = operation["responses"].as_object().unwrap().iter();
            let fine = answers.filter(|(status, _)| status.starts_with('2'));
            let schemas: Vec<&Value> =
                fine.map(|(_, it)| &it["content"]["application/json"]["schema"]).collect();
            let first = schemas.first().copied();
            assert!(schemas.iter().all(|it| Some(*it) == first), "{method} {path}: {schemas:?}");
        }
    }
}

/// Returns the document and the schemas that its responses lead to, by name.
fn response_schemas() -> (Value, BTreeMap<String, Value>) {
    let reference = reference::Reference::new("https://api.example.com", "https://x.example");
    let document = reference.openapi();
    let mut responses = Vec::new();
    for operation in operations(&document) {
        responses.push(operation["responses"].clone());
    }
    let mut found = BTreeMap::new();
    while let Some(value) = responses.pop() {
        match value {
            Value::Object(fields) => {
                let name = fields.get("$ref").and_then(Value::as_str);
                if let Some(name) = name.and_then(|it| it.rsplit('/').next())
                    && !found.contains_key(name)
                {
                    let schema = document["components"]["schemas"][name].clone();
                    found.insert(name.to_owned(), schema.clone());
                    responses.push(schema);
                }
                responses.extend(fields.into_iter().map(|(_, value)| value));
            }
            Value::Array(entries) => responses.extend(entries),
            _ => {}
        }
    }
    (document, found)
}

fn operations(document: &Value) -> Vec<&Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths.flat_map(|methods| methods.as_object().unwrap().values()).collect()
}

#[test]
fn errors_without_fields_of_their_own_share_one_schema() {
    let (document, schemas) = response_schemas();
    // The errors of the code exchange have the form of RFC 6749.
    let errors = schemas.iter().filter(|(name, it)| {
        it["properties"].get("request_id").is_some() && *name != "ExchangeError"
    });
    let has_own = |it: &Value| it["properties"].as_object().unwrap().len() > 3;
    let common: Vec<&String> =
        errors.clone().filter(|(_, it)| !has_own(it)).map(|(name, _)| name).collect();
    assert_eq!(common, ["Error"]);
    // An error with fields of its own is told apart by its code.
    for (name, schema) in errors.filter(|(name, _)| *name != "Error") {
        assert!(schema["properties"]["code"]["const"].is_string(), "{name}");
    }
    // The common schema is the last branch of each union.
    for operation in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let schema = &response["content"]["application/json"]["schema"];
            let Some(branches) = schema["oneOf"].as_array() else { continue };
            let is_common = |it: &Value| it["$ref"] == "#/components/schemas/Error";
            let common = branches.iter().position(is_common);
            assert!(common.is_none_or(|it| it == branches.len() - 1), "{status}: {branches:?}");
        }
    }
}

#[test]
fn enumerations_in_responses_say_that_they_may_grow() {
    fn check(name: &str, schema: &Value) {
        match schema {
            Value::Object(fields) => {
                let words = fields.get("enum").and_then(Value::as_array);
                if words.is_some_and(|it| it.len() > 1 && it.iter().any(Value::is_string)) {
                    let about = fields.get("description").and_then(Value::as_str);
                    let says = about.is_some_and(|it| it.contains("More values may be added."));
                    assert!(says, "{name}: {schema}");
                }
                fields.values().for_each(|it| check(name, it));
            }
            Value::Array(entries) => entries.iter().for_each(|it| check(name, it)),
            _ => {}
        }
    }
    let (_, schemas) = response_schemas();
    assert!(schemas.len() > 50, "{}", schemas.len());
    for (name, schema) in &schemas {
        check(name, schema);
    }
}
