//! API keys: the list, with more keys than fit on a page, and the page of one key.

use super::{KEYS, csrf_token, sign_in_member};
use crate::connect::{Browser, Page};
use crate::world::{World, on_both_databases};

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
    Some(link.split('"').next().unwrap().to_owned())
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

on_both_databases! {
    keys_are_listed_page_by_page_the_newest_first,
    a_key_is_changed_on_its_own_page,
}
