//! Forms that create or rotate something respond with a redirect to a page that shows a secret
//! once. They take effect once, however often they are submitted (`docs/security.md` 23).

use super::{APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, sign_in_member, text_in};
use crate::connect::{Browser, REDIRECT};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{create_endpoint, delivery_log, read_endpoint, send_message, with_receivers};
use crate::world::{Pair, World, on_both_databases, settings_with};
use delivery::cli::start;
use futures_util::future::join_all;
use persistence::records::Owner;
use workers::housekeeping;

fn key_form(token: &str) -> Vec<(&str, &str)> {
    vec![
        ("token", token),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7"),
        ("scope", "messages.send"),
    ]
}

fn application_form(token: &str) -> Vec<(&str, &str)> {
    vec![
        ("token", token),
        ("name", "Acme CRM"),
        ("redirect_uris", REDIRECT),
        ("scope", "messages.send"),
    ]
}

async fn keys_called(world: &World, name: &str) -> usize {
    let keys = world
        .server
        .deps
        .db
        .organization(world.organization)
        .list_own_keys(None, 100)
        .await
        .unwrap();
    keys.iter().filter(|key| key.name == name).count()
}

/// Submits a form twice. Both submissions lead to the same page, which shows the secret in `id`
/// only to the first request. Returns the secret.
async fn shown_once(browser: &mut Browser, path: &str, form: &[(&str, &str)], id: &str) -> String {
    let sent = browser.post(path, form).await;
    let shown_at = sent.location().to_owned();
    assert!(sent.text.is_empty(), "{}", sent.text);
    let shown = browser.get(&shown_at).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert_eq!(shown.header("cache-control"), "no-store", "{}", shown.text);
    let secret = text_in(&shown, id);

    // Reload, a second submission, and the page without its one-time URL do not show the secret.
    let again = browser.post(path, form).await;
    assert_eq!(again.location(), shown_at);
    for address in [shown_at.as_str(), shown_at.split('?').next().unwrap()] {
        let later = browser.get(address).await;
        assert_eq!(later.status, 200, "{}", later.text);
        assert!(!later.text.contains(&secret), "{}", later.text);
    }
    secret
}

async fn a_key_is_created_once_and_its_secret_shown_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let secret = shown_once(&mut browser, KEYS, &key_form(&form_token), "client-secret").await;
    assert_eq!(keys_called(&world, "Newsletter").await, 1);

    let keys = world
        .server
        .deps
        .db
        .organization(world.organization)
        .list_own_keys(None, 100)
        .await
        .unwrap();
    let made = keys.iter().find(|key| key.name == "Newsletter").unwrap();
    let pair = Pair { client_id: made.client_id.clone(), client_secret: secret };
    assert_eq!(world.get("/api/v1/me", &pair).await.status, 200);

    // A new form creates another key.
    let page = browser.get(&creation_path(KEYS)).await;
    let other = csrf_token(&page);
    assert_ne!(other, form_token);
    shown_once(&mut browser, KEYS, &key_form(&other), "client-secret").await;
    assert_eq!(keys_called(&world, "Newsletter").await, 2);
}

async fn eight_clicks_at_once_create_one_key(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let clicks = (0..8).map(|_| {
        let mut same = browser.clone();
        let form_token = form_token.clone();
        async move { same.post(KEYS, &key_form(&form_token)).await.location().to_owned() }
    });
    let mut addresses = join_all(clicks).await;
    addresses.dedup();
    assert_eq!(addresses.len(), 1, "{addresses:?}");
    assert_eq!(keys_called(&world, "Newsletter").await, 1);

    // Of several concurrent requests for the page exactly one gets the secret.
    let openings = (0..8).map(|_| {
        let (mut same, address) = (browser.clone(), addresses[0].clone());
        async move { same.get(&address).await.text.contains("sws_") }
    });
    assert_eq!(join_all(openings).await.iter().filter(|shown| **shown).count(), 1);
}

