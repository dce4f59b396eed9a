//! Integrations → API keys, with more keys than fit on a page.

use super::{KEYS, csrf_token, sign_in_member};
use crate::connect::{Browser, Page};
use crate::world::{World, on_both_databases};

/// The number of keys in addition to the organization's first one: two full pages and some more.
const MORE: usize = 110;

/// The keys on a page, in its order.
fn listed_keys(page: &Page) -> Vec<String> {
    let rows = page.text.split("<article class=\"row\" aria-labelledby=\"").skip(1);
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

async fn keys_are_listed_fifty_at_a_time_the_newest_first(world: World) {
    // Given more keys than fit on two pages,
    let mut browser = browser_with_keys(&world).await;
    // when all pages are opened from the newest key to the oldest,
    let (mut sizes, mut found, mut next) = (Vec::new(), Vec::new(), Some(KEYS.to_owned()));
    while let Some(path) = next {
        let page = browser.get(&path).await;
        assert_eq!(page.text.contains(">Newest</a>"), path != KEYS);
        let keys = listed_keys(&page);
        sizes.push(keys.len());
        found.extend(keys);
        next = older_keys_link(&page);
    }
    // then each key is on exactly one page, in the order of creation.
    assert_eq!(sizes, [50, 50, MORE + 1 - 100]);
    let mut sorted = found.clone();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    sorted.dedup();
    assert_eq!(found, sorted);
    // After the last key there are none, and an unknown `after` starts at the newest key.
    let last = browser.get(&format!("{KEYS}?after={}", found.last().unwrap())).await;
    assert!(last.text.contains("No more keys"), "{}", last.text);
    assert_eq!(listed_keys(&browser.get(&format!("{KEYS}?after=nonsense")).await), found[..50]);
}

async fn a_key_is_changed_on_its_own_page(world: World) {
    // Given a key on the second page,
    let mut browser = browser_with_keys(&world).await;
    let second = older_keys_link(&browser.get(KEYS).await).unwrap();
    let page = browser.get(&second).await;
    let (key, proof) = (listed_keys(&page).remove(7), csrf_token(&page));
    let after = second.split_once("after=").unwrap().1;
    assert!(page.text.contains(&format!("name=\"after\" value=\"{after}\"")), "{}", page.text);
    let path = format!("{KEYS}/{key}");
    // when it is disabled or changed, then the member returns to that page,
    let off = [("token", proof.as_str()), ("after", after), ("action", "disable")];
    assert!(browser.post(&path, &off).await.location().starts_with(&second));
    let save = |name, limit| {
        [
            ("token", proof.as_str()),
            ("after", after),
            ("action", "save"),
            ("name", name),
            ("rate_limit", limit),
        ]
    };
    assert!(browser.post(&path, &save("Till", "7")).await.location().starts_with(&second));
    let changed = browser.get(&second).await;
    assert!(changed.text.contains("Till <span class=\"badge warn\">Disabled"), "{}", changed.text);
    // and a rejected change is shown on that page, with the entered values.
    let refused = browser.post(&path, &save("Till of Bob", "7777777")).await;
    assert_eq!(refused.status, 422);
    assert_eq!(listed_keys(&refused), listed_keys(&page));
    assert!(
        refused.text.contains("value=\"Till of Bob\"")
            && refused.text.contains("value=\"7777777\""),
        "{}",
        refused.text
    );
}

on_both_databases! {
    keys_are_listed_fifty_at_a_time_the_newest_first,
    a_key_is_changed_on_its_own_page,
}
