//! The commands and programs of `docs/agents.md`.

use super::{
    after, contact_writes, conversation, dialog, outcomes, release_number, saying, webhook_agent,
};
use crate::cloud::{Cloud, NUMBER, PERSON, PERSON_THERE, SEND, on_both_clouds};
use crate::operators::admin;
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::free_port;
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use platform::clock::Clock;
use serde_json::{Value, json};
use service::agents::{self, AgentInput};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);
const GUIDE: &str = include_str!("../../../docs/agents.md");

/// Returns the first code block in this language under a heading.
fn block(heading: &str, language: &str) -> String {
    let (_, section) = GUIDE.split_once(&format!("# {heading}\n")).expect(heading);
    let (_, code) = section.split_once(&format!("```{language}\n")).expect(language);
    code.split_once("\n```").expect("the end of the block").0.to_owned()
}

/// Returns the arguments of the `switchboard admin` command in a shell block.
fn arguments(command: &str, cloud: &Cloud, base_url: &str) -> Vec<String> {
    let (_, command) = command.split_once("switchboard admin ").expect("a command");
    let mut words = Vec::new();
    let (mut word, mut quoted) = (String::new(), false);
    for letter in command.replace("\\\n", " ").chars() {
        match letter {
            '"' => quoted = !quoted,
            ' ' | '\n' if !quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    let known = |word: String| match word.as_str() {
        "$ORGANIZATION" => cloud.organization.to_string(),
        "$NUMBER" => cloud.account.to_string(),
        "$URL" | "http://localhost:11434/v1" | "https://api.openai.com/v1" => base_url.to_owned(),
        _ => word,
    };
    // The test adds the output, and has no key on its standard input.
    let left_out = ["", "--json", "--api-key-stdin"];
    words.into_iter().filter(|word| !left_out.contains(&word.as_str())).map(known).collect()
}

fn completion(text: &str) -> Answers {
    Answers::Body(200, json!({"choices": [{"message": {"content": text}}]}).to_string())
}

async fn a_model_of_ones_own_writes_a_draft(cloud: Cloud) {
    let receiver = Receiver::that(completion("Until six.")).await;
    let ollama = block("Answer with your own model in five minutes", "sh");
    let (_, openai) = GUIDE.split_once("With OpenAI").expect("the second command");
    for (number, (command, model)) in
        [(ollama.as_str(), "llama3.2"), (openai, "gpt-5-mini")].into_iter().enumerate()
    {
        let command = command.split_once("\n```\n").map_or(command, |(command, _)| command);
        release_number(&cloud).await;
        let arguments = arguments(command, &cloud, &receiver.url);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let created = admin(cloud.database_url(), &arguments).await;
        assert_eq!(created["mode"], "draft", "{created}");
        contact_writes(&cloud, &format!("wamid.{number}"), "Are you open?").await;
        after(&cloud, QUIET).await;
        let request = receiver.take()[0].json();
        assert_eq!(request["model"], model);
        assert!(request["messages"][0]["content"].as_str().unwrap().contains("a bakery in Berlin"));
        assert_eq!(outcomes(&cloud).await.pop().unwrap().0, "drafted");
    }
}

/// Runs a program of the guide, which answers on a port.
async fn run(interpreter: &str, code: &str, variables: &[(&str, &str)]) -> (Child, String) {
    let folder = tempfile::tempdir().unwrap();
    let extension = if interpreter == "node" { "mjs" } else { "py" };
    let file = folder.keep().join(format!("agent.{extension}"));
    std::fs::write(&file, code).unwrap();
    let port = free_port().to_string();
    let mut command = Command::new(interpreter);
    command.arg(&file).env("PORT", &port).envs(variables.iter().copied()).env_remove("http_proxy");
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let child = child.spawn().unwrap();
    let address = format!("127.0.0.1:{port}");
    for _ in 0..400 {
        if tokio::net::TcpStream::connect(&address).await.is_ok() {
            return (child, format!("http://{address}/turn"));
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
    }
    panic!("the program did not start within ten seconds");
}

/// Receives a text from the contact with the present time.
async fn writes(cloud: &Cloud, id: &str, text: &str) {
    let message = Inbound::new(NUMBER, PERSON_THERE, id, cloud.second()).text(text);
    cloud.post_callback(&message).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

/// Lets an agent of the guide answer three times: it answers, hands over, and answers again.
async fn it_answers_and_hands_over(
    cloud: &Cloud,
    interpreter: &str,
    heading: &str,
    language: &str,
) {
    // The program compares the time of a request with its own clock.
    cloud.clock.set(Clock::system().wall());
    // The secret is known once the agent exists, so that its address comes afterwards.
    let nobody = Receiver::that(saying("")).await;
    let (agent, secret) =
        webhook_agent(cloud, &nobody, AgentMode::Auto, AgentInput::default()).await;
    let code = block(heading, language);
    let secret = secret.reveal();
    let (_child, url) = run(interpreter, &code, &[("WEBHOOK_SECRET", &secret)]).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let input = AgentInput { url: Some(&url), ..AgentInput::default() };
    agents::update(deps, organization, agent, input).await.unwrap();
    writes(cloud, "wamid.1", "Are you open?").await;
    after(cloud, QUIET).await;
    let said = dialog(cloud).await;
    assert_eq!(said.last().unwrap().1, "We are open until six.", "{:?}", outcomes(cloud).await);
    writes(cloud, "wamid.2", "I want my money back").await;
    after(cloud, QUIET).await;
    assert_eq!(conversation(cloud).await["agent"]["cause"], "handed_over");
    // A person answers, and lets the agent continue.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let resume = format!("/api/v1/conversations/{id}/resume-agent");
    assert_eq!(cloud.post(&resume, &cloud.key, &json!({})).await.status, 200);
    writes(cloud, "wamid.3", "When do you open tomorrow?").await;
    after(cloud, QUIET).await;
    assert_eq!(dialog(cloud).await.last().unwrap().0, "agent");
    // A secret that was rotated is not accepted any more.
    agents::rotate_secret(deps, organization, agent).await.unwrap();
    writes(cloud, "wamid.4", "Open?").await;
    for wait in [QUIET, Duration::from_secs(3), Duration::from_secs(11)] {
        after(cloud, wait).await;
    }
    let (state, reason) = outcomes(cloud).await.pop().unwrap();
    assert_eq!(state, "failed");
    assert!(reason.contains("401"), "{reason}");
}

async fn the_bot_in_node_answers(cloud: Cloud) {
    it_answers_and_hands_over(&cloud, "node", "Node", "js").await;
}

async fn the_bot_in_python_answers(cloud: Cloud) {
    it_answers_and_hands_over(&cloud, "python3", "Python", "python").await;
}

/// Returns the JSON pointers of all fields.
fn paths(value: &Value) -> Vec<String> {
    let below = |name: &str, value: &Value| {
        let mut found = vec![format!("/{name}")];
        found.extend(paths(value).into_iter().map(|path| format!("/{name}{path}")));
        found
    };
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(name, it)| below(name, it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(at, it)| below(&at.to_string(), it)).collect()
        }
        _ => Vec::new(),
    }
}

async fn an_answer_of_n8n_is_understood(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Body(200, block("n8n", "json n8n-answers"))).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await[1].1, "We are open until six.");
    // What n8n hands to the workflow is in the request.
    let sent = receiver.received()[0].json();
    let recorded: Value = serde_json::from_str(&block("n8n", "json n8n-receives")).unwrap();
    let recorded = &recorded["body"];
    assert_eq!(recorded["type"], sent["type"]);
    assert_eq!(recorded["data"]["messages"][0]["text"], sent["data"]["messages"][0]["text"]);
    for path in paths(recorded) {
        assert!(sent.pointer(&path).is_some(), "{path} is not in {sent}");
    }

    // The second answer that was recorded hands over.
    receiver.answer(Answers::Body(200, block("n8n", "json n8n-hands-over")));
    contact_writes(&cloud, "wamid.2", "I want my money back").await;
    after(&cloud, QUIET).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "handed_over");
}

