//! A rejected form is shown again with the entered values, and with each error beside its field.

use super::{
    APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, form_control, sign_in_member, text_in,
};
use crate::connect::{Browser, EMAIL, Page, Partner, REDIRECT, create_member};
use crate::webhooks::endpoint_owner;
use crate::world::{World, on_both_databases};
use domain::event::EventKind;
use domain::key::RateLimit;
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use domain::webhook::Selection;
use persistence::records::Owner;
use service::endpoints::{self, EndpointInput};
use service::keys::NewKey;

/// Returns the error beside a field. Asserts that the control names it as its description and is
/// marked as invalid.
#[track_caller]
fn error_beside(page: &Page, id: &str) -> String {
    assert_eq!(page.status, 422, "{}", page.text);
    let tag = form_control(page, id);
    // Of a group of controls only the group has a description.
    assert!(tag.starts_with("<fieldset") || tag.contains("aria-invalid=\"true\""), "{tag}");
    let (_, described) = tag.split_once("aria-describedby=\"").unwrap_or_else(|| panic!("{tag}"));
    let described: Vec<&str> = described.split('"').next().unwrap().split(' ').collect();
    let error = format!("{id}-error");
    assert!(described.contains(&error.as_str()), "{tag}");
    for id in &described {
        assert!(page.text.contains(&format!("id=\"{id}\"")), "{id}: {}", page.text);
    }
    let sentence = text_in(page, &error);
    let first = sentence.chars().next().unwrap();
    assert!(!first.is_lowercase() && sentence.ends_with('.'), "a sentence: {sentence}");
    sentence
}

fn is_ticked(page: &Page, name: &str, value: &str) -> bool {
    let mark = format!("name=\"{name}\" value=\"{value}\"");
    let (_, rest) = page.text.split_once(&mark).unwrap_or_else(|| panic!("no {mark}"));
    rest.split('>').next().unwrap().contains("checked")
}

