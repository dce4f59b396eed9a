//! Home: what needs attention.

use super::inbox::{CUSTOMER, colleague, customer_writes, done};
use super::{member_of_another_organization, sign_in_member};
use crate::connect::{Browser, PASSWORD};
use crate::members::sign_in;
use crate::world::{World, on_both_databases, statements};
use domain::agent::AgentMode;
use domain::role::Role;
use serde_json::json;
use service::agents::{self, AgentInput, NewConnection};
use std::time::Duration;
use workers::agents::opening_hours;

const UNREAD: &str = "href=\"/inbox?view=unread\"";
const NEEDS_PERSON: &str = "href=\"/inbox?view=needs_person\"";

/// Applies the last events to the inbox, and returns the part of Home about what needs attention, or an
/// empty text if nothing does.
async fn attention(world: &World, browser: &mut Browser) -> String {
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
    let home = browser.get("/").await;
    assert_eq!(home.status, 200, "{}", home.text);
    let (_, part) = home.text.split_once("id=\"attention\"").unwrap_or_default();
    let part = part.split("</section>").next().unwrap();
    if part.contains("Nothing needs your attention") { String::new() } else { part.to_owned() }
}

async fn home_names_conversations_that_need_somebody(world: World) {
    // Given a customer who wrote to an organization, then Home says so,
    let mut ada = sign_in_member(&world).await;
    assert_eq!(attention(&world, &mut ada).await, "");
    let conversation = customer_writes(&world, &mut ada, "Are you there?").await;
    let shown = attention(&world, &mut ada).await;
    assert!(shown.contains("1 unread conversation<") && shown.contains(UNREAD), "{shown}");
    assert!(!shown.contains(NEEDS_PERSON), "{shown}");
    // but not to another organization, and not to a role without the inbox.
    let mut eve = member_of_another_organization(&world).await;
    assert_eq!(attention(&world, &mut eve).await, "");
    let admin = world.admin();
    let email = "dev@acme.example";
    let created =
        admin.create_member_as(Role::Developer, world.organization, email, "Dev", PASSWORD).await;
    created.unwrap();
    let mut dev = sign_in(&world, email, PASSWORD).await;
    assert_eq!(attention(&world, &mut dev).await, "");

    // When the customer asks the AI agent for a person, then Home says that first,
    let deps = &world.server.deps;
    let input = AgentInput {
        name: Some("Opening hours"),
        mode: Some(AgentMode::Auto),
        url: Some(opening_hours::URL),
        accounts: Some(vec![world.account]),
        quiet_seconds: Some(0),
        longest_seconds: Some(0),
        ..AgentInput::default()
    };
    agents::create(deps, world.organization, NewConnection::Webhook, input).await.unwrap();
    customer_writes(&world, &mut ada, "Can I talk to a person, please?").await;
    assert_eq!(workers::agents::step(&world.server.deps).await.unwrap(), 1);
    let shown = attention(&world, &mut ada).await;
    assert!(shown.contains("1 conversation needs a person<"), "{shown}");
    let place = |link: &str| shown.find(link).unwrap_or_else(|| panic!("{link}: {shown}"));
    assert!(place(NEEDS_PERSON) < place(UNREAD), "{shown}");
    // and the numbers are those of the inbox.
    let inbox = ada.get("/inbox").await;
    assert!(inbox.text.contains("Needs a person <span class=\"n\">1</span>"), "{}", inbox.text);

    // A member with limited support does not learn of what others are assigned to.
    let mut priya = colleague(&world).await;
    done(&mut ada, &conversation, &[("action", "assign_me")]).await;
    assert!(attention(&world, &mut priya).await.contains(UNREAD));
    let limits = [("action", "support"), ("support_limited", "yes")];
    done(&mut ada, "/settings/organization", &limits).await;
    assert_eq!(attention(&world, &mut priya).await, "");
    // When a member answers, then nothing needs attention.
    done(&mut ada, &conversation, &[("action", "send"), ("text", "Of course.")]).await;
    assert_eq!(attention(&world, &mut ada).await, "");
}

async fn home_names_what_the_sidebar_counts(world: World) {
    // Given messages that failed, then Home does not say that nothing needs attention.
    let mut ada = sign_in_member(&world).await;
    for (sent, title) in [(1, "1 message failed"), (2, "2 messages failed")] {
        let unreachable = json!({"type": "text", "phone_number": "+12025550103", "text": "Hello"});
        let accepted = world.post("/api/v1/messages", &world.key, &unreachable).await;
        assert_eq!(accepted.status, 201, "{}", accepted.text);
        world.live_through(Duration::from_secs(1)).await;
        let shown = attention(&world, &mut ada).await;
        let expected = format!("{title} in the last 24 hours");
        assert!(shown.contains(&expected), "{sent}: {shown}");
        assert!(shown.contains("href=\"/messages?view=failed\""), "{shown}");
    }
}

async fn home_reads_numbers_once_and_conversations_twice(world: World) {
    statements::record();
    let mut ada = sign_in_member(&world).await;
    customer_writes(&world, &mut ada, "Hello").await;
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
    statements::taken();
    // When Home is opened,
    let home = ada.get("/").await;
    assert!(home.text.contains("1 unread conversation"), "{}", home.text);
    // then the conversations that wait and those that are unread cost one statement each, and the
    // numbers, which the frame and the page show, are read once.
    let all = statements::taken();
    println!("{} statements", all.len());
    let about = |part: &str| all.iter().filter(|it| it.contains(part)).count();
    assert_eq!(about("\"inbox_entries\".\"organization_id\" ="), 2, "{all:#?}");
    assert_eq!(about("FROM \"accounts\""), 1, "{all:#?}");
}

on_both_databases! {
    home_names_conversations_that_need_somebody,
    home_names_what_the_sidebar_counts,
    home_reads_numbers_once_and_conversations_twice,
}
