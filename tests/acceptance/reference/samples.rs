//! The code samples in the reference run exactly as they stand there.

use super::example_world::ExampleWorld;
use api::admission::Access;
use api::registry::Specification;
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

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

/// Runs every sample of a language with a program that reads code from standard input, and checks
/// its output.
async fn every_sample_works(fence: &str, program: &[&str], says: fn(&Specification) -> String) {
    // Given a server and its served reference,
    let stage = ExampleWorld::set().await;
    let url = format!("{}/docs.md", stage.world.base);
    let reference = stage.world.http.get(url).send().await.unwrap().text().await.unwrap();

    // A sample may write a file.
    let folder = tempfile::tempdir().unwrap();
    let registry = api::registry();
    let all = registry.specifications().iter();
    let all =
        all.flat_map(|it| codes(&reference, it, fence).into_iter().map(move |code| (it, code)));
    for (specification, code) in all {
        // when a sample is run with the credentials in its environment,
        let code = stage.real(code);
        let code = ExampleWorld::fresh(specification, &code);
        let pair = stage.caller(specification);
        let mut command = Command::new(program[0]);
        let is_applications = specification.access == Access::Application;
        let variable = if is_applications { "APP_CLIENT" } else { "SWITCHBOARD_CLIENT" };
        command.args(&program[1..]).env(format!("{variable}_ID"), &pair.client_id);
        command.env(format!("{variable}_SECRET"), &pair.client_secret).env_remove("http_proxy");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.current_dir(folder.path());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program[0]));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(code.as_bytes()).await.unwrap();
        drop(stdin);
        let output = child.wait_with_output().await.unwrap();

        // then it succeeds and prints the response.
        let printed = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        let expected = says(specification);
        assert!(
            output.status.success() && printed.contains(&expected),
            "{} in {fence} does not print {expected}:\n{code}\n{printed}\n{complaint}",
            specification.id
        );
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
    every_sample_works("sh", &["sh", "-e"], first_field).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node() {
    every_sample_works("js", &["node", "--input-type=module", "-"], status).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python() {
    every_sample_works("python", &["python3", "-"], status).await;
}
