//! A server with a Connect button of its own.

use super::{GuideServer, RunningServer, for_each_program};
use crate::connect::{Browser, Page, Partner, create_member, percent_encode};
use crate::world::{Answer, Database, World, free_port};

/// A server whose base URL is its real address, a partner's server with a Connect button, and a
/// member.
struct ButtonFixture {
    world: World,
    partner: Partner,
    port: u16,
    #[expect(dead_code, reason = "the server ends when it is dropped")]
    server: RunningServer,
    #[expect(dead_code, reason = "the folder is deleted when it is dropped")]
    guide: GuideServer,
}

impl ButtonFixture {
    async fn on(database: Database, file: &'static str) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let base_url = format!("http://{address}");
        let settings = [("bind", address.as_str()), ("base_url", base_url.as_str())];
        let world = World::on(database, &settings).await;
        create_member(&world).await;
        let port = free_port();
        let redirect_uri = format!("http://localhost:{port}/callback");
        let owner = world.organization_on("Partner", "Unlimited").await;
        let partner = Partner::redirected_to(&world, Some(owner), true, &redirect_uri).await;
        let guide = GuideServer::new(file, port);
        let application = &partner.application;
        let variables = [
            ("SWITCHBOARD", world.base.as_str()),
            ("APP_CLIENT_ID", application.client_id.as_str()),
            ("APP_CLIENT_SECRET", application.client_secret.as_str()),
        ];
        let server = guide.start(&variables, &format!("Open http://localhost:{port}")).await;
        Self { world, partner, port, server, guide }
    }

    fn visitor(&self) -> Visitor {
        platform::outbound::provide_cryptography();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let base = format!("http://localhost:{}", self.port);
        Visitor { http: http.build().unwrap(), base, cookie: None }
    }
}

/// A browser at the partner's server.
struct Visitor {
    http: reqwest::Client,
    base: String,
    cookie: Option<String>,
}

impl Visitor {
    async fn send(&mut self, mut request: reqwest::RequestBuilder) -> Page {
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let response = request.send().await.unwrap();
        if let Some(set) = response.headers().get("set-cookie") {
            let set = set.to_str().unwrap();
            assert!(set.contains("HttpOnly") && set.to_lowercase().contains("samesite=lax"));
            self.cookie = Some(set.split(';').next().unwrap().to_owned());
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let page = Page { status, headers, text: response.text().await.unwrap() };
        // No secret of a key, of the application or of the connection reaches the browser.
        assert!(!page.text.contains("sws_"), "{}", page.text);
        assert!(!self.cookie.as_ref().is_some_and(|it| it.contains("sws_")), "{:?}", self.cookie);
        page
    }

    async fn open(&mut self, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.base));
        self.send(request).await
    }

    /// Returns to the redirect URI, and follows the redirect to the page if there is one.
    async fn come_back(&mut self, callback: &str) -> Page {
        let path = callback.strip_prefix(&self.base).expect("the redirect URI").to_owned();
        let page = self.open(&path).await;
        if matches!(page.status, 302 | 307) {
            assert_eq!(page.header("location"), "/");
            return self.open("/").await;
        }
        page
    }

    /// Posts the form of the page.
    async fn send_form(&mut self, page: &Page) -> Page {
        let fields = ["key", "to", "text"].map(|name| {
            let value = page.field(name);
            format!("{name}={}", percent_encode(&value))
        });
        let request = self.http.post(format!("{}/send", self.base)).body(fields.join("&"));
        let form = "application/x-www-form-urlencoded";
        self.send(request.header("content-type", form)).await
    }
}

/// Returns the authorize URL of the button.
fn authorize_url(page: &Page) -> String {
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("/connect/button.js\"></script>"), "{}", page.text);
    assert!(page.text.contains("data-service-connect"), "{}", page.text);
    let (_, rest) = page.text.split_once("data-authorize-url=\"").expect("a button");
    rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&")
}

