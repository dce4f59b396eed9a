//! The AI agent in the inbox: its drafts, and the line about its pause.

use crate::browser::small::page_area;
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::AgentMode;
use serde_json::{Value, json};
use service::agents::{AgentInput, NewConnection};
use std::time::Duration;
use workers::agents;

impl BrowserWorld {
    /// Creates an agent that answers "Until six." and writes drafts only.
    pub(in crate::browser) async fn create_drafting_agent(&self) -> Receiver {
        self.create_agent(AgentMode::Draft, &json!({"messages": [{"text": "Until six."}]})).await
    }

    /// Creates an agent with this answer.
    pub(in crate::browser) async fn create_agent(
        &self,
        mode: AgentMode,
        answer: &Value,
    ) -> Receiver {
        let receiver = Receiver::that(Answers::Body(200, answer.to_string())).await;
        let world = &self.world;
        let input = AgentInput {
            name: Some("Opening hours"),
            mode: Some(mode),
            url: Some(&receiver.url),
            accounts: Some(vec![world.account]),
            ..AgentInput::default()
        };
        let (deps, organization) = (&world.server.deps, world.organization);
        service::agents::create(deps, organization, NewConnection::Webhook, input).await.unwrap();
        receiver
    }

    /// Lets the agent answer what the customer wrote, or write a draft for it.
    pub(in crate::browser) async fn write_draft(&self) {
        self.world.advance(Duration::from_secs(8));
        assert_eq!(agents::step(&self.world.server.deps).await.unwrap(), 1);
        // What is written afterwards is newer than the draft.
        self.world.advance(Duration::from_secs(1));
    }
}

async fn the_line_about_a_paused_agent_takes_two_lines_at_most(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    // Given an agent that hands over with a long reason,
    let reason = "The customer wants a refund, because the cake was too late for the wedding";
    let answer = json!({"hand_over": {"reason": reason, "summary": "Order 7 was late."}});
    let _receiver = scene.create_agent(AgentMode::Auto, &answer).await;
    let path = scene.open_conversation().await;
    scene.write_draft().await;
    // then the line above the messages stays small.
    page_area(browser, (1280, 800)).await;
    browser.goto(&path).await;
    assert!(browser.text().await.contains("Needs a person"));
    let height = "return document.getElementById('strip').offsetHeight";
    let height = browser.run(height).await.as_f64().unwrap();
    assert!(height <= 60.0, "{height}");
}

async fn a_draft_of_the_agent_appears_in_an_open_conversation(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let _receiver = scene.create_drafting_agent().await;
    // Given a conversation that was opened before the agent answers,
    scene.open_conversation().await;
    scene.until_composer_has("").await;
    // when the agent writes a draft, then it appears with a line that says whose it is.
    scene.write_draft().await;
    scene.until_composer_has("Until six.").await;
    assert!(browser.text().await.contains("Draft by the AI agent"));
    // What the customer writes appears beside the thread, too, and the draft no longer fits.
    scene.customer_writes("Are you there?").await;
    for (css, text) in [("#customer-view", "Are you there?"), ("#contact-facts a", "2")] {
        let script = format!("return document.querySelector({css:?}).textContent");
        until(&format!("{css} has {text:?}"), async || {
            browser.run(&script).await.as_str().is_some_and(|it| it.contains(text))
        })
        .await;
    }
    scene.until_composer_has("").await;
    assert!(!browser.text().await.contains("Draft by the AI agent"));
    // What the member types is kept when the next draft is written.
    browser.fill("#text", "My own").await;
    scene.write_draft().await;
    scene.customer_writes("Hello?").await;
    until("the message is shown", async || browser.text().await.contains("Hello?")).await;
    assert_eq!(scene.composed().await, "My own");
}

async fn a_discarded_draft_of_the_agent_does_not_come_back(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let _receiver = scene.create_drafting_agent().await;
    scene.open_conversation().await;
    // Given a draft that the member adds to, when they discard it,
    scene.write_draft().await;
    scene.until_composer_has("Until six.").await;
    browser.fill("#text", " See you!").await;
    browser.click("#agent-draft button").await;
    // then it is gone, also after the page is loaded again.
    scene.until_composer_has("").await;
    browser.reload().await;
    scene.until_script_has_run().await;
    assert_eq!(scene.composed().await, "");
    assert!(!browser.text().await.contains("Draft by the AI agent"));
}

async fn an_edited_draft_leaves_the_agent_running_and_an_own_text_does_not(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let _receiver = scene.create_drafting_agent().await;
    scene.open_conversation().await;
    // Given a draft that the member adds to,
    scene.write_draft().await;
    scene.until_composer_has("Until six.").await;
    browser.fill("#text", " See you!").await;
    browser.click(".composer button[value=send]").await;
    until("the reply is sent", async || scene.newest().await["text"] == "Until six. See you!")
        .await;
    // then the agent goes on, and writes another draft.
    assert_eq!(scene.agent_state().await, "running");
    scene.until_composer_has("").await;
    scene.customer_writes("And tomorrow?").await;
    scene.write_draft().await;
    scene.until_composer_has("Until six.").await;
    // When the member deletes that draft and writes their own text, then the agent is paused.
    let deleted = "\u{e003}".repeat("Until six.".len()); // Backspace
    browser.fill("#text", &deleted).await;
    scene.until_composer_has("").await;
    browser.fill("#text", "We are closed.").await;
    browser.click(".composer button[value=send]").await;
    until("the reply is sent", async || scene.newest().await["text"] == "We are closed.").await;
    assert_eq!(scene.agent_state().await, "paused");
}

on_every_browser! {
    the_line_about_a_paused_agent_takes_two_lines_at_most,
    a_draft_of_the_agent_appears_in_an_open_conversation,
    a_discarded_draft_of_the_agent_does_not_come_back,
    an_edited_draft_leaves_the_agent_running_and_an_own_text_does_not,
}
