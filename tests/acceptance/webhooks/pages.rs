//! Webhook pages, as a member uses them.

use super::receiver::{Answers, Receiver};
use super::{create_endpoint, delivery_log, send_message, with_receivers};
use crate::connect::{Browser, Page, Partner, create_member};
use crate::world::World;
use auth::webhook::WebhookSecret;
use domain::event::EventKind;
use service::endpoints;
use std::time::Duration;

const PATH: &str = "/integrations/webhooks";

/// Signs a member in. Returns the browser and the CSRF token of the forms.
async fn signed_in(world: &World) -> (Browser, String) {
    create_member(world).await;
    let mut browser = Browser::new(world);
    browser.sign_in("/login").await;
    let new = format!("{PATH}/new");
    let token = browser.get(&new).await.field("token");
    // The first form of a page is the sign-out form, which has another token.
    let page = browser.get(&new).await;
    let (_, main) = page.text.split_once("<main").unwrap();
    let (_, rest) = main.split_once("name=\"token\" value=\"").unwrap();
    let own = rest.split('"').next().unwrap().to_owned();
    assert_ne!(own, token);
    (browser, own)
}

/// Returns the text after `mark` up to the next angle bracket or quotation mark.
fn text_after<'a>(page: &'a Page, mark: &str) -> &'a str {
    let (_, rest) =
        page.text.split_once(mark).unwrap_or_else(|| panic!("no {mark}: {}", page.text));
    rest.split(['<', '"']).next().unwrap()
}

/// Returns the value in the list of facts under this heading.
fn fact(page: &Page, heading: &str) -> String {
    text_after(page, &format!("<dt>{heading}</dt><dd>")).to_owned()
}

/// Submits a form that triggers a delivery while the workers run, and returns the page that
/// follows.
async fn answered(
    world: &World,
    browser: &mut Browser,
    path: &str,
    fields: &[(&str, &str)],
) -> Page {
    let sent = {
        let submitted = browser.post(path, fields);
        let delivering = async {
            loop {
                world.settle().await;
                tokio::time::sleep(Duration::from_millis(20)).await; // real time: the form comes in meanwhile
            }
        };
        tokio::select! {
            sent = submitted => sent,
            () = delivering => unreachable!("it goes on"),
        }
    };
    browser.get(sent.location()).await
}