async fn a_form_whose_server_was_killed_locks_nobody_out(world: World) {
    // Given a form that was submitted to a server which was killed before it finished,
    let mut browser = sign_in_member(&world).await;
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    assert_eq!(browser.post(KEYS, &key_form(&form_token)).await.status, 303);
    let mut beside = world.beside().await;
    beside.execute("DELETE FROM keys WHERE name = 'Newsletter'").await;
    beside.execute("UPDATE form_results SET location = NULL, notice = NULL").await;
    // when the form is submitted again, then the page says that the outcome is unknown, and
    // where to look,
    let again = browser.post(KEYS, &key_form(&form_token)).await;
    assert_eq!(again.status, 409, "{}", again.text);
    for words in [
        "It is not known what came of it. Check the page before you submit it again.",
        "href=\"/integrations/keys\"",
    ] {
        assert!(again.text.contains(words), "{words}: {}", again.text);
    }
    assert_eq!(keys_called(&world, "Newsletter").await, 0);
    // and there the member gets a new form, which works.
    let page = browser.get(&creation_path(KEYS)).await;
    shown_once(&mut browser, KEYS, &key_form(&csrf_token(&page)), "client-secret").await;
    assert_eq!(keys_called(&world, "Newsletter").await, 1);
}

async fn the_secret_is_for_the_session_that_created_it(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let shown_at = browser.post(KEYS, &key_form(&form_token)).await.location().to_owned();

    // Another session of the same member, and a visitor without a session, do not see the
    // secret.
    let mut other = Browser::new(&world);
    other.sign_in("/login").await;
    assert!(!other.get(&shown_at).await.text.contains("sws_"));
    assert_eq!(Browser::new(&world).get(&shown_at).await.status, 303);
    // The form's token is not valid in them either.
    assert_eq!(other.post(KEYS, &key_form(&form_token)).await.status, 403);

    // After ten minutes the secret is also gone for its own session.
    assert!(browser.clone().get(KEYS).await.text.contains("Newsletter"));
    world.advance(std::time::Duration::from_mins(11));
    assert!(!browser.get(&shown_at).await.text.contains("sws_"));
}

async fn an_application_is_registered_once_and_its_secret_rotated_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(APPLICATIONS)).await;
    let form_token = csrf_token(&page);
    let form = application_form(&form_token);
    let secret = shown_once(&mut browser, APPLICATIONS, &form, "client-secret").await;
    let own =
        world.server.deps.db.organization(world.organization).own_applications().await.unwrap();
    assert_eq!(own.len(), 1);

    let path = format!("{APPLICATIONS}/{}", own[0].id);
    let page = browser.get(&format!("{path}/renew")).await;
    let form_token = csrf_token(&page);
    let form = [("token", form_token.as_str()), ("action", "renew")];
    let rotated = shown_once(&mut browser, &path, &form, "client-secret").await;
    assert_ne!(rotated, secret);
    // The second submission did not rotate the secret again.
    let own =
        world.server.deps.db.organization(world.organization).own_applications().await.unwrap();
    let digest = auth::secret::Secret::parse(&rotated).unwrap().digest();
    assert_eq!(own[0].secret_digest, digest.as_bytes().to_vec());
}

async fn an_endpoint_is_created_rotated_tested_and_replayed_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let page = browser.get(&creation_path(WEBHOOKS)).await;
    let form_token = csrf_token(&page);
    let form = [("token", form_token.as_str()), ("url", receiver.url.as_str()), ("which", "all")];
    shown_once(&mut browser, WEBHOOKS, &form, "secret").await;
    let owner = Owner::Organization(world.organization);
    let all = world.server.deps.db.owner(owner).list_own_endpoints().await.unwrap();
    assert_eq!(all.len(), 1);

    let here = format!("{WEBHOOKS}/{}", all[0].id);
    let page = browser.get(&here).await;
    let form_token = csrf_token(&page);
    let act = |action: &'static str| [("token", form_token.clone()), ("action", action.to_owned())];
    let rotate = act("rotate");
    let rotate: Vec<(&str, &str)> = rotate.iter().map(|(n, v)| (*n, v.as_str())).collect();
    shown_once(&mut browser, &here, &rotate, "secret").await;
    let once = read_endpoint(&world, &all[0]).await;
    assert_eq!(once.previous_secret.as_ref(), Some(&all[0].secret), "rotated once");

    let test = act("test");
    let test: Vec<(&str, &str)> = test.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let tested = browser.post(&here, &test).await.location().to_owned();
    assert!(browser.get(&tested).await.text.contains("role=\"status\""));
    assert_eq!(browser.post(&here, &test).await.location(), tested);
    world.settle().await;
    assert_eq!(receiver.take().len(), 1);

    let from = [("from", "2026-11-21T11:00".to_owned()), ("to", "2026-11-21T13:00".to_owned())];
    let replay = [act("replay").to_vec(), from.to_vec()].concat();
    let replay: Vec<(&str, &str)> = replay.iter().map(|(n, v)| (*n, v.as_str())).collect();
    send_message(&world).await;
    world.settle().await;
    let before = receiver.take().len();
    assert!(before > 0);
    let replayed = browser.post(&here, &replay).await.location().to_owned();
    assert_eq!(browser.post(&here, &replay).await.location(), replayed);
    assert_eq!(browser.get(&replayed).await.status, 200);
    world.settle().await;
    assert_eq!(receiver.take().len(), before);
    assert_eq!(browser.post(&here, &replay).await.location(), replayed);
    world.settle().await;
    assert!(receiver.take().is_empty());
}

