//! The pages of messages: the list with its filters, and one message.

use super::inbox::{INBOX, changed_items, changes, colleague, customer_writes};
use super::{KEYS, WEBHOOKS, csrf_token, member_of_another_organization, sign_in_member};
use crate::connect::{Page, Partner, connect_application};
use crate::members::signed_in_as;
use crate::webhooks::receiver::{Answers, Receiver};
use crate::webhooks::{create_endpoint, delivery_log, with_receivers};
use crate::world::{Pair, World, on_both_databases};
use domain::event::EventKind;
use domain::id::{KeyId, MessageId, OrganizationId};
use domain::key::KeyState;
use domain::role::Role;
use serde_json::json;
use std::time::Duration;

const MESSAGES: &str = "/messages";

async fn send(world: &World, to: &str, text: &str) -> String {
    let body = json!({"type": "text", "phone_number": to, "text": text, "client_ref": "order-7"});
    let answer = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    world.settle().await;
    world.advance(Duration::from_secs(1));
    world.settle().await;
    answer.body["id"].as_str().unwrap().to_owned()
}

async fn the_list_shows_messages_and_narrows_them(world: World) {
    let mut browser = sign_in_member(&world).await;
    assert!(browser.get(MESSAGES).await.text.contains("No messages yet"));
    let delivered = send(&world, "+12025550110", "Your <b>pie</b> is ready").await;
    let failed = send(&world, "+12025550103", "Nobody reads this").await;
    let all = browser.get(MESSAGES).await;
    assert!(all.text.contains("Your &#60;b&#62;pie&#60;/b&#62; is ready"), "{}", all.text);
    assert!(all.text.contains("The recipient can’t be reached"), "{}", all.text);
    let only = browser.get("/messages?view=failed").await;
    assert!(only.text.contains(&failed) && !only.text.contains(&delivered), "{}", only.text);
    let nobody = browser.get("/messages?q=%2B12025550199").await;
    assert!(nobody.text.contains("No messages match these filters"), "{}", nobody.text);
    let person = browser.get("/messages?q=%2B1+202+555+0110").await;
    assert!(person.text.contains(&delivered) && !person.text.contains(&failed), "{}", person.text);
    let reference = browser.get("/messages?q=order-7").await;
    assert!(reference.text.contains(&delivered) && reference.text.contains(&failed));
    // An id leads to its message.
    assert_eq!(
        browser.get(&format!("/messages?q={failed}")).await.location(),
        format!("/messages/{failed}")
    );
}

/// Schedules a text for `hours` from now, and returns its id.
async fn schedule(world: &World, to: &str, text: &str, hours: u64) -> String {
    let send_at = world.clock.now().plus(Duration::from_hours(hours)).to_string();
    let body = json!({
        "type": "text", "phone_number": to, "text": text, "client_ref": "reminder-7", "send_at": send_at,
    });
    world.post("/api/v1/messages", &world.key, &body).await.text_of("id")
}

