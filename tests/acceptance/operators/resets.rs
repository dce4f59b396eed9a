//! Password reset for a member.

use super::Output;
use crate::world::{World, on_both_databases, switchboard};
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Duration;

const EMAIL: &str = "ada@acme.example";
const BEFORE: &str = "correct horse battery";
const AFTER: &str = "staple staple staple";

/// Creates a reset link for the member, and returns its path.
async fn create_reset_link(world: &World, member: &str) -> String {
    let made = world.admin().reset_member(&world.base, member).await.unwrap();
    assert_eq!(made.email, EMAIL);
    made.url.strip_prefix(&world.base).expect("the base URL").to_owned()
}

/// Creates a browser that keeps its cookies and does not follow redirects.
fn browser() -> reqwest::Client {
    let policy = reqwest::redirect::Policy::none();
    reqwest::Client::builder().redirect(policy).build().unwrap()
}

async fn open_page(world: &World, path: &str) -> (StatusCode, String) {
    let answer = browser().get(format!("{}{path}", world.base)).send().await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-store");
    (answer.status(), answer.text().await.unwrap())
}

/// Submits a new password with a reset link, and returns the status.
async fn submit_password(world: &World, path: &str, password: &str, again: &str) -> StatusCode {
    let form = format!("password={}&again={}", password.replace(' ', "+"), again.replace(' ', "+"));
    let request = browser().post(format!("{}{path}", world.base)).body(form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.send().await.unwrap().status()
}

async fn password_is(world: &World, password: &str) -> bool {
    let member = world.server.deps.db.member_of_email(EMAIL.to_owned()).await.unwrap().unwrap();
    auth::password::verify(password, &member.password_hash).unwrap()
}

/// Signs the member in, and returns the digest of the session.
async fn create_session(world: &World) -> Vec<u8> {
    let member = world.server.deps.db.member_of_email(EMAIL.to_owned()).await.unwrap().unwrap();
    let digest = vec![7; 32];
    let session = persistence::records::Session {
        digest: digest.clone(),
        member_id: Some(member.id),
        organization_id: None,
        created_at: world.clock.now(),
        seen_at: world.clock.now(),
        anonymous_digest: None,
        user_agent: None,
        address: None,
    };
    world.server.deps.db.sign_in(None, session, None).await.unwrap();
    digest
}

async fn a_link_gives_a_member_another_password_once(world: World) {
    // Given a signed-in member, and a reset link,
    world.admin().create_member(world.organization, EMAIL, "Ada", BEFORE).await.unwrap();
    let session = create_session(&world).await;
    let cutoff = world.clock.now().minus(Duration::from_hours(1));
    let earlier = create_reset_link(&world, EMAIL).await;
    let path = create_reset_link(&world, EMAIL).await;

    // when somebody opens the link or submits an invalid password, then nothing changes;
    for _ in 0..2 {
        let (status, page) = open_page(&world, &path).await;
        assert_eq!(status, 200);
        assert!(page.contains(EMAIL) && !page.contains("value=\"correct"), "{page}");
    }
    assert_eq!(submit_password(&world, &path, AFTER, "something else").await, 422);
    assert_eq!(submit_password(&world, &path, "short", "short").await, 422);
    assert_eq!(submit_password(&world, &earlier, AFTER, AFTER).await, 404, "a later link was made");
    assert!(password_is(&world, BEFORE).await);
    assert!(world.server.deps.db.session(session.clone(), cutoff).await.unwrap().is_some());

    // when a valid password is submitted, then it is the new one, the member's sessions end,
    // and the link cannot be used again.
    assert_eq!(submit_password(&world, &path, AFTER, AFTER).await, 303);
    assert!(password_is(&world, AFTER).await);
    assert!(world.server.deps.db.session(session, cutoff).await.unwrap().is_none());
    assert_eq!(submit_password(&world, &path, BEFORE, BEFORE).await, 404);
    assert_eq!(open_page(&world, &path).await.0, 404);
    assert!(password_is(&world, AFTER).await);
    let (status, page) = open_page(&world, "/reset/done").await;
    assert_eq!(status, 200);
    assert!(page.contains("/login"), "{page}");
}

async fn a_link_works_for_an_hour(world: World) {
    world.admin().create_member(world.organization, EMAIL, "Ada", BEFORE).await.unwrap();
    let path = create_reset_link(&world, EMAIL).await;
    world.advance(Duration::from_mins(59));
    assert_eq!(open_page(&world, &path).await.0, 200);
    world.advance(Duration::from_mins(1));
    assert_eq!(open_page(&world, &path).await.0, 404);
    assert_eq!(submit_password(&world, &path, AFTER, AFTER).await, 404);
    assert!(password_is(&world, BEFORE).await);
    for nobody in ["/reset/x", "/reset/0000000000000000000000000000000000000000000"] {
        assert_eq!(open_page(&world, nobody).await.0, 404);
    }
}

async fn one_of_many_concurrent_uses_of_a_reset_link_sets_the_password(world: World) {
    world.admin().create_member(world.organization, EMAIL, "Ada", BEFORE).await.unwrap();
    let path = create_reset_link(&world, EMAIL).await;
    let passwords: Vec<String> = (0..6).map(|number| format!("password number {number}")).collect();
    let tries = passwords.iter().map(|password| submit_password(&world, &path, password, password));
    let statuses = futures_util::future::join_all(tries).await;
    let chosen: Vec<&String> =
        passwords.iter().zip(&statuses).filter(|(_, it)| **it == 303).map(|(it, _)| it).collect();
    assert_eq!(chosen.len(), 1, "{statuses:?}");
    assert!(password_is(&world, chosen[0]).await);
}

async fn a_form_of_another_site_chooses_nothing(world: World) {
    world.admin().create_member(world.organization, EMAIL, "Ada", BEFORE).await.unwrap();
    let path = create_reset_link(&world, EMAIL).await;
    let request = browser()
        .post(format!("{}{path}", world.base))
        .body(format!("password={AFTER}&again={AFTER}"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = request.header("sec-fetch-site", "cross-site").send().await.unwrap();
    assert_eq!(answer.status(), 403);
    assert!(password_is(&world, BEFORE).await);
}

async fn an_operator_prints_a_link_by_email_or_id(world: World) {
    let made = world.admin().create_member(world.organization, EMAIL, "Ada", BEFORE).await.unwrap();
    let reset = async |arguments: &[&str]| {
        let place = ["--database-url", world.database_url(), "--base-url", "https://example.com"];
        Output::of(&mut switchboard(&[&["admin", "member", "reset"], arguments, &place].concat()))
            .await
    };
    for member in [EMAIL, "ADA@acme.example", made.id.as_str()] {
        let out = reset(&[member, "--json"]).await.succeeded();
        let link: Value = serde_json::from_str(&out).unwrap();
        let url = link["url"].as_str().unwrap();
        assert!(url.starts_with("https://example.com/reset/") && url.len() == 26 + 43, "{url}");
        assert_eq!(link["email"], EMAIL);
    }
    assert!(reset(&[EMAIL]).await.succeeded().contains("/reset/"));
    reset(&["nobody@acme.example"]).await.failed_with(&["no member", "nobody@acme.example"]);
}

on_both_databases! {
    a_link_gives_a_member_another_password_once,
    a_link_works_for_an_hour,
    one_of_many_concurrent_uses_of_a_reset_link_sets_the_password,
    a_form_of_another_site_chooses_nothing,
    an_operator_prints_a_link_by_email_or_id,
}
