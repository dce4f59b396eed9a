//! Each page is checked by axe-core, narrow and wide, light and dark. The screenshots in
//! `target/screenshots` are for people to look at.

use super::{Browser, BrowserWorld, Engine};
use crate::connect::{self, Partner, REDIRECT, connect_application};
use crate::template_creation::{create_template, order_update, template_with};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::{AgentMode, Expectation};
use domain::application::{Terms, TermsInput};
use domain::id::OrganizationId;
use domain::key::RateLimit;
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use serde_json::{Value, json};
use service::agent_entries;
use service::agents::{self, AgentInput, NewConnection};
use service::keys::NewKey;
use std::path::Path;
use std::time::Duration;

const WIDTHS: [(&str, u32); 2] = [("narrow", 390), ("wide", 1280)];

/// The rules of axe-core that depend on colors.
const COLOR_RULES: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// A color scheme that a system can prefer.
#[derive(Clone, Copy, Debug)]
pub enum Shade {
    Light,
    Dark,
}

impl Shade {
    /// Returns the value of the media feature `prefers-color-scheme`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Checks the open page at both widths, light and dark.
pub async fn look(browser: &Browser, name: &str) {
    look_in(browser, name, &[Shade::Light, Shade::Dark]).await;
}

/// Checks the open page at both widths and in these shades. Only the first shade is checked with all
/// rules, because the others change nothing but colors.
pub async fn look_in(browser: &Browser, name: &str, shades: &[Shade]) {
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
        for (place, shade) in shades.iter().enumerate() {
            let shade = shade.as_str();
            browser.prefer_color_scheme(shade).await;
            let file = Path::new(&folder).join(format!("{name}-{width}-{shade}.png"));
            std::fs::write(file, browser.client.screenshot().await.unwrap()).unwrap();
            let found = violations(browser, place > 0).await;
            assert_eq!(found, Value::Array(Vec::new()), "{name}, {width}, {shade}: {found:#}");
        }
    }
    // Nothing on the page breaks its own content security policy.
    let complaints = browser.complaints().await;
    let policy = complaints.iter().find(|it| it.contains("Content Security Policy"));
    assert_eq!(policy, None, "{name}");
}

/// Returns the violations that axe-core finds on the open page, of all rules or of those about
/// colors.
async fn violations(browser: &Browser, only_colors: bool) -> Value {
    if browser.run("return typeof axe").await == "undefined" {
        let axe = std::env::var("SWITCHBOARD_TEST_AXE");
        let axe = axe.expect("`cargo xtask test` fetches axe-core");
        browser.run(&std::fs::read_to_string(axe).unwrap()).await;
    }
    // Otherwise axe-core describes each element that violates nothing, too.
    let mut options = json!({"resultTypes": ["violations"]});
    if only_colors {
        options["runOnly"] = json!({"type": "rule", "values": COLOR_RULES});
    }
    let script = "const [options, done] = arguments;\
                  axe.run(document, options).then((it) => done(it.violations.map((v) => \
                    ({ rule: v.id, help: v.help, where: v.nodes.map((n) => n.html + ' ' + n.failureSummary) }))));";
    browser.client.execute_async(script, vec![options]).await.unwrap()
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
    connect_application(world, &mut browser, &partner).await;
    connect_application(world, &mut browser, &partner).await;
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
    let code = crate::connect::obtain_code(&mut browser, &partner).await;
    let mut wrong = partner.exchange(&code);
    wrong["code_verifier"] = "x".repeat(43).into();
    for body in [&wrong, &partner.exchange(&code)] {
        crate::connect::exchange_code(world, body).await.is_problem(400, "invalid_grant");
    }
    connect_application(world, &mut browser, &partner).await;
    format!("/integrations/applications/{}", partner.application.id)
}

async fn a_key_is_refused_and_created(scene: &BrowserWorld) {
    let browser = &scene.browser;
    browser.goto(&format!("{}/integrations/keys/new", scene.service)).await;
    look(browser, "api-keys-new").await;
    browser.fill("#name", " ").await;
    browser
        .run("document.querySelectorAll('[name=scope]').forEach((it) => { it.checked = false; })")
        .await;
    browser.click("main form button.primary").await;
    browser.find("#name-error").await;
    look(browser, "api-keys-refused").await;
    browser.fill("#name", "Newsletter").await;
    browser.click("#scope input").await;
    browser.click("main form button.primary").await;
    browser.find("#client-secret").await;
    look(browser, "api-keys-made").await;
    browser.click("main a.primary").await;
    browser.find("#settings").await;
    look(browser, "api-key").await;
    browser.click("main button[value=disable]").await;
    browser.find(".once").await;
    look(browser, "api-key-disabled").await;
}

