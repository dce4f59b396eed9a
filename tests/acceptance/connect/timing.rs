//! The duration of a failed exchange does not reveal why it failed (`docs/security.md` 18).

use super::{Browser, Partner, create_member, exchange_code, obtain_code};
use crate::world::{Answer, Pair, World, on_both_databases};
use futures_util::future::join_all;
use platform::clock::Stopwatch;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const ROUNDS: usize = 15;
/// The largest relative difference between the median durations of the causes.
const WITHIN: f64 = 0.05;

async fn the_time_of_a_failure_reveals_nothing(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let causes: [(&str, Value); 6] = [
        ("an unknown code", json!({"code": "x".repeat(43)})),
        ("a used code", json!({"code": "used"})),
        ("a wrong secret", json!({"client_secret": "sws_wrong"})),
        ("an unknown application", json!({"client_id": "swa_0000000000000000000000"})),
        ("a wrong verifier", json!({"code_verifier": "x".repeat(43)})),
        ("another redirect URI", json!({"redirect_uri": "https://partner.example/other"})),
    ];
    let used = obtain_code(&mut browser, &partner).await;
    assert_eq!(exchange_code(&world, &partner.exchange(&used)).await.status, 200);
    let mut times = vec![Vec::new(); causes.len()];
    for _ in 0..ROUNDS {
        let mut bodies = Vec::new();
        for (_, change) in &causes {
            let fresh = obtain_code(&mut browser, &partner).await;
            let mut body = partner.exchange(&fresh);
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            if body["code"] == "used" {
                body["code"] = json!(used);
            }
            bodies.push(body);
        }
        // All causes are measured in turn, so that other load on the machine affects all of
        // them.
        let measured = bodies.iter().map(|body| async {
            let begun = Stopwatch::start();
            let answer = exchange_code(&world, body).await;
            answer.is_problem(400, "invalid_grant");
            begun.elapsed()
        });
        for (times, time) in times.iter_mut().zip(join_all(measured).await) {
            times.push(time);
        }
    }
    let medians: Vec<Duration> = times
        .iter_mut()
        .map(|times| {
            times.sort();
            times[ROUNDS / 2]
        })
        .collect();
    let (least, most) = (medians.iter().min().unwrap(), medians.iter().max().unwrap());
    let apart = most.as_secs_f64() / least.as_secs_f64() - 1.0;
    println!("medians {medians:?}, {:.1} % apart", apart * 100.0);
    assert!(apart < WITHIN, "{:?}: {medians:?}", causes.map(|(cause, _)| cause));
}

/// The database is searched by the secret only, so an existing client id makes no difference,
/// and the owner of one secret learns nothing about other client ids.
async fn a_secret_belongs_to_its_own_client_id(world: World) {
    let partner = Partner::of(&world).await;
    let application =
        format!("/api/v1/applications/{}/revoke-connections", partner.application.client_id);
    let other = world.key_of(world.organization).await;
    let unknown = |id: &str| format!("{}{}", &id[..4], "0".repeat(22));
    for (method, path, right) in [
        (Method::GET, "/api/v1/me", world.key.clone()),
        (Method::POST, application.as_str(), partner.pair()),
    ] {
        for pair in [
            Pair { client_secret: other.client_secret.clone(), ..right.clone() },
            Pair { client_secret: format!("sws_{}", "0".repeat(43)), ..right.clone() },
            Pair { client_id: unknown(&right.client_id), ..right.clone() },
            Pair {
                client_id: unknown(&right.client_id),
                client_secret: other.client_secret.clone(),
            },
        ] {
            let answer = Answer::of(world.request(method.clone(), path, &pair)).await;
            answer.is_problem(401, "invalid_credentials");
        }
        assert_ne!(Answer::of(world.request(method, path, &right)).await.status, 401);
    }
}

on_both_databases! {
    the_time_of_a_failure_reveals_nothing,
    a_secret_belongs_to_its_own_client_id,
}