async fn scheduled_messages_are_listed_and_canceled(world: World) {
    let mut browser = sign_in_member(&world).await;
    let empty = browser.get("/messages?view=scheduled").await;
    assert!(empty.text.contains("No scheduled messages"), "{}", empty.text);
    // Given scheduled messages, of which one goes to a known person,
    send(&world, "+12025550110", "Your pie is ready").await;
    let later = schedule(&world, "+12025550110", "Do you like <b>pie</b>?", 48).await;
    let sooner = schedule(&world, "+12025550111", "See you soon", 1).await;

    // then the tab counts them, and lists the next one first,
    let list = browser.get("/messages").await;
    assert!(list.text.contains("Scheduled <span class=\"n\">2</span>"), "{}", list.text);
    let list = browser.get("/messages?view=scheduled").await;
    let place = |id: &str| list.text.find(&format!("/messages/{id}\"")).expect("it is listed");
    assert!(place(&sooner) < place(&later), "{}", list.text);
    assert!(list.text.contains("Do you like &#60;b&#62;pie&#60;/b&#62;?"), "{}", list.text);

    // each has a page with what is sent and when,
    let path = format!("{MESSAGES}/{later}");
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200, "{}", page.text);
    for shown in ["Waits for its time", "+12025550110", "reminder-7", "Cancel message", "-X DELETE"]
    {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let asked = browser.get(&format!("{path}/cancel")).await;
    assert!(asked.text.contains("Cancel the message to"), "{}", asked.text);
    // and nobody of another organization finds or cancels it.
    let mut eve = member_of_another_organization(&world).await;
    let token = csrf_token(&eve.get("/account").await);
    let cancel = [("token", token.as_str()), ("action", "cancel")];
    for path in [&path, &format!("{path}/cancel")] {
        assert_eq!(eve.get(path).await.status, 404, "{path}");
    }
    assert_eq!(eve.post(&path, &cancel).await.status, 404);

    // When a member cancels it, then it is not sent, and its page says so.
    let token = csrf_token(&asked);
    let cancel = [("token", token.as_str()), ("action", "cancel")];
    let canceled = browser.post(&path, &cancel).await;
    assert!(canceled.location().starts_with("/messages?view=scheduled"), "{}", canceled.text);
    let list = browser.get(canceled.location()).await;
    assert!(list.text.contains("Message canceled"), "{}", list.text);
    assert!(!list.text.contains(&later) && list.text.contains(&sooner), "{}", list.text);
    let page = browser.get(&path).await;
    assert!(page.text.contains("It is not sent.") && !page.text.contains("Cancel message"));
    let found = world.get(&format!("/api/v1{path}"), &world.key).await;
    assert_eq!(found.body["status"], "canceled");
    // A second cancellation changes nothing. A message that has left is not canceled, and its page
    // says so.
    assert_eq!(browser.post(&path, &cancel).await.status, 303);
    world.advance(Duration::from_hours(1));
    world.live_through(Duration::from_secs(3)).await;
    let left = format!("{MESSAGES}/{sooner}");
    assert!(browser.get(&left).await.text.contains("Timeline"));
    assert_eq!(browser.get(&format!("{left}/cancel")).await.location(), left);
    let late = browser.post(&left, &cancel).await.location().to_owned();
    let page = browser.get(&late).await;
    assert!(page.text.contains("It left before it could be canceled."), "{}", page.text);
    let list = browser.get(MESSAGES).await;
    assert!(!list.text.contains("Scheduled <span class=\"n\">"), "{}", list.text);
}

async fn many_scheduled_messages_have_pages(world: World) {
    let mut browser = sign_in_member(&world).await;
    for number in 0..26 {
        schedule(&world, "+12025550110", &format!("Reminder {number:02}."), 24 + number).await;
    }
    let first = browser.get("/messages?view=scheduled").await;
    assert!(first.text.contains("Reminder 24.") && !first.text.contains("Reminder 25."));
    let (_, rest) = first.text.split_once("rel=\"next\" href=\"").expect("a second page");
    let next = rest.split('"').next().unwrap().replace("&#38;", "&");
    let second = browser.get(&next).await;
    assert!(second.text.contains("Reminder 25.") && !second.text.contains("Reminder 24."));
    assert!(second.text.contains("rel=\"prev\"") && !second.text.contains("rel=\"next\""));
}

async fn a_failed_message_says_why_and_is_sent_again_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let failed = send(&world, "+12025550103", "Nobody reads this").await;
    let path = format!("{MESSAGES}/{failed}");
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Ask the customer for another number"), "{}", page.text);
    assert!(page.text.contains("recipient_unreachable"), "{}", page.text);
    assert!(page.text.contains("order-7"), "{}", page.text);
    let sent = world.get(&format!("/api/v1/messages/{failed}"), &world.key).await;
    let conversation = sent.body["conversation_id"].as_str().unwrap();
    let link = format!("href=\"/inbox/{conversation}\"");
    assert!(page.text.contains(&link), "{}", page.text);
    // The same form submitted twice sends once.
    let form = [("token", csrf_token(&page)), ("action", "resend".to_owned())];
    let form: Vec<(&str, &str)> =
        form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let first = browser.post(&path, &form).await;
    let second = browser.post(&path, &form).await;
    assert_eq!(first.status, 303, "{}", first.text);
    assert_eq!(first.location().split('?').next(), second.location().split('?').next());
    assert!(browser.get(first.location()).await.text.contains("Message sent again"));
    assert_eq!(world.history("+12025550103").await.len(), 2);
}

