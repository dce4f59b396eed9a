//! API keys: the list, with more keys than fit on a page, and the page of one key.

use super::{KEYS, csrf_token, sign_in_member, text_in};
use crate::connect::{Browser, Page, Partner, connect_application};
use crate::world::{Pair, World, on_both_databases};
use domain::key::{KeyState, RateLimit};
use domain::name::Name;
use domain::scope::ScopeSet;
use persistence::records::Key;
use service::keys::{self, NewKey};
use std::time::Duration;
use workers::housekeeping;

/// The number of keys in addition to the organization's first one: two full pages and some more.
const MORE: usize = 60;

/// The keys on a page, in its order.
fn listed_keys(page: &Page) -> Vec<String> {
    let rows = page.text.split("<tr id=\"").skip(1);
    rows.map(|row| row.split('"').next().unwrap().to_owned()).collect()
}

/// Returns the link to the page of older keys.
fn older_keys_link(page: &Page) -> Option<String> {
    let (_, link) = page.text.split_once("rel=\"next\" href=\"")?;
    Some(link.split('"').next().unwrap().replace("&#38;", "&"))
}

async fn browser_with_keys(world: &World) -> Browser {
    for _ in 0..MORE {
        world.key_of(world.organization).await;
    }
    sign_in_member(world).await
}

async fn keys_are_listed_page_by_page_the_newest_first(world: World) {
    // Given more keys than fit on two pages,
    let mut browser = browser_with_keys(&world).await;
    // when all pages are opened from the newest key to the oldest,
    let (mut sizes, mut found, mut next) = (Vec::new(), Vec::new(), Some(KEYS.to_owned()));
    while let Some(path) = next {
        let page = browser.get(&path).await;
        assert_eq!(page.text.contains("Newest</a>"), path != KEYS);
        let keys = listed_keys(&page);
        sizes.push(keys.len());
        found.extend(keys);
        next = older_keys_link(&page);
    }
    // then each key is on exactly one page, in the order of creation.
    assert_eq!(sizes, [25, 25, MORE + 1 - 50]);
    let mut sorted = found.clone();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    sorted.dedup();
    assert_eq!(found, sorted);
    // After the last key there are none, and an unknown `after` starts at the newest key.
    let last = browser.get(&format!("{KEYS}?after={}", found.last().unwrap())).await;
    assert!(last.text.contains("No more keys"), "{}", last.text);
    assert_eq!(listed_keys(&browser.get(&format!("{KEYS}?after=nonsense")).await), found[..25]);
}

async fn a_key_is_changed_on_its_own_page(world: World) {
    // Given a key on the second page of the list,
    let mut browser = browser_with_keys(&world).await;
    let second = older_keys_link(&browser.get(KEYS).await).unwrap();
    let key = listed_keys(&browser.get(&second).await).remove(7);
    let path = format!("{KEYS}/{key}");
    let page = browser.get(&path).await;
    for says in [key.as_str(), "Permissions", "All numbers", "Waiting for your first call"] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    // when it is disabled or changed, then the member returns to its page,
    let proof = csrf_token(&page);
    let off = [("token", proof.as_str()), ("action", "disable")];
    assert!(browser.post(&path, &off).await.location().starts_with(&path));
    let save = |name, limit| {
        [("token", proof.as_str()), ("action", "save"), ("name", name), ("rate_limit", limit)]
    };
    assert!(browser.post(&path, &save("Till", "7")).await.location().starts_with(&path));
    for path in [&path, &second] {
        let changed = browser.get(path).await;
        assert!(
            changed.text.contains("Till") && changed.text.contains("Disabled</span>"),
            "{}",
            changed.text
        );
    }
    // and a rejected change is shown there, with the entered values.
    let refused = browser.post(&path, &save("Till of Bob", "7777777")).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("value=\"Till of Bob\"")
            && refused.text.contains("value=\"7777777\""),
        "{}",
        refused.text
    );
}

