//! After the sign-in a member returns to the previous page, with the entered values
//! (`docs/security.md` 14).

use super::{
    APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, form_control, sign_in_member,
};
use crate::connect::{Browser, EMAIL, Page, REDIRECT, create_member};
use crate::world::{World, on_both_databases};
use std::time::Duration;

/// Longer than a session lives without being used.
const OVER: Duration = Duration::from_hours(13);

/// Submits a form after the session has ended, and signs in again. Returns the page after the
/// sign-in.
async fn signed_out_meanwhile(
    world: &World,
    browser: &mut Browser,
    path: &str,
    form: &[(&str, &str)],
) -> (String, Page) {
    world.advance(OVER);
    let ended = browser.post(path, form).await;
    assert_eq!(ended.status, 401, "{}", ended.text);
    assert!(ended.text.contains("Your session has ended"), "{}", ended.text);
    for (name, value) in form.iter().filter(|(name, value)| *name != "token" && value.len() > 6) {
        assert!(!ended.text.contains(value), "{name} is sealed");
    }
    let (proof, carried) = (ended.field("token"), ended.field("return"));
    let login = browser.post("/login", &[("token", &proof), ("return", &carried)]).await;
    assert_eq!(login.status, 200, "{}", login.text);
    let to = browser.sign_in_on(&login).await.location().to_owned();
    let page = browser.get(&to).await;
    assert!(page.text.contains("Nothing was saved yet"), "{}", page.text);
    (to, page)
}

async fn a_deep_link_survives_signing_in(world: World) {
    create_member(&world).await;
    let deep = format!("{WEBHOOKS}?state=failed&after=dlv_01h2xcejqtf2nbrexx3vqjhp41");
    let mut browser = Browser::new(&world);
    let login = browser.get(&deep).await.location().to_owned();
    assert!(login.starts_with("/login?return="), "{login}");
    // A wrong password does not lose the entered values.
    let page = browser.get(&login).await;
    let (proof, carried) = (page.field("token"), page.field("return"));
    let wrong = [
        ("token", proof.as_str()),
        ("return", &carried),
        ("email", "ada@acme.example"),
        ("password", "wrong"),
    ];
    let page = browser.post("/login", &wrong).await;
    assert_eq!(page.status, 401);
    assert_eq!(browser.sign_in_on(&page).await.location(), deep);

    // The link is valid in that browser only, and cannot be forged.
    for carried in [login.as_str(), "/login?return=https://evil.example/", "/login?return=L2V2aWw"]
    {
        let mut other = Browser::new(&world);
        other.get("/login").await;
        assert_eq!(other.sign_in(carried).await.location(), "/");
    }
}

async fn form_input_survives_the_end_of_the_session(world: World) {
    let mut browser = sign_in_member(&world).await;
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7777777"),
        ("scope", "media.write"),
    ];
    let (to, page) = signed_out_meanwhile(&world, &mut browser, KEYS, &form).await;
    assert!(to.starts_with(&creation_path(KEYS)), "{to}");
    assert!(form_control(&page, "name").contains("value=\"Newsletter\""));
    assert!(form_control(&page, "rate_limit").contains("value=\"7777777\""));
    assert!(
        page.text.contains("value=\"media.write\" checked")
            && !page.text.contains("value=\"messages.send\" checked")
    );
    let before = world
        .server
        .deps
        .db
        .organization(world.organization)
        .list_own_keys(None, 100)
        .await
        .unwrap();
    assert!(before.iter().all(|key| key.name != "Newsletter"), "nothing was created by signing in");

    // The form can be submitted now. Nobody else who opens the URL sees its values.
    let form_token = csrf_token(&page);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7"),
        ("scope", "media.write"),
    ];
    assert_eq!(browser.post(KEYS, &form).await.status, 303);
    let mut other = Browser::new(&world);
    other.sign_in("/login").await;
    assert!(!other.get(&to).await.text.contains("7777777"));
}

