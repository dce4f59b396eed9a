//! Small windows and plain HTTP.

use super::{Browser, BrowserWorld, Database, Setup, on_every_browser, until};
use crate::browser::Engine;
use crate::connect::EMAIL;
use crate::template_creation::{create_template, order_update, template_with};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::webhooks::{create_endpoint, send_message};
use crate::world::World;
use domain::agent::AgentMode;
use domain::application::{Terms, TermsInput};
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use serde_json::json;
use service::agents::{self, AgentInput, NewConnection};
use std::path::Path;
use std::time::Duration;

/// The size of the popup that the button opens.
const POPUP: (u32, u32) = (520, 720);

/// Sets the size of the page's area, without the browser's own frame.
pub async fn page_area(browser: &Browser, (width, height): (u32, u32)) {
    browser.client.set_window_size(width, height).await.unwrap();
    // The page learns the new window size some time after the driver has responded.
    until(&format!("the page's area is {width} × {height}"), async || {
        let script = "return [innerWidth, innerHeight, outerWidth, outerHeight]";
        let sizes = browser.run(script).await;
        let [inner_width, inner_height, outer_width, outer_height] =
            [0, 1, 2, 3].map(|place| u32::try_from(sizes[place].as_u64().unwrap()).unwrap());
        if (inner_width, inner_height) == (width, height) {
            return true;
        }
        let around_width = outer_width.saturating_sub(inner_width);
        let around_height = outer_height.saturating_sub(inner_height);
        browser.client.set_window_size(width + around_width, height + around_height).await.unwrap();
        false
    })
    .await;
}

/// Takes a screenshot of the visible part of the page.
async fn picture(browser: &Browser, name: &str) {
    let folder = std::env::var("SWITCHBOARD_TEST_SCREENSHOTS").expect("set by `cargo xtask test`");
    std::fs::create_dir_all(&folder).unwrap();
    let file = Path::new(&folder).join(format!("{name}-{}.png", browser.engine.name()));
    std::fs::write(file, browser.client.screenshot().await.unwrap()).unwrap();
}

/// Returns an element's top, bottom, height and width in the window.
async fn place_of(browser: &Browser, css: &str) -> [f64; 4] {
    let script = format!(
        "const it = document.querySelector({css:?}).getBoundingClientRect();\
         return [it.top, it.bottom, it.height, it.width]"
    );
    let found = browser.run(&script).await;
    [0, 1, 2, 3].map(|place| found[place].as_f64().unwrap())
}

async fn in_the_popups_own_size_the_decision_is_in_sight(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let world = &scene.world;
    let second = world.organization_on("Acme Shoes", "Unlimited").await;
    // A member starts in the organization that they joined first.
    world.advance(Duration::from_secs(1));
    world.admin().add_member(second, EMAIL).await.unwrap();
    for number in ["+12025550191", "+12025550192"] {
        world.number(world.organization, number).await;
    }
    let browser = &scene.browser;
    scene.sign_in().await;
    page_area(browser, POPUP).await;
    // The popup is checked with two permissions, and with all of them.
    let all: ScopeSet = Scope::ALL.iter().copied().collect();
    let greedy = Terms::parse(TermsInput {
        name: "Everything for everybody",
        redirect_uris: &[scene.site.address("127.0.0.1", "/callback")],
        scopes: all,
        description: "A description that is rather long, so that it takes the second line of the page too.",
        start_url: "",
    });
    let greedy =
        world.admin().create_application(Some(second), &greedy.unwrap(), true).await.unwrap();
    let scopes =
        "messages.send%20templates.read%20templates.write%20conversations.read%20media.write";
    let few = scene.authorize_url();
    let many = few
        .replace(&scene.application.client_id, &greedy.client_id)
        .replace("messages.send%20conversations.read", scopes);
    for (address, name) in [(few, "consent-popup"), (many, "consent-popup-all")] {
        browser.goto(&format!("{address}&display=popup")).await;
        browser.find("button[value=allow]").await;
        // WebKit's driver never answers when it is asked for a screenshot of a page that replaced one
        // of another process, as the consent does.
        if engine != Engine::WebKit {
            picture(browser, name).await;
        }
        for decision in ["allow", "cancel"] {
            let css = format!("button[value={decision}]");
            browser.find(&css).await;
            let [top, bottom, ..] = place_of(browser, &css).await;
            assert!(top >= 0.0 && bottom <= f64::from(POPUP.1), "{decision}: {top} to {bottom}");
        }
        // The rest of the page can be scrolled to, and is not hidden under the buttons.
        let last = "[...document.querySelectorAll('form[method=post] input[type=radio]')].pop()";
        browser.run(&format!("{last}.focus()")).await;
        let covered = format!(
            "const it = {last}; const at = it.getBoundingClientRect();\
             return document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2) === it"
        );
        assert_eq!(browser.run(&covered).await, true, "the last number is under the buttons");
    }
}

