//! Each page is checked by axe-core, narrow and wide, light and dark. The screenshots in
//! `target/screenshots` are for people to look at.

use super::{Browser, BrowserWorld, Database, Engine, Setup};
use crate::connect::{self, Partner, REDIRECT, connected};
use domain::application::{Terms, TermsInput};
use domain::id::OrganizationId;
use domain::key::RateLimit;
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use serde_json::Value;
use service::keys::NewKey;
use std::path::Path;

const WIDTHS: [(&str, u32); 2] = [("narrow", 390), ("wide", 1280)];

/// Checks the open page at both widths.
pub async fn look(browser: &Browser, name: &str, dark: bool) {
    let axe = std::env::var("SWITCHBOARD_TEST_AXE").expect("`cargo xtask test` fetches axe-core");
    let axe = std::fs::read_to_string(axe).unwrap();
    let folder = std::env::var("SWITCHBOARD_TEST_SCREENSHOTS").expect("set by `cargo xtask test`");
    std::fs::create_dir_all(&folder).unwrap();
    for (width, pixels) in WIDTHS {
        browser.client.set_window_size(pixels, 900).await.unwrap();
        let wider =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.run(wider).await, 0, "{name} is wider than a {width} window");
        let height = browser.run("return document.documentElement.scrollHeight").await;
        let height = u32::try_from(height.as_u64().unwrap_or(900)).unwrap();
        browser.client.set_window_size(pixels, height.clamp(700, 6000) + 140).await.unwrap();
        let shade = if dark { "dark" } else { "light" };
        let file = Path::new(&folder).join(format!("{name}-{width}-{shade}.png"));
        std::fs::write(file, browser.client.screenshot().await.unwrap()).unwrap();
        browser.run(&axe).await;
        let script = "const done = arguments[arguments.length - 1];\
                      axe.run().then((it) => done(it.violations.map((v) => \
                        ({ rule: v.id, help: v.help, where: v.nodes.map((n) => n.html + ' ' + n.failureSummary) }))));";
        let found = browser.client.execute_async(script, Vec::new()).await.unwrap();
        assert_eq!(found, Value::Array(Vec::new()), "{name}, {width}, {shade}: {found:#}");
    }
}

/// Creates an organization with objects of every kind.
async fn furnish(scene: &BrowserWorld) {
    let world = &scene.world;
    let scopes: ScopeSet = Scope::ALL.iter().copied().collect();
    let admin = world.admin();
    for (name, account, rate) in
        [("Website", None, 100), ("Till in the shop", Some(world.account), 0)]
    {
        let rate_limit = RateLimit::parse(rate).unwrap();
        let new = NewKey { name: Name::parse(name).unwrap(), scopes, account, rate_limit };
        let made = admin.create_key(world.organization, new).await.unwrap();
        if rate == 0 {
            admin.set_key_state(&made.client_id, domain::key::KeyState::Inactive).await.unwrap();
        }
    }
    let terms = Terms::parse(TermsInput {
        name: "Acme Desk",
        redirect_uris: &[
            "https://desk.acme.example/callback".to_owned(),
            "http://localhost:3000/callback".to_owned(),
        ],
        scopes,
        description: "All of a shop’s conversations on one desk.",
        start_url: "https://desk.acme.example/connect",
    });
    admin.create_application(Some(world.organization), &terms.unwrap(), false).await.unwrap();
    let partner = Partner::of(world).await;
    let mut browser = connect::Browser::new(world);
    connected(world, &mut browser, &partner).await;
    connected(world, &mut browser, &partner).await;
}