async fn a_member_makes_tries_and_deletes_an_endpoint(world: World) {
    let (mut browser, token) = signed_in(&world).await;
    let receiver = Receiver::start().await;

    // The secret is shown once.
    let form = [
        ("token", token.as_str()),
        ("url", receiver.url.as_str()),
        ("description", "Order <system>"),
        ("which", "some"),
        ("event", "message.queued"),
        ("event", "message.failed"),
    ];
    let sent = browser.post(PATH, &form).await;
    let made = browser.get(sent.location()).await;
    let secret = WebhookSecret::parse(text_after(&made, "id=\"secret\">")).unwrap();
    let here = sent.location().split('?').next().unwrap().to_owned();
    // A test would leave the page for good, so the secret is confirmed first.
    let confirm = format!("href=\"{here}\">I’ve saved the secret</a>");
    assert!(made.text.contains(&confirm) && !made.text.contains("value=\"test\""), "{}", made.text);
    let confirmed = browser.get(&here).await;
    assert!(!confirmed.text.contains("whsec_"));
    assert!(
        confirmed.text.contains("value=\"test\"") && !confirmed.text.contains(&confirm),
        "{}",
        confirmed.text
    );
    let list = browser.get(PATH).await;
    assert!(!list.text.contains("whsec_"));
    assert!(
        list.text.contains("Order &#60;system&#62;") && list.text.contains("2 events"),
        "{}",
        list.text
    );

    // Its other pages lead back to it by its name.
    for page in ["edit", "replay", "signature"] {
        let shown = browser.get(&format!("{here}/{page}")).await;
        assert!(shown.text.contains("Order &#60;system&#62;</a>"), "{}", shown.text);
    }

    // A test event arrives, and the page of its delivery shows the request and the response.
    let tested =
        answered(&world, &mut browser, &here, &[("token", &token), ("action", "test")]).await;
    assert!(
        tested.text.contains("Test event delivered")
            && tested.text.contains("The endpoint answered 200 in "),
        "{}",
        tested.text
    );
    assert!(tested.text.contains("Delivered · 200"), "the log has it too: {}", tested.text);
    assert!(receiver.take()[0].is_signed_by(&secret));
    let page = browser.get(&here).await;
    assert!(
        page.text.contains("webhook.test") && page.text.contains("Delivered · 200"),
        "{}",
        page.text
    );
    let delivery = format!("{here}/deliveries/{}", text_after(&page, "/deliveries/"));
    let shown = browser.get(&delivery).await;
    for text in ["webhook-signature: v1,", "Thank you.", "200", "&#34;webhook.test&#34;"] {
        assert!(shown.text.contains(text), "{text}: {}", shown.text);
    }
    let resent = answered(&world, &mut browser, &delivery, &[("token", &token)]).await;
    assert!(
        resent.text.contains("Delivery resent")
            && resent.text.contains("The endpoint answered 200 in "),
        "{}",
        resent.text
    );
    assert!(resent.text.contains("Attempt 2"), "{}", resent.text);
    assert_eq!(receiver.take().len(), 1);

    // The endpoint is edited, gets a new secret, is disabled and enabled,
    let form = [
        ("token", token.as_str()),
        ("action", "save"),
        ("url", receiver.url.as_str()),
        ("description", ""),
        ("which", "all"),
    ];
    let saved = browser.post(&here, &form).await;
    assert!(browser.get(saved.location()).await.text.contains("Changes saved"));
    let rotated = browser.post(&here, &[("token", &token), ("action", "rotate")]).await;
    let rotated = browser.get(rotated.location()).await;
    let new = WebhookSecret::parse(text_after(&rotated, "id=\"secret\">")).unwrap();
    assert_ne!(new, secret);
    browser.post(&here, &[("token", &token), ("action", "disable")]).await;
    let disabled = browser.get(&here).await;
    assert!(
        disabled.text.contains("Disabled by Ada, <time")
            && disabled.text.contains("Nov 21, 2026, 12:00 PM UTC"),
        "{}",
        disabled.text
    );
    // A test to a disabled endpoint is not waited for.
    let other = crate::dashboard::csrf_token(&disabled);
    let tested = browser.post(&here, &[("token", &other), ("action", "test")]).await;
    assert!(browser.get(tested.location()).await.text.contains("The endpoint is disabled."));
    browser.post(&here, &[("token", &token), ("action", "enable")]).await;
    assert!(browser.get(&here).await.text.contains(">Enabled</span>"));

    // gets a replay,
    let wrong = [
        ("token", token.as_str()),
        ("action", "replay"),
        ("from", "2026-11-21T13:00"),
        ("to", "2026-11-21T11:00"),
    ];
    assert_eq!(browser.post(&here, &wrong).await.status, 422);
    let right = [
        ("token", token.as_str()),
        ("action", "replay"),
        ("from", "2026-11-21T11:00"),
        ("to", "2026-11-21T13:00"),
    ];
    let replayed = browser.post(&here, &right).await;
    assert!(browser.get(replayed.location()).await.text.contains("Events are being replayed"));

    // and is deleted after a confirmation.
    let sure = browser.get(&format!("{here}/delete")).await;
    assert!(sure.text.contains("Delete endpoint"), "{}", sure.text);
    assert!(
        browser
            .post(&here, &[("token", &token), ("action", "delete")])
            .await
            .location()
            .starts_with(PATH)
    );
    assert_eq!(browser.get(&here).await.status, 404);
}

async fn deliveries_are_listed_page_by_page_the_newest_first(world: World) {
    // Given a webhook endpoint with more deliveries than fit on two pages,
    let (mut browser, _) = signed_in(&world).await;
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    for number in 0..60 {
        if number % 20 == 0 {
            world.advance(Duration::from_secs(1));
        }
        send_message(&world).await;
    }
    let here = format!("{PATH}/{}", made.id);
    let mut walk = async |filter: &str| {
        let (mut found, mut next) = (Vec::new(), Some(format!("{here}?state={filter}")));
        while let Some(path) = next {
            let page = browser.get(&path).await;
            let ids = page.text.split("/deliveries/").skip(1);
            let ids: Vec<_> = ids.map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
            assert!(ids.len() <= 20);
            found.extend(ids);
            let link = page.text.split_once("rel=\"next\" href=\"").map(|(_, rest)| rest);
            next = link.map(|link| {
                let address = link.split('"').next().unwrap().replace("&#38;", "&");
                address.split('#').next().unwrap().to_owned()
            });
        }
        found
    };
    while workers::webhook::fan_out(&world.server.deps).await.unwrap() > 0 {}
    let pending = walk("pending").await;
    world.settle().await;
    // when all pages are opened, then each delivery is on exactly one page, newest event first,
    // with any filter.
    let all: Vec<_> = delivery_log(&world, &made)
        .await
        .into_iter()
        .rev()
        .map(|(it, _)| it.id.to_string())
        .collect();
    assert_eq!(all.len(), 60);
    for filter in ["", "succeeded"] {
        assert_eq!(walk(filter).await, all, "{filter}");
    }
    assert_eq!(walk("failed").await, Vec::<String>::new());
    assert_eq!(pending, all);
}