async fn on_a_phone_the_header_holds_two_organizations_with_long_names(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let world = &scene.world;
    let name = "The Acme Corporation of Greater Springfield and all of its Subsidiaries";
    let second = world.organization_on(name, "Unlimited").await;
    world.admin().add_member(second, EMAIL).await.unwrap();
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.click(".org > summary").await;
    browser.click(&format!("button[name=organization][value='{second}']")).await;
    browser.find(".once").await;
    for width in [320, 390, 1280] {
        page_area(browser, (width, 800)).await;
        // On a phone the sidebar is a menu that a button opens.
        let name = if width < 960 { ".top .brand" } else { ".org > summary" };
        let [_, _, height, _] = place_of(browser, name).await;
        assert!((20.0..60.0).contains(&height), "at {width} px the name is {height} px high");
        if width < 960 {
            browser.click(".top [popovertarget]").await;
        }
        browser.click(".side-foot summary").await;
        picture(browser, &format!("header-{width}")).await;
        let [top, bottom, height, _] = place_of(browser, "form[action='/logout'] button").await;
        assert!(
            top > 0.0 && bottom < 800.0 && height < 60.0,
            "“Log out” at {width} px: {top} to {bottom}"
        );
        browser.reload().await;
        let wider =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.run(wider).await, 0, "wider than a window of {width} px");
    }
}

async fn copy_buttons_work_over_plain_http_and_say_so(engine: Engine) {
    // Given a server that a browser reaches over plain HTTP under the name of another machine,
    let (database, setup) = (Database::migrated_sqlite(), Setup::default());
    let scene = BrowserWorld::named(engine, "switchboard.test", database, setup).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    assert_eq!(browser.run("return [isSecureContext, 'clipboard' in navigator]").await[0], false);
    browser.goto(&format!("{}/integrations/keys/new", scene.service)).await;
    browser.fill("#name", "Newsletter").await;
    browser.run("document.querySelector('[name=scope]').checked = true").await;
    browser.click("main form button.primary").await;
    let secret = browser.find("#client-secret").await.text().await.unwrap();

    // when the copy button is clicked, then the text is in the clipboard, and a screen reader
    // announces it;
    browser.click("[data-copy=client-secret]").await;
    until("it is said", async || {
        let said = browser.run("return document.querySelector('#copied').textContent").await;
        said == "Copied"
    })
    .await;
    let live = browser.run("return document.querySelector('#copied').getAttribute('role')").await;
    assert_eq!(live, "status");

    // If copying fails, the text is selected and the page explains how to continue.
    browser.run("document.execCommand = () => false").await;
    browser.click("[data-copy=client-id]").await;
    let selected = browser.run("return String(getSelection())").await;
    assert!(selected.as_str().unwrap().starts_with("swk_"), "{selected}");
    until("it is said how to go on", async || {
        let said = browser.run("return document.querySelector('#copied').textContent").await;
        said.as_str().is_some_and(|said| said.contains("Ctrl+C"))
    })
    .await;

    // What was copied can be pasted.
    browser.goto(&format!("{}/integrations/keys/new", scene.service)).await;
    browser.fill("#name", "\u{e009}v\u{e000}").await; // Ctrl+V
    assert_eq!(browser.run("return document.querySelector('#name').value").await, secret.as_str());
}

/// The greatest height of a page with 25 rows on a phone, in pixels.
const MAX_HEIGHT: u64 = 2_500;
/// The greatest number of bytes of its HTML.
const MAX_BYTES: u64 = 30 * 1024;

/// Returns the page of an AI agent that has answered 30 contacts.
async fn agent_with_turns(world: &World) -> String {
    let completion = json!({"choices": [{"message": {"content": "We open at 7 AM."}}]});
    let model = Receiver::that(Answers::Body(200, completion.to_string())).await;
    let (deps, organization) = (&world.server.deps, world.organization);
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
    for number in 0..30 {
        let number = format!("+120255501{number:02}");
        let asked = json!({"phone_number": number, "text": "When do you open?"});
        assert_eq!(world.post("/api/v1/sandbox/inbound", &world.key, &asked).await.status, 201);
    }
    for _ in 0..10 {
        world.settle().await;
        world.advance(Duration::from_secs(10));
        workers::agents::step(&world.server.deps).await.unwrap();
    }
    format!("/agents/{agent}")
}

