//! `GET /api/v1/accounts` (`docs/contract.md#numbers`).

use crate::world::snapshot::with_numbered_ids;
use crate::world::{World, on_both_databases};
use domain::account::{HealthReason, HealthReport};
use serde_json::{Value, json};
use std::time::Duration;

const ACCOUNTS: &str = "/api/v1/accounts";

fn phone_numbers(page: &Value) -> Vec<&str> {
    let data = page["data"].as_array().expect("data").iter();
    data.map(|it| it["phone_number"].as_str().expect("a number")).collect()
}

async fn a_key_sees_the_numbers_that_it_may_use(world: World) {
    // Given an organization with three accounts, and another organization with one,
    world.advance(Duration::from_secs(1));
    let more = world.number(world.organization, "+12025550161").await;
    world.advance(Duration::from_secs(1));
    let last = world.number(world.organization, "+12025550162").await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550163").await;
    let theirs = world.key_of(other).await;
    // when a key of the first lists accounts, then it gets all three in the order in which they
    // were connected,
    let page = world.get(ACCOUNTS, &world.key).await;
    assert_eq!(page.status, 200, "{}", page.text);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&page.body), @"");
    assert_eq!(page.body["data"][0]["id"], world.account.to_string());
    // the other organization's key gets only the other account,
    assert_eq!(phone_numbers(&world.get(ACCOUNTS, &theirs).await.body), ["+12025550163"]);
    // and a key that is bound to one account gets only that account, whatever its scopes.
    let bound = world.key_with(world.organization, &[], Some(more), 0).await;
    let page = world.get(ACCOUNTS, &bound).await;
    assert_eq!(phone_numbers(&page.body), ["+12025550161"]);
    // The pages together contain all accounts, also with an `after` that is not an id of the
    // organization.
    let one = world.get(&format!("{ACCOUNTS}?limit=2"), &world.key).await;
    assert_eq!(phone_numbers(&one.body).len(), 2);
    assert_eq!(one.body["has_more"], json!(true));
    assert_eq!(one.body["next_after"], json!(more.to_string()));
    let two = world.get(&format!("{ACCOUNTS}?limit=2&after={more}"), &world.key).await;
    assert_eq!(phone_numbers(&two.body), vec!["+12025550162"]);
    assert_eq!(two.body["next_after"], Value::Null);
    let none = world.get(&format!("{ACCOUNTS}?after={last}"), &bound).await;
    assert_eq!(none.status, 200);
    assert_eq!(none.body, json!({"data": [], "has_more": false, "next_after": null}));
    for wrong in ["limit=0", "limit=101", "after=acc_1", "after=1", "nonesuch=1"] {
        world
            .get(&format!("{ACCOUNTS}?{wrong}"), &world.key)
            .await
            .is_problem(422, "validation_failed");
    }
}

async fn the_health_of_each_number_is_shown(world: World) {
    world.advance(Duration::from_secs(1));
    let (deps, now) = (&world.server.deps, world.clock.now());
    let well = world.number(world.organization, "+12025550161").await;
    let theirs = deps.db.organization(world.organization);
    let refused = HealthReport::Refused(HealthReason::TokenRefused, "No".to_owned());
    theirs.report_health(world.account, refused, None, now).await.unwrap();
    let page = world.get(ACCOUNTS, &world.key).await;
    insta::assert_compact_json_snapshot!(page.body["data"][0]["health"], @"");
    assert_eq!(page.body["data"][1]["id"], json!(well.to_string()));
    assert_eq!(page.body["data"][1]["health"]["state"], "ok");
}

on_both_databases! {
    a_key_sees_the_numbers_that_it_may_use,
    the_health_of_each_number_is_shown,
}
