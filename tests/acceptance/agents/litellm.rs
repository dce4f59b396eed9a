//! An agent whose model is behind LiteLLM's proxy, a server that others wrote.

use super::{after, contact_writes, conversation, dialog, outcomes};
use crate::cloud::{Cloud, PERSON, SEND};
use crate::world::{Database, free_port};
use domain::agent::AgentMode;
use domain::id::AiAgentId;
use serde_json::json;
use service::agents::{self, AgentInput, NewConnection};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};

const QUIET: Duration = Duration::from_secs(8);
const KEY: &str = "sk-litellm";

/// Two models that answer without another server: one with a text, one with a tool.
const CONFIGURATION: &str = r#"
model_list:
  - model_name: talks
    litellm_params: {model: openai/any, api_key: none, mock_response: "We open at 7 AM."}
  - model_name: hands-over
    litellm_params:
      model: openai/any
      api_key: none
      mock_response: ""
      mock_tool_calls:
        - id: call_1
          type: function
          function: {name: hand_over, arguments: "{\"reason\": \"A refund\"}"}
general_settings: {master_key: sk-litellm}
litellm_settings: {telemetry: false}
"#;

/// A running proxy; dropping it kills the process.
struct LiteLlm {
    base_url: String,
    _folder: TempDir,
    _child: Child,
}

impl LiteLlm {
    async fn start() -> Self {
        let python = std::env::var("SWITCHBOARD_TEST_PYTHON").expect("run `cargo xtask test`");
        let program = std::path::Path::new(&python).with_file_name("litellm");
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        std::fs::write(folder.path().join("config.yaml"), CONFIGURATION).unwrap();
        let mut command = Command::new(python);
        command.arg(program).args(["--config", "config.yaml", "--host", "127.0.0.1"]);
        command.args(["--port", &port.to_string()]).current_dir(folder.path());
        // It reads the list of prices that comes with it, and not the one on the Internet.
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env_remove("http_proxy");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.kill_on_drop(true).spawn().unwrap();
        let http = crate::world::client();
        for _ in 0..1200 {
            let alive = format!("http://127.0.0.1:{port}/health/liveliness");
            if http.get(alive).send().await.is_ok_and(|it| it.status().is_success()) {
                let base_url = format!("http://127.0.0.1:{port}/v1");
                return Self { base_url, _folder: folder, _child: child };
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process starts
        }
        panic!("LiteLLM was not ready within a minute");
    }
}

async fn converse_with_a_model_behind(proxy: &LiteLlm, cloud: Cloud) {
    // Given an agent with a model behind LiteLLM,
    let input = AgentInput {
        name: Some("Assistant"),
        mode: Some(AgentMode::Auto),
        base_url: Some(&proxy.base_url),
        model: Some("talks"),
        api_key: Some(KEY),
        accounts: Some(vec![cloud.account]),
        is_operator: true,
        ..AgentInput::default()
    };
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let created = agents::create(deps, organization, NewConnection::Model, input).await.unwrap();
    let agent: AiAgentId = created.agent.id;

    // then it answers three turns,
    for turn in 1..=3 {
        contact_writes(&cloud, &format!("wamid.{turn}"), &format!("When do you open, {turn}?"))
            .await;
        after(&cloud, QUIET).await;
        let said = dialog(&cloud).await;
        assert_eq!(said.last().unwrap(), &("agent".to_owned(), "We open at 7 AM.".to_owned()));
        assert_eq!(said.len(), turn * 2);
    }
    // hands the conversation over with a tool,
    let model = AgentInput { model: Some("hands-over"), ..AgentInput::default() };
    agents::update(deps, organization, agent, model).await.unwrap();
    contact_writes(&cloud, "wamid.4", "I want my money back").await;
    after(&cloud, QUIET).await;
    let found = conversation(&cloud).await;
    assert_eq!(found["agent"]["cause"], "handed_over", "{:?}", outcomes(&cloud).await);

    // a person answers, and the agent is silent until it is resumed.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "I sent it back."});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    contact_writes(&cloud, "wamid.5", "Thank you").await;
    assert_eq!(after(&cloud, QUIET).await, 0);
    let resumed = format!("/api/v1/conversations/{}/resume-agent", found["id"].as_str().unwrap());
    assert_eq!(cloud.post(&resumed, &cloud.key, &json!({})).await.status, 200);
    let model = AgentInput { model: Some("talks"), ..AgentInput::default() };
    agents::update(deps, organization, agent, model).await.unwrap();
    contact_writes(&cloud, "wamid.6", "And when do you close?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "We open at 7 AM.");
}

/// The proxy takes longer to start than the conversation, so both databases share one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_with_a_model_behind_litellm() {
    let proxy = LiteLlm::start().await;
    for database in [Database::migrated_sqlite(), Database::migrated_postgres().await] {
        converse_with_a_model_behind(&proxy, Cloud::on(database, &[]).await).await;
    }
}
