//! Drafts of agents, which members send from the inbox (`docs/contract.md#ai-agents`).

use super::{
    after, contact_writes, contact_writes_now, contact_wrote, conversation, dialog, outcomes,
    saying, webhook_agent,
};
use crate::cloud::{Cloud, SECOND, on_both_clouds};
use crate::connect::{Browser, PASSWORD};
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::Receiver;
use domain::agent::AgentMode;
use domain::role::Role;
use futures_util::future::join_all;
use serde_json::json;
use service::agents::{self, AgentInput};
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);
const QUIET: Duration = Duration::from_secs(8);
/// The number of drafts of which each is sent by several members at the same time.
const RACES: usize = 25;

/// Receives a text from the contact, and lets the agent write a draft. Returns the page of the
/// conversation and the turn of the draft.
async fn drafted(cloud: &Cloud, browser: &mut Browser, wamid: &str) -> (String, String) {
    contact_writes_now(cloud, wamid, &format!("Question {wamid}?")).await;
    after(cloud, QUIET).await;
    let ended = outcomes(cloud).await;
    assert_eq!(ended.last().unwrap().0, "drafted", "{ended:?}");
    let path = format!("/inbox/{}", conversation(cloud).await["id"].as_str().unwrap());
    let page = browser.get(&path).await;
    assert!(page.text.contains("Draft by the AI agent"), "{ended:?} {}", page.text);
    (path, page.field("draft_of"))
}

