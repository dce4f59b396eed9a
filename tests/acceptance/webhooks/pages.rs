//! Integrations → Webhooks, as a member uses it.

use super::receiver::{Answers, Receiver};
use super::{endpoint, with_receivers};
use crate::connect::{Browser, Page, Partner, member};
use crate::world::World;
use auth::webhook::WebhookSecret;

const PATH: &str = "/integrations/webhooks";

/// A member who is signed in, and what their forms carry.
async fn signed_in(world: &World) -> (Browser, String) {
    member(world).await;
    let mut browser = Browser::new(world);
    browser.sign_in("/login").await;
    let token = browser.get(PATH).await.field("token");
    // The first form of a page is the way out, which proves something else.
    let page = browser.get(PATH).await;
    let (_, main) = page.text.split_once("<main").unwrap();
    let (_, rest) = main.split_once("name=\"token\" value=\"").unwrap();
    let own = rest.split('"').next().unwrap().to_owned();
    assert_ne!(own, token);
    (browser, own)
}

/// What follows `mark` up to the next angle bracket or quote.
fn after<'a>(page: &'a Page, mark: &str) -> &'a str {
    let (_, rest) =
        page.text.split_once(mark).unwrap_or_else(|| panic!("no {mark}: {}", page.text));
    rest.split(['<', '"']).next().unwrap()
}