/// Sends messages that are read, answered and refused.
async fn converse(scene: &BrowserWorld) {
    let world = &scene.world;
    let buttons = json!({"type": "button", "body": {"text": "How many would you like?"},
    "action": {"buttons": [
        {"type": "reply", "reply": {"id": "six", "title": "6 rye rolls"}},
        {"type": "reply", "reply": {"id": "twelve", "title": "12 rye rolls"}},
    ]}});
    let text = |to: &str, text: &str| json!({"type": "text", "phone_number": to, "text": text});
    for body in [
        text("+12025550103", "Your pie is ready for pickup until 2 PM."),
        text("+12025550100", "Your order 1051 is confirmed: 2 sourdough, 6 croissants."),
        text("+12025550143", "Yes, 24 rye rolls and 12 with poppy seeds. Shall we put some aside?"),
        json!({"type": "interactive", "phone_number": "+12025550143", "interactive": buttons}),
    ] {
        let sent = world.post("/api/v1/messages", &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        for _ in 0..2 {
            world.settle().await;
            world.advance(Duration::from_secs(2));
        }
        world.settle().await;
    }
}

/// Looks at the inbox: the list, a thread, and what can be written.
async fn inbox(scene: &BrowserWorld) {
    let (browser, world) = (&scene.browser, &scene.world);
    let list = world.get("/api/v1/conversations?limit=1", &world.key).await.body;
    let id = list["data"][0]["id"].as_str().unwrap();
    let path = format!("/api/v1/conversations/{id}");
    let note = json!({"text": "Prefers mornings."});
    assert_eq!(world.post(&format!("{path}/notes"), &world.key, &note).await.status, 201);
    for (query, name) in [
        ("", "inbox"),
        (&format!("/{id}"), "inbox-thread"),
        (&format!("/{id}?compose=note"), "inbox-note"),
        (&format!("/{id}?compose=template"), "inbox-template"),
        ("?view=closed", "inbox-none-closed"),
    ] {
        browser.goto(&format!("{}/inbox{query}", scene.service)).await;
        look(browser, name).await;
    }
}

/// Looks at the pages of messages and numbers, empty and filled.
async fn messages_and_numbers(scene: &BrowserWorld) {
    let (browser, service) = (&scene.browser, &scene.service);
    let number = format!("/numbers/{}", scene.world.account);
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{service}{path}")).await;
        look(browser, name).await;
    };
    show("/messages", "messages-empty").await;
    show("/inbox", "inbox-empty").await;
    show(&format!("{number}/phone"), "sandbox-phone-empty").await;
    converse(scene).await;
    show("/messages", "messages").await;
    show("/messages?view=failed", "messages-failed").await;
    show("/messages?view=scheduled", "messages-none-scheduled").await;
    let body = json!({
        "type": "text", "phone_number": "+12025550110", "text": "Your order is ready tomorrow.",
        "send_at": scene.world.clock.now().plus(Duration::from_hours(24)).to_string(),
    });
    let sent = scene.world.post("/api/v1/messages", &scene.world.key, &body).await;
    show("/messages?view=scheduled", "messages-scheduled").await;
    show(&format!("/messages/{}", sent.text_of("id")), "message-scheduled").await;
    show("/messages?q=nothing", "messages-none-match").await;
    browser.goto(&format!("{service}/messages?view=failed")).await;
    browser.click("tbody a.link").await;
    browser.find("#steps").await;
    look(browser, "message-failed").await;
    inbox(scene).await;
    show("/numbers", "numbers").await;
    show("/numbers/new", "number-new").await;
    show(&format!("{number}?check=1"), "number").await;
    show(&format!("{number}/phone"), "sandbox-phone").await;
    show(&format!("{number}/phone?example=list"), "sandbox-phone-any-type").await;
}

/// Looks at the pages of templates: the list, a rejected one, and the form with errors and with a
/// preview.
async fn templates(scene: &BrowserWorld) {
    let (browser, world) = (&scene.browser, &scene.world);
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{}{path}", scene.service)).await;
        look(browser, name).await;
    };
    show("/templates", "templates-empty").await;
    for name in ["order_update", "order_paused"] {
        create_template(world, &template_with(name, &order_update())).await;
    }
    let rejected = template_with("order_rejected_promotional", &order_update());
    let rejected = create_template(world, &rejected).await;
    world.live_through(Duration::from_secs(3)).await;
    show("/templates", "templates").await;
    show("/templates?q=nothing", "templates-none-match").await;
    let path = format!("/templates/{}", rejected["id"].as_str().unwrap());
    show(&path, "template-rejected").await;
    show(&format!("{path}/edit"), "template-change").await;
    show(&format!("{path}/delete"), "template-delete").await;
    show("/templates/new", "template-new").await;
    browser.fill("#name", "sale").await;
    browser.fill("#body", "Hello {{1}}, today 20% off: https://bit.ly/sale for {{2}}.").await;
    browser.fill("#button_1_text", "Thanks").await;
    browser.click("main button[value=preview]").await;
    browser.find("#examples-error").await;
    look(browser, "template-new-refused").await;
    browser.fill("#body_example-0", "Ada").await;
    browser.fill("#body_example-1", "two days").await;
    browser.click("main button[value=preview]").await;
    browser.find("#checks").await;
    look(browser, "template-new-preview").await;
}

