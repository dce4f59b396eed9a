//! Every action of a member ends on a page that confirms it, with the focus there.

use super::{APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, sign_in_member};
use crate::connect::{Browser, Page, Partner, REDIRECT, connect_application};
use crate::webhooks::endpoint_owner;
use crate::world::{World, on_both_databases};
use domain::key::RateLimit;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use domain::webhook::Selection;
use service::endpoints::{self, EndpointInput};
use service::keys::NewKey;

/// Submits a form and returns the page that follows. Asserts that the page confirms the action, and
/// does not after a reload.
async fn submit_form(
    browser: &mut Browser,
    path: &str,
    fields: &[(&str, &str)],
    says: &str,
) -> Page {
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    let fields = [&[("token", form_token.as_str())], fields].concat();
    let sent = browser.post(path, &fields).await;
    let to = sent.location().to_owned();
    let page = browser.get(&to).await;
    assert_eq!(page.status, 200, "{to}: {}", page.text);
    let (_, notice) = page
        .text
        .split_once(" once\" role=\"status\"")
        .unwrap_or_else(|| panic!("no notice: {}", page.text));
    let notice = notice.split("</div></div>").next().unwrap();
    assert!(notice.starts_with(" tabindex=\"-1\" autofocus"), "{notice}");
    assert!(notice.contains(says), "{says}: {notice}");
    assert_eq!(page.text.matches(" autofocus").count(), 1, "{}", page.text);
    assert!(!browser.get(&to).await.text.contains(says), "it is said once");
    page
}

async fn actions_on_a_key_are_confirmed(world: World) {
    let mut browser = sign_in_member(&world).await;
    let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
    let new = NewKey {
        name: Name::parse("Website").unwrap(),
        scopes,
        account: None,
        rate_limit: RateLimit::default(),
    };
    let key = world.admin().create_key(world.organization, new).await.unwrap();
    let here = format!("{KEYS}/{}", key.id);
    let page = submit_form(&mut browser, &here, &[("action", "disable")], "Key disabled").await;
    assert!(page.text.contains("Calls with Website are refused"), "{}", page.text);
    submit_form(&mut browser, &here, &[("action", "enable")], "Key enabled").await;
    let save = [("action", "save"), ("name", "Web shop"), ("rate_limit", "7")];
    submit_form(&mut browser, &here, &save, "They apply to Web shop from now on").await;
    submit_form(&mut browser, &here, &[("action", "delete")], "Key deleted").await;

    let partner = Partner::of(&world).await;
    connect_application(&world, &mut browser, &partner).await;
    let list = browser.get("/integrations/connected").await;
    let (_, rest) = list.text.split_once("href=\"/integrations/keys/").unwrap();
    let here = format!("{KEYS}/{}", rest.split(['/', '"']).next().unwrap());
    let page = submit_form(&mut browser, &here, &[("action", "delete")], "App disconnected").await;
    assert!(
        page.text.contains("Calls of Partner CRM are refused")
            && page.text.contains("Connected apps"),
        "{}",
        page.text
    );
}

async fn actions_on_an_endpoint_are_confirmed(world: World) {
    let mut browser = sign_in_member(&world).await;
    let input = EndpointInput {
        url: "https://hooks.acme.example/",
        description: "",
        events: Selection::All,
    };
    let (made, _) =
        endpoints::create(&world.server.deps, endpoint_owner(&world), input).await.unwrap();
    let here = format!("{WEBHOOKS}/{}", made.id);
    submit_form(&mut browser, &here, &[("action", "disable")], "Endpoint disabled").await;
    submit_form(&mut browser, &here, &[("action", "enable")], "Endpoint enabled").await;
    let save = [("action", "save"), ("url", "https://hooks.acme.example/new"), ("which", "all")];
    submit_form(&mut browser, &here, &save, "Changes saved").await;
    // Actions that cannot be undone ask for confirmation.
    for (path, button) in [("rotate", "Rotate secret"), ("delete", "Delete endpoint")] {
        let page = browser.get(&format!("{here}/{path}")).await;
        assert!(
            page.text.contains("https://hooks.acme.example/new") && page.text.contains(button),
            "{}",
            page.text
        );
    }
    submit_form(&mut browser, &here, &[("action", "rotate")], "Secret rotated").await;
    let says = "Nothing more is sent to https://hooks.acme.example/new.";
    submit_form(&mut browser, &here, &[("action", "delete")], says).await;
}

async fn actions_on_an_application_are_confirmed(world: World) {
    let mut browser = sign_in_member(&world).await;
    let register = [("name", "Acme CRM"), ("redirect_uris", REDIRECT), ("scope", "messages.send")];
    let page = submit_form(&mut browser, APPLICATIONS, &register, "App registered").await;
    let (_, rest) = page.text.split_once("href=\"/integrations/applications/app_").unwrap();
    let here = format!("{APPLICATIONS}/app_{}", rest.split(['/', '"']).next().unwrap());
    // Actions that affect others ask for confirmation.
    let asks = browser.get(&format!("{here}/publish")).await;
    assert!(
        asks.text.contains("Publish Acme CRM?") && asks.text.contains("Every business"),
        "{}",
        asks.text
    );
    submit_form(&mut browser, &here, &[("action", "publish")], "Acme CRM is published").await;
    let asks = browser.get(&format!("{here}/publish")).await;
    assert!(
        asks.text.contains("Unpublish Acme CRM?") && asks.text.contains("value=\"unpublish\""),
        "{}",
        asks.text
    );
    submit_form(
        &mut browser,
        &here,
        &[("action", "unpublish")],
        "Acme CRM is not published anymore",
    )
    .await;
    let save = [&[("action", "save")], &register[..]].concat();
    submit_form(&mut browser, &here, &save, "Changes saved").await;
    submit_form(&mut browser, &here, &[("action", "renew")], "Secret rotated").await;
    submit_form(&mut browser, &here, &[("action", "delete")], "Acme CRM is deleted").await;
}

