//! The member's decision (`docs/security.md` 5 to 11, `docs/contract.md#consent`).

use super::{
    Browser, EMAIL, Page, Partner, REDIRECT, create_member, exchange_code, obtain_code,
    query_parameter,
};
use crate::world::{World, on_both_databases};
use domain::role::Role;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

/// Submits the decision form.
async fn submit_decision(browser: &mut Browser, path: &str, fields: Vec<(&str, String)>) -> Page {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    browser.post(path, &fields).await
}

async fn the_page_says_who_asks_for_what(world: World) {
    create_member(&world).await;
    world.number(world.organization, "+12025550191").await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, page) = browser.until_consent(&partner.asks(&[])).await;
    for said in [
        "Connect Partner CRM",
        "Published by <strong>Partner</strong>",
        "Not reviewed",
        "Send messages to your customers",
        "Read your conversations with customers",
        "+12025550190",
        "+12025550191",
        "Allow",
        "Cancel",
    ] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    assert_eq!(page.header("cross-origin-opener-policy"), "unsafe-none");
    assert_eq!(page.header("referrer-policy"), "same-origin");
    assert_eq!(page.header("cache-control"), "no-store");

    // After an operator has verified the application, a badge replaces the note.
    world.admin().verify_application(&partner.application.client_id).await.unwrap();
    let (_, page) = browser.until_consent(&partner.asks(&[])).await;
    assert!(page.text.contains("Verified") && !page.text.contains("Not reviewed"));
}

async fn cancel_notifies_the_partner_and_issues_no_code(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let token = page.field("token");
    let reported = browser.post(&path, &[("token", &token), ("decision", "cancel")]).await;
    assert!(
        reported
            .location()
            .starts_with(&format!("{REDIRECT}&error=access_denied&error_description="))
    );
    let end = "&iss=https%3A%2F%2Fapi.example.com";
    assert!(reported.location().ends_with(end), "{}", reported.location());
    assert_eq!(browser.get(&path).await.status, 410);
}

async fn the_granted_scopes_are_the_selected_ones(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let (token, organization, account) =
        (page.field("token"), page.field("organization"), page.field("account"));
    let decide = |scopes: Vec<&'static str>| {
        let mut fields = vec![
            ("token", token.clone()),
            ("organization", organization.clone()),
            ("account", account.clone()),
            ("decision", "allow".to_owned()),
            ("redirect_uri", "https://evil.example/".to_owned()),
            ("client_id", "swa_0000000000000000000000".to_owned()),
        ];
        fields.extend(scopes.into_iter().map(|scope| ("scope", scope.to_owned())));
        fields
    };
    // If no requested permission is ticked, the form is rejected.
    assert_eq!(submit_decision(&mut browser, &path, decide(vec![])).await.status, 422);
    assert_eq!(submit_decision(&mut browser, &path, decide(vec!["media.write"])).await.status, 422);

    // Of one requested and one unrequested permission, only the requested one is granted.
    let sent =
        submit_decision(&mut browser, &path, decide(vec!["messages.send", "media.write"])).await;
    assert!(sent.location().starts_with(REDIRECT), "{}", sent.location());
    let code = query_parameter(sent.location(), "code").unwrap();
    let answer = exchange_code(&world, &partner.exchange(&code)).await;
    assert_eq!(answer.body["scopes"], json!(["messages.send"]), "{}", answer.text);
    assert_eq!(answer.body["scope"], "messages.send");
}

async fn a_form_sent_twice_makes_one_code(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    assert_eq!(browser.allow(&path, &page).await.status, 303);
    let again = browser.allow(&path, &page).await;
    assert_eq!(again.status, 410);
    assert_eq!(again.header("location"), "");

    // Concurrent clicks do not lead to more than one code either.
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let clicks = (0..8).map(|_| {
        let mut same = browser.clone();
        let (path, page) = (&path, &page);
        async move { same.allow(path, page).await.status }
    });
    let mut statuses = join_all(clicks).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 410, 410, 410, 410, 410, 410, 410]);
}