async fn a_session_that_ended_leads_back_to_the_organization_that_was_chosen(world: World) {
    // Given a member of two organizations who works for the second one,
    let mut browser = sign_in_member(&world).await;
    world.advance(Duration::from_secs(1));
    let second = world.organization_on("Acme Shoes", "Unlimited").await;
    world.admin().add_member(second, EMAIL).await.unwrap();
    let page = browser.get(KEYS).await;
    let proof = page.field("token");
    browser
        .post("/organization", &[("token", &proof), ("organization", &second.to_string())])
        .await;
    let shown = format!("value=\"{second}\" aria-current=\"true\"");
    assert!(browser.get(KEYS).await.text.contains(&shown));

    // when the session ends while a form is filled in, then the form is shown again in the
    // second organization;
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7777777"),
        ("scope", "media.write"),
    ];
    let (_, page) = signed_out_meanwhile(&world, &mut browser, KEYS, &form).await;
    assert!(page.text.contains(&shown), "{}", page.text);
    assert!(form_control(&page, "name").contains("value=\"Newsletter\""));

    // the same holds for a page that was opened after the session had ended.
    world.advance(OVER);
    let login = browser.get(KEYS).await.location().to_owned();
    let to = browser.sign_in(&login).await.location().to_owned();
    assert!(browser.get(&to).await.text.contains(&shown));

    // A person who no longer belongs to that organization, or never did, continues in one of
    // their own.
    let strange = world.organization_on("Stranger", "Unlimited").await;
    let name = browser.organization.as_deref().unwrap().split('=').next().unwrap().to_owned();
    for other in [strange.to_string(), "nonsense".to_owned()] {
        world.advance(OVER);
        browser.organization = Some(format!("{name}={other}"));
        let login = browser.get(KEYS).await.location().to_owned();
        let to = browser.sign_in(&login).await.location().to_owned();
        let first = format!("value=\"{}\" aria-current=\"true\"", world.organization);
        assert!(browser.get(&to).await.text.contains(&first), "{other}");
    }
}

async fn input_of_every_form_survives_the_end_of_the_session(world: World) {
    let mut browser = sign_in_member(&world).await;
    let form_token = csrf_token(&browser.get(&creation_path(APPLICATIONS)).await);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Acme CRM"),
        ("redirect_uris", REDIRECT),
        ("scope", "media.write"),
    ];
    let (_, page) = signed_out_meanwhile(&world, &mut browser, APPLICATIONS, &form).await;
    assert!(form_control(&page, "name").contains("value=\"Acme CRM\""));
    let form_token = csrf_token(&page);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Acme CRM"),
        ("redirect_uris", REDIRECT),
        ("scope", "media.write"),
    ];
    let made = browser.post(APPLICATIONS, &form).await.location().to_owned();
    let path = made.split('?').next().unwrap().to_owned();
    let form_token = csrf_token(&browser.get(&format!("{path}/edit")).await);
    let form = [
        ("token", form_token.as_str()),
        ("action", "save"),
        ("name", "Acme Desk"),
        ("redirect_uris", REDIRECT),
        ("scope", "media.write"),
    ];
    let (to, page) = signed_out_meanwhile(&world, &mut browser, &path, &form).await;
    assert!(
        to.starts_with(&path) && form_control(&page, "name").contains("value=\"Acme Desk\""),
        "{to}"
    );

    let form_token = csrf_token(&browser.get(&creation_path(WEBHOOKS)).await);
    let form = [
        ("token", form_token.as_str()),
        ("url", "https://hooks.acme.example/"),
        ("which", "some"),
        ("event", "message.failed"),
    ];
    let (_, page) = signed_out_meanwhile(&world, &mut browser, WEBHOOKS, &form).await;
    assert!(form_control(&page, "url").contains("value=\"https://hooks.acme.example/\""));
    assert!(page.text.contains("value=\"message.failed\" checked"));

    // A key is changed on its own page.
    let keys = world
        .server
        .deps
        .db
        .organization(world.organization)
        .list_own_keys(None, 100)
        .await
        .unwrap();
    let path = format!("{KEYS}/{}", keys[0].id);
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    let form = [
        ("token", form_token.as_str()),
        ("action", "save"),
        ("name", "Web shop"),
        ("rate_limit", "8888888"),
    ];
    let (to, page) = signed_out_meanwhile(&world, &mut browser, &path, &form).await;
    assert!(to.starts_with(&path), "{to}");
    assert!(form_control(&page, "name").contains("value=\"Web shop\""));

    // The name of the organization is changed on a page with several forms.
    let path = "/settings/organization";
    let form_token = csrf_token(&browser.get(path).await);
    let form = [("token", form_token.as_str()), ("action", "name"), ("name", "Acme Foods")];
    let (to, page) = signed_out_meanwhile(&world, &mut browser, path, &form).await;
    assert!(to.starts_with(path), "{to}");
    assert!(form_control(&page, "name").contains("value=\"Acme Foods\""));
}

async fn a_form_of_another_site_is_not_kept_for_after_sign_in(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    browser.get("/login").await;
    let form =
        [("token", "x.y"), ("name", "Planted"), ("rate_limit", "7"), ("scope", "messages.send")];
    let refused = browser.post(KEYS, &form).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(!refused.text.contains("name=\"return\""));
}

on_both_databases! {
    a_deep_link_survives_signing_in,
    form_input_survives_the_end_of_the_session,
    a_session_that_ended_leads_back_to_the_organization_that_was_chosen,
    input_of_every_form_survives_the_end_of_the_session,
    a_form_of_another_site_is_not_kept_for_after_sign_in,
}