async fn a_delivery_is_sent_again_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    send_message(&world).await;
    world.settle().await;
    receiver.take();
    let (delivery, _) = delivery_log(&world, &made).await.remove(0);
    let path = format!("{WEBHOOKS}/{}/deliveries/{}", made.id, delivery.id);
    let page = browser.get(&path).await;
    let form_token = csrf_token(&page);
    for sent in [1, 0] {
        let again = browser.post(&path, &[("token", &form_token)]).await;
        assert!(again.location().starts_with(&path));
        world.settle().await;
        assert_eq!(receiver.take().len(), sent);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_that_a_page_showed_is_not_in_the_database() {
    // Given a key whose secret was shown, and one whose page was never opened,
    let world = World::on_sqlite().await;
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let secret = shown_once(&mut browser, KEYS, &key_form(&form_token), "client-secret").await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let unread = browser.post(KEYS, &key_form(&form_token)).await.location().to_owned();

    // then neither secret is in a file of the database,
    let lies_there = |secret: &str| {
        let files = std::fs::read_dir(world.folder()).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.filter(|path| path.is_file()).collect();
        assert!(!files.is_empty());
        let bytes = files.iter().map(|path| std::fs::read(path).unwrap());
        bytes.into_iter().any(|it| it.windows(secret.len()).any(|part| part == secret.as_bytes()))
    };
    assert!(lies_there("Newsletter"), "the files are those of the database");
    assert!(!lies_there(&secret));

    // and the second one is deleted by a sweep after ten minutes, and the form after a day.
    world.advance(std::time::Duration::from_mins(11));
    housekeeping::step(&world.server.deps, true).await.unwrap();
    assert!(!browser.get(&unread).await.text.contains("sws_"));
    world.advance(std::time::Duration::from_hours(25));
    housekeeping::step(&world.server.deps, true).await.unwrap();
    let left = world
        .server
        .deps
        .db
        .operator()
        .delete_expired_forms(world.clock.now(), world.clock.now(), 10)
        .await;
    assert_eq!(left.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_instance_shows_the_secret_that_one_instance_made() {
    // Given two servers on one database,
    let world = World::on_postgres().await;
    let settings = settings_with(world.database_url(), &[]);
    let other =
        start(settings, world.clock.clone(), false).await.expect("the second server starts");
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);

    // when one creates a key, and the other one gets the request for the page and the form again,
    let shown_at = browser.post(KEYS, &key_form(&form_token)).await.location().to_owned();
    let mut elsewhere = browser.clone().at(&format!("http://{}", other.address));
    assert_eq!(elsewhere.post(KEYS, &key_form(&form_token)).await.location(), shown_at);

    // then the other server shows the secret, once.
    assert!(elsewhere.get(&shown_at).await.text.contains("sws_"));
    assert!(!browser.get(&shown_at).await.text.contains("sws_"));
    assert_eq!(keys_called(&world, "Newsletter").await, 1);
}

on_both_databases! {
    a_key_is_created_once_and_its_secret_shown_once,
    eight_clicks_at_once_create_one_key,
    a_form_whose_server_was_killed_locks_nobody_out,
    the_secret_is_for_the_session_that_created_it,
    an_application_is_registered_once_and_its_secret_rotated_once,
}

with_receivers! {
    an_endpoint_is_created_rotated_tested_and_replayed_once,
    a_delivery_is_sent_again_once,
}