async fn typebot_answers_through_a_few_lines(cloud: Cloud) {
    let typebot =
        Receiver::that(Answers::Body(200, block("Typebot", "json typebot-answers"))).await;
    let base = typebot.url.trim_end_matches("/hooks").to_owned();
    let code = block("Typebot", "js");
    let (_child, url) = run("node", &code, &[("TYPEBOT", &base), ("TYPEBOT_ID", "bakery")]).await;
    let nobody = Receiver::that(saying("")).await;
    let input = AgentInput::default();
    let (agent, _) = webhook_agent(&cloud, &nobody, AgentMode::Auto, input).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let input = AgentInput { url: Some(&url), ..AgentInput::default() };
    agents::update(deps, organization, agent, input).await.unwrap();
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await[1].1, "We are open until six.", "{:?}", outcomes(&cloud).await);
    assert_eq!(typebot.received()[0].json()["message"]["text"], "Are you open?");
}

async fn a_program_answers_over_the_api(cloud: Cloud) {
    let command = block("An agent over the API", "sh");
    let arguments = arguments(&command, &cloud, "");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert_eq!(admin(cloud.database_url(), &arguments).await["kind"], "api");
    let code = block("An agent over the API", "python");
    let file = tempfile::Builder::new().suffix(".py").tempfile().unwrap();
    std::fs::write(file.path(), code).unwrap();
    let mut command = Command::new("python3");
    command.arg(file.path()).env("SWITCHBOARD", &cloud.base).env_remove("http_proxy");
    command
        .env("SWITCHBOARD_CLIENT_ID", &cloud.key.client_id)
        .env("SWITCHBOARD_CLIENT_SECRET", &cloud.key.client_secret);
    let _child = command.kill_on_drop(true).spawn().unwrap();
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    for _ in 0..400 {
        if dialog(&cloud).await.len() > 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process answers
    }
    let said = dialog(&cloud).await;
    assert_eq!(said[1], ("agent".to_owned(), "We are open until six.".to_owned()));
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
}

on_both_clouds! {
    a_model_of_ones_own_writes_a_draft,
    the_bot_in_node_answers,
    the_bot_in_python_answers,
    an_answer_of_n8n_is_understood,
    typebot_answers_through_a_few_lines,
    a_program_answers_over_the_api,
}
