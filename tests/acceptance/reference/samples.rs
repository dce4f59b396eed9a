//! The code samples in the reference run exactly as they stand there.

use super::example_world::ExampleWorld;
use api::admission::Access;
use api::registry::Specification;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// Finds the samples of an operation in one language in the served reference, one for each request.
fn codes<'a>(reference: &'a str, specification: &Specification, fence: &str) -> Vec<&'a str> {
    let heading = format!("\n### {}\n", specification.summary.trim_end_matches('.'));
    let (_, part) = reference.split_once(&heading).unwrap_or_else(|| panic!("no part{heading}"));
    let ends = ["\n## ", "\n### "].iter().filter_map(|end| part.find(end));
    let part = &part[..ends.min().unwrap_or(part.len())];
    let fence = format!("```{fence}\n");
    let blocks = part.split(&fence).skip(1);
    let codes: Vec<&str> =
        blocks.map(|block| block.split_once("\n```").expect("the code ends").0).collect();
    assert_eq!(codes.len(), 1 + specification.variants.len(), "{} in {fence}", specification.id);
    codes
}

/// The line that a driver prints after a sample.
const END: &str = "end of the sample";

/// Runs the samples of one language as they stand in the reference, one after the other, because
/// Node.js takes longer to start than to run one. Each line of the input is a sample with the
/// variables of its environment.
const NODE: &str = r#"
import { createInterface } from "node:readline";
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { code, variables } = JSON.parse(line);
  for (const name of Object.keys(process.env)) {
    if (/_CLIENT_(ID|SECRET)$/.test(name)) delete process.env[name];
  }
  Object.assign(process.env, variables);
  count += 1;
  await import(`data:text/javascript;sample=${count},${encodeURIComponent(code)}`);
  console.log("\nend of the sample");
}
"#;

/// Runs the samples for Python in the same way.
const PYTHON: &str = r#"
import json, os, sys
for line in sys.stdin:
    sample = json.loads(line)
    for name in list(os.environ):
        if name.endswith(("_CLIENT_ID", "_CLIENT_SECRET")):
            del os.environ[name]
    os.environ.update(sample["variables"])
    exec(compile(sample["code"], "sample", "exec"), {"__name__": "__main__"})
    print("\nend of the sample", flush=True)
"#;

/// A program that runs samples.
enum Runner {
    /// The shell, which reads one sample from its standard input.
    Shell,
    /// A program that runs a driver: the name of the driver's file, and its code.
    Driver { program: &'static str, file: &'static str, code: &'static str },
}

/// A started program. Dropping it kills the process.
struct RunningSamples {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl RunningSamples {
    fn start(mut command: Command, folder: &Path) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_remove("http_proxy").current_dir(folder).kill_on_drop(true);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, output }
    }

    async fn write(&mut self, text: &str) {
        // A program that has ended says why on its standard error.
        drop(self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).await);
    }

    /// Returns the lines up to the end of the output, or up to the end of a sample.
    async fn printed(&mut self) -> (String, bool) {
        let mut printed = String::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            if line == END {
                return (printed, true);
            }
            printed.push_str(&line);
            printed.push('\n');
        }
        (printed, false)
    }

    /// Returns what the program prints until it ends, and whether it succeeds.
    async fn read_to_end(&mut self) -> (String, bool) {
        drop(self.child.stdin.take());
        let (printed, _) = self.printed().await;
        (printed, self.child.wait().await.unwrap().success())
    }

    async fn complaint(&mut self) -> String {
        let mut complaint = String::new();
        let mut error = self.child.stderr.take().unwrap();
        error.read_to_string(&mut complaint).await.unwrap();
        complaint
    }
}

/// Runs every sample of a language, and checks its output.
async fn every_sample_works(fence: &str, runner: Runner, says: fn(&Specification) -> String) {
    // Given a server and its served reference,
    let stage = ExampleWorld::start().await;
    let url = format!("{}/docs.md", stage.world.base);
    let reference = stage.world.http.get(url).send().await.unwrap().text().await.unwrap();

    // A sample may write a file.
    let folder = tempfile::tempdir().unwrap();
    let mut driver = None;
    if let Runner::Driver { program, file, code } = runner {
        std::fs::write(folder.path().join(file), code).unwrap();
        let mut command = Command::new(program);
        command.arg(file);
        driver = Some(RunningSamples::start(command, folder.path()));
    }
    let registry = api::registry();
    let all = registry.specifications().iter();
    let all =
        all.flat_map(|it| codes(&reference, it, fence).into_iter().map(move |code| (it, code)));
    for (specification, code) in all {
        // when a sample is run with the credentials in its environment,
        let code = stage.real(code);
        let code = ExampleWorld::fresh(specification, &code);
        let pair = stage.caller(specification);
        let is_applications = specification.access == Access::Application;
        let prefix = if is_applications { "APP_CLIENT" } else { "SWITCHBOARD_CLIENT" };
        let (id, secret) = (format!("{prefix}_ID"), format!("{prefix}_SECRET"));
        let mut shell = None;
        let (printed, has_succeeded) = if let Some(driver) = &mut driver {
            let variables = json!({id: pair.client_id, secret: pair.client_secret});
            driver.write(&format!("{}\n", json!({"code": code, "variables": variables}))).await;
            driver.printed().await
        } else {
            let mut command = Command::new("sh");
            command.arg("-e").env(id, &pair.client_id).env(secret, &pair.client_secret);
            let shell = shell.insert(RunningSamples::start(command, folder.path()));
            shell.write(&code).await;
            shell.read_to_end().await
        };

        // then it succeeds and prints the response.
        let expected = says(specification);
        if !has_succeeded || !printed.contains(&expected) {
            let mut program = shell.or(driver.take()).unwrap();
            // The driver goes on after a sample that prints something else.
            drop(program.child.stdin.take());
            let complaint = program.complaint().await;
            panic!(
                "{} in {fence} does not print {expected}:\n{code}\n{printed}\n{complaint}",
                specification.id
            );
        }
    }
}

fn status(specification: &Specification) -> String {
    format!("{} ", specification.success.as_u16())
}

/// curl prints only the response, so its first field tells success from an error. A file is saved.
fn first_field(specification: &Specification) -> String {
    if specification.answers_with_file() {
        return String::new();
    }
    let reply = &specification.example.reply;
    reply.split('"').nth(1).map(|name| format!("{{\"{name}\":")).expect("the answer has fields")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl() {
    every_sample_works("sh", Runner::Shell, first_field).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node() {
    let runner = Runner::Driver { program: "node", file: "driver.mjs", code: NODE };
    every_sample_works("js", runner, status).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python() {
    let runner = Runner::Driver { program: "python3", file: "driver.py", code: PYTHON };
    every_sample_works("python", runner, status).await;
}
