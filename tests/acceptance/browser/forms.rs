//! Forms that create something, in browsers that repeat a form without asking: reload and Back
//! create nothing more, and a secret is not shown again.

use super::{BrowserWorld, on_every_browser, until};
use crate::browser::Engine;
use crate::webhooks::{create_endpoint, read_endpoint, receiver::Receiver};
use persistence::records::Owner;
use serde_json::json;

impl BrowserWorld {
    /// Waits for a secret on the page, then reloads, leaves the page and returns: the secret is
    /// gone.
    async fn shown_once(&self, id: &str) -> String {
        let browser = &self.browser;
        let css = format!("#{id}");
        let secret = browser.find(&css).await.text().await.unwrap();
        assert!(secret.len() > 20, "{secret}");
        let here = browser.address().await;
        browser.reload().await;
        self.until_without(&secret, "reloaded").await;
        assert_eq!(browser.address().await, here);

        browser.goto(&format!("{}/docs", self.service)).await;
        browser.back().await;
        self.until_without(&secret, "gone back to").await;
        assert_eq!(browser.address().await, here);
        // This leads to the form, or to the page after it if the browser repeats the form.
        browser.back().await;
        self.until_without(&secret, "gone back to the form").await;
        secret
    }

    async fn until_without(&self, secret: &str, how: &str) {
        until(&format!("the page, {how}, is there without the secret"), async || {
            let text = self.browser.text().await;
            text.contains("Plan and usage") && !text.contains(secret)
        })
        .await;
    }

    async fn submit_keys_form(&self) {
        self.browser.goto(&format!("{}/integrations/keys/new", self.service)).await;
        self.browser.fill("#name", "Newsletter").await;
        self.browser.run("document.querySelector('[name=scope]').checked = true").await;
        self.browser.click("main form button.primary").await;
    }
}

async fn reload_and_back_after_a_key_was_created_make_no_second_one(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let world = &scene.world;
    let made = async || {
        world
            .server
            .deps
            .db
            .organization(world.organization)
            .list_own_keys(None, 100)
            .await
            .unwrap()
            .len()
    };
    let before = made().await;
    scene.sign_in().await;
    scene.submit_keys_form().await;
    scene.shown_once("client-secret").await;
    assert_eq!(made().await, before + 1);
}

async fn reload_and_back_after_an_endpoint_was_added_or_rotated_do_nothing_more(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (world, browser) = (&scene.world, &scene.browser);
    scene.sign_in().await;
    let list = format!("{}/integrations/webhooks", scene.service);
    browser.goto(&format!("{list}/new")).await;
    browser.fill("#url", "https://hooks.acme.example/switchboard").await;
    browser.click("main form button.primary").await;
    scene.shown_once("secret").await;
    let made = world
        .server
        .deps
        .db
        .owner(Owner::Organization(world.organization))
        .list_own_endpoints()
        .await
        .unwrap();
    assert_eq!(made.len(), 1);

    let receiver = Receiver::start().await;
    let (one, _) = create_endpoint(world, &receiver, &[]).await;
    browser.goto(&format!("{list}/{}/rotate", one.id)).await;
    browser.click("button[value=rotate]").await;
    scene.shown_once("secret").await;
    let now = read_endpoint(world, &one).await;
    assert_eq!(now.previous_secret.as_ref(), Some(&one.secret), "rotated once");
}

async fn reload_and_back_after_an_application_was_registered_or_renewed_do_nothing_more(
    engine: Engine,
) {
    let scene = BrowserWorld::start(engine).await;
    let (world, browser) = (&scene.world, &scene.browser);
    scene.sign_in().await;
    let list = format!("{}/integrations/applications", scene.service);
    browser.goto(&format!("{list}/new")).await;
    browser.fill("#name", "Acme CRM").await;
    browser.fill("#redirect_uris", "https://crm.acme.example/callback").await;
    browser.run("document.querySelector('[name=scope]').checked = true").await;
    browser.click("main form button.primary").await;
    let first = scene.shown_once("client-secret").await;
    let own =
        world.server.deps.db.organization(world.organization).own_applications().await.unwrap();
    assert_eq!(own.len(), 1);

    browser.goto(&format!("{list}/{}/renew", own[0].id)).await;
    browser.click("button[value=renew]").await;
    let renewed = scene.shown_once("client-secret").await;
    assert_ne!(renewed, first);
    let own =
        world.server.deps.db.organization(world.organization).own_applications().await.unwrap();
    let digest = auth::secret::Secret::parse(&renewed).unwrap().digest();
    assert_eq!(own[0].secret_digest, digest.as_bytes().to_vec(), "renewed once");
}