async fn an_action_that_a_form_does_not_have_changes_nothing(world: World) {
    // Given a key, an endpoint and an application,
    let mut browser = sign_in_member(&world).await;
    let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
    let new = NewKey {
        name: Name::parse("Website").unwrap(),
        scopes,
        account: None,
        rate_limit: RateLimit::default(),
    };
    let key = world.admin().create_key(world.organization, new).await.unwrap();
    let input = EndpointInput {
        url: "https://hooks.acme.example/",
        description: "",
        events: Selection::All,
    };
    let (endpoint, _) =
        endpoints::create(&world.server.deps, endpoint_owner(&world), input).await.unwrap();
    let register = [("name", "Acme CRM"), ("redirect_uris", REDIRECT), ("scope", "messages.send")];
    let page = submit_form(&mut browser, APPLICATIONS, &register, "App registered").await;
    let (_, rest) = page.text.split_once("href=\"/integrations/applications/app_").unwrap();
    let application = format!("{APPLICATIONS}/app_{}", rest.split(['/', '"']).next().unwrap());

    // when a form with everything that a change needs names another action, or none,
    let fields = [
        ("name", "Changed"),
        ("rate_limit", "7"),
        ("url", "https://changed.example/"),
        ("which", "all"),
        ("redirect_uris", "https://changed.example/"),
        ("scope", "messages.send"),
    ];
    for path in [
        format!("{KEYS}/{}", key.id),
        format!("{WEBHOOKS}/{}", endpoint.id),
        application,
        "/templates/new".to_owned(),
        "/settings/saved-replies/new".to_owned(),
        "/agents/new".to_owned(),
    ] {
        for action in [&[("action", "disble")][..], &[("action", "Save")], &[("action", "")], &[]] {
            let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
            let sent = browser
                .post(&path, &[&[("token", form_token.as_str())], action, &fields].concat())
                .await;

            // then it is refused, and nothing is changed.
            assert_eq!(sent.status, 400, "{path} {action:?}: {}", sent.text);
            assert!(sent.text.contains("Nothing was changed"), "{}", sent.text);
        }
    }
    for list in [KEYS, WEBHOOKS, APPLICATIONS, "/templates", "/settings/saved-replies", "/agents"] {
        let page = browser.get(list).await;
        for changed in ["changed.example", "\"Changed\"", ">Changed<"] {
            assert!(!page.text.contains(changed), "{list}: {}", page.text);
        }
    }
}

async fn a_page_is_titled_with_what_it_shows(world: World) {
    let mut browser = sign_in_member(&world).await;
    let input = EndpointInput {
        url: "https://hooks.acme.example/a?b=<c>",
        description: "",
        events: Selection::All,
    };
    let (made, _) =
        endpoints::create(&world.server.deps, endpoint_owner(&world), input).await.unwrap();
    crate::webhooks::send_message(&world).await;
    world.settle().await;
    let here = format!("{WEBHOOKS}/{}", made.id);
    let page = browser.get(&here).await;
    let (_, rest) = page.text.split_once("/deliveries/").unwrap();
    let delivery = format!("{here}/deliveries/{}", rest.split('"').next().unwrap());
    let own = Partner::registered(&world, Some(world.organization), false).await;
    let application = format!("{APPLICATIONS}/{}", own.application.id);
    let url = "https://hooks.acme.example/a?b=&#60;c&#62;";
    for (path, title) in [
        (here.clone(), url.to_owned()),
        (format!("{here}/delete"), format!("Delete {url}?")),
        (format!("{here}/rotate"), format!("Rotate the secret of {url}?")),
        (application.clone(), "Partner CRM".to_owned()),
        (format!("{application}/webhooks"), "Webhooks of Partner CRM".to_owned()),
        (format!("{application}/delete"), "Delete Partner CRM?".to_owned()),
    ] {
        let page = browser.get(&path).await;
        assert!(
            page.text.contains(&format!("<title>{title} · Acme · Switchboard</title>")),
            "{title}: {}",
            page.text
        );
    }
    // The titles of ten deliveries of one kind in ten tabs differ.
    let page = browser.get(&delivery).await;
    let (_, title) = page.text.split_once("<title>").unwrap();
    let title = title.split("</title>").next().unwrap();
    assert!(title.contains('.') && title.contains(&format!(" to {url}")), "{title}");
    assert!(title.split(' ').nth(1).unwrap().parse::<u32>().is_ok(), "{title}");
}

on_both_databases! {
    actions_on_a_key_are_confirmed,
    actions_on_an_endpoint_are_confirmed,
    actions_on_an_application_are_confirmed,
    an_action_that_a_form_does_not_have_changes_nothing,
    a_page_is_titled_with_what_it_shows,
}
