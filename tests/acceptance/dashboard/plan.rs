//! `/plan`: the use of the plan, and how to get a larger one. Billing errors link to it.

use super::{sign_in_member, text_in};
use crate::connect::{Browser, EMAIL, Page};
use crate::operators::run_line;
use crate::world::{Database, World, on_both_databases};
use config::{Effective, SettingOrigin, Settings};
use domain::id::OrganizationId;
use domain::plan::SubscriptionStatus;
use serde_json::json;

async fn the_page_shows_usage_against_the_plan(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get("/plan").await;
    assert_eq!(page.status, 200, "{}", page.text);
    for says in [
        "Unlimited",
        "Active",
        "API calls today",
        "Messages this month",
        "href=\"https://example.com/upgrade\"",
    ] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }

    world.plan("Small", true, Some(10), Some(3)).await;
    let small = world.organization_on("Small", "Small").await;
    let key = world.key_of(small).await;
    world.number(small, "+12025550192").await;
    world.admin().add_member(small, crate::connect::EMAIL).await.unwrap();
    for _ in 0..2 {
        let body = json!({"type": "text", "phone_number": "+12025550177", "text": "Hello"});
        assert_eq!(world.post("/api/v1/messages", &key, &body).await.status, 201);
    }
    world.get("/api/v1/me", &key).await;
    let page = browser.get("/plan").await;
    let switch = page.field("token");
    browser
        .post("/organization", &[("token", &switch), ("organization", &small.to_string())])
        .await;
    let page = browser.get("/plan").await;
    for says in [
        "<b>3</b> <span class=\"muted\">of 10<",
        "<b>2</b> <span class=\"muted\">of 3<",
        "Nov 22, 2026, 12:00 AM UTC",
        "Dec 1, 2026, 12:00 AM UTC",
    ] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    world.subscription(small, SubscriptionStatus::PastDue).await;
    assert_eq!(browser.get("/plan").await.text.matches("API calls are refused").count(), 1);
    assert_eq!(Browser::new(&world).get("/plan").await.status, 303);
}

/// All pages of the dashboard.
const PAGES: [&str; 6] = [
    "/integrations/keys",
    "/integrations/connected",
    "/integrations/apps",
    "/integrations/applications",
    "/integrations/webhooks",
    "/plan",
];