async fn members_who_resend_at_the_same_time_send_once(world: World) {
    // Given two members who look at a failed message,
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let failed = send(&world, "+12025550103", "Nobody reads this").await;
    let path = format!("{MESSAGES}/{failed}");
    let [of_ada, of_priya] =
        [csrf_token(&ada.get(&path).await), csrf_token(&priya.get(&path).await)];
    // when both press Resend, then one sends it,
    let (one, other) = futures_util::future::join(
        ada.post(&path, &[("token", &of_ada), ("action", "resend")]),
        priya.post(&path, &[("token", &of_priya), ("action", "resend")]),
    )
    .await;
    assert_eq!(one.status, 303, "{} {}", one.text, other.text);
    assert_eq!(other.status, 303, "{} {}", one.text, other.text);
    assert_eq!(world.history("+12025550103").await.len(), 2);
    // and the other one reads why.
    let shown = [ada.get(one.location()).await.text, priya.get(other.location()).await.text];
    let says = |text: &str| shown.iter().filter(|it| it.contains(text)).count();
    assert_eq!(says("Message sent again"), 1, "{shown:?}");
    assert_eq!(says("It was sent again already"), 1, "{shown:?}");
    // When the copy has failed, too, the message can be sent again.
    world.settle().await;
    world.advance(Duration::from_secs(1));
    world.settle().await;
    let page = csrf_token(&priya.get(&path).await);
    let again = priya.post(&path, &[("token", &page), ("action", "resend")]).await;
    assert!(priya.get(again.location()).await.text.contains("Message sent again"));
    assert_eq!(world.history("+12025550103").await.len(), 3);
}

async fn a_message_that_did_not_fail_is_not_sent_again(world: World) {
    let mut browser = sign_in_member(&world).await;
    let delivered = send(&world, "+12025550110", "Here").await;
    let path = format!("{MESSAGES}/{delivered}");
    let page = browser.get(&path).await;
    assert!(!page.text.contains("value=\"resend\""), "{}", page.text);
    let form_token = csrf_token(&browser.get("/numbers/new").await);
    let refused = browser.post(&path, &[("token", &form_token), ("action", "resend")]).await;
    let shown = browser.get(refused.location()).await;
    assert!(shown.text.contains("Only a failed message can be sent again"), "{}", shown.text);
    assert_eq!(world.history("+12025550110").await.len(), 1);
    let unknown = browser.post(&path, &[("token", &form_token), ("action", "burn")]).await;
    assert_eq!(unknown.status, 400);
    assert_eq!(browser.get("/messages/msg_00000000000000000000000000").await.status, 404);
}

async fn the_list_is_narrowed_by_the_source(world: World) {
    let mut browser = sign_in_member(&world).await;
    let by_key = send(&world, "+12025550110", "From the shop").await;
    let form_token = csrf_token(&browser.get("/numbers/new").await);
    let phone = format!("/numbers/{}/phone", world.account);
    let typed = [("token", form_token.as_str()), ("action", "send"), ("text", "From a member")];
    assert_eq!(browser.post(&phone, &typed).await.status, 303);
    world.settle().await;
    let api = browser.get("/messages?source=api").await;
    assert!(api.text.contains(&by_key) && !api.text.contains("From a member"), "{}", api.text);
    let inbox = browser.get("/messages?source=inbox").await;
    assert!(inbox.text.contains("From a member") && !inbox.text.contains(&by_key));
    assert!(inbox.text.contains("<option value=\"inbox\" selected>"), "{}", inbox.text);
    // A tab keeps the filter, and an unknown source is no filter.
    assert!(inbox.text.contains("/messages?view=outbound&#38;source=inbox"), "{}", inbox.text);
    assert!(browser.get("/messages?source=fax").await.text.contains(&by_key));
}

/// Sends a text with this key, and returns the message's id.
async fn send_with(world: &World, key: &Pair, text: &str) -> String {
    let body = json!({"type": "text", "phone_number": "+12025550110", "text": text});
    let answer = world.post("/api/v1/messages", key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    // Lists are in the order of ids, which begin with the time.
    world.advance(Duration::from_millis(5));
    answer.text_of("id")
}

async fn id_of(world: &World, organization: OrganizationId, key: &Pair) -> KeyId {
    let db = world.server.deps.db.organization(organization);
    db.key_of_client_id(key.client_id.clone()).await.unwrap().expect("the key").id
}

/// Returns the texts that a list shows.
fn shown<'text>(page: &Page, texts: &[&'text str]) -> Vec<&'text str> {
    assert_eq!(page.status, 200, "{}", page.text);
    texts.iter().copied().filter(|text| page.text.contains(text)).collect()
}