async fn a_business_connects(database: Database, file: &'static str) {
    // Given a visitor of a partner's page with the button,
    let given = ButtonFixture::on(database, file).await;
    let (world, base) = (&given.world, &given.world.base);
    let mut visitor = given.visitor();
    let url = authorize_url(&visitor.open("/").await);
    let path = url.strip_prefix(base).expect("the service's").to_owned();
    assert!(path.contains("code_challenge_method=S256"), "{path}");
    // which is the same after a reload, so that several tabs work,
    assert_eq!(authorize_url(&visitor.open("/").await), url);

    // when the member allows,
    let mut browser = Browser::new(world);
    let (consent, page) = browser.until_consent(&path).await;
    let callback = browser.allow(&consent, &page).await.location().to_owned();
    let page = visitor.come_back(&callback).await;

    // then the partner is connected, and sends for the business, once for each form.
    assert!(page.text.contains("Connected to Acme."), "{}", page.text);
    let sent = visitor.send_form(&page).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let (_, id) = sent.text.split_once("Accepted: ").expect("an id");
    let id = id.split('<').next().unwrap();
    let message = world.get(&format!("/api/v1/messages/{id}"), &world.key).await;
    assert_eq!(message.body["text"], "Hello from my CRM", "{}", message.text);
    assert_eq!(visitor.send_form(&page).await.text, sent.text);
    let messages = world.get("/api/v1/messages", &world.key).await;
    assert_eq!(messages.body["data"].as_array().unwrap().len(), 1);
    // A callback that is opened again changes nothing.
    let page = visitor.come_back(&callback).await;
    assert!(page.text.contains("Connected to Acme."), "{}", page.text);

    // When the connection has ended, then the send says so, and the button is there again.
    let client_id = &given.partner.application.client_id;
    let revoke = format!("/api/v1/applications/{client_id}/revoke-connections");
    let request = world.request(reqwest::Method::POST, &revoke, &given.partner.pair());
    let revoked = Answer::of(request).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text);
    assert_eq!(revoked.body["revoked"], 1, "{}", revoked.text);
    let refused = visitor.send_form(&page).await;
    assert!(refused.status == 502 && refused.text.contains("Not sent: "), "{}", refused.text);
    authorize_url(&visitor.open("/").await);
}

async fn a_refusal_and_a_forged_callback_connect_nobody(database: Database, file: &'static str) {
    let given = ButtonFixture::on(database, file).await;
    let world = &given.world;
    let begin = async |visitor: &mut Visitor| {
        let url = authorize_url(&visitor.open("/").await);
        url.strip_prefix(&world.base).expect("the service's").to_owned()
    };
    let mut browser = Browser::new(world);

    // When the member cancels, then the page says why,
    let mut visitor = given.visitor();
    let path = begin(&mut visitor).await;
    let (consent, page) = browser.until_consent(&path).await;
    let token = page.field("token");
    let fields = [("token", token.as_str()), ("decision", "cancel")];
    let callback = browser.post(&consent, &fields).await.location().to_owned();
    let page = visitor.come_back(&callback).await;
    assert!(page.status == 400 && page.text.contains("Not connected: "), "{}", page.text);
    assert!(!page.text.contains("Connected to"), "{}", page.text);
    // and the visitor can try again.
    let handshake = begin(&mut visitor).await;

    // When somebody else made the link, then its sentence is not shown, and the handshake goes on.
    for state in ["", "&state=another"] {
        let query = format!("error=access_denied&error_description=Call+me{state}");
        let page = visitor.come_back(&format!("{}/callback?{query}", visitor.base)).await;
        assert!(page.status == 400 && page.text.contains("Not connected: "), "{}", page.text);
        assert!(!page.text.contains("Call me"), "{}", page.text);
        assert_eq!(begin(&mut visitor).await, handshake);
    }

    // When a visitor opens the callback of another one's handshake, then nobody is connected.
    let mut attacker = given.visitor();
    let path = begin(&mut attacker).await;
    let (consent, page) = browser.until_consent(&path).await;
    let callback = browser.allow(&consent, &page).await.location().to_owned();
    let page = visitor.come_back(&callback).await;
    assert!(page.status == 400 && page.text.contains("Not connected: "), "{}", page.text);
    authorize_url(&visitor.open("/").await);
    // A visitor who has not begun a handshake gets the page with the button.
    authorize_url(&given.visitor().come_back(&callback).await);
    // A changed code is refused by the server, and the page says so.
    let forged = callback.replace("code=", "code=x");
    let page = attacker.come_back(&forged).await;
    assert!(page.status == 400 && page.text.contains("Not connected: "), "{}", page.text);
}

for_each_program! {
    a_business_connects:
    a_business_connects_in_express = "connect_express.mjs",
    a_business_connects_in_fastapi = "connect_fastapi.py",
}

for_each_program! {
    a_refusal_and_a_forged_callback_connect_nobody:
    forged_callbacks_in_express = "connect_express.mjs",
    forged_callbacks_in_fastapi = "connect_fastapi.py",
}