/// Sends a text from the composer. An empty `draft_of` says that it does not come from a draft.
async fn send(cloud: &Cloud, browser: &mut Browser, path: &str, text: &str, draft_of: &str) {
    // The reply is newer than the draft.
    cloud.advance(SECOND);
    let token = csrf_token(&browser.get(path).await);
    let fields =
        [("token", token.as_str()), ("action", "send"), ("text", text), ("draft_of", draft_of)];
    let sent = browser.post(path, &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    cloud.settle().await;
    assert_eq!(dialog(cloud).await.pop().unwrap(), ("inbox".to_owned(), text.to_owned()));
}

async fn a_member_who_sends_a_draft_does_not_pause_the_agent(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    // A draft is sent as it is, and the next one is edited first.
    for (wamid, text) in [("wamid.1", "Until six."), ("wamid.2", "Until six today.")] {
        let (path, turn) = drafted(&cloud, &mut ada, wamid).await;
        send(&cloud, &mut ada, &path, text, &turn).await;
        assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
        let page = ada.get(&path).await;
        assert!(!page.text.contains("Draft by the AI agent"), "{}", page.text);
        // The message says whose draft it was, here and on its own page.
        let (_, link) = page.text.split_once("Ada · draft by the AI agent · <a").expect("a sender");
        let (_, link) = link.split_once("href=\"").expect("a link");
        let message = ada.get(link.split('"').next().unwrap()).await;
        assert!(message.text.contains("Inbox, draft by the AI agent"), "{}", message.text);
    }
    // The contact who writes while the member edits a draft changes nothing.
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.3").await;
    contact_writes_now(&cloud, "wamid.4", "And on Sunday?").await;
    send(&cloud, &mut ada, &path, "Until six, as always.", &turn).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    // A reply of the member's own pauses the agent.
    let (path, _) = drafted(&cloud, &mut ada, "wamid.5").await;
    let signed = async |browser: &mut Browser| {
        browser.get(&path).await.text.matches("draft by the AI agent").count()
    };
    let drafts = signed(&mut ada).await;
    send(&cloud, &mut ada, &path, "My own words.", "").await;
    assert_eq!(signed(&mut ada).await, drafts);
    let paused = conversation(&cloud).await["agent"].clone();
    assert_eq!(paused["state"], "paused");
    assert_eq!(paused["cause"], "member");
}

async fn a_text_that_is_not_from_a_draft_of_the_conversation_pauses_the_agent(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let (agent, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    // A turn that does not exist has no draft.
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.1").await;
    let nobodys = "turn_01kb1yf3n8w2c6t4s9x7z5q0ha";
    send(&cloud, &mut ada, &path, "Until seven.", nobodys).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let resume = format!("/api/v1/conversations/{id}/resume-agent");
    let resumed = cloud.post(&resume, &cloud.key, &json!({})).await;
    assert_eq!(resumed.status, 200, "{}", resumed.text);
    // Given an agent that answers by itself since it wrote the draft,
    let auto = AgentInput { mode: Some(AgentMode::Auto), ..AgentInput::default() };
    agents::update(&cloud.server.deps, cloud.organization, agent, auto).await.unwrap();
    // when the member sends the draft,
    send(&cloud, &mut ada, &path, "Until six.", &turn).await;
    // then the agent never speaks after the person has.
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    contact_writes(&cloud, "wamid.2", "Thanks!").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.pop().unwrap().1, "Thanks!");
}

async fn a_message_that_is_delivered_late_gets_a_draft(cloud: Cloud) {
    // Given a draft,
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    let (path, first) = drafted(&cloud, &mut ada, "wamid.1").await;
    assert!(ada.get(&path).await.text.contains("Until six."));
    // when the channel delivers a message that the contact wrote an hour earlier,
    cloud.advance(SECOND);
    contact_wrote(&cloud, "wamid.2", "Where are you?", Duration::from_hours(1)).await;
    // then the draft is out of date, and the agent's next draft is shown.
    let page = ada.get(&path).await;
    assert!(!page.text.contains("Draft by the AI agent"), "{}", page.text);
    receiver.answer(saying("At the market."));
    after(&cloud, QUIET).await;
    let page = ada.get(&path).await;
    assert!(page.text.contains("At the market."), "{}", page.text);
    let turn = page.field("draft_of");
    assert_ne!(turn, first);
    send(&cloud, &mut ada, &path, "At the market.", &turn).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
}

async fn one_of_several_members_who_send_a_draft_at_once_succeeds(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut members = vec![sign_in_member(&cloud).await];
    for _ in 0..3 {
        let mut browser = Browser::new(&cloud);
        browser.sign_in("/login").await;
        members.push(browser);
    }
    for race in 1..=RACES {
        // Given a draft, and four pages that show it,
        let (path, turn) = drafted(&cloud, &mut members[0], &format!("wamid.{race}")).await;
        let mut tokens = Vec::new();
        for browser in &mut members {
            tokens.push(csrf_token(&browser.get(&path).await));
        }
        cloud.advance(SECOND);
        // when all four send it, and do not say what they had seen,
        let (path, turn) = (path.as_str(), turn.as_str());
        let sends = members.iter_mut().zip(&tokens).map(|(browser, token)| async move {
            let fields = [
                ("token", token.as_str()),
                ("action", "send"),
                ("text", "Until six."),
                ("draft_of", turn),
            ];
            browser.post(path, &fields).await.status
        });
        let mut statuses = join_all(sends).await;
        statuses.sort_unstable();
        // then one is sent, and the agent keeps running.
        assert_eq!(statuses, [303, 422, 422, 422]);
        cloud.settle().await;
        let sent = dialog(&cloud).await.into_iter().filter(|(source, _)| source == "inbox").count();
        assert_eq!(sent, race);
        assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
        // An agent answers twenty times in an hour.
        cloud.advance(MINUTE * 4);
    }
}

async fn a_draft_that_is_sent_again_counts_as_the_members_text(cloud: Cloud) {
    // Given a draft that was sent,
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.1").await;
    let seen = ada.get(&path).await.field("seen");
    send(&cloud, &mut ada, &path, "Until six.", &turn).await;
    // when a page that was loaded before that sends it again,
    let token = csrf_token(&ada.get(&path).await);
    let again = [("action", "send"), ("text", "Until six!"), ("draft_of", turn.as_str())];
    let from_before = [("token", token.as_str()), ("seen", seen.as_str())];
    let stopped = ada.post(&path, &[&again[..], &from_before].concat()).await;
    // then the member is asked first,
    assert_eq!(stopped.status, 422, "{}", stopped.text);
    assert!(stopped.text.contains("Send anyway?"), "{}", stopped.text);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    // and if they send it anyway, the text counts as theirs and pauses the agent.
    let (token, seen) = (csrf_token(&ada.get(&path).await), stopped.field("seen"));
    let insists = [("token", token.as_str()), ("seen", seen.as_str())];
    let sent = ada.post(&path, &[&again[..], &insists].concat()).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    cloud.settle().await;
    let paused = conversation(&cloud).await["agent"].clone();
    assert_eq!(paused["state"], "paused");
    assert_eq!(paused["cause"], "member");
}

/// Returns a member with the role support, signed in.
async fn support(cloud: &Cloud) -> Browser {
    let (admin, email) = (cloud.admin(), "priya@acme.example");
    admin
        .create_member_as(Role::Support, cloud.organization, email, "Priya Shah", PASSWORD)
        .await
        .unwrap();
    let mut browser = Browser::new(cloud);
    let token = browser.get("/login").await.field("token");
    let fields = [("token", token.as_str()), ("email", email), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &fields).await.status, 303);
    browser
}