/// Registers an application of the organization. Some of its exchanges fail and some succeed, so
/// that its log has entries.
async fn with_a_log(scene: &BrowserWorld) -> String {
    let world = &scene.world;
    let scopes: ScopeSet = [Scope::MessagesSend, Scope::ConversationsRead].into_iter().collect();
    let terms = Terms::parse(TermsInput {
        name: "Acme CRM",
        redirect_uris: &[REDIRECT.to_owned()],
        scopes,
        description: "",
        start_url: "",
    });
    let made =
        world.admin().create_application(Some(world.organization), &terms.unwrap(), true).await;
    let partner = Partner { application: made.unwrap() };
    let mut browser = connect::Browser::new(world);
    let code = crate::connect::code(&mut browser, &partner).await;
    let mut wrong = partner.exchange(&code);
    wrong["code_verifier"] = "x".repeat(43).into();
    for body in [&wrong, &partner.exchange(&code)] {
        crate::connect::exchange(world, body).await.is_problem(400, "invalid_grant");
    }
    connected(world, &mut browser, &partner).await;
    format!("/integrations/applications/{}", partner.application.id)
}

async fn a_key_is_refused_and_created(scene: &BrowserWorld, dark: bool) {
    let browser = &scene.browser;
    browser.goto(&format!("{}/integrations/keys", scene.service)).await;
    browser.run("document.querySelector('details').open = true").await;
    browser.fill("#name", " ").await;
    browser
        .run("document.querySelectorAll('[name=scope]').forEach((it) => { it.checked = false; })")
        .await;
    browser.click("details form button.main").await;
    browser.find("#name-error").await;
    look(browser, "api-keys-refused", dark).await;
    browser.fill("#name", "Newsletter").await;
    browser.click("#scope input").await;
    browser.click("details form button.main").await;
    browser.find("#client-secret").await;
    look(browser, "api-keys-made", dark).await;
}

async fn every_page_is_accessible(dark: bool) {
    let scene =
        BrowserWorld::on(Engine::Chromium, Database::sqlite(), Setup { dark, ..Setup::default() })
            .await;
    let (browser, service) = (&scene.browser, &scene.service);
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{service}{path}")).await;
        look(browser, name, dark).await;
    };
    show("/login", "sign-in").await;
    browser.fill("input[name=email]", "ada@acme.example").await;
    browser.fill("input[name=password]", "wrong").await;
    browser.click("form button.main").await;
    browser.find("[role=alert]").await;
    look(browser, "sign-in-refused", dark).await;
    show("/connect/authorize?client_id=swa_nobody", "authorize-refused").await;
    show("/docs", "reference").await;
    show("/nowhere", "not-found").await;
    scene.sign_in().await;
    show("/plan", "plan").await;
    for (path, name) in
        [("applications", "my-applications-empty"), ("connected", "connected-apps-empty")]
    {
        show(&format!("/integrations/{path}"), name).await;
    }
    furnish(&scene).await;
    let application = with_a_log(&scene).await;
    for (path, name) in [
        ("keys", "api-keys"),
        ("connected", "connected-apps"),
        ("apps", "custom-apps"),
        ("applications", "my-applications"),
    ] {
        show(&format!("/integrations/{path}"), name).await;
    }
    show(&application, "application").await;
    show(&format!("{application}/delete"), "application-delete").await;
    a_key_is_refused_and_created(&scene, dark).await;

    browser.goto(&scene.authorize_url()).await;
    browser.find("button[value=allow]").await;
    look(browser, "consent", dark).await;
    let second: OrganizationId = scene.world.organization_on("Acme Shoes", "Unlimited").await;
    scene.world.admin().add_member(second, "ada@acme.example").await.unwrap();
    browser.goto(&format!("{}&display=popup", scene.authorize_url())).await;
    browser.find("select[name=organization]").await;
    let choose = format!("document.querySelector('select[name=organization]').value = '{second}'");
    browser.run(&choose).await;
    browser.click("form[method=get] button").await;
    browser.find("[role=alert]").await;
    look(browser, "consent-refused", dark).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_accessible_in_light_mode() {
    every_page_is_accessible(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_accessible_in_dark_mode() {
    every_page_is_accessible(true).await;
}