with_receivers! {
    async fn a_member_makes_tries_and_deletes_an_endpoint(world: World) {
        let (mut browser, token) = signed_in(&world).await;
        let receiver = Receiver::start().await;

        // The secret is shown once.
        let form = [("token", token.as_str()), ("url", receiver.url.as_str()), ("description", "Order <system>"), ("which", "some"), ("event", "message.queued"), ("event", "message.failed")];
        let made = browser.post(PATH, &form).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let secret = WebhookSecret::parse(after(&made, "id=\"secret\">")).unwrap();
        let here = format!("{PATH}/{}", after(&made, &format!("href=\"{PATH}/")));
        let list = browser.get(PATH).await;
        assert!(!list.text.contains("whsec_"));
        assert!(list.text.contains("Order &#60;system&#62;") && list.text.contains("2 chosen"), "{}", list.text);

        // A test arrives, and its delivery tells what was sent and answered.
        let tested = browser.post(&here, &[("token", &token), ("action", "test")]).await;
        assert_eq!(tested.status, 200, "{}", tested.text);
        world.settle().await;
        assert!(receiver.take()[0].is_signed_by(&secret));
        let page = browser.get(&here).await;
        assert!(page.text.contains("webhook.test") && page.text.contains("Succeeded"), "{}", page.text);
        let delivery = format!("{here}/deliveries/{}", after(&page, "/deliveries/"));
        let shown = browser.get(&delivery).await;
        for text in ["webhook-signature: v1,", "Thank you.", "200", "&#34;webhook.test&#34;"] {
            assert!(shown.text.contains(text), "{text}: {}", shown.text);
        }
        assert_eq!(browser.post(&delivery, &[("token", &token)]).await.location(), delivery);
        world.settle().await;
        assert_eq!(receiver.take().len(), 1);

        // It is changed, given another secret, disabled and enabled,
        let form = [("token", token.as_str()), ("action", "save"), ("url", receiver.url.as_str()), ("description", ""), ("which", "all")];
        assert!(browser.post(&here, &form).await.text.contains("Saved."));
        let rotated = browser.post(&here, &[("token", &token), ("action", "rotate")]).await;
        let new = WebhookSecret::parse(after(&rotated, "id=\"secret\">")).unwrap();
        assert_ne!(new, secret);
        assert_eq!(browser.post(&here, &[("token", &token), ("action", "disable")]).await.location(), here);
        let disabled = browser.get(&here).await;
        assert!(disabled.text.contains("A member disabled it."), "{}", disabled.text);
        assert_eq!(browser.post(&here, &[("token", &token), ("action", "enable")]).await.location(), here);

        // replayed,
        let wrong = [("token", token.as_str()), ("action", "replay"), ("from", "2026-11-21T13:00"), ("to", "2026-11-21T11:00")];
        assert_eq!(browser.post(&here, &wrong).await.status, 422);
        let right = [("token", token.as_str()), ("action", "replay"), ("from", "2026-11-21T11:00"), ("to", "2026-11-21T13:00")];
        assert_eq!(browser.post(&here, &right).await.status, 200);

        // and deleted once that has been confirmed.
        let sure = browser.get(&format!("{here}/delete")).await;
        assert!(sure.text.contains("Delete for good"), "{}", sure.text);
        assert_eq!(browser.post(&here, &[("token", &token), ("action", "delete")]).await.location(), PATH);
        assert_eq!(browser.get(&here).await.location(), PATH);
    }

    async fn why_an_endpoint_is_disabled_is_said(world: World) {
        let (mut browser, token) = signed_in(&world).await;
        let receiver = Receiver::that(Answers::With(410)).await;
        let (made, _) = endpoint(&world, &receiver, &[]).await;
        let here = format!("{PATH}/{}", *made.id);
        browser.post(&here, &[("token", &token), ("action", "test")]).await;
        world.settle().await;
        let page = browser.get(&here).await;
        assert!(page.text.contains("It answered 410 Gone") && page.text.contains("once enabled"), "{}", page.text);
    }

    async fn what_cannot_be_is_refused_with_what_would_have_been_right(world: World) {
        let (mut browser, token) = signed_in(&world).await;
        for (url, event, says) in [
            ("http://10.0.0.1/hooks", "message.sent", "10.0.0.1 is not an address of the public internet"),
            ("example.com", "message.sent", "http or https"),
            ("https://example.com/", "message.send", "`message.send` is not an event"),
        ] {
            let form = [("token", token.as_str()), ("url", url), ("description", "Kept"), ("which", "some"), ("event", event)];
            let refused = browser.post(PATH, &form).await;
            assert_eq!(refused.status, 422, "{}", refused.text);
            assert!(refused.text.contains(says), "{says}: {}", refused.text);
            assert!(refused.text.contains("value=\"Kept\""));
        }
        // Without the form's proof nothing is done.
        let form = [("token", "x"), ("url", "https://example.com/"), ("which", "all")];
        assert_eq!(browser.post(PATH, &form).await.status, 403);
        assert!(browser.get(PATH).await.text.contains("No endpoints yet"));
        // Whoever has not signed in is asked to.
        assert_eq!(Browser::new(&world).get(PATH).await.location(), "/login");
    }

    async fn a_foreign_endpoint_is_as_one_that_never_was(world: World) {
        let (mut browser, token) = signed_in(&world).await;
        let other = world.organization_on("Other", "Unlimited").await;
        let receiver = Receiver::start().await;
        let theirs = delivery::endpoints::Endpoints { deps: &world.server.deps, owner: persistence::rows::Owner::Organization(other), organization: other };
        let wished = delivery::endpoints::Wished { url: &receiver.url, description: "", events: domain::webhook::Selection::All };
        let (foreign, _) = theirs.create(wished).await.unwrap();
        let here = format!("{PATH}/{}", *foreign.id);
        for action in ["test", "disable", "delete", "rotate", "save"] {
            assert_eq!(browser.post(&here, &[("token", &token), ("action", action)]).await.location(), PATH);
        }
        assert_eq!(browser.get(&here).await.location(), PATH);
        assert_eq!(browser.get(&format!("{PATH}/whe_00000000000000000000000000")).await.location(), PATH);
        world.settle().await;
        assert!(receiver.received().is_empty());

        // Nor are the endpoints of an application that another organization registered there.
        let partner = Partner::of(&world).await;
        let list = format!("/integrations/applications/{}/webhooks", partner.application.id);
        assert_eq!(browser.get(&list).await.location(), "/integrations/applications");
        let own = Partner::registered(&world, Some(world.organization), false).await;
        let list = format!("/integrations/applications/{}/webhooks", own.application.id);
        let form = [("token", token.as_str()), ("url", receiver.url.as_str()), ("which", "all")];
        let made = browser.post(&list, &form).await;
        assert_eq!(made.status, 201, "{}", made.text);
        assert!(browser.get(&list).await.text.contains("Webhooks of Partner CRM"));
        assert!(browser.get(PATH).await.text.contains("No endpoints yet"));
    }
}
