//! Error pages: not found, forbidden, expired. Each has a link to continue.

use super::{APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, sign_in_member};
use crate::connect::{Browser, PASSWORD, Page, Partner};
use crate::members::sign_in;
use crate::world::{World, on_both_databases, statements};
use domain::role::Role;
use reqwest::Method;

const HTML: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn visit(browser: &mut Browser, path: &str) -> Page {
    let request = browser.request(Method::GET, path).header("accept", HTML);
    browser.send(request.header("x-request-id", "req-of-this-test")).await
}

/// Asserts that this is an error page of ours with this text and a link.
#[track_caller]
fn is_page(page: &Page, status: u16, says: &str) {
    assert_eq!(page.status, status, "{}", page.text);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{}", page.text);
    assert_eq!(page.header("cache-control"), "no-store");
    assert!(page.header("content-security-policy").contains("default-src 'none'"));
    assert!(page.text.contains(says), "{says}: {}", page.text);
    assert!(page.text.contains("class=\"btn"), "a way on: {}", page.text);
    // A member who asks for help can name the request.
    let id = format!("Request ID: <code>{}</code>", page.header("x-request-id"));
    assert!(page.text.contains(&id), "{id}: {}", page.text);
}

async fn an_unknown_path_is_a_page_for_a_person_and_json_for_a_program(world: World) {
    let mut browser = Browser::new(&world);
    for path in ["/nowhere", "/integrations/nowhere", "/assets/none.css", "/media/med_x/file.png"] {
        is_page(&visit(&mut browser, path).await, 404, "Page not found");
    }
    is_page(&visit(&mut browser, "/logout").await, 405, "This is not a page");
    for (path, accept) in [
        ("/nowhere", "*/*"),
        ("/nowhere", "application/json"),
        ("/api/v1/nowhere", HTML),
        ("/api/v1/messages/msg_x", HTML),
    ] {
        let request = browser.request(Method::GET, path).header("accept", accept);
        let answer = browser.send(request).await;
        assert_eq!(
            answer.header("content-type"),
            "application/json",
            "{path} {accept}: {}",
            answer.text
        );
    }
}

async fn an_unknown_id_is_a_404_page(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(WEBHOOKS)).await;
    let form_token = csrf_token(&page);
    let partner = Partner::of(&world).await;
    let theirs = format!("{APPLICATIONS}/{}", partner.application.id);
    let not_found_answer = format!("{APPLICATIONS}/app_00000000000000000000000000");
    for path in [
        theirs.clone(),
        format!("{theirs}/delete"),
        format!("{theirs}/renew"),
        format!("{theirs}/webhooks"),
        not_found_answer.clone(),
        format!("{APPLICATIONS}/x"),
        format!("{KEYS}/x/delete"),
        format!("{KEYS}/key_00000000000000000000000000/delete"),
        format!("{WEBHOOKS}/whe_00000000000000000000000000"),
        format!("{WEBHOOKS}/x"),
        format!("{WEBHOOKS}/whe_00000000000000000000000000/delete"),
        format!(
            "{WEBHOOKS}/whe_00000000000000000000000000/deliveries/dlv_00000000000000000000000000"
        ),
    ] {
        is_page(&visit(&mut browser, &path).await, 404, "Page not found");
    }
    // A form with such an id gets the same page, also with an id of another organization.
    for path in
        [theirs.clone(), not_found_answer.clone(), format!("{KEYS}/x"), format!("{WEBHOOKS}/x")]
    {
        is_page(
            &browser.post(&path, &[("token", &form_token), ("action", "delete")]).await,
            404,
            "Page not found",
        );
    }
    let (theirs, not_found_answer) =
        (visit(&mut browser, &theirs).await, visit(&mut browser, &not_found_answer).await);
    assert_eq!(theirs.text, not_found_answer.text);
}

/// Asserts that an error page has the dashboard's sidebar and a link to this page of it.
#[track_caller]
fn keeps_navigation(page: &Page, path: &str, title: &str) {
    assert!(page.text.contains("<nav class=\"side\""), "{}", page.text);
    let way_on = format!("<a class=\"btn primary\" href=\"{path}\">Go to {title}</a>");
    assert!(page.text.contains(&way_on), "{way_on}: {}", page.text);
}

/// Asserts that an error page has no dashboard around the error.
#[track_caller]
fn is_plain(page: &Page) {
    assert!(!page.text.contains("<nav"), "{}", page.text);
    assert!(page.text.contains("Go to the dashboard"), "{}", page.text);
}