async fn a_faulty_field_has_a_red_border_and_the_first_one_the_focus(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    let color = async |css: &str| {
        let script =
            format!("return getComputedStyle(document.querySelector({css:?})).borderTopColor");
        browser.run(&script).await.as_str().unwrap().to_owned()
    };
    for (path, fields) in [
        ("keys", &["#name", "#rate_limit"][..]),
        ("applications", &["#name", "#redirect_uris"][..]),
        ("webhooks", &["#url"][..]),
    ] {
        browser.goto(&format!("{}/integrations/{path}/new", scene.service)).await;
        let usual = color(fields[0]).await;
        // A browser that validates the form itself would not submit it.
        browser.run("const form = document.querySelector('main form'); form.noValidate = true;\
            [...form.querySelectorAll('input[type=text], input[type=number]')].forEach((it) => { it.value = ''; });\
            form.querySelector('[name=which][value=some]')?.click()").await;
        browser.click("main form button.primary").await;
        browser.find("[aria-invalid=true]").await;
        let red = color(".err").await;
        assert_ne!(red, usual);
        for field in fields {
            assert_eq!(color(field).await, red, "{path} {field}");
        }
        let group = "const group = document.querySelector('fieldset:has(> .err)');\
            const pick = group.querySelector('.pick');\
            return pick ? getComputedStyle(pick).borderTopColor\
              : getComputedStyle(group.querySelector('.tick input')).outlineColor";
        assert_eq!(browser.run(group).await, red.as_str(), "{path}");
        let focused = browser.run("return document.activeElement.id").await;
        assert_eq!(focused, &fields[0][1..], "{path}");
    }
}

async fn the_confirmation_of_an_action_has_the_focus(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/integrations/keys", scene.service)).await;
    browser.click("table a.link").await;
    browser.click("button[value=disable]").await;
    let said = browser.find(".once b").await.text().await.unwrap();
    assert_eq!(said, "Key disabled.");
    let focused = browser.run("return document.activeElement.matches('.once')").await;
    assert_eq!(focused, true);
}

async fn only_the_fields_of_the_chosen_kind_of_agent_are_shown(engine: Engine) {
    const SHOWN: &str = "return ['base_url', 'model', 'api_key', 'url', 'instructions']\
        .filter(id => document.getElementById(id).getClientRects().length > 0)";
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/agents/new", scene.service)).await;
    let model = json!(["base_url", "model", "api_key", "instructions"]);
    assert_eq!(browser.run(SHOWN).await, model);
    let labels = browser.run("return document.querySelector('form.by-kind').innerText").await;
    for required in ["Server URL", "Model"] {
        let optional = format!("{required} optional");
        assert!(!labels.as_str().unwrap().contains(&optional), "{labels}");
    }
    let choose = async |kind: &str| {
        browser.run(&format!("document.querySelector('[name=kind][value={kind}]').click()")).await
    };
    for (kind, fields) in [("webhook", json!(["url"])), ("api", json!([])), ("model", model)] {
        choose(kind).await;
        assert_eq!(browser.run(SHOWN).await, fields, "{kind}");
    }

    // What was typed into a field that is hidden now does not hold the form up.
    browser.fill("#name", "Hours").await;
    browser.fill("#base_url", "no address").await;
    choose("api").await;
    browser.click("form.by-kind button.primary").await;
    assert!(browser.find(".once b").await.text().await.unwrap().starts_with("Agent added"));
}

async fn enter_on_the_phone_sends_what_was_typed(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/numbers/{}/phone", scene.service, scene.world.account)).await;
    browser.fill("[name=said]", "When do you open?\u{e007}").await; // Enter
    until("the phone shows the text", async || {
        scene.world.settle().await;
        let thread = "return document.querySelector('#thread').innerText";
        let shown = browser.run(thread).await;
        shown.as_str().is_some_and(|it| it.contains("When do you open?"))
    })
    .await;
    // The next text is the customer's, too.
    let focused = "return document.activeElement.name";
    until("the field has the focus", async || browser.run(focused).await == "said").await;
}

async fn the_preview_on_the_phone_follows_what_is_typed(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/numbers/{}/phone", scene.service, scene.world.account)).await;
    // When a member types, then the preview and the call follow without a click, and nothing is
    // sent.
    scene.until_script_has_run().await;
    browser.fill("#text", "When do you open?").await;
    until("the preview shows the text", async || {
        let shown = "return document.querySelector('#phone-preview .bub')?.textContent";
        browser.run(shown).await == "When do you open?"
    })
    .await;
    let call = "return document.querySelector('#phone-call').textContent";
    assert!(browser.run(call).await.as_str().unwrap().contains("When do you open?"));
    assert!(scene.world.history("+12025550143").await.is_empty());
}

async fn home_stays_readable_when_the_last_step_is_done(engine: Engine) {
    // Given a member who looks at the first steps,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}/", scene.service)).await;
    let shown = async || {
        let shown = browser.run("return document.querySelector('main').innerText").await;
        shown.as_str().unwrap().to_owned()
    };
    assert!(shown().await.contains("Four steps"), "{}", shown().await);

    // when the first call arrives, then the page says so.
    let text = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello"});
    assert_eq!(scene.world.post("/api/v1/messages", &scene.world.key, &text).await.status, 201);
    scene.world.settle().await;
    until("the page says that all is set", async || shown().await.contains("All set.")).await;
}

on_every_browser! {
    home_stays_readable_when_the_last_step_is_done,
    enter_on_the_phone_sends_what_was_typed,
    the_preview_on_the_phone_follows_what_is_typed,
    reload_and_back_after_a_key_was_created_make_no_second_one,
    reload_and_back_after_an_endpoint_was_added_or_rotated_do_nothing_more,
    reload_and_back_after_an_application_was_registered_or_renewed_do_nothing_more,
    a_faulty_field_has_a_red_border_and_the_first_one_the_focus,
    the_confirmation_of_an_action_has_the_focus,
    only_the_fields_of_the_chosen_kind_of_agent_are_shown,
}