async fn a_consent_expires_after_ten_minutes(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    world.advance(Duration::from_secs(10 * 60 - 1));
    assert_eq!(browser.get(&path).await.status, 200);
    world.advance(Duration::from_secs(2));
    assert_eq!(browser.allow(&path, &page).await.status, 410);
}

async fn only_the_session_that_was_asked_decides(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;

    // Another browser of the same member cannot submit the decision,
    let mut other = Browser::new(&world);
    other.sign_in("/login").await;
    assert_eq!(other.get(&path).await.status, 410);
    assert_eq!(other.allow(&path, &page).await.status, 403);

    // and neither can a form of another site, without the token, or with GET.
    let (token, organization) = (page.field("token"), page.field("organization"));
    let body = format!(
        "token={token}&organization={organization}&decision=allow&scope=messages.send&account={}",
        page.field("account")
    );
    let form = "application/x-www-form-urlencoded";
    for site in ["cross-site", "same-site"] {
        let request = browser.request(Method::POST, &path).header("content-type", form);
        let refused = browser.send(request.header("sec-fetch-site", site).body(body.clone())).await;
        assert_eq!(refused.status, 403, "{site}");
    }
    let stripped = body.replace(&token, "0");
    let request = browser.request(Method::POST, &path).header("content-type", form).body(stripped);
    assert_eq!(browser.send(request).await.status, 403);
    let shown = browser.get(&format!("{path}?{body}")).await;
    assert_eq!(shown.status, 200);
    assert_eq!(shown.header("location"), "");
    let head = browser.request(Method::HEAD, &path);
    assert_ne!(browser.send(head).await.status, 303);

    // The decision is still open.
    assert_eq!(browser.allow(&path, &page).await.status, 303);
}

async fn a_number_of_another_organization_is_refused(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let stranger = world.organization_on("Stranger", "Unlimited").await;
    let number = world.number(stranger, "+12025550195").await.to_string();
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let (token, own) = (page.field("token"), page.field("organization"));
    let stranger = stranger.to_string();
    for (organization, account) in
        [(own.as_str(), number.as_str()), (stranger.as_str(), number.as_str()), (own.as_str(), "")]
    {
        let fields = [
            ("token", token.as_str()),
            ("organization", organization),
            ("account", account),
            ("decision", "allow"),
            ("scope", "messages.send"),
        ];
        let refused = browser.post(&path, &fields).await;
        assert_eq!(refused.status, 403, "{organization} {account}");
        assert_eq!(refused.header("location"), "", "{organization} {account}");
    }
}

async fn applications_that_cannot_be_connected_are_explained(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    // An unpublished application of another organization cannot be connected.
    let owner = world.organization_on("Elsewhere", "Unlimited").await;
    let unpublished = Partner::registered(&world, Some(owner), false).await;
    let (_, page) = browser.until_consent(&unpublished.asks(&[])).await;
    assert_eq!(page.status, 403);
    assert!(page.text.contains("belongs to another organization"), "{}", page.text);
    // Nothing is connected, so nothing is said about disconnecting.
    assert!(!page.text.contains("You can disconnect"), "{}", page.text);
    assert!(
        !page.text.contains("Published by") && page.text.contains("Not published"),
        "{}",
        page.text
    );
    // A member of a single organization has no choice of organizations.
    assert!(!page.text.contains("choose it above"), "{}", page.text);
    // A platform application that is not verified cannot be connected,
    let platform = Partner::registered(&world, None, false).await;
    let (path, page) = browser.until_consent(&platform.asks(&[])).await;
    assert!(page.text.contains("not approved yet"), "{}", page.text);

    // even if the form is submitted anyway,
    let (token, organization) = (page.field("token"), page.field("organization"));
    let fields = [
        ("token", token.as_str()),
        ("organization", organization.as_str()),
        ("decision", "allow"),
        ("scope", "messages.send"),
        ("account", &world.account.to_string()),
    ];
    assert_eq!(browser.post(&path, &fields).await.status, 403);

    // and once it is verified, it can.
    world.admin().verify_application(&platform.application.client_id).await.unwrap();
    obtain_code(&mut browser, &platform).await;

    // An organization's own application need not be published.
    let own = Partner::registered(&world, Some(world.organization), false).await;
    obtain_code(&mut browser, &own).await;

    // A member of several organizations can choose the one that registered the application.
    let second = world.organization_on("Second", "Unlimited").await;
    world.admin().add_member(second, EMAIL).await.unwrap();
    let (_, page) = browser.until_consent(&unpublished.asks(&[])).await;
    assert!(page.text.contains("choose it above"), "{}", page.text);
}

