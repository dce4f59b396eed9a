//! Rows that this version cannot read, because a later one or somebody by hand wrote them: an error that is answered
//! and logged, never a guess.

use crate::connect::{Browser, Partner, REDIRECT, escaped};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{PERSON, endpoint, send, with_receivers};
use crate::world::on_both_databases;
use domain::event::EventKind;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";

on_both_databases! {
    async fn a_limit_below_zero_is_an_error_and_neither_zero_nor_none(world: World) {
        let text = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
        world.plan("Other", true, None, None).await;
        let other = world.organization_on("Other", "Other").await;
        let other = world.key_of(other).await;
        let plan = |change: &str| format!("UPDATE plans SET {change} WHERE name = 'Unlimited'");
        let id = &world.key.client_id;
        let key = |change: &str| format!("UPDATE keys SET {change} WHERE client_id = '{id}'");
        for (broken, repaired) in [
            (plan("api_calls_per_day = -5"), plan("api_calls_per_day = NULL")),
            (plan("messages_per_month = -5"), plan("messages_per_month = NULL")),
            (key("rate_limit = -5"), key("rate_limit = 0")),
            (key("rate_limit = 100001"), key("rate_limit = 0")),
            (key("scopes = 'messages.send fax.send'"), key("scopes = 'messages.send'")),
        ] {
            // Given a row that nothing of this version has written,
            world.beside().await.execute(&broken).await;
            // when somebody calls, then it is an error of the server's,
            world.get(ME, &world.key).await.is_problem(500, "internal_error");
            world.post(SEND, &world.key, &text).await.is_problem(500, "internal_error");
            // and nobody else's, however many calls travel together,
            let calls = (0..20).map(|number| if number % 2 == 0 { &world.key } else { &other });
            let answers = join_all(calls.map(|key| world.get(ME, key))).await;
            let statuses: Vec<u16> = answers.iter().map(|it| it.status).collect();
            assert_eq!(statuses, [500, 200].repeat(10), "{broken}");
            // until it is put right.
            world.beside().await.execute(&repaired).await;
            assert_eq!(world.get(ME, &world.key).await.status, 200, "{broken}");
        }
        assert_eq!(world.post(SEND, &world.key, &text).await.status, 201);
    }

    async fn nobody_is_sent_to_a_redirect_address_that_could_not_be_registered(world: World) {
        let partner = Partner::of(&world).await;
        let plain = "http://partner.example/callback";
        let odd = [r#"["http://partner.example/callback"]"#, r#"["javascript:alert(1)"]"#, "{}"];
        for stored in odd {
            // Given addresses in the database that no application can register,
            let broken = format!("UPDATE applications SET redirect_uris = '{stored}'");
            world.beside().await.execute(&broken).await;
            // when one of them is asked for, or one that was right, then it is an error of the server's.
            for asked in [plain, "javascript:alert(1)", REDIRECT] {
                let asks = partner.asks(&[("redirect_uri", Some(&escaped(asked)))]);
                let page = Browser::new(&world).get(&asks).await;
                assert_eq!((page.status, page.header("location")), (500, ""), "{stored} {asked}");
            }
        }
    }
}

with_receivers! {
    async fn events_wait_for_an_endpoint_whose_selection_cannot_be_read(world: World) {
        // Given two endpoints, of which one selected an event that this version does not know,
        let (ours, other) = (Receiver::start().await, Receiver::start().await);
        let (made, _) = endpoint(&world, &ours, &[EventKind::MessageQueued]).await;
        endpoint(&world, &other, &[EventKind::MessageQueued]).await;
        let set = |events: &str| {
            format!("UPDATE webhook_endpoints SET events = '{events}' WHERE url = '{}'", made.url)
        };
        world.beside().await.execute(&set("message.queued message.sung")).await;
        // when something happens,
        send(&world).await;
        world.live_through(Duration::from_secs(3)).await;
        // then the other one is told,
        assert_eq!((other.kinds().len(), ours.kinds().len()), (1, 0));
        // and what waited is delivered when the selection can be read again.
        world.beside().await.execute(&set("message.queued")).await;
        world.live_through(Duration::from_secs(3)).await;
        assert_eq!((other.kinds(), ours.kinds()), (vec!["message.queued".to_owned()], vec!["message.queued".to_owned()]));
    }
}