/// A member who sees a green "Active" key also learns that every call is refused.
async fn each_page_shows_that_all_calls_are_refused(world: World) {
    let mut browser = sign_in_member(&world).await;
    for page in PAGES {
        assert!(!browser.get(page).await.text.contains("API calls are refused"), "{page}");
    }
    world.plan("Starter", false, None, None).await;
    let second = world.organization_on("Garage", "Starter").await;
    let bare = world.admin().create_organization("Florist", None).await.unwrap().id;
    let third = bare.parse().unwrap();
    for (organization, says) in
        [(second, "this plan does not include API access"), (third, "an active subscription")]
    {
        world.admin().add_member(organization, crate::connect::EMAIL).await.unwrap();
        let switch = browser.get("/plan").await.field("token");
        let switched = browser
            .post(
                "/organization",
                &[("token", &switch), ("organization", &organization.to_string())],
            )
            .await;
        let page = browser.get(switched.location()).await;
        assert!(page.text.contains("Organization switched"), "{}", page.text);
        for path in PAGES {
            let page = browser.get(path).await;
            assert_eq!(
                page.text.matches("API calls are refused").count(),
                1,
                "{path}: {}",
                page.text
            );
            assert!(page.text.contains(says), "{path} {says}: {}", page.text);
        }
    }
    // Without a plan the page does not claim that there is no limit.
    let page = browser.get("/plan").await;
    assert!(!page.text.contains("No limit") && page.text.contains("Limit: –"), "{}", page.text);
    // A plan without limits says so.
    let first = world.organization.to_string();
    let switch = page.field("token");
    browser.post("/organization", &[("token", &switch), ("organization", &first)]).await;
    let page = browser.get("/plan").await;
    assert!(page.text.contains("No limit"), "{}", page.text);
    // The notice follows the subscription at once.
    for status in [SubscriptionStatus::PastDue, SubscriptionStatus::Canceled] {
        world.subscription(world.organization, status).await;
        assert!(browser.get("/integrations/keys").await.text.contains("API calls are refused"));
    }
    world.subscription(world.organization, SubscriptionStatus::Active).await;
    assert!(!browser.get("/integrations/keys").await.text.contains("API calls are refused"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_are_told_whom_to_ask() {
    for (contact, shown) in [
        ("help@acme.example", "<a href=\"mailto:help@acme.example\">help@acme.example</a>"),
        (
            "https://acme.example/help",
            "<a href=\"https://acme.example/help\">https://acme.example/help</a>",
        ),
        ("Ada <room 4>", "Ada &#60;room 4&#62;"),
    ] {
        let settings = [("upgrade_url", ""), ("support_contact", contact)];
        let world = World::on(Database::sqlite(), &settings).await;
        let mut browser = sign_in_member(&world).await;
        for page in [browser.get("/plan").await, Browser::new(&world).get("/login").await] {
            assert!(page.text.contains(shown), "{}", page.text);
        }
        // The operator finds the command there, too.
        let commands = plan_commands(&browser.get("/plan").await);
        assert!(commands.contains(&world.organization.to_string()), "{commands}");
    }
}

/// Returns the commands for the operator on the page of the plan.
fn plan_commands(page: &Page) -> String {
    let (_, details) = page.text.split_once("<details><summary class=\"link small\">").unwrap();
    assert!(details.starts_with("You run this server?</summary>"), "{details}");
    assert!(details.contains("data-copy=\"plan-commands\""), "{details}");
    text_in(page, "plan-commands").replace("&#39;", "'")
}

/// Switches the member to another organization.
async fn switch_to(browser: &mut Browser, organization: OrganizationId) {
    let token = browser.get("/plan").await.field("token");
    let organization = organization.to_string();
    let fields = [("token", token.as_str()), ("organization", organization.as_str())];
    assert_eq!(browser.post("/organization", &fields).await.status, 303);
}

/// An operator whose call is refused because of the plan follows `upgrade_url` to this page, which
/// has to say what to do.
async fn the_printed_commands_give_a_plan(database: Database) {
    // Given a server that was not set up in a browser, and an organization without a subscription,
    let world = World::on(database, &[("upgrade_url", "")]).await;
    let mut browser = sign_in_member(&world).await;
    let bare = world.admin().create_organization("Bare", None).await.unwrap();
    let bare: OrganizationId = bare.id.parse().unwrap();
    world.admin().add_member(bare, EMAIL).await.unwrap();
    let key = world.key_of(bare).await;
    let refused = world.get("/api/v1/me", &key).await;
    assert_eq!(refused.body["code"], "subscription_required", "{}", refused.text);
    switch_to(&mut browser, bare).await;
    let variables = [("SWITCHBOARD_DATABASE_URL", world.database_url())];

    // when the operator runs the commands of the page, then calls are accepted;
    let commands = plan_commands(&browser.get("/plan").await);
    assert_eq!(commands.lines().count(), 2, "{commands}");
    run_line(&commands, &variables).await.succeeded();
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    let page = browser.get("/plan").await;
    assert!(page.text.contains("Self-hosted"), "{}", page.text);

    // when the plan exists, then no command changes it;
    let again = plan_commands(&page);
    assert_eq!(commands.lines().last(), Some(again.as_str()));
    world.admin().remove_subscription(bare).await.unwrap();
    assert_eq!(plan_commands(&browser.get("/plan").await), again);
    run_line(&again, &variables).await.succeeded();
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);

    // when the organization has a plan, then the command names it, and quotes a name with spaces.
    world.plan("Bob's plan 2", true, Some(100), None).await;
    let plan = Some("Bob's plan 2");
    world.admin().set_subscription(bare, plan, SubscriptionStatus::PastDue).await.unwrap();
    assert_ne!(world.get("/api/v1/me", &key).await.status, 200);
    let renewed = plan_commands(&browser.get("/plan").await);
    run_line(&renewed, &variables).await.succeeded();
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    let page = browser.get("/plan").await;
    assert!(page.text.contains("Bob&#39;s plan 2"), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_printed_commands_give_a_plan_on_sqlite() {
    the_printed_commands_give_a_plan(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_printed_commands_give_a_plan_on_postgres() {
    the_printed_commands_give_a_plan(Database::postgres().await).await;
}

#[test]
fn a_support_contact_is_a_single_line() {
    let read = |text: &str| {
        let mut effective = Effective::defaults();
        assert!(effective.set("support_contact", text.to_owned(), SettingOrigin::Flag));
        Settings::read(&effective)
    };
    assert_eq!(read(" help@acme.example ").unwrap().support_contact, "help@acme.example");
    assert_eq!(read("").unwrap().support_contact, "");
    for wrong in ["a\nb".to_owned(), "x".repeat(201)] {
        assert!(read(&wrong).unwrap_err().to_string().contains("support_contact"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn billing_errors_lead_to_the_plan_page_by_default() {
    let database = Database::sqlite();
    let world = World::on(database, &[("upgrade_url", "")]).await;
    let bare = world.admin().create_organization("Bare", None).await.unwrap();
    let key = world.key_of(bare.id.parse().unwrap()).await;
    let refused = world.get("/api/v1/me", &key).await;
    assert_eq!(refused.body["upgrade_url"], "https://api.example.com/plan");
    // A support member is told whom to ask instead of being redirected in a circle.
    let mut browser = sign_in_member(&world).await;
    let page = browser.get("/plan").await;
    assert!(!page.text.contains("href=\"https://api.example.com/plan\""), "{}", page.text);
    assert!(page.text.contains("operator"), "{}", page.text);
}

#[test]
fn the_default_address_of_the_plan_follows_the_base_url() {
    let settings = |pairs: &[(&'static str, &str)]| {
        let mut effective = Effective::defaults();
        for (name, value) in pairs {
            assert!(effective.set(name, (*value).to_owned(), SettingOrigin::Flag));
        }
        Settings::read(&effective).unwrap().upgrade_url
    };
    assert_eq!(settings(&[]), "http://localhost:8080/plan");
    assert_eq!(settings(&[("bind", "127.0.0.1:3000")]), "http://localhost:3000/plan");
    assert_eq!(settings(&[("base_url", "https://sb.example/")]), "https://sb.example/plan");
    let chosen = [("base_url", "https://sb.example"), ("upgrade_url", "https://pay.example/")];
    assert_eq!(settings(&chosen), "https://pay.example/");
}

on_both_databases! {
    the_page_shows_usage_against_the_plan,
    each_page_shows_that_all_calls_are_refused,
}