async fn with_25_rows_a_page_stays_short_on_a_phone(engine: Engine) {
    // Given an organization with more keys, messages and deliveries than fit on a page,
    let scene = BrowserWorld::start(engine).await;
    let world = &scene.world;
    let receiver = Receiver::start().await;
    let (endpoint, _) = create_endpoint(world, &receiver, &[]).await;
    let refusing = Receiver::that(Answers::With(503)).await;
    let (failing, _) = create_endpoint(world, &refusing, &[]).await;
    for number in 0..30 {
        world.key_of(world.organization).await;
        send_message(world).await;
        create_template(world, &template_with(&format!("order_{number}"), &order_update())).await;
    }
    let rejected = template_with("sale_rejected_promotional", &order_update());
    let rejected = create_template(world, &rejected).await;
    let template = format!("/templates/{}", rejected["id"].as_str().unwrap());
    world.live_through(Duration::from_secs(5)).await;
    let agent = agent_with_turns(world).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    page_area(browser, (390, 844)).await;
    let [endpoint, failing] =
        [endpoint, failing].map(|it| format!("/integrations/webhooks/{}", it.id));
    let [model, hours, hand_over, sending] =
        ["model", "hours", "hand-over", "sending"].map(|it| format!("{agent}/settings/{it}"));
    let change = format!("{template}/edit");
    let (turns, playground) = (format!("{agent}/turns"), format!("{agent}/playground"));
    for (path, rows) in [
        ("/integrations/keys", 25),
        ("/messages", 25),
        ("/templates", 25),
        ("/templates/new", 0),
        (template.as_str(), 0),
        (change.as_str(), 0),
        (endpoint.as_str(), 20),
        (failing.as_str(), 20),
        ("/", 0),
        ("/account", 1),
        ("/settings/members", 1),
        ("/numbers", 1),
        ("/agents", 1),
        ("/agents/new", 0),
        (agent.as_str(), 0),
        (model.as_str(), 0),
        (hours.as_str(), 0),
        (hand_over.as_str(), 0),
        (sending.as_str(), 0),
        (turns.as_str(), 25),
        (playground.as_str(), 0),
    ] {
        // when a page is opened on a phone, then it is short in pixels and in bytes.
        browser.goto(&format!("{}{path}", scene.service)).await;
        browser.find("#content").await;
        let shown = browser.run("return document.querySelectorAll('tbody tr').length").await;
        assert!(shown.as_u64().unwrap() >= rows, "{path} has {shown} rows");
        let height = browser.run("return document.documentElement.scrollHeight").await;
        assert!(height.as_u64().unwrap() <= MAX_HEIGHT, "{path} is {height} px high");
        let script = "const done = arguments[arguments.length - 1];\
                      fetch(location.href).then((it) => it.blob()).then((it) => done(it.size))";
        let bytes = browser.client.execute_async(script, Vec::new()).await.unwrap();
        assert!(bytes.as_u64().unwrap() <= MAX_BYTES, "{path} has {bytes} bytes");
        if path == failing {
            let notice = "Your server does not accept deliveries";
            assert!(browser.text().await.contains(notice), "the endpoint does not fail");
        }
    }
}

/// The size of a phone.
const PHONE: (u32, u32) = (390, 844);
/// The maximum height of a text with one line, in pixels.
const ONE_LINE: f64 = 40.0;

async fn on_a_phone_the_values_and_buttons_of_a_new_key_are_visible(engine: Engine) {
    // Given a key that a member creates on a phone,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    page_area(browser, PHONE).await;
    browser.goto(&format!("{}/integrations/keys/new", scene.service)).await;
    browser.fill("#name", "Newsletter").await;
    browser.run("document.querySelector('[name=scope]').checked = true").await;
    browser.click("main form button.primary").await;
    browser.find("#client-secret").await;
    // then each value is on one line, and scrolls inside its box,
    for id in ["client-id", "client-secret"] {
        let [.., height, width] = place_of(browser, &format!("#{id}")).await;
        assert!(height < ONE_LINE && width < 390.0, "{id} is {width} × {height} px");
    }
    let scrolls =
        "const it = document.querySelector('#env'); return it.scrollWidth > it.clientWidth";
    assert_eq!(browser.run(scrolls).await, true, "the lines of .env are broken");
    let wider =
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.run(wider).await, 0);
    // and the copy buttons and the button that leaves the page are inside the window.
    let outside = "return [...document.querySelectorAll('main .btn')]\
                   .filter((it) => it.getBoundingClientRect().right > innerWidth).length";
    assert_eq!(browser.run(outside).await, 0);
    let [top, bottom, ..] = place_of(browser, "main a.primary").await;
    assert!(top > 0.0 && bottom <= f64::from(PHONE.1), "“I’ve saved”: {top} to {bottom}");
}

