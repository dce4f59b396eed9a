//! A member's own name, password and sessions.

use super::{ACCOUNT, done, owner, sign_in, submit};
use crate::connect::{EMAIL, PASSWORD};
use crate::world::{World, on_both_databases};

const NEW: &str = "staple staple staple";

async fn a_member_changes_the_password_with_the_old_one(world: World) {
    // Given a member who is signed in twice,
    let mut browser = owner(&world).await;
    let mut other = sign_in(&world, EMAIL, PASSWORD).await;
    let change = |current, new, again| {
        [("action", "password"), ("current", current), ("new", new), ("again", again)]
    };
    let long = "x".repeat(10_000);

    // when the input is wrong, then it is said beside the field, and nothing changes;
    for (fields, error) in [
        (change("wrong password", NEW, NEW), "current-error"),
        (change(&long, NEW, NEW), "current-error"),
        (change(PASSWORD, "short", "short"), "new-error"),
        (change(PASSWORD, NEW, "something else"), "again-error"),
    ] {
        let page = submit(&mut browser, ACCOUNT, &fields).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains(error), "{error}: {}", page.text);
        assert!(!page.text.contains(NEW));
    }
    assert_eq!(other.get(ACCOUNT).await.status, 200);

    // when it is right, then all other sessions end, and the new password signs in.
    let page = done(&mut browser, ACCOUNT, &change(PASSWORD, NEW, NEW)).await;
    assert!(page.text.contains("Password changed"), "{}", page.text);
    assert_eq!(other.get(ACCOUNT).await.status, 303);
    sign_in(&world, EMAIL, NEW).await;
    let page = submit(&mut browser, ACCOUNT, &change(PASSWORD, NEW, NEW)).await;
    assert_eq!(page.status, 422, "the old password is no longer right");
}

async fn a_member_sees_and_ends_sessions(world: World) {
    let mut browser = owner(&world).await;
    let mut second = sign_in(&world, EMAIL, PASSWORD).await;
    let page = browser.get(ACCOUNT).await;
    assert_eq!(page.text.matches("This browser").count(), 1, "{}", page.text);
    assert!(page.text.contains("127.0.0.1"), "{}", page.text);
    let session = page.field("session");
    done(&mut browser, ACCOUNT, &[("action", "end"), ("session", &session)]).await;
    assert_eq!(second.get(ACCOUNT).await.status, 303);
    assert_eq!(browser.get(ACCOUNT).await.status, 200);
    // A session of another member, or of nobody, is not found.
    for other in [session.as_str(), "", &"x".repeat(10_000)] {
        let page = done(&mut browser, ACCOUNT, &[("action", "end"), ("session", other)]).await;
        assert!(page.text.contains("It had ended already"), "{}", page.text);
    }

    let mut third = sign_in(&world, EMAIL, PASSWORD).await;
    let sent = submit(&mut browser, ACCOUNT, &[("action", "end_all")]).await;
    assert_eq!(sent.location(), "/login");
    for gone in [&mut browser, &mut third] {
        assert_eq!(gone.get(ACCOUNT).await.status, 303);
    }
}

async fn a_name_is_escaped_and_bounded(world: World) {
    let mut browser = owner(&world).await;
    let html = "<b>Ada</b>";
    let page = done(&mut browser, ACCOUNT, &[("action", "name"), ("name", html)]).await;
    assert!(!page.text.contains(html) && page.text.contains("&#60;b&#62;Ada"), "{}", page.text);
    for wrong in ["", &"x".repeat(10_000), "A\u{202e}da"] {
        let page = submit(&mut browser, ACCOUNT, &[("action", "name"), ("name", wrong)]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains("name-error"), "{}", page.text);
    }
}

async fn the_appearance_is_kept_by_the_browser(world: World) {
    // Given a member whose pages have the colors of the system,
    let mut browser = owner(&world).await;
    let page = browser.get(ACCOUNT).await;
    assert!(page.text.contains("<html lang=\"en\">"), "{}", page.text);
    assert!(page.text.contains("value=\"system\" checked"), "{}", page.text);
    // when the member chooses dark or light, then the server draws each page so,
    for theme in ["dark", "light"] {
        let change = [("action", "appearance"), ("appearance", theme)];
        let page = done(&mut browser, ACCOUNT, &change).await;
        assert!(page.text.contains("Appearance changed"), "{}", page.text);
        assert!(page.text.contains(&format!("value=\"{theme}\" checked")), "{}", page.text);
        let html = format!("<html lang=\"en\" data-theme=\"{theme}\">");
        for path in ["/", "/integrations/keys"] {
            let page = browser.get(path).await;
            assert!(page.text.contains(&html), "{}", page.text);
        }
    }
    // in this browser only, until the member goes back to the system's.
    let mut other = sign_in(&world, EMAIL, PASSWORD).await;
    assert!(!other.get(ACCOUNT).await.text.contains("data-theme"));
    let wrong = [("action", "appearance"), ("appearance", "\"><b>")];
    let page = done(&mut browser, ACCOUNT, &wrong).await;
    assert!(!page.text.contains("data-theme") && !page.text.contains("\"><b>"), "{}", page.text);
}

on_both_databases! {
    the_appearance_is_kept_by_the_browser,
    a_member_changes_the_password_with_the_old_one,
    a_member_sees_and_ends_sessions,
    a_name_is_escaped_and_bounded,
}
