//! `/plan`: the use of the plan, and how to get a larger one. Billing errors link to it.

use super::signed_in;
use crate::connect::Browser;
use crate::world::{Database, World, on_both_databases};
use config::{Effective, Origin, Settings};
use domain::plan::SubscriptionStatus;
use serde_json::json;

on_both_databases! {
    async fn the_page_shows_usage_against_the_plan(world: World) {
        let mut browser = signed_in(&world).await;
        let page = browser.get("/plan").await;
        assert_eq!(page.status, 200, "{}", page.text);
        for says in ["Unlimited", "Active", "API calls today", "Messages this month", "href=\"https://example.com/upgrade\""] {
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
        browser.post("/organization", &[("token", &switch), ("organization", &small.to_string())]).await;
        let page = browser.get("/plan").await;
        for says in ["3 of 10", "2 of 3", "2026-11-22 00:00 UTC", "2026-12-01 00:00 UTC"] {
            assert!(page.text.contains(says), "{says}: {}", page.text);
        }
        world.subscription(small, SubscriptionStatus::PastDue).await;
        assert!(browser.get("/plan").await.text.contains("API calls are refused"));
        assert_eq!(Browser::new(&world).get("/plan").await.status, 303);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nothing_else_is_configured_billing_errors_lead_to_this_servers_own_page() {
    let database = Database::sqlite();
    let world = World::on(database, &[("upgrade_url", "")]).await;
    let bare = world.admin().create_organization("Bare", None).await.unwrap();
    let key = world.key_of(bare.id.parse().unwrap()).await;
    let refused = world.get("/api/v1/me", &key).await;
    assert_eq!(refused.body["upgrade_url"], "https://api.example.com/plan");
    // A support member is told whom to ask instead of being redirected in a circle.
    let mut browser = signed_in(&world).await;
    let page = browser.get("/plan").await;
    assert!(!page.text.contains("href=\"https://api.example.com/plan\""), "{}", page.text);
    assert!(page.text.contains("operator"), "{}", page.text);
}

#[test]
fn the_default_address_of_the_plan_follows_the_base_url() {
    let settings = |pairs: &[(&'static str, &str)]| {
        let mut effective = Effective::defaults();
        for (name, value) in pairs {
            assert!(effective.set(name, (*value).to_owned(), Origin::Flag));
        }
        Settings::read(&effective).unwrap().upgrade_url
    };
    assert_eq!(settings(&[]), "http://localhost:8080/plan");
    assert_eq!(settings(&[("bind", "127.0.0.1:3000")]), "http://localhost:3000/plan");
    assert_eq!(settings(&[("base_url", "https://sb.example/")]), "https://sb.example/plan");
    let chosen = [("base_url", "https://sb.example"), ("upgrade_url", "https://pay.example/")];
    assert_eq!(settings(&chosen), "https://pay.example/");
}