async fn the_list_is_narrowed_by_the_key(world: World) {
    const TEXTS: [&str; 7] = [
        "From the shop",
        "From the warehouse",
        "First of a batch",
        "Second of a batch",
        "From the app",
        "From the customer",
        "From a member",
    ];
    // Given messages of two keys and of a connected app, some of them in a batch, and messages that
    // were sent without a key,
    let mut browser = sign_in_member(&world).await;
    let other = world.key_of(world.organization).await;
    let partner = Partner::of(&world).await;
    let (_, app) = connect_application(&world, &mut browser, &partner).await;
    send_with(&world, &world.key, "From the shop").await;
    let theirs = send_with(&world, &other, "From the warehouse").await;
    let text = |text: &str| json!({"type": "text", "phone_number": "+12025550110", "text": text});
    let batch = json!({"messages": [text("First of a batch"), text("Second of a batch")]});
    let sent = world.post("/api/v1/messages/batch", &other, &batch).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    send_with(&world, &app, "From the app").await;
    customer_writes(&world, &mut browser, "From the customer").await;
    let phone = format!("/numbers/{}/phone", world.account);
    let form_token = csrf_token(&browser.get(&phone).await);
    let typed = [("token", form_token.as_str()), ("action", "send"), ("text", "From a member")];
    assert_eq!(browser.post(&phone, &typed).await.status, 303);
    world.settle().await;
    assert_eq!(shown(&browser.get(MESSAGES).await, &TEXTS), TEXTS);

    // when the list is narrowed to a key, then it has the messages of that key only,
    let first = id_of(&world, world.organization, &world.key).await;
    let second = id_of(&world, world.organization, &other).await;
    let third = id_of(&world, world.organization, &app).await;
    let path = |key: KeyId| format!("{MESSAGES}?key={key}");
    let of_first = browser.get(&path(first)).await;
    assert_eq!(shown(&of_first, &TEXTS), ["From the shop"]);
    let of_second = browser.get(&path(second)).await;
    let of_other = ["From the warehouse", "First of a batch", "Second of a batch"];
    assert_eq!(shown(&of_second, &TEXTS), of_other);
    let of_app = browser.get(&path(third)).await;
    assert_eq!(shown(&of_app, &TEXTS), ["From the app"]);
    // the select has the keys by name, and by client id if they have one name,
    let chosen = format!("<option value=\"{second}\" selected>Integration (swk_");
    assert!(of_second.text.contains(&chosen), "{}", of_second.text);
    let chosen = format!("<option value=\"{third}\" selected>Partner CRM</option>");
    assert!(of_app.text.contains(&chosen), "{}", of_app.text);
    // a tab keeps the key, and other filters apply, too,
    let tab = format!("/messages?view=outbound&#38;key={second}");
    assert!(of_second.text.contains(&tab), "{}", of_second.text);
    let both = browser.get(&format!("{}&source=inbox", path(second))).await;
    assert!(both.text.contains("No messages match these filters"), "{}", both.text);
    // a key that does not exist has no messages, and what is no id of a key is no filter.
    let unknown = browser.get("/messages?key=key_01h455vb4pex5vsknk084sn02q").await;
    assert_eq!(shown(&unknown, &TEXTS), [""; 0]);
    assert!(unknown.text.contains(" selected>Deleted or unknown key"), "{}", unknown.text);
    assert_eq!(shown(&browser.get("/messages?key=swk_x").await, &TEXTS), TEXTS);

    // The page of a message leads to its key, and the page of the key to its messages.
    let page = browser.get(&format!("{MESSAGES}/{theirs}")).await;
    let link = format!("<dt>API key</dt><dd><a href=\"{KEYS}/{second}\">Integration</a>");
    assert!(page.text.contains(&link), "{}", page.text);
    let key_page = browser.get(&format!("{KEYS}/{second}")).await;
    assert!(key_page.text.contains(&format!("href=\"{}\"", path(second))), "{}", key_page.text);
    let listed = world.get("/api/v1/messages", &world.key).await;
    let listed = listed.body["data"].as_array().unwrap();
    for text in ["From the customer", "From a member"] {
        let id = listed.iter().find(|it| it["text"] == text).unwrap()["id"].as_str().unwrap();
        let page = browser.get(&format!("{MESSAGES}/{id}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(!page.text.contains("<dt>API key</dt>"), "{text}: {}", page.text);
    }

    // A disabled key stays in the select. The messages of a deleted one are still found by its id.
    let db = world.server.deps.db.organization(world.organization);
    let disabled = db.set_key_state(other.client_id.clone(), KeyState::Inactive).await;
    assert!(disabled.unwrap());
    let all = browser.get(MESSAGES).await;
    assert!(all.text.contains(&format!("<option value=\"{second}\">")), "{}", all.text);
    assert!(db.delete_key(other.client_id.clone(), world.clock.now()).await.unwrap());
    let all = browser.get(MESSAGES).await;
    assert!(!all.text.contains(&second.to_string()), "{}", all.text);
    let of_second = browser.get(&path(second)).await;
    assert_eq!(shown(&of_second, &TEXTS), of_other);
    assert!(of_second.text.contains(" selected>Deleted or unknown key"), "{}", of_second.text);
    let page = browser.get(&format!("{MESSAGES}/{theirs}")).await;
    let deleted =
        format!("<dt>API key</dt><dd><code>{second}</code> <span class=\"muted\">deleted");
    assert!(page.text.contains(&deleted), "{}", page.text);
}

async fn a_key_of_another_organization_is_like_an_unknown_one(world: World) {
    // Given messages of two organizations,
    let mut ada = sign_in_member(&world).await;
    let third = world.organization_on("Third", "Unlimited").await;
    world.number(third, "+12025550191").await;
    let foreign = world.key_of(third).await;
    send_with(&world, &world.key, "From the shop").await;
    send_with(&world, &foreign, "From elsewhere").await;
    // when a member asks for the messages of a key of the other one, then there are none, and the
    // page does not say which key it is.
    let texts = ["From the shop", "From elsewhere", &foreign.client_id[..10]];
    let foreign_key = id_of(&world, third, &foreign).await;
    let page = ada.get(&format!("{MESSAGES}?key={foreign_key}")).await;
    assert_eq!(shown(&page, &texts), [""; 0]);
    assert!(page.text.contains(" selected>Deleted or unknown key"), "{}", page.text);
    // A member of a further organization sees nothing of the first one either.
    let mut eve = member_of_another_organization(&world).await;
    let key = id_of(&world, world.organization, &world.key).await;
    let page = eve.get(&format!("{MESSAGES}?key={key}")).await;
    assert_eq!(shown(&page, &texts), [""; 0]);
    assert!(page.text.contains(" selected>Deleted or unknown key"), "{}", page.text);
}

async fn the_messages_of_a_key_are_listed_page_by_page(world: World) {
    // Given more messages of a key than fit on a page, among messages of another key,
    let mut browser = sign_in_member(&world).await;
    let other = world.key_of(world.organization).await;
    for number in 0..30 {
        send_with(&world, &world.key, &format!("Parcel {number:02}.")).await;
        if number % 3 == 0 {
            send_with(&world, &other, &format!("Crate {number:02}.")).await;
        }
    }
    // when both pages are opened, then each message of the key is on one of them.
    let key = id_of(&world, world.organization, &world.key).await;
    let first = browser.get(&format!("{MESSAGES}?key={key}")).await;
    assert_eq!(first.text.matches("Parcel ").count(), 25, "{}", first.text);
    assert!(
        first.text.contains("Parcel 29.") && first.text.contains("Parcel 05."),
        "{}",
        first.text
    );
    let (_, rest) = first.text.split_once("rel=\"next\" href=\"").expect("a second page");
    let next = rest.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.contains(&format!("key={key}&after=msg_")), "{next}");
    let second = browser.get(&next).await;
    assert_eq!(second.text.matches("Parcel ").count(), 5, "{}", second.text);
    assert!(second.text.contains("Parcel 04.") && second.text.contains("Parcel 00."));
    assert!(!second.text.contains("rel=\"next\""), "{}", second.text);
    assert!(!first.text.contains("Crate ") && !second.text.contains("Crate "));
}

async fn a_role_without_the_inbox_gets_the_stream_but_no_text(world: World) {
    // Given a developer, who may open messages but not the inbox,
    let mut ada = sign_in_member(&world).await;
    let mut dev = signed_in_as(&world, "dev@acme.example", Role::Developer).await;
    let conversation = customer_writes(&world, &mut ada, "Hello").await;
    assert_eq!(dev.get(INBOX).await.status, 403);
    assert_eq!(dev.get(&conversation).await.status, 403);
    // then the list of messages follows the stream,
    let list = dev.get(MESSAGES).await;
    assert!(list.text.contains("data-stream=\"/inbox/stream\""), "{}", list.text);
    let mut stream = dev.open_stream("/inbox/stream", None).await;
    assert_eq!(stream.status(), 200);
    // which says what happened in which conversation, and nothing else.
    customer_writes(&world, &mut ada, "quagga").await;
    let fields = |value: &serde_json::Value| {
        let mut names: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    for item in changed_items(&mut stream, 1).await {
        assert_eq!(fields(&item), ["changes", "sequence"], "{item}");
        for change in item["changes"].as_array().unwrap() {
            assert_eq!(fields(change), ["conversation", "kind"], "{item}");
            assert!(conversation.ends_with(change["conversation"].as_str().unwrap()), "{item}");
        }
    }
    // A member of another organization hears nothing of it.
    let eve = member_of_another_organization(&world).await;
    let mut theirs = eve.open_stream("/inbox/stream", None).await;
    customer_writes(&world, &mut ada, "Anybody?").await;
    let heard = tokio::time::timeout(Duration::from_secs(1), changes(&mut theirs, 1)).await;
    assert!(heard.is_err(), "{heard:?}");
}

async fn the_page_of_a_message_shows_its_webhook_deliveries(world: World) {
    // Given two endpoints, of which one answers with an error,
    let mut browser = sign_in_member(&world).await;
    let (well, ill) = (Receiver::start().await, Receiver::start().await);
    ill.answer(Answers::With(503));
    let (first, _) = create_endpoint(&world, &well, &[]).await;
    let (second, _) = create_endpoint(&world, &ill, &[EventKind::MessageSent]).await;
    // when a message is sent, then its page shows the delivery of each event to each endpoint,
    let message = send(&world, "+12025550110", "Your pie is ready").await;
    let other = send(&world, "+12025550110", "Your cake is ready").await;
    world.live_through(Duration::from_secs(2)).await;
    let page = browser.get(&format!("{MESSAGES}/{message}")).await;
    let (_, section) = page.text.split_once("id=\"deliveries\"").unwrap();
    let mut links = 0;
    for endpoint in [&first, &second] {
        for (delivery, attempts) in delivery_log(&world, endpoint).await {
            let link = format!("{WEBHOOKS}/{}/deliveries/{}\"", endpoint.id, delivery.id);
            let is_about = delivery
                .subject
                .is_some_and(|it| it.uuid() == message.parse::<MessageId>().unwrap().uuid());
            assert_eq!(section.contains(&link), is_about, "{delivery:?}");
            links += usize::from(is_about);
            assert!(!attempts.is_empty());
        }
    }
    assert!(links >= 3, "{links}: {section}");
    for says in ["message.sent", "Delivered · 200", "Retrying · 503", " ms<"] {
        assert!(section.contains(says), "{says}: {section}");
    }
    assert!(!section.contains(&other));
    // and nobody of another organization sees any.
    let mut eve = member_of_another_organization(&world).await;
    assert_eq!(eve.get(&format!("{MESSAGES}/{message}")).await.status, 404);
}

with_receivers! {
    the_page_of_a_message_shows_its_webhook_deliveries,
}

on_both_databases! {
    the_list_is_narrowed_by_the_source,
    the_list_is_narrowed_by_the_key,
    a_key_of_another_organization_is_like_an_unknown_one,
    the_messages_of_a_key_are_listed_page_by_page,
    a_role_without_the_inbox_gets_the_stream_but_no_text,
    the_list_shows_messages_and_narrows_them,
    scheduled_messages_are_listed_and_canceled,
    many_scheduled_messages_have_pages,
    a_failed_message_says_why_and_is_sent_again_once,
    members_who_resend_at_the_same_time_send_once,
    a_message_that_did_not_fail_is_not_sent_again,
}
