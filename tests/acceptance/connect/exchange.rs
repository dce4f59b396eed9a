//! The exchange of a code for a key (`docs/security.md` 16 to 21).

use super::{
    Browser, Partner, REDIRECT, VERIFIER, connect_application, create_member, exchange_code,
    obtain_code, percent_encode,
};
use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, World, on_both_databases, settings};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use delivery::cli::start;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

/// Asserts that this is the response that all failures share.
fn is_invalid_grant(answer: &Answer) {
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.body["error"], "invalid_grant", "{}", answer.text);
    assert_eq!(answer.body["code"], "invalid_grant");
    assert_eq!(answer.header("cache-control"), "no-store");
}

/// Returns the header of a pair whose parts are already form-encoded.
fn basic_header(scheme: &str, id: &str, secret: &str) -> String {
    format!("{scheme} {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// Exchanges a code with this `Authorization` header, as JSON or as a form.
async fn exchange_with_basic(
    world: &World,
    authorization: &str,
    fields: &Value,
    as_form: bool,
) -> Answer {
    let request = world.http.post(format!("{}/connect/token", world.base));
    let request = request.header("authorization", authorization);
    if !as_form {
        return Answer::of(request.json(fields)).await;
    }
    let fields = fields.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
    let body: Vec<String> = fields
        .map(|(name, value)| format!("{name}={}", percent_encode(value.as_str().unwrap())))
        .collect();
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    Answer::of(request.body(body.join("&"))).await
}

async fn a_code_becomes_a_connection_once(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (body, key) = connect_application(&world, &mut browser, &partner).await;
    insta::assert_compact_json_snapshot!(with_numbered_ids(&body), @r#"
    {
      "client_id": "swk_1",
      "client_secret": "sws_1",
      "connection_id": "conn_1",
      "organization": {
        "id": "org_1",
        "name": "Acme"
      },
      "account": {
        "id": "acc_1",
        "phone_number": "+12025550190",
        "display_name": "Shop"
      },
      "scopes": [
        "messages.send",
        "conversations.read"
      ],
      "scope": "messages.send conversations.read",
      "plan": {
        "name": "Unlimited",
        "status": "active",
        "api_access": true
      },
      "connected_at": "2026-11-21T12:00:00.000Z",
      "access_token": "swk_1.sws_1",
      "token_type": "Bearer"
    }
    "#);
    assert_eq!(body["organization"]["id"], world.organization.to_string());

    // The key works, is bound to the chosen account, and names its application.
    let me = world.get("/api/v1/me", &key).await;
    assert_eq!(me.status, 200, "{}", me.text);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&me.body), @r#"
    {
      "key": {
        "id": "key_1",
        "name": "Partner CRM",
        "client_id": "swk_1",
        "type": "connection",
        "scopes": [
          "messages.send",
          "conversations.read"
        ],
        "rate_limit": 100,
        "created_at": "2026-11-21T12:00:00.000Z",
        "last_used_at": "2026-11-21T12:00:00.000Z"
      },
      "organization": {
        "id": "org_1",
        "name": "Acme"
      },
      "account": {
        "id": "acc_1",
        "phone_number": "+12025550190",
        "display_name": "Shop",
        "binding": "bound",
        "health": {
          "state": "ok",
          "reason": null,
          "message": null,
          "since": null,
          "quality": null,
          "limit": null,
          "pace": null
        }
      },
      "plan": {
        "name": "Unlimited",
        "status": "active",
        "api_calls": {
          "limit": null,
          "used": 1,
          "resets_at": "2026-11-22T00:00:00.000Z"
        },
        "messages": {
          "limit": null,
          "used": 0,
          "resets_at": "2026-12-01T00:00:00.000Z"
        }
      },
      "application": {
        "client_id": "swa_1",
        "name": "Partner CRM"
      },
      "connection": {
        "id": "conn_1",
        "connected_at": "2026-11-21T12:00:00.000Z",
        "expires_at": null,
        "messages": {
          "limit": null,
          "used": 0,
          "resets_at": "2026-12-01T00:00:00.000Z"
        }
      }
    }
    "#);

    // The access token is the same pair in one header.
    let token = body["access_token"].as_str().unwrap();
    let bearer = format!("Bearer {token}");
    let me = world.http.get(format!("{}/api/v1/me", world.base));
    let me = Answer::of(me.header("authorization", &bearer)).await;
    assert_eq!(me.status, 200, "{}", me.text);
    assert_eq!(me.body["application"]["client_id"], partner.application.client_id.as_str());
    assert_eq!(me.body["connection"]["id"], body["connection_id"]);
}

async fn a_code_is_good_for_a_minute(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for (seconds, works) in [(59, true), (61, false)] {
        let code = obtain_code(&mut browser, &partner).await;
        world.advance(Duration::from_secs(seconds));
        let answer = exchange_code(&world, &partner.exchange(&code)).await;
        assert_eq!(answer.status == 200, works, "{seconds} s: {}", answer.text);
    }
}

async fn every_failed_exchange_has_the_same_answer_and_consumes_the_code(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let other = Partner::registered(&world, Some(world.organization), true).await;
    let mut browser = Browser::new(&world);
    let mut texts = Vec::new();
    for change in [
        json!({"code_verifier": "x".repeat(43)}),
        json!({"code_verifier": "short"}),
        json!({"client_secret": "sws_wrong"}),
        json!({"client_secret": other.application.client_secret}),
        json!({
            "client_id": other.application.client_id,
            "client_secret": other.application.client_secret,
        }),
        json!({"client_id": "swa_0000000000000000000000"}),
        json!({"redirect_uri": "https://partner.example/callback"}),
        json!({"client_id": "nul\u{0}"}),
        json!({"client_secret": "nul\u{0}", "redirect_uri": "nul\u{0}"}),
        json!({"code": "nul\u{0}"}),
        json!({"code": "x".repeat(43)}),
    ] {
        let code = obtain_code(&mut browser, &partner).await;
        let mut body = partner.exchange(&code);
        let fields = change.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(fields);
        let answer = exchange_code(&world, &body).await;
        is_invalid_grant(&answer);
        texts.push(answer.text.replace(answer.header("x-request-id"), ""));
        if change.get("code").is_none() {
            // After the failed attempt the right request fails too.
            is_invalid_grant(&exchange_code(&world, &partner.exchange(&code)).await);
        }
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

async fn a_request_without_a_field_is_refused_and_consumes_its_code(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for field in ["code_verifier", "client_id", "client_secret"] {
        let code = obtain_code(&mut browser, &partner).await;
        let mut body = partner.exchange(&code);
        body.as_object_mut().unwrap().remove(field);
        let answer = exchange_code(&world, &body).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert_eq!(answer.body["code"], "invalid_request", "{}", answer.text);
        is_invalid_grant(&exchange_code(&world, &partner.exchange(&code)).await);
    }
    let url = format!("{}/connect/token", world.base);
    for (content_type, body) in [
        ("application/json", "{"),
        ("application/json", "[]"),
        ("text/plain", "code=x"),
        ("application/json", ""),
    ] {
        let request = world.http.post(&url).header("content-type", content_type).body(body);
        let answer = Answer::of(request).await;
        assert_eq!(answer.status, 400, "{content_type} {body}");
        assert_eq!(answer.body["error"], "invalid_request", "{content_type} {body}");
    }
}

async fn a_code_in_a_request_that_cannot_be_read_is_consumed(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let url = format!("{}/connect/token", world.base);
    let json = "application/json";
    let form = "application/x-www-form-urlencoded";
    let as_form = |code: &str| format!("code={code}&code_verifier={VERIFIER}");
    let too_large =
        |code: &str| format!("{{\"code\":\"{code}\",\"x\":\"{}\"}}", "x".repeat(20_000));
    let multipart = |code: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\n{code}\r\n--x--\r\n")
    };
    for number in 0..9 {
        // Given a code, when a request names it that cannot be read,
        let code = obtain_code(&mut browser, &partner).await;
        let whole = partner.exchange(&code).to_string();
        let (content_type, body) = match number {
            0 => (json, whole[..whole.len() - 1].to_owned()),
            1 => (json, format!("[{whole}]")),
            2 => (json, as_form(&code)),
            3 => (json, too_large(&code)),
            4 => (form, whole),
            5 => ("text/plain", whole),
            6 => ("text/plain", as_form(&code)),
            7 => ("multipart/form-data; boundary=x", multipart(&code)),
            _ => (json, format!("{{\"code\": [\"{code}\"]}}")),
        };
        let request = world.http.post(&url).header("content-type", content_type);
        let answer = Answer::of(request.body(body.clone())).await;
        assert_eq!(answer.status, 400, "{content_type} {body}: {}", answer.text);
        assert_eq!(answer.body["error"], "invalid_request", "{content_type} {body}");
        // then the code is consumed.
        is_invalid_grant(&exchange_code(&world, &partner.exchange(&code)).await);
    }
}

async fn the_exchange_accepts_a_form_like_json(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let code = obtain_code(&mut browser, &partner).await;
    let Value::Object(mut fields) = partner.exchange(&code) else { unreachable!() };
    fields.insert("grant_type".to_owned(), json!("authorization_code"));
    fields.insert("redirect_uri".to_owned(), json!(REDIRECT));
    let body: Vec<String> = fields
        .iter()
        .map(|(name, value)| {
            format!("{name}={}", crate::connect::percent_encode(value.as_str().unwrap()))
        })
        .collect();
    let request = world.http.post(format!("{}/connect/token", world.base)).body(body.join("&"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(Answer::of(request).await.status, 200);
}

/// OAuth libraries send the application's pair by HTTP Basic (RFC 6749, 2.3.1).
async fn the_pair_may_come_by_http_basic(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (id, secret) =
        (partner.application.client_id.as_str(), partner.application.client_secret.as_str());
    let escaped_pair = (id.replace('_', "%5F"), secret.replace('_', "%5f"));
    let right = [
        basic_header("Basic", id, secret),
        basic_header("basic", id, secret),
        basic_header("BASIC ", id, secret),
        basic_header("Basic", &escaped_pair.0, &escaped_pair.1),
        basic_header("Basic", id, secret).trim_end_matches('=').to_owned(),
    ];
    // The body may have no part of the pair, the same client id, or an empty secret (RFC 6749,
    // 3.2).
    let bodies = [
        json!({}),
        json!({"client_id": id}),
        json!({"client_id": id, "client_secret": ""}),
        json!({"client_id": null, "redirect_uri": REDIRECT}),
    ];
    for (number, authorization) in right.iter().enumerate() {
        for as_form in [false, true] {
            let code = obtain_code(&mut browser, &partner).await;
            let mut fields = json!({
                "code": code,
                "code_verifier": VERIFIER,
                "grant_type": "authorization_code",
            });
            fields
                .as_object_mut()
                .unwrap()
                .extend(bodies[number % bodies.len()].as_object().unwrap().clone());
            let answer = exchange_with_basic(&world, authorization, &fields, as_form).await;
            assert_eq!(answer.status, 200, "{authorization} {fields}: {}", answer.text);
            let again = exchange_with_basic(&world, authorization, &fields, as_form).await;
            is_invalid_grant(&again);
        }
    }
    let other = Partner::registered(&world, Some(world.organization), true).await;
    let theirs = (other.application.client_id.as_str(), other.application.client_secret.as_str());
    let both = json!({"client_id": id, "client_secret": secret});
    let (none, right) = (json!({}), basic_header("Basic", id, secret));
    for (authorization, body, error) in [
        // A wrong pair fails like any other check.
        (basic_header("Basic", id, "sws_wrong"), &none, "invalid_grant"),
        (basic_header("Basic", id, theirs.1), &none, "invalid_grant"),
        (basic_header("Basic", theirs.0, theirs.1), &none, "invalid_grant"),
        (basic_header("Basic", "swa_0000000000000000000000", secret), &none, "invalid_grant"),
        (basic_header("Basic", id, "%00"), &none, "invalid_grant"),
        // The first colon ends the client id.
        (basic_header("Basic", id, &format!("{secret}:")), &none, "invalid_grant"),
        (basic_header("Basic", id, &format!("{secret}%3A")), &none, "invalid_grant"),
        (basic_header("Basic", &format!("{id}:"), secret), &none, "invalid_grant"),
        (basic_header("Basic", &format!("{id}%3A"), secret), &none, "invalid_grant"),
        // There must be one pair, in one place.
        (right.clone(), &both, "invalid_request"),
        (right.clone(), &json!({"client_secret": secret}), "invalid_request"),
        (right.clone(), &json!({"client_secret": "wrong"}), "invalid_request"),
        (right.clone(), &json!({"client_id": theirs.0}), "invalid_request"),
        // Both halves are required.
        (basic_header("Basic", id, ""), &none, "invalid_request"),
        (basic_header("Basic", "", secret), &none, "invalid_request"),
        ("Basic".to_owned(), &none, "invalid_request"),
        ("Basic !".to_owned(), &none, "invalid_request"),
        ("Basic !".to_owned(), &both, "invalid_request"),
        (format!("Basic {}", STANDARD.encode(id)), &none, "invalid_request"),
        (format!("Bearer {id}.{secret}"), &none, "invalid_request"),
    ] {
        let code = obtain_code(&mut browser, &partner).await;
        let mut fields = json!({"code": code, "code_verifier": VERIFIER});
        fields.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let answer = exchange_with_basic(&world, &authorization, &fields, true).await;
        assert_eq!(answer.status, 400, "{authorization} {fields}: {}", answer.text);
        assert_eq!(answer.body["error"], error, "{authorization} {fields}: {}", answer.text);
        assert_eq!(answer.header("cache-control"), "no-store");
        // Whatever was wrong, the code is consumed.
        is_invalid_grant(&exchange_code(&world, &partner.exchange(&code)).await);
    }
    // Two Basic headers are malformed; another scheme is ignored.
    let first = obtain_code(&mut browser, &partner).await;
    let twice =
        world.http.post(format!("{}/connect/token", world.base)).header("authorization", &right);
    let answer = Answer::of(
        twice
            .header("authorization", &right)
            .json(&json!({"code": first, "code_verifier": VERIFIER})),
    )
    .await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.body["error"], "invalid_request", "{}", answer.text);
    let second = obtain_code(&mut browser, &partner).await;
    assert_eq!(
        exchange_with_basic(&world, "Bearer x", &partner.exchange(&second), false).await.status,
        200
    );
}

/// Two hundred concurrent exchanges of one code, repeated several times, on two servers if they
/// can share the database.
async fn one_of_many_concurrent_exchanges_gets_the_key(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let shared = world.database_url().starts_with("postgres");
    let second = if shared {
        let started = start(settings(world.database_url()), world.clock.clone(), false).await;
        Some(started.unwrap())
    } else {
        None
    };
    let bases =
        [Some(world.base.clone()), second.as_ref().map(|it| format!("http://{}", it.address))];
    let bases: Vec<String> = bases.into_iter().flatten().collect();
    for round in 0..20 {
        let code = obtain_code(&mut browser, &partner).await;
        let body = partner.exchange(&code);
        let racers = (0..200).map(|racer| {
            let base = &bases[racer % bases.len()];
            Answer::of(world.http.post(format!("{base}/connect/token")).json(&body))
        });
        let answers = join_all(racers).await;
        let (winners, losers): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|it| it.status == 200);
        assert_eq!(winners.len(), 1, "round {round}");
        assert_eq!(losers.len(), 199, "round {round}");
        losers.iter().for_each(is_invalid_grant);
        let key = crate::world::Pair {
            client_id: winners[0].text_of("client_id"),
            client_secret: winners[0].text_of("client_secret"),
        };
        assert_eq!(world.get("/api/v1/me", &key).await.status, 200, "round {round}");
    }
}

on_both_databases! {
    a_code_becomes_a_connection_once,
    a_code_is_good_for_a_minute,
    every_failed_exchange_has_the_same_answer_and_consumes_the_code,
    a_request_without_a_field_is_refused_and_consumes_its_code,
    a_code_in_a_request_that_cannot_be_read_is_consumed,
    the_exchange_accepts_a_form_like_json,
    the_pair_may_come_by_http_basic,
    one_of_many_concurrent_exchanges_gets_the_key,
}
