//! Checks of the subscription and the plan come right after those of the credentials, and all
//! checks have a fixed order (`docs/contract.md#order-of-checks`).

use crate::credentials::{every_operation, with_credentials};
use crate::world::{Answer, Pair, World, on_both_databases};
use api::admission::Access;
use domain::keyword::Keyword as _;
use domain::plan::SubscriptionStatus;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
const UPGRADE: &str = "https://example.com/upgrade";

fn text_message(to: &str) -> Value {
    json!({"type": "text", "phone_number": to, "text": "Hello"})
}

/// Asserts that this is a 403 with these fields and no others.
#[track_caller]
fn is_refused(answer: &Answer, code: &str, resource: &str) {
    answer.is_problem(403, code);
    assert_eq!(answer.body["resource"], resource);
    assert_eq!(answer.body["upgrade_url"], UPGRADE);
    let fields: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["error", "code", "request_id", "resource", "upgrade_url"]);
}

/// Asserts that every operation that a key may call responds with this error, with identical bytes.
async fn all_refuse(world: &World, key: &Pair, code: &str, resource: &str) {
    let mut first: Option<String> = None;
    for called in every_operation(world) {
        if called.access == Access::Application {
            continue;
        }
        let request = with_credentials(called.request, key).header("x-request-id", "the-same");
        let answer = Answer::of(request).await;
        is_refused(&answer, code, resource);
        let first = first.get_or_insert_with(|| answer.text.clone());
        assert_eq!(&answer.text, first, "{}", called.name);
    }
}

async fn only_an_active_subscription_lets_calls_in(world: World) {
    for status in
        [SubscriptionStatus::PastDue, SubscriptionStatus::Canceled, SubscriptionStatus::None]
    {
        // Given an organization whose subscription is not active,
        world.subscription(world.organization, status).await;

        // when its key calls any operation, then the error contains the URL for payment,
        all_refuse(&world, &world.key, "subscription_required", "subscription").await;
        let refused = world.post(SEND, &world.key, &text_message("+12025550100")).await;
        is_refused(&refused, "subscription_required", "subscription");

        // and the next call after the payment succeeds.
        world.subscription(world.organization, SubscriptionStatus::Active).await;
        assert_eq!(world.get(ME, &world.key).await.body["plan"]["status"], "active", "{status}");
    }
    assert_eq!(world.history("+12025550100").await.len(), 0, "nothing was sent");
}

async fn an_organization_that_never_subscribed_is_refused(world: World) {
    let made = world.admin().create_organization("Newcomer", None).await.unwrap();
    let key = world.key_of(made.id.parse().unwrap()).await;
    all_refuse(&world, &key, "subscription_required", "subscription").await;
}

async fn a_plan_without_api_access_is_refused(world: World) {
    // Given an organization with a plan that does not include the API,
    world.plan("Starter", false, Some(10), Some(10)).await;
    let organization = world.organization_on("Garage", "Starter").await;
    let key = world.key_of(organization).await;

    // when its key calls any operation, then the error names the missing feature.
    all_refuse(&world, &key, "plan_upgrade_required", "api_access").await;

    // A missing subscription is reported before a missing feature.
    world.subscription(organization, SubscriptionStatus::PastDue).await;
    all_refuse(&world, &key, "subscription_required", "subscription").await;

    // The next call after a change of the plan succeeds,
    let active = SubscriptionStatus::Active;
    world.admin().set_subscription(organization, Some("Unlimited"), active).await.unwrap();
    assert_eq!(world.get(ME, &key).await.body["plan"]["name"], "Unlimited");

    // and the same holds when the plan itself gains or loses the feature.
    world.admin().set_subscription(organization, Some("Starter"), active).await.unwrap();
    is_refused(&world.get(ME, &key).await, "plan_upgrade_required", "api_access");
    world.plan("Starter", true, Some(10), Some(10)).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    world.plan("Starter", false, Some(10), Some(10)).await;
    is_refused(&world.get(ME, &key).await, "plan_upgrade_required", "api_access");
}

