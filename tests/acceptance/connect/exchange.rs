//! The exchange of a code for a key (`docs/security.md` 16 to 21).

use super::{Browser, Partner, REDIRECT, code, connected, exchange, member};
use crate::world::{Answer, on_both_databases, settings};
use delivery::cli::start;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

/// Asserts that this is the response that all failures share.
fn is_invalid_grant(answer: &Answer) {
    assert_eq!(
        (answer.status, answer.body["error"].as_str()),
        (400, Some("invalid_grant")),
        "{}",
        answer.text
    );
    assert_eq!(answer.body["code"], "invalid_grant");
    assert_eq!(answer.header("cache-control"), "no-store");
}

on_both_databases! {
    async fn a_code_becomes_a_connection_once(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        let (body, key) = connected(&world, &mut browser, &partner).await;
        assert_eq!(body["organization"], json!({"id": world.organization.to_string(), "name": "Acme"}));
        assert_eq!(body["account"]["phone_number"], "+12025550190");
        assert_eq!(body["scopes"], json!(["messages.send", "conversations.read"]));
        assert_eq!(body["scope"], "messages.send conversations.read");
        assert_eq!(body["plan"], json!({"name": "Unlimited", "status": "active", "api_access": true}));
        assert_eq!(body["connected_at"], "2026-11-21T12:00:00.000Z");

        // The key works, is bound to the chosen account, and names its application.
        let me = world.get("/api/v1/me", &key).await;
        assert_eq!(me.body["key"]["type"], "connection", "{}", me.text);
        assert_eq!(me.body["key"]["name"], "Partner CRM");
        assert_eq!(me.body["account"]["binding"], "bound");
        assert_eq!(me.body["application"]["client_id"], partner.application.client_id.as_str());
        assert_eq!(me.body["connection"]["id"], body["connection_id"]);
    }

    async fn a_code_is_good_for_a_minute(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        for (seconds, works) in [(59, true), (61, false)] {
            let code = code(&mut browser, &partner).await;
            world.advance(Duration::from_secs(seconds));
            let answer = exchange(&world, &partner.exchange(&code)).await;
            assert_eq!(answer.status == 200, works, "{seconds} s: {}", answer.text);
        }
    }

    async fn every_failure_says_the_same_and_burns_the_code(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let other = Partner::registered(&world, Some(world.organization), true).await;
        let mut browser = Browser::new(&world);
        let mut texts = Vec::new();
        for change in [
            json!({"code_verifier": "x".repeat(43)}),
            json!({"code_verifier": "short"}),
            json!({"client_secret": "sws_wrong"}),
            json!({"client_secret": other.application.client_secret}),
            json!({"client_id": other.application.client_id, "client_secret": other.application.client_secret}),
            json!({"client_id": "swa_0000000000000000000000"}),
            json!({"redirect_uri": "https://partner.example/callback"}),
            json!({"client_id": "nul\u{0}"}),
            json!({"client_secret": "nul\u{0}", "redirect_uri": "nul\u{0}"}),
            json!({"code": "nul\u{0}"}),
            json!({"code": "x".repeat(43)}),
        ] {
            let code = code(&mut browser, &partner).await;
            let mut body = partner.exchange(&code);
            let fields = change.as_object().unwrap().clone();
            body.as_object_mut().unwrap().extend(fields);
            let answer = exchange(&world, &body).await;
            is_invalid_grant(&answer);
            texts.push(answer.text.replace(answer.header("x-request-id"), ""));
            if change.get("code").is_none() {
                // After the failed attempt the right request fails too.
                is_invalid_grant(&exchange(&world, &partner.exchange(&code)).await);
            }
        }
        texts.dedup();
        assert_eq!(texts.len(), 1, "{texts:?}");
    }

    async fn a_request_without_a_field_is_refused_and_consumes_its_code(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        for field in ["code_verifier", "client_id", "client_secret"] {
            let code = code(&mut browser, &partner).await;
            let mut body = partner.exchange(&code);
            body.as_object_mut().unwrap().remove(field);
            let answer = exchange(&world, &body).await;
            assert_eq!((answer.status, answer.body["code"].as_str()), (400, Some("invalid_request")), "{}", answer.text);
            is_invalid_grant(&exchange(&world, &partner.exchange(&code)).await);
        }
        let url = format!("{}/connect/token", world.base);
        for (content_type, body) in [("application/json", "{"), ("application/json", "[]"), ("text/plain", "code=x"), ("application/json", "")] {
            let request = world.http.post(&url).header("content-type", content_type).body(body);
            let answer = Answer::of(request).await;
            assert_eq!((answer.status, answer.body["error"].as_str()), (400, Some("invalid_request")), "{content_type} {body}");
        }
    }

    async fn a_form_is_as_good_as_json(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        let code = code(&mut browser, &partner).await;
        let Value::Object(mut fields) = partner.exchange(&code) else { unreachable!() };
        fields.insert("grant_type".to_owned(), json!("authorization_code"));
        fields.insert("redirect_uri".to_owned(), json!(REDIRECT));
        let body: Vec<String> = fields.iter()
            .map(|(name, value)| format!("{name}={}", crate::connect::escaped(value.as_str().unwrap()))).collect();
        let request = world.http.post(format!("{}/connect/token", world.base)).body(body.join("&"));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        assert_eq!(Answer::of(request).await.status, 200);
    }

    /// Two hundred concurrent exchanges of one code, repeated several times, on two servers if they
    /// can share the database.
    async fn of_any_number_of_racers_one_gets_the_key(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        let shared = world.database_url().starts_with("postgres");
        let second = if shared {
            let started = start(settings(world.database_url()), world.clock.clone(), false).await;
            Some(started.unwrap())
        } else {
            None
        };
        let bases = [Some(world.base.clone()), second.as_ref().map(|it| format!("http://{}", it.address))];
        let bases: Vec<String> = bases.into_iter().flatten().collect();
        for round in 0..20 {
            let code = code(&mut browser, &partner).await;
            let body = partner.exchange(&code);
            let racers = (0..200).map(|racer| {
                let base = &bases[racer % bases.len()];
                Answer::of(world.http.post(format!("{base}/connect/token")).json(&body))
            });
            let answers = join_all(racers).await;
            let (winners, losers): (Vec<_>, Vec<_>) = answers.into_iter().partition(|it| it.status == 200);
            assert_eq!((winners.len(), losers.len()), (1, 199), "round {round}");
            losers.iter().for_each(is_invalid_grant);
            let key = crate::world::Pair {
                client_id: winners[0].text_of("client_id"),
                client_secret: winners[0].text_of("client_secret"),
            };
            assert_eq!(world.get("/api/v1/me", &key).await.status, 200, "round {round}");
        }
    }
}
