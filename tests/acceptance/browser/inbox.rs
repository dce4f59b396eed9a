//! The inbox in real browsers: a file, a saved reply, new messages, and what stays when the page is
//! renewed or left.

mod agent;
mod composing;
mod contacts;
mod decisions;
mod keys;
mod live;
mod voice;

use super::{BrowserWorld, Setup, on_every_browser, until};
use crate::browser::Engine;
use crate::connect::{EMAIL, PASSWORD};
use domain::role::Role;
use domain::saved_reply::SavedReplyContent;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const CUSTOMER: &str = "+12025550143";
pub(super) const OTHER_CUSTOMER: &str = "+12025550144";
const ESCAPE: &str = "\u{e00c}";

impl BrowserWorld {
    /// Opens a conversation in which the customer has written.
    async fn open_conversation(&self) -> String {
        // WebKit's window is smaller at first, and shows no details of the contact beside the thread.
        self.browser.client.set_window_size(1280, 900).await.unwrap();
        self.sign_in().await;
        self.customer_writes("Hello").await;
        let path = self.conversation_with(CUSTOMER).await;
        self.browser.goto(&path).await;
        path
    }

    /// Returns the address of the conversation with a customer who has written.
    pub(super) async fn conversation_with(&self, number: &str) -> String {
        let id = self.world.history(number).await[0]["conversation_id"].clone();
        format!("{}/inbox/{}", self.service, id.as_str().unwrap())
    }

    /// Waits until the page's script has run. WebKit may report the page as loaded before that.
    pub(super) async fn until_script_has_run(&self) {
        let shown = "return document.querySelector('[data-live-state]')?.hidden === false";
        until("the script has run", async || self.browser.run(shown).await == true).await;
    }

    /// Waits until a script returns this text.
    async fn until_it_is(&self, script: &str, text: &str) {
        until(&format!("{script} is {text:?}"), async || self.browser.run(script).await == text)
            .await;
    }

    /// Waits until the result of a form says this.
    async fn until_said(&self, title: &str) {
        self.until_it_is("return document.querySelector('.once b')?.textContent", title).await;
    }

    /// Writes as the customer of the sandbox number.
    pub(super) async fn customer_writes(&self, text: &str) {
        self.writes_as(CUSTOMER, text).await;
    }

    /// Writes as a customer of the sandbox number.
    pub(super) async fn writes_as(&self, number: &str, text: &str) {
        let body = json!({"phone_number": number, "text": text});
        let sent = self.world.post("/api/v1/sandbox/inbound", &self.world.key, &body).await;
        assert!(sent.status < 300, "{}", sent.text);
        self.world.settle().await;
    }

    /// Waits until the composer has this text.
    async fn until_composer_has(&self, text: &str) {
        until(&format!("the composer has {text:?}"), async || self.composed().await == text).await;
    }

    async fn composed(&self) -> Value {
        self.browser.run("return document.getElementById('text')?.value").await
    }

    /// Returns the state of the agent in the conversation.
    async fn agent_state(&self) -> Value {
        let world = &self.world;
        let found = world.get("/api/v1/conversations", &world.key).await;
        found.body["data"][0]["agent"]["state"].clone()
    }

    pub(super) async fn newest(&self) -> Value {
        self.world.history(CUSTOMER).await.pop().expect("a message")
    }
}

async fn a_pasted_file_is_shown_and_sent(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    // Given a file that is dropped on the thread, then it is shown with a way to remove it,
    let drop_file = "const all = new DataTransfer();\
        all.items.add(new File(['%PDF-1.4'], 'menu <1>.pdf', { type: 'application/pdf' }));\
        document.getElementById('thread').dispatchEvent(\
          new DragEvent('drop', { dataTransfer: all, bubbles: true, cancelable: true }))";
    until("the file is shown", async || {
        browser.run(drop_file).await;
        browser.run("return document.querySelector('[data-attached] b').textContent").await
            == "menu <1>.pdf"
    })
    .await;
    browser.click("[data-attached] button").await;
    let hidden = "return document.querySelector('[data-attached]').hidden";
    assert_eq!(browser.run(hidden).await, true);
    // and it is sent with the text.
    browser.run(drop_file).await;
    browser.fill("#text", "Our menu").await;
    browser.click(".composer button[value=send]").await;
    until("the message is sent", async || scene.newest().await["type"] == "media").await;
    assert_eq!(scene.newest().await["media"]["filename"], "menu <1>.pdf");
    assert_eq!(scene.newest().await["media"]["caption"], "Our menu");
}

