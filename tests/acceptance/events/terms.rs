//! The events of templates and connections keep the data of their time, even if the objects change
//! later.

use super::{EVENTS, are_gapless, events, kinds, kinds_of};
use crate::connect::{Browser, Partner, connect_application, create_member};
use crate::template_creation::{create_template, plain_template};
use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, World, on_both_databases};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const TWO_SECONDS: Duration = Duration::from_secs(2);

async fn a_template_event_has_the_data_of_its_time(world: World) {
    // Given templates on which the reviewer decides differently,
    let cases = [
        ("fine", &["template.submitted", "template.approved"][..], &["pending", "approved"][..]),
        (
            "too_loud_rejected_promotional",
            &["template.submitted", "template.rejected"],
            &["pending", "rejected"],
        ),
        (
            "soon_paused",
            &["template.submitted", "template.approved", "template.paused"],
            &["pending", "approved", "paused"],
        ),
        (
            "soon_disabled",
            &["template.submitted", "template.approved", "template.disabled"],
            &["pending", "approved", "disabled"],
        ),
        ("left_pending", &["template.submitted"], &["pending"]),
    ];
    let mut ids = Vec::new();
    for (name, _, _) in &cases {
        ids.push(
            create_template(&world, &plain_template(name)).await["id"].as_str().unwrap().to_owned(),
        );
    }
    assert_eq!(events(&world, &world.key).await, Vec::<Value>::new());

    // when they have been reviewed,
    world.live_through(TWO_SECONDS).await;

    // then each step has one event, with the template as it was then.
    let all = events(&world, &world.key).await;
    are_gapless(&all);
    for (id, (name, reported, statuses)) in ids.iter().zip(cases) {
        assert_eq!(kinds_of(&all, id), reported, "{name}");
        let of: Vec<&Value> = all.iter().filter(|event| event["data"]["id"] == *id).collect();
        let stood: Vec<&str> =
            of.iter().map(|event| event["data"]["status"].as_str().unwrap()).collect();
        assert_eq!(stood, statuses, "{name}");
        assert!(of.iter().all(|event| event["data"]["submitted_at"].is_string()
            && event["data"]["external_id"].is_string()));
        assert_eq!(of[0]["data"]["reviewed_at"], json!(null));
        assert_eq!(of[0]["account_id"], world.account.to_string());
        // The last event has the template's present state.
        let now = world.get(&format!("/api/v1/templates/{id}"), &world.key).await;
        assert_eq!(of.last().unwrap()["data"], now.body, "{name}");
    }
    let rejected = all.iter().find(|event| event["type"] == "template.rejected").unwrap();
    assert_eq!(rejected["data"]["rejection_reason"], "promotional");
}

async fn connection_events_say_who_ended_them(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    // When a connection is created and replaced by a new one,
    let (first, old) = connect_application(&world, &mut browser, &partner).await;
    let (second, key) = connect_application(&world, &mut browser, &partner).await;
    // the new one is handed back by the application,
    let gone = Answer::of(world.request(Method::DELETE, "/api/v1/me", &key)).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    // another is deleted by the organization,
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    world.admin().delete_key(&key.client_id).await.unwrap();
    // and the last one is revoked,
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let path = format!("/api/v1/applications/{}/revoke-connections", partner.application.client_id);
    let revoked = world.post(&path, &partner.pair(), &json!({})).await;
    assert_eq!(revoked.body["revoked"], 1, "{}", revoked.text);

    // then there is an event for each of these steps,
    let all = events(&world, &world.key).await;
    are_gapless(&all);
    let (made, ended) = ("connection.created", "connection.disconnected");
    assert_eq!(kinds(&all), [made, ended, made, ended, made, ended, made, ended]);
    let reasons: Vec<&Value> = all.iter().filter_map(|event| event["data"].get("reason")).collect();
    assert_eq!(reasons, ["superseded", "application", "business", "revoked"]);
    // which names the created or deleted key,
    insta::assert_compact_json_snapshot!(with_numbered_ids(&all[0]), @"");
    assert_eq!(all[0]["data"]["id"], first["connection_id"]);
    assert_eq!(all[0]["data"]["client_id"], old.client_id);
    assert_eq!(all[1]["data"]["client_id"], old.client_id);
    assert_eq!(all[1]["data"]["disconnected_at"], "2026-11-21T12:00:00.000Z");
    assert_eq!(all[2]["data"]["id"], second["connection_id"]);
    assert_eq!(all[7]["data"]["client_id"], key.client_id);
    // and never contains a secret.
    let text = world.get(EVENTS, &world.key).await.text;
    assert!(!text.contains("sws_") && !text.contains("secret"), "{text}");
}

async fn a_failed_reconnect_and_a_manual_key_record_no_event(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let refused = crate::connect::exchange_code(&world, &partner.exchange("no such code")).await;
    assert_eq!(refused.status, 400);
    let spare = world.key_of(world.organization).await;
    let refused = Answer::of(world.request(Method::DELETE, "/api/v1/me", &spare)).await;
    refused.is_problem(409, "not_a_connection");
    world.admin().delete_key(&spare.client_id).await.unwrap();
    assert_eq!(events(&world, &world.key).await, Vec::<Value>::new());
}

on_both_databases! {
    a_template_event_has_the_data_of_its_time,
    connection_events_say_who_ended_them,
    a_failed_reconnect_and_a_manual_key_record_no_event,
}