async fn a_member_who_is_signed_in_keeps_the_navigation(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Given cookies that other programs set for this host, also under our names,
    browser.foreign =
        b"name=Caf\xe9; __Host-switchboard=theirs; __Host-switchboard-device=\xff".to_vec();
    // when a member opens an unknown path or an unknown object, then the page has the sidebar and a
    // link to the nearest page;
    for (path, way_on, title) in [
        ("/nowhere", "/", "Home"),
        ("/integrations/nowhere", "/", "Home"),
        ("/integrations/keys/x/delete", KEYS, "API keys"),
        ("/integrations/webhooks/whe_00000000000000000000000000", WEBHOOKS, "Webhooks"),
        ("/messages/msg_x", "/messages", "Messages"),
    ] {
        let page = visit(&mut browser, path).await;
        is_page(&page, 404, "Page not found");
        keeps_navigation(&page, way_on, title);
    }
    // but not in the window of a Connect request, and programs still get JSON.
    let page = visit(&mut browser, "/connect/nowhere").await;
    is_page(&page, 404, "Page not found");
    is_plain(&page);
    let request = browser.request(Method::GET, "/nowhere").header("accept", "application/json");
    assert_eq!(browser.send(request).await.header("content-type"), "application/json");
    // When a role does not include a page, the same holds.
    let support = "support@acme.example";
    let admin = world.admin();
    admin
        .create_member_as(Role::Support, world.organization, support, "Sue", PASSWORD)
        .await
        .unwrap();
    let mut support = sign_in(&world, support, PASSWORD).await;
    let page = visit(&mut support, WEBHOOKS).await;
    is_page(&page, 403, "Your role doesn’t include this page");
    keeps_navigation(&page, "/", "Home");
    // When the member has logged out, then the page has no sidebar.
    let page = browser.get(KEYS).await;
    let (_, form) = page.text.split_once("action=\"/logout\"").unwrap();
    let (_, token) = form.split_once("value=\"").unwrap();
    let token = token.split('"').next().unwrap();
    assert_eq!(browser.post("/logout", &[("token", token)]).await.location(), "/login");
    let page = visit(&mut browser, "/nowhere").await;
    is_page(&page, 404, "Page not found");
    is_plain(&page);
}

/// Returns how many statements about sessions the server has run since the last call.
fn reads_of_sessions() -> usize {
    statements::taken().iter().filter(|it| it.contains("sessions")).count()
}

async fn an_unknown_path_reads_no_session_for_visitors_and_programs(world: World) {
    statements::record();
    // Given a browser without cookies, one that has seen the sign-in page, and a program,
    let (mut new, mut stranger) = (Browser::new(&world), Browser::new(&world));
    stranger.get("/login").await;
    assert!(stranger.cookie.is_some());
    let mut member = sign_in_member(&world).await;
    reads_of_sessions();
    // when they ask for an unknown path, then no session is looked up;
    for browser in [&mut new, &mut stranger] {
        is_plain(&visit(browser, "/nowhere").await);
    }
    let program = member.request(Method::GET, "/nowhere").header("accept", "*/*");
    assert_eq!(member.send(program).await.status, 404);
    assert_eq!(reads_of_sessions(), 0);
    // only the page of a member needs a session.
    keeps_navigation(&visit(&mut member, "/nowhere").await, "/", "Home");
    assert!(reads_of_sessions() > 0);
}

async fn an_error_page_does_not_need_the_database(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Given a database in which something of the frame cannot be read, when a member opens an
    // unknown path, then there is a page without the frame.
    for table in ["accounts", "sessions"] {
        let mut beside = world.beside().await;
        beside.execute(&format!("ALTER TABLE {table} RENAME TO lost_{table}")).await;
        let page = visit(&mut browser, "/nowhere").await;
        is_page(&page, 404, "Page not found");
        is_plain(&page);
        beside.execute(&format!("ALTER TABLE lost_{table} RENAME TO {table}")).await;
    }
    keeps_navigation(&visit(&mut browser, "/nowhere").await, "/", "Home");
}

async fn an_expired_form_and_an_expired_request_say_how_to_continue(world: World) {
    let mut browser = sign_in_member(&world).await;
    is_page(&browser.post(KEYS, &[("token", "x")]).await, 403, "This form has expired");
    let refused = browser.post(KEYS, &[("token", "x")]).await;
    assert!(
        refused.text.contains(&format!("href=\"{}\"", creation_path(KEYS))),
        "{}",
        refused.text
    );
    is_page(&browser.post("/logout", &[("token", "x")]).await, 403, "This form has expired");
    let partner = Partner::of(&world).await;
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    assert_eq!(browser.allow(&path, &page).await.status, 303);
    let over = visit(&mut browser, &path).await;
    assert_eq!(over.status, 410, "{}", over.text);
    assert!(over.text.contains("This request has expired"), "{}", over.text);
    assert!(over.text.contains("start again there"), "{}", over.text);
    assert!(!over.text.contains("href=\"/\""), "no way to the dashboard: {}", over.text);
    is_page(&browser.post(&path, &[("token", "x")]).await, 403, "This form has expired");
}