async fn keys_are_found_by_name_and_client_id(world: World) {
    // Given many keys, one of them disabled and with another name,
    let mut browser = browser_with_keys(&world).await;
    let second = older_keys_link(&browser.get(KEYS).await).unwrap();
    let key = listed_keys(&browser.get(&second).await).remove(7);
    let path = format!("{KEYS}/{key}");
    let page = browser.get(&path).await;
    let proof = csrf_token(&page);
    let client_id = page.text.split("readonly value=\"").nth(1).unwrap().split('"').next().unwrap();
    let save = [
        ("token", proof.as_str()),
        ("action", "save"),
        ("name", "Caf\u{e9} 100%"),
        ("rate_limit", "7"),
    ];
    assert_eq!(browser.post(&path, &save).await.status, 303);
    let off = [("token", proof.as_str()), ("action", "disable")];
    assert_eq!(browser.post(&path, &off).await.status, 303);
    // then it is found by a part of its name in any case, by its client id and by its state, and
    // nothing else is,
    for query in ["q=CAF%C3%89", "q=100%25", &format!("q={client_id}"), "status=inactive"] {
        let found = browser.get(&format!("{KEYS}?{query}")).await;
        assert_eq!(listed_keys(&found), [key.as_str()], "{query}: {}", found.text);
        assert!(found.text.contains("1 key"), "{query}");
    }
    let nothing = browser.get(&format!("{KEYS}?q=%25%22%3Cb%3E")).await;
    assert!(nothing.text.contains("No keys match these filters"), "{}", nothing.text);
    assert!(nothing.text.contains("value=\"%&#34;&#60;b&#62;\""), "{}", nothing.text);
    // and pages of a search follow one another, with the search in their URL.
    let (mut found, mut next) = (0, Some(format!("{KEYS}?status=active")));
    while let Some(path) = next {
        let page = browser.get(&path).await;
        assert!(path.contains("status=active"), "{path}");
        found += listed_keys(&page).len();
        next = older_keys_link(&page);
    }
    assert_eq!(found, MORE);
}

async fn the_page_of_a_disabled_key_names_who_disabled_it(world: World) {
    let mut browser = sign_in_member(&world).await;
    let key = listed_keys(&browser.get(KEYS).await).remove(0);
    let path = format!("{KEYS}/{key}");
    let proof = csrf_token(&browser.get(&path).await);
    let act = |action| [("token", proof.as_str()), ("action", action)];
    let db = world.server.deps.db.organization(world.organization);
    let client_id = db.own_key(key.parse().unwrap()).await.unwrap().unwrap().client_id;
    assert_eq!(browser.post(&path, &act("disable")).await.status, 303);
    let page = browser.get(&path).await;
    assert!(page.text.contains("Disabled by Ada"), "{}", page.text);
    assert!(page.text.contains("Nov 21, 2026, 12:00 PM UTC"), "{}", page.text);
    world.advance(Duration::from_secs(1));
    assert_eq!(browser.post(&path, &act("enable")).await.status, 303);
    assert!(!browser.get(&path).await.text.contains("Disabled by"));
    // Whom the audit log does not name is not named.
    world.admin().set_key_state(&client_id, KeyState::Inactive).await.unwrap();
    let page = browser.get(&path).await;
    assert!(page.text.contains("This key is disabled"), "{}", page.text);
    assert!(!page.text.contains("Disabled by"), "{}", page.text);
}

