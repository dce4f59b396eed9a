//! The sidebar, the search, and the sizes of pages and assets.

use super::{APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, sign_in_member};
use crate::connect::Browser;
use crate::connect::Partner;
use crate::webhooks::{create_endpoint, receiver::Receiver, send_message, with_receivers};
use crate::world::{World, on_both_databases};

/// The most bytes that a page with 25 rows may have.
const PAGE: usize = 30 * 1024;
/// The most bytes that all scripts of the dashboard may have together, compressed.
const SCRIPT: usize = 20 * 1024;
/// The most bytes of the style sheet, compressed.
const STYLE: usize = 10 * 1024;

/// Returns the size of an asset as browsers load it.
async fn compressed(world: &World, name: &str) -> usize {
    let request = world.http.get(format!("{}/assets/{name}", world.base));
    let answer = request.header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip", "{name}");
    answer.bytes().await.unwrap().len()
}

async fn the_sidebar_lists_the_pages_and_marks_the_current_one(world: World) {
    let mut browser = sign_in_member(&world).await;
    for path in
        [KEYS, WEBHOOKS, APPLICATIONS, "/integrations/connected", "/integrations/apps", "/plan"]
    {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let current = format!("<a href=\"{path}\" aria-current=\"page\">");
        assert_eq!(page.text.matches(&current).count(), 1, "{path}: {}", page.text);
        // Nothing in the page needs an exception of the content security policy.
        assert!(!page.text.contains("style=\"") && !page.text.contains("<style"), "{path}");
        assert!(!page.text.contains("<script>") && !page.text.contains(" onclick"), "{path}");
    }
    let form = browser.get(&creation_path(KEYS)).await;
    assert!(form.text.contains(&format!("<a href=\"{KEYS}\" aria-current=\"page\">")));
}

async fn a_page_is_found_by_a_word_and_an_object_by_its_id(world: World) {
    // Given a key, an application and an endpoint of the organization, and objects of others,
    let mut browser = sign_in_member(&world).await;
    let keys =
        world.server.deps.db.organization(world.organization).list_own_keys(None, 1).await.unwrap();
    let own = Partner::registered(&world, Some(world.organization), false).await;
    let theirs = Partner::of(&world).await;
    // when a word is searched for, then the pages with that word are listed;
    let found = browser.get("/search?q=web").await;
    let (_, results) = found.text.split_once("id=\"results\"").unwrap();
    assert!(results.contains(WEBHOOKS) && !results.contains(KEYS), "{results}");
    // when an id is searched for, then it can be opened,
    let found = browser.get(&format!("/search?q={}", keys[0].id)).await;
    assert!(found.text.contains(&format!("/open?id={}", keys[0].id)), "{}", found.text);
    for (id, path) in [
        (keys[0].id.to_string(), format!("{KEYS}/{}", keys[0].id)),
        (own.application.id.clone(), format!("{APPLICATIONS}/{}", own.application.id)),
    ] {
        assert_eq!(browser.get(&format!("/open?id={id}")).await.location(), path);
    }
    // and of an id of another organization, or of nothing, the member is told that there is
    // nothing.
    for id in
        [theirs.application.id.as_str(), "key_00000000000000000000000000", "msg_x", "%3Cb%3E", ""]
    {
        let to = browser.get(&format!("/open?id={id}")).await.location().to_owned();
        assert!(to.starts_with("/search?notice="), "{to}");
        let page = browser.get(&to).await;
        assert!(
            page.text.contains("Nothing found") && !page.text.contains("<b>”"),
            "{}",
            page.text
        );
    }
}

/// The glossary says "client ID and secret" and "app" for pages, and the sidebar has no page
/// "Integrations".
async fn pages_use_the_words_of_the_glossary_and_of_the_sidebar(world: World) {
    // Given a key and an application of the organization,
    let mut browser = sign_in_member(&world).await;
    let keys =
        world.server.deps.db.organization(world.organization).list_own_keys(None, 1).await.unwrap();
    let own = Partner::registered(&world, Some(world.organization), false).await;
    let application = format!("{APPLICATIONS}/{}", own.application.id);
    // when each page about them is opened, and a key is created,
    let mut pages = Vec::new();
    for path in [
        KEYS.to_owned(),
        format!("{KEYS}/{}", keys[0].id),
        APPLICATIONS.to_owned(),
        application,
        "/integrations/connected".to_owned(),
        "/integrations/apps".to_owned(),
        "/_components".to_owned(),
    ] {
        pages.push((path.clone(), browser.get(&path).await));
    }
    let form = browser.get(&creation_path(KEYS)).await;
    let proof = csrf_token(&form);
    let fields = [
        ("token", proof.as_str()),
        ("name", "Shop"),
        ("account", ""),
        ("rate_limit", "60"),
        ("scope", "messages.send"),
    ];
    let created = browser.post(KEYS, &fields).await.location().to_owned();
    pages.push((created.clone(), browser.get(&created).await));
    // then they use these words.
    assert!(pages.iter().any(|(_, page)| page.text.contains("Client ID and secret")));
    for (path, page) in pages {
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        for word in ["redentials", "Custom app", "Integrations"] {
            assert!(!page.text.contains(word), "{path} says {word}: {}", page.text);
        }
    }
}