async fn a_slash_opens_the_saved_replies(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    for (name, text) in [("Hours", "We open at {{x}} 7."), ("Thanks", "Thank you!")] {
        let content = SavedReplyContent { name: name.to_owned(), text: text.to_owned() };
        let deps = &world.server.deps;
        service::saved_replies::create(deps, world.organization, content).await.unwrap();
    }
    scene.open_conversation().await;
    browser.fill("#text", "/").await;
    browser.find("dialog[open] .hit").await;
    browser.fill("dialog[open] input", "thank").await;
    until("one reply is found", async || {
        browser.run("return document.querySelectorAll('dialog .hit').length").await == 1
    })
    .await;
    browser.fill("dialog[open] input", "\u{e007}").await; // Enter
    until("the text is inserted", async || {
        browser.run("return document.getElementById('text')?.value").await == "Thank you!"
    })
    .await;
}

async fn a_new_message_appears_in_the_thread_and_in_the_title(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    until("the title counts", async || {
        browser.run("return document.title").await.as_str().is_some_and(|it| it.starts_with("(1) "))
    })
    .await;
    scene.customer_writes("Are you there?").await;
    until("the message is shown", async || browser.text().await.contains("Are you there?")).await;
    // The keys work, and can be switched off.
    browser.run(&press("r")).await;
    assert_eq!(browser.run("return document.activeElement.id").await, "text");
    browser.goto(&format!("{}/account", scene.service)).await;
    browser.click("[data-setting=keys]").await;
    let conversation = scene.newest().await["conversation_id"].as_str().unwrap().to_owned();
    browser.goto(&format!("{}/inbox/{conversation}", scene.service)).await;
    browser.find("#text").await;
    browser.run(&press("r")).await;
    assert_ne!(browser.run("return document.activeElement.id").await, "text");
}

/// Returns the script that presses a key where nothing has the focus.
fn press(key: &str) -> String {
    format!(
        "document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
    )
}

async fn a_renewal_keeps_the_focus_and_moves_the_keys(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a link in the thread that has the focus, then new messages appear, and it keeps it.
    browser.run("document.querySelector('#messages a').focus()").await;
    scene.customer_writes("Are you there?").await;
    until("the message is shown", async || browser.text().await.contains("Are you there?")).await;
    assert_eq!(browser.run("return document.activeElement.matches('#messages a')").await, true);
    // Given a link in the list that has the focus, when another customer writes, then the focus
    // stays at its conversation,
    browser.run("document.querySelector('.conv').focus()").await;
    scene.writes_as(OTHER_CUSTOMER, "Good morning").await;
    let count = "return document.querySelectorAll('.conv').length";
    until("both are listed", async || browser.run(count).await == 2).await;
    let text = "return document.activeElement.textContent";
    assert!(browser.run(text).await.as_str().unwrap().contains("Are you there?"));
    // and the key leads to the one that came before it.
    browser.run("document.activeElement.blur()").await;
    browser.run(&press("k")).await;
    until("the other conversation is open", async || {
        let name = "return document.getElementById('thread-name')?.textContent";
        browser.run(name).await.as_str().is_some_and(|it| it.contains(OTHER_CUSTOMER))
    })
    .await;
}

async fn whoever_reads_further_up_is_told_of_new_messages(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    // Given more messages than a page has, and a reader who is not at the end,
    for number in 0..50 {
        scene.customer_writes(&format!("Message {number}")).await;
    }
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    browser.run("document.querySelector('[data-log]').scrollTop = 0").await;
    assert!(browser.text().await.contains("Message 1\n"));
    // when a message arrives, then a button counts it, and what they read stays.
    scene.customer_writes("One more").await;
    until("the button counts", async || {
        browser.run("return document.querySelector('.jump')?.textContent").await == "1 new message"
    })
    .await;
    assert!(browser.text().await.contains("Message 1\n"));
}