async fn the_consent_page_names_the_member_and_the_application_to_return_to(world: World) {
    create_member(&world).await;
    world
        .admin()
        .create_member(world.organization, "bo@acme.example", "Bo", crate::connect::PASSWORD)
        .await
        .unwrap();
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[("display", Some("popup"))])).await;
    for says in [
        "Signed in as </span><strong>ada@acme.example</strong>",
        "Not you?",
        "You go back to <strong>partner.example</strong>",
    ] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    assert_eq!(page.text.matches("Not reviewed").count(), 1, "{}", page.text);

    // Another member signs this one out there, and then gets the same request.
    let (_, form) = page.text.split_once("action=\"/logout\"").unwrap();
    let value = |name: &str| {
        let (_, rest) = form.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let (proof, asked) = (value("token"), value("consent"));
    let login = browser
        .post("/logout", &[("token", &proof), ("consent", &asked)])
        .await
        .location()
        .to_owned();
    assert!(login.starts_with("/login?consent="), "{login}");
    let sign_in = browser.get(&login).await;
    assert!(
        sign_in.text.contains("Partner CRM") && sign_in.text.contains("connect-opener"),
        "{}",
        sign_in.text
    );
    let (token, consent) = (sign_in.field("token"), sign_in.field("consent"));
    let form = [
        ("token", token.as_str()),
        ("consent", &consent),
        ("email", "bo@acme.example"),
        ("password", crate::connect::PASSWORD),
    ];
    let to = browser.post("/login", &form).await.location().to_owned();
    assert_ne!(to, path, "what the other session was asked is its own");
    let again = browser.get(&to).await;
    let signed_in = "Signed in as </span><strong>bo@acme.example</strong>";
    assert!(again.text.contains(signed_in), "{}", again.text);
    assert_eq!(browser.get(&path).await.status, 410);
    // The request can be answered once, within the time that was left.
    let relay = browser.allow(&to, &again).await;
    assert!(relay.text.contains("\"code\":\""), "{}", relay.text);
    assert_eq!(browser.get(&to).await.status, 410);
    assert!(!browser.get(&login).await.text.contains("name=\"consent\""));
}

async fn an_organization_whose_calls_are_refused_learns_it_before_it_allows(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, page) = browser.until_consent(&partner.asks(&[])).await;
    assert!(!page.text.contains("is refused"), "{}", page.text);
    world.plan("Starter", false, None, None).await;
    let garage = world.organization_on("Garage", "Starter").await;
    let florist =
        world.admin().create_organization("Florist", None).await.unwrap().id.parse().unwrap();
    for (organization, number, says) in [
        (garage, "+12025550193", "Garage has a plan without API access."),
        (florist, "+12025550194", "Florist has no active subscription."),
    ] {
        world.number(organization, number).await;
        world.admin().add_member(organization, EMAIL).await.unwrap();
        let (path, _) = browser.until_consent(&partner.asks(&[])).await;
        let page = browser.get(&format!("{path}?organization={organization}")).await;
        assert!(
            page.text.contains(says) && page.text.contains("every call of Partner CRM is refused"),
            "{says}: {}",
            page.text
        );
        // The member is warned and may still allow; the key works once the plan does.
        let sent = browser.allow(&path, &page).await;
        let answer = exchange_code(
            &world,
            &partner.exchange(&query_parameter(sent.location(), "code").unwrap()),
        )
        .await;
        assert_eq!(answer.body["plan"]["api_access"], false, "{}", answer.text);
    }
}