async fn a_discarded_draft_is_gone_for_all_members(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let (agent, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let (mut ada, mut priya) = (sign_in_member(&cloud).await, support(&cloud).await);
    // Given a draft, with a link to its turn for those who may open that,
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.1").await;
    let why = format!("/agents/{agent}/turns/{turn}");
    let page = ada.get(&path).await;
    assert!(page.text.contains(&format!("href=\"{why}\">Why this answer</a>")), "{}", page.text);
    let theirs = priya.get(&path).await;
    assert!(theirs.text.contains("Discard</button>"), "{}", theirs.text);
    assert!(!theirs.text.contains("Why this answer"), "{}", theirs.text);
    // which a member has begun to edit,
    let token = csrf_token(&page);
    let submit = async |browser: &mut Browser, action: &str, draft_of: &str| {
        let fields = [
            ("token", token.as_str()),
            ("action", action),
            ("text", "Until six today"),
            ("draft_of", draft_of),
        ];
        browser.post(&path, &fields).await.status
    };
    assert_eq!(submit(&mut ada, "draft", &turn).await, 204);
    // when the member discards it, then it is gone for everybody, with what they wrote,
    assert_eq!(submit(&mut ada, "discard", &turn).await, 303);
    for browser in [&mut ada, &mut priya] {
        let page = browser.get(&path).await;
        assert!(!page.text.contains("Draft by the AI agent"), "{}", page.text);
        assert!(!page.text.contains("Until six"), "{}", page.text);
    }
    // and the turn says so.
    let page = ada.get(&why).await;
    assert!(page.text.contains("A member discarded the draft."), "{}", page.text);
    // The agent keeps running, and writes the next draft.
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    let (_, next) = drafted(&cloud, &mut ada, "wamid.2").await;
    assert_ne!(next, turn);
    // A turn that does not exist has no draft, and what is no turn is not found.
    assert_eq!(submit(&mut ada, "discard", "turn_01kb1yf3n8w2c6t4s9x7z5q0ha").await, 303);
    assert_eq!(submit(&mut ada, "discard", "").await, 404);
    assert!(ada.get(&path).await.text.contains("Draft by the AI agent"));
}

async fn a_draft_that_waits_is_marked_in_the_list_and_on_home(cloud: Cloud) {
    const ON_HOME: &str = "1 draft of the AI agent waits";
    const MARKED: &str = "AI draft</span> Question wamid.1?</span>";
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    // Given a draft, then the list of the inbox and Home say so,
    let mut ada = sign_in_member(&cloud).await;
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.1").await;
    let list = ada.get("/inbox").await;
    assert!(list.text.contains(MARKED), "{}", list.text);
    let home = ada.get("/").await;
    assert!(home.text.contains(ON_HOME), "{}", home.text);
    // but not once the customer has written again,
    cloud.advance(SECOND);
    contact_writes_now(&cloud, "wamid.2", "And on Sunday?").await;
    assert!(!ada.get("/inbox").await.text.contains("AI draft"));
    assert!(!ada.get("/").await.text.contains(ON_HOME));
    let page = ada.get(&path).await;
    assert!(page.text.contains("AI agent waits for more messages"), "{}", page.text);
    // and not once a draft was sent.
    after(&cloud, QUIET).await;
    assert!(ada.get("/inbox").await.text.contains("AI draft"));
    let next = ada.get(&path).await.field("draft_of");
    assert_ne!(next, turn);
    send(&cloud, &mut ada, &path, "Until six.", &next).await;
    assert!(!ada.get("/inbox").await.text.contains("AI draft"));
    assert!(!ada.get("/").await.text.contains(ON_HOME));
}

on_both_clouds! {
    a_draft_that_waits_is_marked_in_the_list_and_on_home,
    a_discarded_draft_is_gone_for_all_members,
    a_message_that_is_delivered_late_gets_a_draft,
    one_of_several_members_who_send_a_draft_at_once_succeeds,
    a_draft_that_is_sent_again_counts_as_the_members_text,
    a_member_who_sends_a_draft_does_not_pause_the_agent,
    a_text_that_is_not_from_a_draft_of_the_conversation_pauses_the_agent,
}