async fn on_a_phone_a_session_says_what_its_times_are(engine: Engine) {
    // Given a member with a session in another browser,
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    crate::connect::Browser::new(world).sign_in("/login").await;
    scene.sign_in().await;
    page_area(browser, PHONE).await;
    browser.goto(&format!("{}/account", scene.service)).await;
    browser.find("button[value=end]").await;
    // then its times are labeled, because a phone does not show the table's head,
    let labels = "return [...document.querySelector('button[value=end]').closest('tr')\
                  .querySelectorAll('[data-l]')].map((it) => it.dataset.l)";
    assert_eq!(browser.run(labels).await, json!(["Signed in", "Last used"]));
    let shown = "return getComputedStyle(document.querySelector('td[data-l]'), '::before').content";
    assert_ne!(browser.run(shown).await, "none");
    // and the button that ends it is inside the window, at its end.
    let place = "const it = document.querySelector('button[value=end]').getBoundingClientRect();\
                 return [it.left > innerWidth / 2, it.right <= innerWidth]";
    assert_eq!(browser.run(place).await, json!([true, true]));
}

async fn on_a_phone_the_sandbox_phone_follows_the_composer(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    let phone = format!("{}/numbers/{}/phone", scene.service, scene.world.account);
    let script = "return ['#text', '.phone', '#recent', '#phone-call'].map((css) => {\
                     const it = document.querySelector(css).getBoundingClientRect();\
                     return [it.left, it.top];\
                   })";
    let corners = async || {
        let found = browser.run(script).await;
        [0, 1, 2, 3].map(|part| [0, 1].map(|side| found[part][side].as_f64().unwrap()))
    };
    // On a phone the parts are below each other: the composer, the sandbox phone, what happened, and
    // the call.
    page_area(browser, PHONE).await;
    browser.goto(&phone).await;
    browser.find("#phone-call").await;
    let [composer, customer, happened, call] = corners().await;
    assert!(composer[1] < customer[1] && customer[1] < happened[1] && happened[1] < call[1]);
    // In a wide window the sandbox phone is beside the composer and what happened.
    page_area(browser, (1280, 900)).await;
    let [composer, customer, happened, call] = corners().await;
    assert!(customer[0] > composer[0] + 300.0 && customer[1] < happened[1]);
    assert!((happened[0] - composer[0]).abs() < 40.0 && happened[1] < call[1]);
}

async fn a_chosen_appearance_is_there_from_the_first_frame_on(engine: Engine) {
    // Given a member whose system is light,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/account", scene.service)).await;
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let light = browser.run(ground).await;
    // when the member chooses dark, then pages are dark, and have no script or style of their own;
    browser.run("document.querySelector('[name=appearance][value=dark]').click()").await;
    browser.click("button[value=appearance]").await;
    browser.find(".once").await;
    let dark = browser.run(ground).await;
    assert_ne!(light, dark);
    browser.goto(&format!("{}/messages", scene.service)).await;
    assert_eq!(browser.run(ground).await, dark);
    let inline = "return document.querySelectorAll('style, [style], script:not([src])').length";
    assert_eq!(browser.run(inline).await, 0);
    // when the member chooses light again, then they are light.
    browser.goto(&format!("{}/account", scene.service)).await;
    browser.run("document.querySelector('[name=appearance][value=light]').click()").await;
    browser.click("button[value=appearance]").await;
    browser.find(".once").await;
    assert_eq!(browser.run(ground).await, light);
}

on_every_browser! {
    with_25_rows_a_page_stays_short_on_a_phone,
    on_a_phone_the_values_and_buttons_of_a_new_key_are_visible,
    on_a_phone_a_session_says_what_its_times_are,
    on_a_phone_the_sandbox_phone_follows_the_composer,
    a_chosen_appearance_is_there_from_the_first_frame_on,
    in_the_popups_own_size_the_decision_is_in_sight,
    on_a_phone_the_header_holds_two_organizations_with_long_names,
    copy_buttons_work_over_plain_http_and_say_so,
}