async fn an_error_page_names_the_request_wherever_the_error_comes_from(world: World) {
    let mut browser = Browser::new(&world);
    // Errors without a handler, from a handler of pages, from Connect, and from an expired
    // link.
    for (path, status) in [
        ("/nowhere", 404),
        ("/connect/authorize?client_id=swa_nobody", 400),
        ("/connect/consent/x", 410),
        ("/reset/x", 404),
    ] {
        let page = visit(&mut browser, path).await;
        assert_eq!(page.status, status, "{path}: {}", page.text);
        assert!(page.text.contains("<code>req-of-this-test</code>"), "{path}: {}", page.text);
    }
    let mut browser = sign_in_member(&world).await;
    let page = visit(&mut browser, &format!("{KEYS}/x/delete")).await;
    assert!(page.text.contains("<code>req-of-this-test</code>"), "{}", page.text);
    // The caller's request id is shown only if it is valid, and pages without an error show
    // none.
    let request = browser
        .request(Method::GET, "/nowhere")
        .header("accept", HTML)
        .header("x-request-id", "<b>\"");
    assert!(!browser.send(request).await.text.contains("<b>"));
    assert!(!visit(&mut browser, KEYS).await.text.contains("Request ID"));
}

async fn assets_are_kept_for_a_year_under_a_url_that_changes_with_them(world: World) {
    let mut browser = Browser::new(&world);
    for page in ["/login", "/docs"] {
        let page = browser.get(page).await;
        let urls: Vec<&str> =
            page.text.split("\"/assets/").skip(1).map(|it| it.split('"').next().unwrap()).collect();
        assert!(urls.len() >= 2, "{}", page.text);
        for url in urls {
            let (name, hash) = url.split_once('?').expect("a hash");
            assert!(hash.len() >= 16 && hash.bytes().all(|it| it.is_ascii_hexdigit()), "{url}");
            let asset = browser.get(&format!("/assets/{url}")).await;
            assert_eq!(
                asset.header("cache-control"),
                "public, max-age=31536000, immutable",
                "{url}"
            );
            // The URL contains a hash of the content (of a font, whose text is no UTF-8, it is not
            // compared here); under another hash the answer is not cached.
            if !name.contains(".woff2") {
                let digest = ring::digest::digest(&ring::digest::SHA256, asset.text.as_bytes());
                assert!(auth::digest::hex(digest.as_ref()).starts_with(hash), "{url}");
            }
            for other in [
                String::new(),
                "?0.1.0".to_owned(),
                format!("?{hash}0"),
                "?0000000000000000".to_owned(),
            ] {
                let asset = browser.get(&format!("/assets/{name}{other}")).await;
                assert_eq!(asset.status, 200, "{name}{other}");
                assert_eq!(asset.header("cache-control"), "no-cache", "{name}{other}");
            }
        }
    }
}

async fn there_is_an_icon(world: World) {
    let mut browser = Browser::new(&world);
    let icon = browser.get("/favicon.ico").await;
    assert_eq!(icon.status, 200);
    assert_eq!(icon.header("content-type"), "image/x-icon");
    assert!(icon.header("cache-control").contains("max-age"));
    let page = browser.get("/login").await;
    let (_, rest) =
        page.text.split_once("<link rel=\"icon\" href=\"").expect("a page names its icon");
    let icon = browser.get(rest.split('"').next().unwrap()).await;
    assert_eq!(icon.status, 200);
    assert_eq!(icon.header("content-type"), "image/svg+xml");
}

on_both_databases! {
    an_unknown_path_is_a_page_for_a_person_and_json_for_a_program,
    an_unknown_id_is_a_404_page,
    a_member_who_is_signed_in_keeps_the_navigation,
    an_unknown_path_reads_no_session_for_visitors_and_programs,
    an_error_page_does_not_need_the_database,
    an_expired_form_and_an_expired_request_say_how_to_continue,
    an_error_page_names_the_request_wherever_the_error_comes_from,
    assets_are_kept_for_a_year_under_a_url_that_changes_with_them,
    there_is_an_icon,
}