async fn a_rotated_key_works_beside_the_new_one_until_it_is_disabled(world: World) {
    // Given a key for one number with a limit of its own,
    let mut browser = sign_in_member(&world).await;
    let scopes = "messages.send conversations.read".split(' ');
    let new = NewKey {
        name: Name::parse("Website").unwrap(),
        scopes: ScopeSet::parse(scopes).unwrap(),
        account: Some(world.account),
        rate_limit: RateLimit::parse(7).unwrap(),
    };
    let made = keys::create(&world.server.deps, world.organization, new).await.unwrap();
    let old = Pair { client_id: made.client_id, client_secret: made.client_secret };
    let path = format!("{KEYS}/{}", made.id);
    // when a member rotates it, with a form that is submitted twice,
    let asked = browser.get(&format!("{path}/rotate")).await;
    assert!(asked.text.contains("keeps working until you disable it"), "{}", asked.text);
    let proof = csrf_token(&asked);
    let form = [("token", proof.as_str()), ("action", "rotate")];
    let first = browser.post(&path, &form).await;
    let second = browser.post(&path, &form).await;
    assert_eq!(first.location(), second.location());
    // then one new key with the same settings is shown once, with a link to the key it replaces,
    let shown = browser.get(first.location()).await;
    assert!(shown.text.contains("<h1>API key created</h1>"), "{}", shown.text);
    assert!(shown.text.contains(&format!("<a href=\"{path}\">disable it</a>")), "{}", shown.text);
    let new = Pair {
        client_id: text_in(&shown, "client-id"),
        client_secret: text_in(&shown, "client-secret"),
    };
    assert_ne!(new.client_id, old.client_id);
    let db = world.server.deps.db.organization(world.organization);
    let keys = db.keys_named("Website".to_owned()).await.unwrap();
    let settings = |key: &Key| (key.scopes.clone(), key.account_id, key.rate_limit, key.state);
    assert_eq!(keys.len(), 2);
    assert_eq!(settings(&keys[0]), settings(&keys[1]));
    let again = browser.get(first.location()).await;
    assert!(!again.text.contains(&new.client_secret), "{}", again.text);
    // both work, until the old one is disabled.
    assert_eq!(world.get("/api/v1/me", &new).await.status, 200);
    assert_eq!(world.get("/api/v1/me", &old).await.status, 200);
    let proof = csrf_token(&browser.get(&path).await);
    let off = [("token", proof.as_str()), ("action", "disable")];
    assert_eq!(browser.post(&path, &off).await.status, 303);
    assert_eq!(world.get("/api/v1/me", &new).await.status, 200);
    assert_eq!(world.get("/api/v1/me", &old).await.status, 401);
}

async fn the_key_of_a_connection_is_not_rotated(world: World) {
    let mut browser = sign_in_member(&world).await;
    let partner = Partner::of(&world).await;
    connect_application(&world, &mut browser, &partner).await;
    let connected = browser.get(&format!("{KEYS}?kind=connection")).await;
    let path = format!("{KEYS}/{}", listed_keys(&connected).remove(0));
    let page = browser.get(&path).await;
    assert!(!page.text.contains("Rotate"), "{}", page.text);
    assert_eq!(browser.get(&format!("{path}/rotate")).await.status, 404);
    let proof = csrf_token(&page);
    let form = [("token", proof.as_str()), ("action", "rotate")];
    assert_eq!(browser.post(&path, &form).await.status, 404);
    assert_eq!(listed_keys(&browser.get(KEYS).await).len(), 2);
}

async fn the_last_use_of_a_key_is_told_within_a_sentence(world: World) {
    // Given a key that was used yesterday,
    assert_eq!(world.get("/api/v1/me", &world.key).await.status, 200);
    housekeeping::step(&world.server.deps, false).await.unwrap();
    world.advance(Duration::from_hours(25));
    // when a member opens its page, then the sentence has no capital within it.
    let mut browser = sign_in_member(&world).await;
    let key = listed_keys(&browser.get(KEYS).await).remove(0);
    let page = browser.get(&format!("{KEYS}/{key}")).await;
    let (_, sentence) = page.text.split_once("Last used ").expect("the last use");
    let sentence = sentence.split("</time>").next().unwrap();
    assert!(sentence.ends_with(">yesterday"), "{sentence}");
}

on_both_databases! {
    the_last_use_of_a_key_is_told_within_a_sentence,
    keys_are_found_by_name_and_client_id,
    the_page_of_a_disabled_key_names_who_disabled_it,
    a_rotated_key_works_beside_the_new_one_until_it_is_disabled,
    the_key_of_a_connection_is_not_rotated,
    keys_are_listed_page_by_page_the_newest_first,
    a_key_is_changed_on_its_own_page,
}
