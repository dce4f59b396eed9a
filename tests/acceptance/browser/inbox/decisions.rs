//! What a member decides about a conversation: its status, labels and assignee.

use super::MARK;
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use serde_json::Value;
use std::time::Duration;

/// The script that returns the name of the open conversation with its status.
const HEAD: &str = "return document.getElementById('thread-name')?.textContent";

impl BrowserWorld {
    /// Waits until the head of the open conversation has this status.
    async fn until_status_is(&self, status: &str) {
        until(&format!("the conversation is {status}"), async || {
            let head = self.browser.run(HEAD).await;
            head.as_str().is_some_and(|it| it.contains(status))
        })
        .await;
    }

    /// Waits until the head of the open conversation has no status: it is open.
    async fn until_open(&self) {
        until("the conversation is open", async || {
            let head = self.browser.run(HEAD).await;
            let is_open = |it: &str| !it.contains("Snoozed") && !it.contains("Closed");
            head.as_str().is_some_and(is_open)
        })
        .await;
    }

    /// Waits until the list has this number of conversations.
    async fn until_listed(&self, count: u64) {
        let script = "return document.querySelectorAll('.conv').length";
        until(&format!("{count} are listed"), async || self.browser.run(script).await == count)
            .await;
    }

    /// Returns the conversation with the customer.
    async fn conversation(&self) -> Value {
        let id = self.newest().await["conversation_id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/conversations/{id}");
        self.world.get(&path, &self.world.key).await.body
    }
}

async fn a_snoozed_conversation_wakes_on_an_open_page(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // When a member snoozes a conversation, then it leaves the list of open ones.
    browser.click(".thread-head details.menu summary").await;
    browser.click(".thread-head button[value=snooze_hour]").await;
    scene.until_status_is("Snoozed").await;
    scene.until_listed(0).await;
    assert_eq!(scene.conversation().await["status"], "snoozed");
    // When its time has come, then it is open again on the page that shows it.
    scene.until_script_has_run().await;
    world.advance(Duration::from_hours(1));
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
    scene.until_open().await;
    scene.until_listed(1).await;
}

async fn a_conversation_is_closed_and_reopened(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    browser.click("#thread-state button[value=close]").await;
    scene.until_status_is("Closed").await;
    scene.until_said("Conversation closed.").await;
    scene.until_listed(0).await;
    assert_eq!(scene.conversation().await["status"], "closed");
    browser.click("#thread-state button[value=open]").await;
    scene.until_open().await;
    scene.until_listed(1).await;
    assert_eq!(scene.conversation().await["status"], "open");
}

async fn a_conversation_is_labeled_and_assigned(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // A label is added, leads to its conversations in the list, and is removed.
    browser.fill("#contact input.in[name=label]", "VIP").await;
    browser.click("#contact button[value=label]").await;
    let label = "const all = document.getElementById('labels'); \
        return all && (all.textContent.trim() || 'None')";
    scene.until_it_is(label, "VIP").await;
    browser.click(".convs details.menu summary").await;
    browser.click(".convs .menu-list a[href*='label=VIP']").await;
    until("the label is open", async || browser.address().await.contains("label=VIP")).await;
    scene.until_listed(1).await;
    browser.click(".conv").await;
    browser.click("#labels button[value=unlabel]").await;
    scene.until_it_is(label, "None").await;
    // An assignee is chosen in the same instant in which the form is submitted, because the page
    // may renew the form in between.
    let assign = format!(
        "{MARK} const all = document.getElementById('assignee'); \
         all.value = [...all.options].find((it) => it.text === 'Ada').value; \
         document.querySelector('#assigned button').click()"
    );
    browser.run(&assign).await;
    let assignee = "return !window.isOld \
        && document.getElementById('assignee')?.selectedOptions[0]?.text";
    scene.until_it_is(assignee, "Ada").await;
    assert!(scene.conversation().await["assignee_id"].is_string());
}

on_every_browser! {
    a_snoozed_conversation_wakes_on_an_open_page,
    a_conversation_is_closed_and_reopened,
    a_conversation_is_labeled_and_assigned,
}