async fn a_refused_key_form_keeps_its_input(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let account = world.account.to_string();
    for (field, value, id, says) in [
        ("rate_limit", "many", "rate_limit", "0 to 100,000 requests/min; 0 = unlimited"),
        ("rate_limit", "100001", "rate_limit", "0 to 100,000 requests/min; 0 = unlimited"),
        ("name", " ", "name", "at least one character"),
        ("name", "a\u{202e}b", "name", "zero-width"),
    ] {
        let typed = |name: &str, right: &str| {
            if name == field { value.to_owned() } else { right.to_owned() }
        };
        let (name, rate) = (typed("name", "Newsletter"), typed("rate_limit", "7"));
        let form = [
            ("token", form_token.as_str()),
            ("name", &name),
            ("account", &account),
            ("rate_limit", &rate),
            ("scope", "media.write"),
        ];
        let refused = browser.post(KEYS, &form).await;
        let error = error_beside(&refused, id);
        assert!(error.contains(says), "{error}");
        assert!(
            refused.text.contains(&format!("value=\"{account}\" selected")),
            "{}",
            refused.text
        );
        assert!(refused.text.contains(&format!("value=\"{rate}\"")), "{}", refused.text);
        assert!(is_ticked(&refused, "scope", "media.write"));
        assert!(!is_ticked(&refused, "scope", "messages.send"), "nothing is ticked that was not");
    }
    // Without a permission the error is at the group of permissions, and none is ticked.
    let form = [
        ("token", form_token.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7"),
    ];
    let refused = browser.post(KEYS, &form).await;
    error_beside(&refused, "scope");
    assert!(!is_ticked(&refused, "scope", "messages.send"));
    assert!(refused.text.contains("value=\"Newsletter\""));
    // The corrected form is accepted.
    let form = [&form[..], &[("scope", "media.write")]].concat();
    assert_eq!(browser.post(KEYS, &form).await.status, 303);
}

async fn every_fault_of_a_form_is_said_at_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Each wrong field has one error beside it, the first one has the focus, and no other field
    // has an error.
    let all_wrong = |page: &Page, ids: &[&str]| {
        for id in ids {
            error_beside(page, id);
        }
        assert_eq!(page.text.matches("class=\"err\"").count(), ids.len(), "{}", page.text);
        assert_eq!(page.text.matches(" autofocus").count(), 1, "{}", page.text);
        assert!(
            form_control(page, ids[0]).contains(" autofocus"),
            "{}",
            form_control(page, ids[0])
        );
    };
    let form_token = csrf_token(&browser.get(&creation_path(KEYS)).await);
    let form = [("token", form_token.as_str()), ("name", ""), ("account", "x"), ("rate_limit", "")];
    all_wrong(&browser.post(KEYS, &form).await, &["name", "scope", "account", "rate_limit"]);

    let form_token = csrf_token(&browser.get(&creation_path(APPLICATIONS)).await);
    let form = [("token", form_token.as_str())];
    all_wrong(&browser.post(APPLICATIONS, &form).await, &["name", "redirect_uris", "scope"]);
    let form = [
        ("token", form_token.as_str()),
        ("name", "Verified"),
        ("description", "a\u{202e}b"),
        ("start_url", "crm"),
        ("redirect_uris", "http://crm.example/\nhttps://crm.example/#a\nhttps://crm.example/fine"),
    ];
    let refused = browser.post(APPLICATIONS, &form).await;
    all_wrong(&refused, &["name", "description", "start_url", "redirect_uris", "scope"]);
    let error = error_beside(&refused, "redirect_uris");
    assert!(
        error.contains("http://crm.example/")
            && error.contains("fragment")
            && !error.contains("fine"),
        "{error}"
    );

    // A registered application is changed with the same form.
    let form = [
        ("token", form_token.as_str()),
        ("name", "Acme CRM"),
        ("redirect_uris", REDIRECT),
        ("scope", "media.write"),
    ];
    let made =
        browser.post(APPLICATIONS, &form).await.location().split('?').next().unwrap().to_owned();
    let form =
        [("token", form_token.as_str()), ("action", "save"), ("name", " "), ("redirect_uris", "x")];
    all_wrong(&browser.post(&made, &form).await, &["name", "redirect_uris", "scope"]);

    let form_token = csrf_token(&browser.get(&creation_path(WEBHOOKS)).await);
    let long = "x".repeat(201);
    let form = [
        ("token", form_token.as_str()),
        ("url", "ftp://x"),
        ("description", &long),
        ("which", "some"),
    ];
    all_wrong(&browser.post(WEBHOOKS, &form).await, &["url", "description", "events"]);
    let form = [
        ("token", form_token.as_str()),
        ("url", "http://10.0.0.1/"),
        ("which", "some"),
        ("event", "message.send"),
    ];
    all_wrong(&browser.post(WEBHOOKS, &form).await, &["url", "events"]);
    let events = Selection::parse([EventKind::MessageFailed.as_str()]).unwrap();
    let input = EndpointInput { url: "https://hooks.acme.example/", description: "", events };
    let (made, _) =
        endpoints::create(&world.server.deps, endpoint_owner(&world), input).await.unwrap();
    let here = format!("{WEBHOOKS}/{}", made.id);
    let form = [
        ("token", form_token.as_str()),
        ("action", "save"),
        ("url", ""),
        ("description", &long),
        ("which", "some"),
    ];
    all_wrong(&browser.post(&here, &form).await, &["url", "description", "events"]);
    let form = [("token", form_token.as_str()), ("action", "replay"), ("from", "soon"), ("to", "")];
    all_wrong(&browser.post(&here, &form).await, &["from", "to"]);

    let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
    let new = NewKey {
        name: Name::parse("Website").unwrap(),
        scopes,
        account: None,
        rate_limit: RateLimit::default(),
    };
    let key = world.admin().create_key(world.organization, new).await.unwrap();
    let form =
        [("token", form_token.as_str()), ("action", "save"), ("name", ""), ("rate_limit", "x")];
    let refused = browser.post(&format!("{KEYS}/{}", key.id), &form).await;
    all_wrong(&refused, &["name", "rate_limit"]);

    let path = world.admin().reset_member("", EMAIL).await.unwrap().url;
    let refused =
        Browser::new(&world).post(&path, &[("password", "short"), ("again", "other")]).await;
    all_wrong(&refused, &["password", "again"]);
}