/// The endpoint responds only with 503.
async fn a_delivery_that_is_tried_again_says_so_and_counts_as_failed(world: World) {
    let (mut browser, _) = signed_in(&world).await;
    let receiver = Receiver::that(Answers::With(503)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let here = format!("{PATH}/{}", made.id);
    // The first delivery is tried and retried once.
    send_message(&world).await;
    world.settle().await;
    world.advance(Duration::from_secs(6));
    world.settle().await;
    assert_eq!(receiver.take().len(), 2);
    let page = browser.get(&here).await;
    assert!(
        page.text.contains("Retrying · 503<") && page.text.contains("data-l=\"attempts\">2<"),
        "{}",
        page.text
    );
    assert_eq!(fact(&page, "Failed"), "1 (1 retrying)");
    assert_eq!(fact(&page, "Pending"), "0");
    let delivery = format!("{here}/deliveries/{}", text_after(&page, "/deliveries/"));
    let shown = browser.get(&delivery).await;
    assert!(shown.text.contains("Retrying · 503 · 2 attempts"), "{}", shown.text);
    assert!(shown.text.contains("Automatic attempt 3 of 10"), "{}", shown.text);

    for (filter, listed) in [("failed", 1), ("retrying", 1), ("pending", 0), ("succeeded", 0)] {
        let page = browser.get(&format!("{here}?state={filter}")).await;
        assert_eq!(
            page.text.matches("/deliveries/dlv_").count(),
            listed,
            "{filter}: {}",
            page.text
        );
    }
    let none = browser.get(&format!("{here}?state=succeeded")).await;
    assert!(!none.text.contains("There are none"), "{}", none.text);

    // A delivery without a response says so,
    receiver.answer(Answers::Never);
    world.advance(Duration::from_mins(6));
    world.settle().await;
    assert!(browser.get(&here).await.text.contains("Retrying · no answer<"));

    // a failed delivery shows the number of its attempts, and a successful one does not count
    // as failed.
    receiver.answer(Answers::With(503));
    for hours in [1, 3, 6, 12, 16, 23, 27] {
        world.advance(Duration::from_hours(hours));
        world.settle().await;
    }
    browser.sign_in("/login").await;
    let page = browser.get(&here).await;
    assert!(page.text.contains("Failed · 503<") && page.text.contains(">10<"), "{}", page.text);
    assert_eq!(fact(&page, "Failed"), "1");
}

async fn a_disabled_endpoint_shows_the_reason(world: World) {
    let (mut browser, token) = signed_in(&world).await;
    let receiver = Receiver::that(Answers::With(410)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    let here = format!("{PATH}/{}", made.id);
    let page =
        answered(&world, &mut browser, &here, &[("token", &token), ("action", "test")]).await;
    assert!(page.text.contains("The endpoint answered 410 in "), "{}", page.text);
    for says in
        ["Your server answered 410 Gone, so we stopped sending.", "When enabled", "Paused · 410<"]
    {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    assert!(!page.text.contains("Retrying · 410"), "nothing is tried: {}", page.text);
    let delivery = format!("{here}/deliveries/{}", text_after(&page, "/deliveries/"));
    assert!(browser.get(&delivery).await.text.contains("Paused · 410 · 1 attempt"));

    // An endpoint that is enabled again is not shown as healthy before it accepts an event.
    browser.post(&here, &[("token", &token), ("action", "enable")]).await;
    for path in [here.as_str(), PATH] {
        let page = browser.get(path).await;
        assert!(
            page.text.contains(">Failing</span>") && !page.text.contains(">Enabled</span>"),
            "{path}: {}",
            page.text
        );
    }
    receiver.answer(Answers::With(200));
    world.advance(Duration::from_secs(6));
    world.settle().await;
    assert!(browser.get(&here).await.text.contains(">Enabled</span>"));
}

async fn the_result_of_a_test_is_explained(world: World) {
    let (mut browser, token) = signed_in(&world).await;
    let receiver = Receiver::that(Answers::With(503)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    let here = format!("{PATH}/{}", made.id);
    let test = async |browser: &mut Browser| {
        let form_token = crate::dashboard::csrf_token(&browser.get(&here).await);
        answered(&world, browser, &here, &[("token", &form_token), ("action", "test")]).await
    };
    // A failed test is shown as a failure.
    let page = test(&mut browser).await;
    assert!(
        page.text.contains("<b>The test failed.</b> The endpoint answered 503 in "),
        "{}",
        page.text
    );
    assert!(page.text.contains("note bad once"), "{}", page.text);
    assert!(!page.text.contains("note ok"), "{}", page.text);
    receiver.answer(Answers::Never);
    world.advance(Duration::from_mins(10));
    let page = test(&mut browser).await;
    assert!(
        page.text.contains("No answer within 1 second.")
            || page.text.contains("There is no answer yet."),
        "{}",
        page.text
    );
    // If nothing listens, the error is in plain words, not the operating system's.
    let port = crate::world::free_port();
    let url = format!("http://127.0.0.1:{port}/");
    let form = [("token", token.as_str()), ("url", url.as_str()), ("which", "all")];
    let made = browser.post(PATH, &form).await.location().split('?').next().unwrap().to_owned();
    let form_token = crate::dashboard::csrf_token(&browser.get(&made).await);
    let page =
        answered(&world, &mut browser, &made, &[("token", &form_token), ("action", "test")]).await;
    let says = "Nothing listens on that host and port (connection refused).";
    assert!(page.text.contains(says) && !page.text.contains("os error"), "{}", page.text);
    let page =
        browser.get(&format!("{made}/deliveries/{}", text_after(&page, "/deliveries/"))).await;
    assert!(page.text.contains(says), "{}", page.text);
    // If no worker delivers, the member does not wait long.
    let watch = platform::clock::Stopwatch::start();
    let form_token = crate::dashboard::csrf_token(&browser.get(&made).await);
    let sent = browser.post(&made, &[("token", &form_token), ("action", "test")]).await;
    assert!(watch.elapsed() < Duration::from_secs(4), "{:?}", watch.elapsed());
    assert!(
        browser
            .get(sent.location())
            .await
            .text
            .contains("There is no answer yet. Reload the page in a moment.")
    );
}

async fn an_invalid_endpoint_is_rejected_with_a_hint(world: World) {
    let (mut browser, token) = signed_in(&world).await;
    for (url, event, says) in [
        (
            "http://10.0.0.1/hooks",
            "message.sent",
            "10.0.0.1 is not an address of the public internet",
        ),
        // The error says what to type. These worlds allow only 127.0.0.0/8.
        ("http://[::1]:3000/", "message.sent", "--webhook-allow 127.0.0.0/8,::1/128"),
        ("http://[::1]:3000/", "message.sent", "switchboard listen --forward-to"),
        ("example.com", "message.sent", "http or https"),
        ("https://example.com/", "message.send", "`message.send` is not an event"),
    ] {
        let form = [
            ("token", token.as_str()),
            ("url", url),
            ("description", "Kept"),
            ("which", "some"),
            ("event", event),
        ];
        let refused = browser.post(PATH, &form).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
        assert!(refused.text.contains("value=\"Kept\""));
    }
    // A form without a valid CSRF token has no effect.
    let form = [("token", "x"), ("url", "https://example.com/"), ("which", "all")];
    assert_eq!(browser.post(PATH, &form).await.status, 403);
    assert!(browser.get(PATH).await.text.contains("No endpoints yet"));
    // A visitor who is not signed in is redirected to the sign-in page.
    assert!(Browser::new(&world).get(PATH).await.location().starts_with("/login?return="));
}

async fn an_endpoint_of_another_organization_is_not_found(world: World) {
    let (mut browser, token) = signed_in(&world).await;
    let other = world.organization_on("Other", "Unlimited").await;
    let receiver = Receiver::start().await;
    let owner = persistence::records::Owner::Organization(other);
    let endpoint_input = service::endpoints::EndpointInput {
        url: &receiver.url,
        description: "",
        events: domain::webhook::Selection::All,
    };
    let (foreign, _) = endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();
    let here = format!("{PATH}/{}", foreign.id);
    for action in ["test", "disable", "delete", "rotate", "save"] {
        assert_eq!(browser.post(&here, &[("token", &token), ("action", action)]).await.status, 404);
    }
    assert_eq!(browser.get(&here).await.status, 404);
    assert_eq!(browser.get(&format!("{PATH}/whe_00000000000000000000000000")).await.status, 404);
    world.settle().await;
    assert!(receiver.received().is_empty());

    // The same holds for the endpoints of an application that another organization registered.
    let partner = Partner::of(&world).await;
    let list = format!("/integrations/applications/{}/webhooks", partner.application.id);
    assert_eq!(browser.get(&list).await.status, 404);
    let own = Partner::registered(&world, Some(world.organization), false).await;
    let list = format!("/integrations/applications/{}/webhooks", own.application.id);
    let form = [("token", token.as_str()), ("url", receiver.url.as_str()), ("which", "all")];
    assert!(browser.post(&list, &form).await.location().starts_with(&list));
    assert!(browser.get(&list).await.text.contains("Webhooks of Partner CRM"));
    assert!(browser.get(PATH).await.text.contains("No endpoints yet"));
}

with_receivers! {
    a_member_makes_tries_and_deletes_an_endpoint,
    deliveries_are_listed_page_by_page_the_newest_first,
    a_delivery_that_is_tried_again_says_so_and_counts_as_failed,
    a_disabled_endpoint_shows_the_reason,
    the_result_of_a_test_is_explained,
    an_invalid_endpoint_is_rejected_with_a_hint,
    an_endpoint_of_another_organization_is_not_found,
}