/// Returns the script that writes a text into the composer, as a member does.
fn writing(text: &str) -> String {
    format!(
        "const it = document.getElementById('text'); \
         it.value = '{text}'; \
         it.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    )
}

/// The script that marks the page, so that it differs from the next one.
const MARK: &str = "window.isOld = true;";
/// The script that returns the text of the composer, or false on the marked page.
const TEXT_OF_NEXT: &str = "return !window.isOld && document.getElementById('text')?.value";

async fn the_last_words_are_there_after_a_reload(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let path = scene.open_conversation().await;
    scene.until_script_has_run().await;
    let write = format!("{MARK} {}", writing("Half a sentence"));
    // Given a page that is left at once, then the next one has the text of its field;
    browser.run(&format!("{write} location.reload()")).await;
    let text = TEXT_OF_NEXT;
    until("the reply is kept", async || browser.run(text).await == "Half a sentence").await;
    // and so has a note.
    browser.goto(&format!("{path}?compose=note")).await;
    scene.until_script_has_run().await;
    browser.run(&format!("{write} location.reload()")).await;
    until("the note is kept", async || browser.run(text).await == "Half a sentence").await;
}

async fn the_last_words_stay_after_a_saved_reply_and_a_refused_label(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let content = SavedReplyContent { name: "Hours".to_owned(), text: "We open at 7.".to_owned() };
    let deps = &world.server.deps;
    service::saved_replies::create(deps, world.organization, content).await.unwrap();
    let path = scene.open_conversation().await;
    browser.goto(&format!("{path}?compose=saved")).await;
    browser.click("#saved a").await;
    scene.until_composer_has("We open at 7.").await;
    scene.until_script_has_run().await;
    assert!(browser.address().await.contains("?saved="));
    // Given a saved reply that the member changes, when the page is reloaded at once, then the change
    // stays,
    browser.run(&format!("{MARK} {} location.reload()", writing("Half a sentence"))).await;
    let text = TEXT_OF_NEXT;
    until("the change is kept", async || browser.run(text).await == "Half a sentence").await;
    // and also after it was stored.
    until("it is a draft", async || browser.address().await == path).await;
    browser.reload().await;
    scene.until_composer_has("Half a sentence").await;
    scene.until_script_has_run().await;
    // When a label is refused while the member writes, then the text stays, too.
    let refused = "const label = document.querySelector('#contact input.in[name=label]'); \
        label.removeAttribute('maxlength'); \
        label.value = 'x'.repeat(51); \
        label.form.querySelector('button').click();";
    browser.run(&format!("{MARK} {} {refused}", writing("A whole sentence"))).await;
    until("the page says why", async || {
        browser.text().await.contains("A label has at most 50 characters.")
    })
    .await;
    until("the text is kept", async || browser.run(text).await == "A whole sentence").await;
}

async fn drafts_are_stored_one_after_the_other(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a draft that is on its way for long,
    let slow = "window.saves = []; \
        const real = window.fetch; \
        window.fetch = async (url, options) => { \
          if (options?.method !== 'POST') return real.call(window, url, options); \
          window.saves.push(options.body.get('text')); \
          if (window.saves.length === 1) await new Promise((done) => { window.arrive = done; }); \
          return real.call(window, url, options); \
        };";
    browser.run(slow).await;
    let saves = "return window.saves";
    browser.run(&writing("One")).await;
    until("the first text is sent", async || browser.run(saves).await == json!(["One"])).await;
    // when the member goes on, then the newest text waits for it,
    browser.run(&writing("One, two")).await;
    tokio::time::sleep(Duration::from_millis(900)).await; // real time: a pause of the member
    browser.run(&writing("One, two, three")).await;
    tokio::time::sleep(Duration::from_millis(900)).await; // real time: a pause of the member
    assert_eq!(browser.run(saves).await, json!(["One"]));
    // and is stored after it.
    browser.run("window.arrive()").await;
    let both = json!(["One", "One, two, three"]);
    until("the newest text is sent", async || browser.run(saves).await == both).await;
    browser.reload().await;
    scene.until_composer_has("One, two, three").await;
}

async fn an_answer_of_a_proxy_leaves_the_conversation_as_it_is(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    browser.fill("#text", "A long answer").await;
    // Given a proxy that answers 404 while the server is updated,
    browser.run("window.fetch = async () => new Response('no such page', { status: 404 })").await;
    scene.customer_writes("Are you there?").await;
    // then the page says that it tries again, and keeps the messages and the text.
    let why = "The server can’t be reached.";
    until("the page says so", async || browser.text().await.contains(why)).await;
    assert!(browser.text().await.contains("Hello"));
    assert_eq!(scene.composed().await, "A long answer");
}

async fn keys_take_over_and_open_the_templates(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let path = scene.open_conversation().await;
    scene.until_script_has_run().await;
    browser.run(MARK).await;
    browser.run(&press("m")).await;
    until("the next page is shown", async || browser.run(TEXT_OF_NEXT).await == "").await;
    assert_eq!(scene.agent_state().await, "paused");
    scene.until_script_has_run().await;
    browser.run(&press("t")).await;
    let templates = format!("{path}?compose=template");
    until("the templates are open", async || browser.address().await == templates).await;
}

async fn a_text_stays_when_its_conversation_cannot_be_opened_anymore(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let organization = world.organization;
    let other = ("zoe@acme.example", "Zoe");
    let admin = world.admin();
    admin.create_member_as(Role::Owner, organization, other.0, other.1, PASSWORD).await.unwrap();
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a member who writes, when their role has the inbox no longer,
    browser.fill("#text", "A long answer").await;
    let db = &world.server.deps.db;
    let member = db.member_of_email(EMAIL.to_owned()).await.unwrap().expect("the member");
    let organization_db = db.organization(organization);
    let now = world.clock.now();
    organization_db.change_role(member.id, Some(Role::Developer), now).await.unwrap();
    scene.customer_writes("Are you there?").await;
    // then the page says so, without the messages and with the text.
    let why = "You can’t open this conversation anymore.";
    until("the page says so", async || browser.text().await.contains(why)).await;
    let text = browser.text().await;
    assert!(!text.contains("Hello"), "{text}");
    assert_eq!(scene.composed().await, "A long answer");
}

async fn a_reply_is_sent_after_the_member_has_signed_in_again(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a member who writes while their session ends,
    browser.fill("#text", "A long answer").await;
    let sign_out = "const token = document.querySelector(\"form[action='/logout'] input\").value; \
        return fetch('/logout', { method: 'POST', body: new URLSearchParams({ token }) }).then(() => 1)";
    browser.run(sign_out).await;
    scene.customer_writes("Are you there?").await;
    until("the page says so", async || browser.text().await.contains("You are signed out.")).await;
    // when they sign in elsewhere in this browser,
    let sign_in = format!(
        "return fetch('/login').then((answer) => answer.text()).then((html) => {{ \
           const form = new DOMParser().parseFromString(html, 'text/html').querySelector('main form, form'); \
           const body = new URLSearchParams([...form.elements].filter((it) => it.name).map((it) => [it.name, it.value])); \
           body.set('email', '{EMAIL}'); \
           body.set('password', '{PASSWORD}'); \
           return fetch('/login', {{ method: 'POST', body }}).then((answer) => answer.status); \
         }})"
    );
    assert_eq!(browser.run(&sign_in).await, 200);
    until("the page goes on", async || !browser.text().await.contains("You are signed out.")).await;
    // then what they wrote is sent.
    browser.click(".composer button[value=send]").await;
    until("the reply is sent", async || scene.newest().await["text"] == "A long answer").await;
}

async fn one_escape_clears_the_search_and_leaves_it(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let search = ".convs input[type=search]";
    let state = format!(
        "const it = document.querySelector({search:?}); \
         return [it.value, document.activeElement === it]"
    );
    // Given a text in the search of an open conversation, which was not searched for,
    let path = scene.open_conversation().await;
    scene.until_script_has_run().await;
    browser.fill(search, "nobody").await;
    assert_eq!(browser.run(&state).await, json!(["nobody", true]));
    // when Escape is pressed once, then the field is empty and has not the focus.
    browser.fill(search, ESCAPE).await;
    assert_eq!(browser.run(&state).await, json!(["", false]));
    assert_eq!(browser.address().await, path);
    // Given a list of what a search found, then one Escape shows the whole list, and the conversation
    // stays open.
    browser.goto(&format!("{path}?q=0143")).await;
    scene.until_script_has_run().await;
    assert_eq!(browser.run(&state).await, json!(["0143", false]));
    browser.fill(search, ESCAPE).await;
    until("the whole list is shown", async || browser.address().await == path).await;
    browser.find(search).await;
    assert_eq!(browser.run(&state).await, json!(["", false]));
}

async fn without_scripts_a_file_is_chosen_and_sent(engine: Engine) {
    let setup = Setup { script: false, ..Setup::default() };
    let scene = BrowserWorld::with(engine, setup).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("menu.pdf");
    std::fs::write(&file, "%PDF-1.4").unwrap();
    browser
        .find("noscript input[type=file]")
        .await
        .send_keys(file.to_str().unwrap())
        .await
        .unwrap();
    browser.click(".composer button[value=send]").await;
    until("the message is sent", async || scene.newest().await["type"] == "media").await;
}

on_every_browser! {
    a_pasted_file_is_shown_and_sent,
    a_slash_opens_the_saved_replies,
    a_new_message_appears_in_the_thread_and_in_the_title,
    a_renewal_keeps_the_focus_and_moves_the_keys,
    whoever_reads_further_up_is_told_of_new_messages,
    the_last_words_are_there_after_a_reload,
    the_last_words_stay_after_a_saved_reply_and_a_refused_label,
    drafts_are_stored_one_after_the_other,
    an_answer_of_a_proxy_leaves_the_conversation_as_it_is,
    keys_take_over_and_open_the_templates,
    a_text_stays_when_its_conversation_cannot_be_opened_anymore,
    a_reply_is_sent_after_the_member_has_signed_in_again,
    one_escape_clears_the_search_and_leaves_it,
    without_scripts_a_file_is_chosen_and_sent,
}