async fn a_new_key_has_no_permission_selected(world: World) {
    let page = sign_in_member(&world).await.get(&creation_path(KEYS)).await;
    for scope in Scope::ALL {
        assert!(!is_ticked(&page, "scope", scope.as_str()), "{scope}");
    }
}

async fn a_refused_change_of_a_key_keeps_what_was_typed(world: World) {
    let mut browser = sign_in_member(&world).await;
    let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
    let new = NewKey {
        name: Name::parse("Website").unwrap(),
        scopes,
        account: None,
        rate_limit: RateLimit::default(),
    };
    let made = world.admin().create_key(world.organization, new).await.unwrap();
    let page = browser.get(&creation_path(KEYS)).await;
    let form_token = csrf_token(&page);
    let form = [
        ("token", form_token.as_str()),
        ("action", "save"),
        ("name", "Web shop"),
        ("rate_limit", "-1"),
    ];
    let refused = browser.post(&format!("{KEYS}/{}", made.id), &form).await;
    error_beside(&refused, "rate_limit");
    assert!(form_control(&refused, "name").contains("value=\"Web shop\""));
}

async fn a_refused_application_says_which_field(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(APPLICATIONS)).await;
    let form_token = csrf_token(&page);
    for (field, value, id) in [
        ("name", "Verified", "name"),
        ("description", "a\u{202e}b", "description"),
        ("start_url", "javascript:x", "start_url"),
        ("redirect_uris", "http://crm.example/", "redirect_uris"),
        ("redirect_uris", "", "redirect_uris"),
        ("scope", "", "scope"),
    ] {
        let mut form = vec![
            ("token", form_token.as_str()),
            ("name", "Acme CRM"),
            ("description", "Kept"),
            ("start_url", "https://crm.example/kept"),
            ("redirect_uris", REDIRECT),
            ("scope", "media.write"),
        ];
        for part in &mut form {
            if part.0 == field {
                part.1 = value;
            }
        }
        let refused = browser.post(APPLICATIONS, &form).await;
        error_beside(&refused, id);
        if field != "description" {
            assert!(refused.text.contains("value=\"Kept\""));
        }
        if field != "scope" {
            assert!(is_ticked(&refused, "scope", "media.write"));
        }
    }
}

/// Without this check an endpoint without ticked events would receive all events.
async fn an_endpoint_for_chosen_events_names_at_least_one(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(&creation_path(WEBHOOKS)).await;
    let form_token = csrf_token(&page);
    let url = "https://hooks.acme.example/";
    for which in ["some", ""] {
        let form = [
            ("token", form_token.as_str()),
            ("url", url),
            ("description", "Kept"),
            ("which", which),
        ];
        let refused = browser.post(WEBHOOKS, &form).await;
        let error = error_beside(&refused, "events");
        assert!(error.contains("at least one event"), "{error}");
        assert!(
            refused.text.contains("value=\"Kept\"")
                && refused.text.contains(&format!("value=\"{url}\""))
        );
        assert!(!refused.text.contains("all are sent"));
    }
    let owner = Owner::Organization(world.organization);
    assert!(world.server.deps.db.owner(owner).list_own_endpoints().await.unwrap().is_empty());

    // A change cannot turn selected events into all events either.
    let events = Selection::parse([EventKind::MessageFailed.as_str()]).unwrap();
    let input = EndpointInput { url, description: "", events };
    let (made, _) = endpoints::create(&world.server.deps, owner, input).await.unwrap();
    let here = format!("{WEBHOOKS}/{}", made.id);
    let form = [
        ("token", form_token.as_str()),
        ("action", "save"),
        ("url", url),
        ("description", ""),
        ("which", "some"),
    ];
    let refused = browser.post(&here, &form).await;
    error_beside(&refused, "events");
    assert!(is_ticked(&refused, "which", "some") && !is_ticked(&refused, "which", "all"));
    let stands = world.server.deps.db.owner(owner).endpoint(made.id).await.unwrap().unwrap();
    assert_eq!(stands.events, "message.failed");

    // The other fields also have their errors beside them.
    let form = [
        ("token", form_token.as_str()),
        ("url", "example.com"),
        ("which", "some"),
        ("event", "message.failed"),
    ];
    let refused = browser.post(WEBHOOKS, &form).await;
    error_beside(&refused, "url");
    assert!(
        is_ticked(&refused, "event", "message.failed")
            && !is_ticked(&refused, "event", "message.sent")
    );
    let long = "x".repeat(201);
    let form =
        [("token", form_token.as_str()), ("url", url), ("description", &long), ("which", "all")];
    error_beside(&browser.post(WEBHOOKS, &form).await, "description");
    let form = [
        ("token", form_token.as_str()),
        ("action", "replay"),
        ("from", "2026-11-21T13:00"),
        ("to", "2026-11-21T11:00"),
    ];
    let refused = browser.post(&here, &form).await;
    error_beside(&refused, "to");
    assert!(form_control(&refused, "from").contains("2026-11-21T13:00"));
}