async fn pages_and_assets_stay_small(world: World) {
    let mut browser = sign_in_member(&world).await;
    for _ in 0..30 {
        world.key_of(world.organization).await;
    }
    for path in [
        KEYS.to_owned(),
        creation_path(KEYS),
        creation_path(WEBHOOKS),
        creation_path(APPLICATIONS),
        "/plan".to_owned(),
        "/templates".to_owned(),
        "/templates/new".to_owned(),
    ] {
        let length = browser.get(&path).await.text.len();
        assert!(length <= PAGE, "{path} has {length} bytes");
    }
    let style = compressed(&world, "app.css").await;
    assert!(style <= STYLE, "the style sheet has {style} bytes");
    let mut scripts = 0;
    for name in ["app.js", "hotkey.js", "combobox-nav.js", "idiomorph.js", "copy.js"] {
        scripts += compressed(&world, name).await;
    }
    assert!(scripts <= SCRIPT, "the scripts have {scripts} bytes");
}

async fn fonts_and_modules_are_kept_by_browsers(world: World) {
    let style = world.http.get(format!("{}/assets/app.css", world.base)).send().await.unwrap();
    let style = style.text().await.unwrap();
    let script = world.http.get(format!("{}/assets/app.js", world.base)).send().await.unwrap();
    let script = script.text().await.unwrap();
    let named = |text: &str, before: &str, after: &str| {
        let (_, rest) = text.split_once(before).unwrap();
        rest.split(after).next().unwrap().to_owned()
    };
    for (name, kind) in [
        (named(&style, "url(", ")"), "font/woff2"),
        (named(&script, "from \"./", "\""), "text/javascript; charset=utf-8"),
    ] {
        let answer = world.http.get(format!("{}/assets/{name}", world.base)).send().await.unwrap();
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(answer.status(), 200, "{name}");
        assert_eq!(header("content-type"), kind);
        assert!(header("cache-control").contains("immutable"), "{name}");
    }
}

async fn the_policies_of_pages_differ_in_what_they_need(world: World) {
    let mut browser = sign_in_member(&world).await;
    let dashboard = browser.get(KEYS).await;
    let sign_in = Browser::new(&world).get("/login").await;
    let (dashboard, sign_in) =
        (dashboard.header("content-security-policy"), sign_in.header("content-security-policy"));
    for part in [
        "default-src 'none'",
        "connect-src 'self'",
        "font-src 'self'",
        "media-src 'self' blob:",
        "img-src 'self' blob:",
        "form-action 'self'",
        "manifest-src 'self'",
    ] {
        assert!(dashboard.contains(part), "{part}: {dashboard}");
    }
    // A form of the sign-in page may lead to another site, at the end of a handshake.
    assert!(sign_in.contains("font-src 'self'") && !sign_in.contains("form-action"), "{sign_in}");
    assert!(!sign_in.contains("connect-src"), "{sign_in}");
}

async fn all_components_are_on_one_page(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get("/_components").await;
    assert_eq!(page.status, 200);
    for part in [
        "class=\"tbl\"",
        "class=\"line\"",
        "class=\"seg\"",
        "class=\"badge warn\"",
        "<meter",
        "class=\"spark\"",
        "class=\"secret\"",
    ] {
        assert!(page.text.contains(part), "{part}");
    }
}

async fn an_endpoint_and_a_delivery_are_opened_by_their_ids(world: World) {
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    send_message(&world).await;
    world.settle().await;
    let here = format!("{WEBHOOKS}/{}", made.id);
    assert_eq!(browser.get(&format!("/open?id={}", made.id)).await.location(), here);
    let page = browser.get(&here).await;
    let (_, rest) = page.text.split_once("/deliveries/").unwrap();
    let delivery = rest.split('"').next().unwrap();
    let to = browser.get(&format!("/open?id={delivery}")).await;
    assert_eq!(to.location(), format!("{here}/deliveries/{delivery}"));
}

on_both_databases! {
    the_sidebar_lists_the_pages_and_marks_the_current_one,
    a_page_is_found_by_a_word_and_an_object_by_its_id,
    pages_use_the_words_of_the_glossary_and_of_the_sidebar,
    pages_and_assets_stay_small,
    fonts_and_modules_are_kept_by_browsers,
    the_policies_of_pages_differ_in_what_they_need,
    all_components_are_on_one_page,
}

with_receivers! {
    an_endpoint_and_a_delivery_are_opened_by_their_ids,
}