/// Looks at the pages of an AI agent that has drafted an answer.
async fn agents(scene: &BrowserWorld) {
    let (browser, world) = (&scene.browser, &scene.world);
    let deps = &world.server.deps;
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{}{path}", scene.service)).await;
        look(browser, name).await;
    };
    show("/agents", "agents-empty").await;
    show("/agents/new", "agent-new").await;
    let completion = json!({"choices": [{"message": {"content": "We open at 7 AM."}}], "usage": {"total_tokens": 9}});
    let model = Receiver::that(Answers::Body(200, completion.to_string())).await;
    let organization = world.organization;
    let input = AgentInput {
        name: Some("Assistant"),
        mode: Some(AgentMode::Draft),
        base_url: Some(&model.url),
        model: Some("small"),
        accounts: Some(vec![world.account]),
        is_operator: true,
        ..AgentInput::default()
    };
    let agent =
        agents::create(deps, organization, NewConnection::Model, input).await.unwrap().agent.id;
    agent_entries::write_fact(
        deps,
        organization,
        agent,
        None,
        "Opening hours",
        "Monday to Saturday from 7.",
    )
    .await
    .unwrap();
    let expected = Expectation { must: vec!["7 AM".to_owned()], must_not: Vec::new() };
    agent_entries::write_question(deps, organization, agent, None, "When do you open?", expected)
        .await
        .unwrap();
    let asked = json!({"phone_number": "+12025550177", "text": "When do you open?"});
    assert_eq!(world.post("/api/v1/sandbox/inbound", &world.key, &asked).await.status, 201);
    for _ in 0..3 {
        world.settle().await;
        world.advance(Duration::from_secs(10));
        workers::agents::step(deps).await.unwrap();
    }
    let turns = service::turns::list(deps, world.organization, agent, 1).await.unwrap();
    show("/agents", "agents").await;
    for (path, name) in [
        ("", "agent"),
        ("/settings/model", "agent-model"),
        ("/settings/hours", "agent-hours"),
        ("/settings/hand-over", "agent-hand-over"),
        ("/settings/sending", "agent-sending"),
        ("/turns", "agent-turns"),
        ("/facts", "agent-facts"),
        ("/look-ups", "agent-look-ups"),
        ("/playground", "agent-playground"),
        ("/questions", "agent-questions"),
        ("/delete", "agent-delete"),
    ] {
        show(&format!("/agents/{agent}{path}"), name).await;
    }
    let turn = turns.first().expect("a turn");
    show(&format!("/agents/{agent}/turns/{}", turn.id), "agent-turn").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_accessible_in_light_and_dark_mode() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let (browser, service) = (&scene.browser, &scene.service);
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{service}{path}")).await;
        look(browser, name).await;
    };
    show("/login", "sign-in").await;
    browser.fill("input[name=email]", "ada@acme.example").await;
    browser.fill("input[name=password]", "wrong").await;
    browser.click("form button.primary").await;
    browser.find("[role=alert]").await;
    look(browser, "sign-in-refused").await;
    show("/connect/authorize?client_id=swa_nobody", "authorize-refused").await;
    show("/docs", "reference").await;
    show("/nowhere", "not-found").await;
    scene.sign_in().await;
    show("/nowhere", "not-found-signed-in").await;
    show("/", "home-new").await;
    show("/plan", "plan").await;
    show("/settings/members", "members").await;
    show("/account", "account").await;
    messages_and_numbers(&scene).await;
    show("/", "home").await;
    show("/contacts", "contacts").await;
    browser.click("tbody a.link").await;
    browser.find("main h1").await;
    look(browser, "contact").await;
    templates(&scene).await;
    show("/settings/organization", "organization").await;
    show("/settings/saved-replies", "saved-replies").await;
    agents(&scene).await;
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
    show("/search?q=key", "search").await;
    show("/search?q=0143", "search-contact").await;
    show("/integrations/keys?q=till", "api-keys-found").await;
    show(&application, "application").await;
    show(&format!("{application}/edit"), "application-edit").await;
    show("/integrations/applications/new", "application-new").await;
    show(&format!("{application}/delete"), "application-delete").await;
    a_key_is_refused_and_created(&scene).await;

    browser.goto(&scene.authorize_url()).await;
    browser.find("button[value=allow]").await;
    look(browser, "consent").await;
    let second: OrganizationId = scene.world.organization_on("Acme Shoes", "Unlimited").await;
    scene.world.admin().add_member(second, "ada@acme.example").await.unwrap();
    browser.goto(&format!("{}&display=popup", scene.authorize_url())).await;
    browser.find("select[name=organization]").await;
    let choose = format!("document.querySelector('select[name=organization]').value = '{second}'");
    browser.run(&choose).await;
    browser.click("button[form=choose]").await;
    browser.find("[role=alert]").await;
    look(browser, "consent-refused").await;
}