async fn a_refused_consent_keeps_the_choice(world: World) {
    create_member(&world).await;
    let second = world.number(world.organization, "+12025550191").await.to_string();
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let (form_token, organization) = (page.field("token"), page.field("organization"));
    let form = [
        ("token", form_token.as_str()),
        ("organization", &organization),
        ("account", &second),
        ("decision", "allow"),
    ];
    let refused = browser.post(&path, &form).await;
    assert!(error_beside(&refused, "scope").contains("at least one"));
    assert!(is_ticked(&refused, "account", &second), "{}", refused.text);
    assert!(!is_ticked(&refused, "account", &world.account.to_string()));
    assert!(!is_ticked(&refused, "scope", "messages.send"));
}

async fn a_refused_retention_keeps_what_was_typed(world: World) {
    let mut browser = sign_in_member(&world).await;
    let settings = "/settings/organization";
    // Given an organization that keeps texts for 30 days,
    let form_token = csrf_token(&browser.get(settings).await);
    let form = |text_days, file_days| {
        let days = [("text_days", text_days), ("file_days", file_days)];
        [&[("token", form_token.as_str()), ("action", "retention")], &days[..]].concat()
    };
    assert_eq!(browser.post(settings, &form("30", "")).await.status, 303);
    // when both numbers are wrong, then both are named beside their fields, with what was typed;
    let refused = browser.post(settings, &form("36501", "1.5")).await;
    for (id, typed) in [("text_days", "36501"), ("file_days", "1.5")] {
        let error = error_beside(&refused, id);
        assert!(error.contains("from 1 to 36500"), "{error}");
        assert!(form_control(&refused, id).contains(&format!("value=\"{typed}\"")));
    }
    // and when one is wrong, then only that one, and nothing is changed.
    let refused = browser.post(settings, &form("0", "7")).await;
    error_beside(&refused, "text_days");
    assert!(!refused.text.contains("file_days-error"), "{}", refused.text);
    assert!(form_control(&refused, "file_days").contains("value=\"7\""));
    let stored = service::retention::find(&world.server.deps, world.organization).await.unwrap();
    assert_eq!(stored.text_days, Some(30));
    assert_eq!(stored.file_days, None);
}

on_both_databases! {
    a_refused_retention_keeps_what_was_typed,
    a_refused_key_form_keeps_its_input,
    every_fault_of_a_form_is_said_at_once,
    a_new_key_has_no_permission_selected,
    a_refused_change_of_a_key_keeps_what_was_typed,
    a_refused_application_says_which_field,
    an_endpoint_for_chosen_events_names_at_least_one,
    a_refused_consent_keeps_the_choice,
}