async fn an_organization_without_a_number_learns_how_to_connect_one(world: World) {
    // Given a member who owns an organization without a number,
    let bare = world.organization_on("Bare", "Unlimited").await;
    world.admin().create_member(bare, EMAIL, "Bo", crate::connect::PASSWORD).await.unwrap();
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    // when an application asks, then the page leads to where a number is added.
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    assert!(page.text.contains("has no number yet"), "{}", page.text);
    assert!(page.text.contains("href=\"/numbers/new\""), "{}", page.text);
    // In an organization that is not open in the dashboard, the member chooses it first,
    let desk = world.organization_on("Desk", "Unlimited").await;
    world.admin().add_member_as(Role::Support, desk, EMAIL).await.unwrap();
    let third = world.organization_on("Third", "Unlimited").await;
    world.admin().add_member(third, EMAIL).await.unwrap();
    let open = browser.get("/numbers").await;
    let is_open = |name: &str| open.text.contains(&format!("· {name} · Switchboard</title>"));
    for (organization, name) in [(bare, "Bare"), (third, "Third")] {
        let page = browser.get(&format!("{path}?organization={organization}")).await;
        let link = if is_open(name) { "/numbers/new" } else { "/numbers" };
        assert!(page.text.contains(&format!("href=\"{link}\"")), "{name}: {}", page.text);
    }
    // and others learn whom to ask.
    let page = browser.get(&format!("{path}?organization={desk}")).await;
    assert!(page.text.contains("Ask an owner of Desk"), "{}", page.text);
    assert!(!page.text.contains("href=\"/numbers"), "{}", page.text);
    assert!(!page.text.contains("switchboard admin"), "a business is not told to run a command");
    // With a number, the same request can be allowed.
    world.number(bare, "+12025550196").await;
    let page = browser.get(&format!("{path}?organization={bare}")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let sent = browser.allow(&path, &page).await;
    assert!(query_parameter(sent.location(), "code").is_some(), "{}", sent.text);
}

async fn in_the_popup_the_answer_is_a_page_and_names_no_code_in_its_address(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[("display", Some("popup"))])).await;
    assert!(
        page.text.contains("<meta name=\"connect-opener\" content=\"https://partner.example\">"),
        "{}",
        page.text
    );
    let relay = browser.allow(&path, &page).await;
    assert_eq!(relay.status, 200);
    assert_eq!(relay.header("location"), "");
    assert_eq!(relay.header("referrer-policy"), "no-referrer");
    assert_eq!(relay.header("cross-origin-opener-policy"), "unsafe-none");
    assert!(relay.text.contains("\"origin\":\"https://partner.example\""), "{}", relay.text);
    assert!(relay.text.contains("\"code\":\""));
}

on_both_databases! {
    the_page_says_who_asks_for_what,
    cancel_notifies_the_partner_and_issues_no_code,
    the_granted_scopes_are_the_selected_ones,
    a_form_sent_twice_makes_one_code,
    a_consent_expires_after_ten_minutes,
    only_the_session_that_was_asked_decides,
    a_number_of_another_organization_is_refused,
    applications_that_cannot_be_connected_are_explained,
    the_consent_page_names_the_member_and_the_application_to_return_to,
    an_organization_whose_calls_are_refused_learns_it_before_it_allows,
    an_organization_without_a_number_learns_how_to_connect_one,
    in_the_popup_the_answer_is_a_page_and_names_no_code_in_its_address,
}