async fn calls_refused_by_billing_do_not_count_against_limits(world: World) {
    // Given a key with a rate limit of two calls a minute, whose organization has not paid,
    let key = world.key_with(world.organization, Scope::ALL, None, 2).await;
    world.plan("Unlimited", true, Some(5), None).await;
    world.subscription(world.organization, SubscriptionStatus::PastDue).await;

    // when it calls far more often than that, then it gets only the subscription error,
    for _ in 0..20 {
        let refused = world.get(ME, &key).await;
        is_refused(&refused, "subscription_required", "subscription");
        assert!(
            refused.header("ratelimit").starts_with("\"key\";r=2;t=60"),
            "{:?}",
            refused.headers
        );
    }
    world.plan("Unlimited", false, Some(5), None).await;
    world.subscription(world.organization, SubscriptionStatus::Active).await;
    for _ in 0..20 {
        is_refused(&world.get(ME, &key).await, "plan_upgrade_required", "api_access");
    }

    // and after the payment its calls of the minute and of the day are all left.
    world.plan("Unlimited", true, Some(5), None).await;
    for used in 1..=2 {
        let me = world.get(ME, &key).await;
        assert_eq!(me.body["plan"]["api_calls"]["used"], used, "{}", me.text);
    }
    world.get(ME, &key).await.is_problem(429, "rate_limited");
}

async fn the_checks_have_an_order(world: World) {
    // Given a call in which everything is wrong,
    let active = SubscriptionStatus::Active;
    world.plan("Odd", false, Some(0), Some(0)).await;
    let organization = world.organization_on("Odd", "Odd").await;
    world.number(organization, "+12025550180").await;
    world.subscription(organization, SubscriptionStatus::Canceled).await;
    let scoped = world.key_with(organization, &[Scope::MessagesSend], None, 0).await;
    let key = world.key_with(organization, &[Scope::MediaWrite], None, 1).await;
    let bare = || {
        world
            .http
            .post(format!("{}{SEND}", world.base))
            .header("content-type", "text/plain")
            .body("{")
    };
    let call = async |key: &Pair| Answer::of(with_credentials(bare(), key)).await;

    // when the mistakes are corrected one by one, then each call reports the next one.
    Answer::of(bare()).await.is_problem(401, "invalid_credentials");
    call(&key).await.is_problem(403, "subscription_required");
    world.subscription(organization, active).await;
    call(&key).await.is_problem(403, "plan_upgrade_required");

    // A successful call uses up the rate limit of one call a minute.
    world.plan("Odd", true, Some(1), Some(0)).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    call(&key).await.is_problem(429, "rate_limited");
    world.advance(Duration::from_mins(1));
    call(&key).await.is_problem(403, "insufficient_scope");
    let ceiling = call(&scoped).await;
    ceiling.is_problem(403, "plan_limit_exceeded");
    assert_eq!(ceiling.body["resource"], "api_calls");
    world.plan("Odd", true, None, Some(0)).await;
    call(&scoped).await.is_problem(415, "unsupported_media_type");

    // The monthly allowance is checked after everything in the body.
    world.post(SEND, &scoped, &json!({"type": "text"})).await.is_problem(422, "validation_failed");
    let unknown = json!({
        "type": "text",
        "text": "Hello",
        "conversation_id": "conv_01h455vb4pex5vsknk084sn02q",
    });
    world.post(SEND, &scoped, &unknown).await.is_problem(404, "not_found");
    let allowance = world.post(SEND, &scoped, &text_message("+12025550100")).await;
    allowance.is_problem(403, "plan_limit_exceeded");
    assert_eq!(allowance.body["resource"], "messages");
    world.plan("Odd", true, None, Some(1)).await;
    assert_eq!(world.post(SEND, &scoped, &text_message("+12025550100")).await.status, 201);
}

async fn a_subscription_that_lapses_ends_calls_and_not_what_was_accepted(world: World) {
    // Given an accepted message, when the subscription lapses before the message is sent,
    let sent = world.post(SEND, &world.key, &text_message("+12025550101")).await;
    assert_eq!(sent.status, 201);
    world.subscription(world.organization, SubscriptionStatus::Canceled).await;
    world.live_through(Duration::from_secs(1)).await;

    // then the message is sent nevertheless.
    world.subscription(world.organization, SubscriptionStatus::Active).await;
    let history = world.history("+12025550101").await;
    assert_eq!(history[0]["id"], sent.body["id"]);
    assert_eq!(history[0]["status"], "delivered");
}

on_both_databases! {
    only_an_active_subscription_lets_calls_in,
    an_organization_that_never_subscribed_is_refused,
    a_plan_without_api_access_is_refused,
    calls_refused_by_billing_do_not_count_against_limits,
    the_checks_have_an_order,
    a_subscription_that_lapses_ends_calls_and_not_what_was_accepted,
}
