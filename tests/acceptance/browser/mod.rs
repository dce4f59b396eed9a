//! Connect in real browsers: a member, a partner's site of another origin, and the popup between
//! them (`docs/security.md`, the popup).

mod appearance;
mod button;
mod dialogs;
mod docs;
mod engine;
mod forms;
mod inbox;
mod keyboard;
mod messages;
mod opener;
mod popup;
mod site;
mod small;
mod walks;
mod webhooks;

use crate::connect::{
    EMAIL, PASSWORD, VERIFIER, create_member, exchange_code, percent_encode, query_parameter,
};
use crate::world::{Database, World, free_port};
pub use appearance::{Shade, look_in};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::application::{Terms, TermsInput};
use domain::scope::{Scope, ScopeSet};
use engine::on_every_browser;
pub use engine::{Browser, Engine, Setup, Windows, until};
use fantoccini::Locator;
use fantoccini::wd::WindowHandle;
use serde_json::{Value, json};
use service::applications::CreatedApplication;
use site::{Page, Site};
use std::time::Duration;
use tokio::time::Instant;

const STATE: &str = "st\u{e4}te /&=+";
/// Longer than the time for which the relay page waits for its opener. Nothing more happens after
/// this time.
const LONG_ENOUGH: Duration = Duration::from_secs(4);
/// Longer than the time after which a request arrives that a page sent before it went away.
const UNDER_WAY: Duration = Duration::from_millis(500);
/// A script that records in the page which events of a click it sees.
const NOTE_EVENTS: &str = "document.documentElement.dataset.saw = '';\
    for (const name of ['pointerdown', 'click', 'submit'])\
      addEventListener(name, (event) => {\
        document.documentElement.dataset.saw += name + ' on ' + event.target.tagName + '; ';\
      }, true);";

/// A Switchboard server that browsers can reach, a partner's site, and a browser.
pub struct BrowserWorld {
    pub world: World,
    pub site: Site,
    pub browser: Browser,
    pub application: CreatedApplication,
    /// Switchboard's origin.
    pub service: String,
}

/// Registers the partner's application, whose callback is on the partner's site.
async fn register_partner(world: &World, site: &Site) -> CreatedApplication {
    let owner = world.organization_on("Partner", "Unlimited").await;
    let scopes: ScopeSet = [Scope::MessagesSend, Scope::ConversationsRead].into_iter().collect();
    let terms = Terms::parse(TermsInput {
        name: "Partner CRM",
        redirect_uris: &[site.address("127.0.0.1", "/callback")],
        scopes,
        description: "Keeps your customers together.",
        start_url: "",
    });
    let made = world.admin().create_application(Some(owner), &terms.unwrap(), true).await;
    made.unwrap()
}

impl BrowserWorld {
    pub async fn on(engine: Engine, database: Database, setup: Setup) -> Self {
        Self::named(engine, "localhost", database, setup).await
    }

    /// Starts the server under another host name. The browser resolves names under `.test` to this
    /// machine.
    pub async fn named(engine: Engine, host: &str, database: Database, setup: Setup) -> Self {
        Self::begin(engine, host, database, setup, true).await
    }

    /// Starts a server on which nobody can sign in yet.
    pub async fn without_members(engine: Engine, database: Database, setup: Setup) -> Self {
        Self::begin(engine, "localhost", database, setup, false).await
    }

    async fn begin(
        engine: Engine,
        host: &str,
        database: Database,
        setup: Setup,
        has_member: bool,
    ) -> Self {
        let port = free_port();
        let (bind, service) = (format!("127.0.0.1:{port}"), format!("http://{host}:{port}"));
        let settings =
            [("bind", bind.as_str()), ("base_url", &service), ("webhook_allow", "127.0.0.0/8")];
        let test_port = (host != "localhost").then_some(port);
        let browser = Browser::start(engine, Setup { test_port, ..setup });
        let others = async {
            let world = World::on(database, &settings).await;
            if has_member {
                create_member(&world).await;
            }
            let site = Site::start().await;
            let application = register_partner(&world, &site).await;
            (world, site, application)
        };
        // A browser needs seconds to start.
        let (browser, (world, site, application)) =
            tokio::join!(Box::pin(browser), Box::pin(others));
        Self { world, site, browser, application, service }
    }

    pub async fn start(engine: Engine) -> Self {
        Self::with(engine, Setup::default()).await
    }

    /// Starts a server on SQLite, and a browser with these options.
    pub async fn with(engine: Engine, setup: Setup) -> Self {
        Self::on(engine, Database::migrated_sqlite(), setup).await
    }

    /// Returns the authorize URL that the partner's server would build.
    pub fn authorize_url(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
        format!(
            "{}/connect/authorize?client_id={}&redirect_uri={}&scope=messages.send%20conversations.read\
             &state={}&code_challenge={}&code_challenge_method=S256",
            self.service,
            self.application.client_id,
            percent_encode(&self.site.address("127.0.0.1", "/callback")),
            percent_encode(STATE),
            URL_SAFE_NO_PAD.encode(digest.as_ref()),
        )
    }

    /// Returns the partner's page with the button, and with `head` in its head.
    pub fn partner_page(&self, head: &str) -> Page {
        let url = self.authorize_url().replace('&', "&amp;");
        let html = format!(
            "<!doctype html><html lang=en><title>Partner</title>{head}\
             <script src=\"/note.js\"></script><script defer src=\"{}/connect/button.js\"></script>\
             <button id=connect data-service-connect data-authorize-url=\"{url}\">Connect</button>",
            self.service
        );
        Page { headers: Vec::new(), html }
    }

    /// Opens the partner's page, which records each event of the button.
    pub async fn open(&self, page: Page) -> WindowHandle {
        self.site.put("/", page);
        let script = "window.complaints = [];\
                      const complain = console.error;\
                      console.error = (...all) => { window.complaints.push(all.join(' ')); complain(...all); };\
                      addEventListener('error', (event) => window.complaints.push(event.message));\
                      addEventListener('securitypolicyviolation', (event) =>\
                        window.complaints.push(event.violatedDirective + ' ' + event.blockedURI));\
                      addEventListener('service:connect', (event) => {\
                        const events = JSON.parse(sessionStorage.getItem('connect_events') || '[]');\
                        events.push(event.detail);\
                        sessionStorage.setItem('connect_events', JSON.stringify(events));\
                        if (window.prevent) event.preventDefault();\
                      });";
        let headers = vec![("content-type", "text/javascript".to_owned())];
        self.site.put("/note.js", Page { headers, html: script.to_owned() });
        self.browser.goto(&self.site.address("127.0.0.1", "/")).await;
        self.browser.window().await
    }

    /// Signs the member in on the sign-in page.
    pub async fn sign_in(&self) {
        self.browser.goto(&format!("{}/login", self.service)).await;
        self.fill_in_sign_in().await;
        self.browser.find("nav a[aria-current=page]").await;
    }

    pub async fn fill_in_sign_in(&self) {
        self.browser.fill("input[name=email]", EMAIL).await;
        self.browser.fill("input[name=password]", PASSWORD).await;
        self.browser.click("form button.primary").await;
    }

    /// Clicks the button and switches to the popup.
    pub async fn click_connect(&self, opener: &WindowHandle) -> WindowHandle {
        self.browser.click("#connect").await;
        self.browser.popup(opener).await
    }

    /// Clicks a decision in the popup, which may close before the driver responds. One click is
    /// enough, except in Firefox: on a busy machine its driver sometimes reported a click of which
    /// the page saw no event (3 in the test runs of a day; none in 108 recorded clicks at a load of
    /// 27). Only such a click is repeated.
    pub async fn decide(&self, decision: &str) {
        let css = format!("button[value={decision}]");
        let button = self.browser.find(&css).await;
        // Without scripts the page cannot record events.
        drop(self.browser.client.execute(NOTE_EVENTS, Vec::new()).await);
        for may_be_lost in [self.browser.engine == Engine::Firefox, false] {
            drop(button.click().await);
            let gone = async || self.browser.client.find(Locator::Css(&css)).await.is_err();
            if engine::comes_true(gone).await {
                return;
            }
            let script = "return document.documentElement.dataset.saw";
            let saw = self.browser.client.execute(script, Vec::new()).await;
            let nothing = matches!(&saw, Ok(events) if events == "");
            assert!(may_be_lost && nothing, "nothing comes of {decision}; the page saw {saw:?}");
        }
    }

    /// Returns the messages in the console of the partner's page since it was opened. If the driver
    /// does not report them, a script in the page has recorded them.
    pub async fn complaints(&self) -> Vec<String> {
        if self.browser.engine.has_console() {
            return self.browser.complaints().await;
        }
        let received = self.browser.run("return window.complaints").await;
        received.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the events of the button that the page in this window received.
    pub async fn connect_events(&self) -> Vec<Value> {
        let connect_events =
            self.browser.run("return sessionStorage.getItem('connect_events')").await;
        connect_events.as_str().map_or_else(Vec::new, |text| serde_json::from_str(text).unwrap())
    }

    /// Returns the queries of the requests to the partner's callback, after enough time for a
    /// second one.
    pub async fn callbacks(&self) -> Vec<String> {
        let begun = Instant::now();
        while begun.elapsed() < LONG_ENOUGH {
            if self.is_over().await {
                tokio::time::sleep(UNDER_WAY).await; // real time: a second callback would come by then
                break;
            }
            tokio::time::sleep(Duration::from_millis(250)).await; // real time: the popup closes or waits
        }
        self.site.asked("/callback")
    }

    /// Returns whether no page is left whose script can go to the callback: the only window shows a
    /// page of the partner without the button.
    async fn is_over(&self) -> bool {
        let with_button = self.site.address("127.0.0.1", "/");
        let address = self.browser.client.current_url().await;
        let is_without = address.is_ok_and(|address| {
            address.as_str().starts_with(&with_button) && address.as_str() != with_button
        });
        is_without && self.browser.client.windows().await.is_ok_and(|all| all.len() == 1)
    }

    /// Asserts that there was exactly one callback, and that its code can be exchanged for a key.
    pub async fn one_callback_with_a_code(&self) {
        let callbacks = self.callbacks().await;
        assert_eq!(callbacks.len(), 1, "{callbacks:?}");
        let query = format!("?{}", callbacks[0]);
        let state = query_parameter(&query, "state").expect("the state");
        assert_eq!(state.to_lowercase(), "st%c3%a4te%20%2f%26%3d%2b");
        let body = json!({
            "code": query_parameter(&query, "code").expect("a code"),
            "code_verifier": VERIFIER,
            "client_id": self.application.client_id,
            "client_secret": self.application.client_secret,
        });
        let answer = exchange_code(&self.world, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// Waits until the open window shows the partner's callback page.
    pub async fn wait_for_callback(&self) {
        let shown = async || self.browser.address().await.contains("/callback?");
        if !engine::comes_true(shown).await {
            let (address, text) = (self.browser.address().await, self.browser.text().await);
            panic!("no callback is shown, but {address}: {text}");
        }
    }
}
