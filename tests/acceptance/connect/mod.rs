//! Connect from the perspective of a partner's server and a member's browser.

mod applications;
mod authorize;
mod caps;
mod connections;
mod consent;
mod exchange;
pub mod guide;
mod libraries;
mod sign_in;
mod timing;
mod unauthenticated;

use crate::world::{Answer, Pair, World};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::application::{Terms, TermsInput};
use domain::id::OrganizationId;
use domain::scope::{Scope, ScopeSet};
use reqwest::Method;
use serde_json::{Value, json};
use service::applications::CreatedApplication;

pub const EMAIL: &str = "ada@acme.example";
pub const PASSWORD: &str = "correct horse battery";
pub const REDIRECT: &str = "https://partner.example/callback?tenant=7";
/// The example of RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A partner with its registered application.
pub struct Partner {
    pub application: CreatedApplication,
}

impl Partner {
    /// Registers a published application of another organization.
    pub async fn of(world: &World) -> Self {
        let owner = world.organization_on("Partner", "Unlimited").await;
        Self::registered(world, Some(owner), true).await
    }

    pub async fn registered(world: &World, owner: Option<OrganizationId>, published: bool) -> Self {
        Self::redirected_to(world, owner, published, REDIRECT).await
    }

    /// Registers an application with this redirect URI.
    pub async fn redirected_to(
        world: &World,
        owner: Option<OrganizationId>,
        published: bool,
        redirect_uri: &str,
    ) -> Self {
        let scopes: ScopeSet =
            [Scope::MessagesSend, Scope::ConversationsRead].into_iter().collect();
        let terms = Terms::parse(TermsInput {
            name: "Partner CRM",
            redirect_uris: &[redirect_uri.to_owned()],
            scopes,
            description: "Keeps your customers together.",
            start_url: "https://partner.example/start",
        });
        let made = world.admin().create_application(owner, &terms.unwrap(), published).await;
        Self { application: made.unwrap() }
    }

    pub fn challenge() -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
        URL_SAFE_NO_PAD.encode(digest.as_ref())
    }

    /// Returns the URL of the authorize request, with some parameters changed or left out (`None`).
    pub fn asks(&self, changes: &[(&str, Option<&str>)]) -> String {
        let challenge = Self::challenge();
        let redirect = percent_encode(REDIRECT);
        let right = [
            ("client_id", self.application.client_id.as_str()),
            ("redirect_uri", redirect.as_str()),
            ("scope", "messages.send%20conversations.read"),
            ("state", STATE_ESCAPED),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let mut query = Vec::new();
        for (name, value) in right {
            let instead = changes.iter().find(|it| it.0 == name);
            if let Some(value) = instead.map_or(Some(value), |it| it.1) {
                query.push(format!("{name}={value}"));
            }
        }
        for (name, value) in changes {
            if let (Some(value), true) = (value, right.iter().all(|it| it.0 != *name)) {
                query.push(format!("{name}={value}"));
            }
        }
        format!("/connect/authorize?{}", query.join("&"))
    }

    /// Returns the body of the exchange.
    pub fn exchange(&self, code: &str) -> Value {
        json!({
            "code": code,
            "code_verifier": VERIFIER,
            "client_id": self.application.client_id,
            "client_secret": self.application.client_secret,
        })
    }

    /// Returns the application's credentials.
    pub fn pair(&self) -> Pair {
        Pair {
            client_id: self.application.client_id.clone(),
            client_secret: self.application.client_secret.clone(),
        }
    }
}

/// The partner's state as it appears in a URL.
pub const STATE_ESCAPED: &str = "st%25C3%25A4te%20%2F%26%3D%2B";

/// Percent-encodes every byte except letters and digits.
pub fn percent_encode(text: &str) -> String {
    let escape = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(escape).collect()
}

/// A browser that keeps cookies and does not follow redirects.
#[derive(Clone)]
pub struct Browser {
    http: reqwest::Client,
    base: String,
    pub cookie: Option<String>,
    /// The cookie that marks a browser in which a member has signed in before.
    pub device: Option<String>,
    /// The cookie with the organization that was chosen last.
    pub organization: Option<String>,
    /// The cookie with the colors of the pages.
    pub appearance: Option<String>,
    /// Cookies that other programs set for this host or its parent domain, byte for byte.
    pub foreign: Vec<u8>,
}

/// A page or a redirect.
pub struct Page {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Page {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn location(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.text);
        self.header("location")
    }

    /// Returns the value of a hidden field.
    pub fn field(&self, name: &str) -> String {
        let mark = format!("name=\"{name}\" value=\"");
        let (_, rest) =
            self.text.split_once(&mark).unwrap_or_else(|| panic!("no {name}: {}", self.text));
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Browser {
    pub fn new(world: &World) -> Self {
        platform::outbound::provide_cryptography();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        Self::with(http.build().unwrap(), &world.base)
    }

    /// Creates a browser with this HTTP client, which must not follow redirects.
    pub fn with(http: reqwest::Client, base: &str) -> Self {
        Self {
            http,
            base: base.to_owned(),
            cookie: None,
            device: None,
            organization: None,
            appearance: None,
            foreign: Vec::new(),
        }
    }

    /// Uses the same browser with another server.
    pub fn at(self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self }
    }

    pub async fn send(&mut self, request: reqwest::RequestBuilder) -> Page {
        let cookies = [&self.cookie, &self.device, &self.organization, &self.appearance]
            .into_iter()
            .flatten();
        let foreign = Some(self.foreign.as_slice()).filter(|it| !it.is_empty());
        let cookies: Vec<&[u8]> =
            foreign.into_iter().chain(cookies.map(String::as_bytes)).collect();
        let request = match cookies.as_slice() {
            [] => request,
            cookies => request.header("cookie", cookies.join(b"; ".as_slice())),
        };
        let response = request.send().await.unwrap();
        for set in response.headers().get_all("set-cookie") {
            let set = set.to_str().unwrap().split(';').next().unwrap().to_owned();
            if set.contains("-device=") {
                self.device = Some(set);
            } else if set.contains("-appearance=") {
                self.appearance = Some(set);
            } else if set.contains("-organization=") {
                self.organization = Some(set);
            } else {
                self.cookie = Some(set);
            }
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Page { status, headers, text: response.text().await.unwrap() }
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Begins to read a page that does not end, with the cookie of the session.
    pub async fn open_stream(&self, path: &str, last_id: Option<&str>) -> reqwest::Response {
        let cookie = self.cookie.as_deref().expect("a session");
        let mut request = self.request(Method::GET, path).header("cookie", cookie);
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        request.send().await.unwrap()
    }

    pub async fn get(&mut self, path: &str) -> Page {
        let request = self.request(Method::GET, path);
        self.send(request).await
    }

    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", percent_encode(value)))
            .collect();
        let request = self.request(Method::POST, path).body(body.join("&"));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.header("sec-fetch-site", "same-origin");
        self.send(request).await
    }

    /// Opens `from` and signs the member in on that page.
    pub async fn sign_in(&mut self, from: &str) -> Page {
        let page = self.get(from).await;
        self.sign_in_on(&page).await
    }

    /// Signs the member in on this page.
    pub async fn sign_in_on(&mut self, page: &Page) -> Page {
        let token = page.field("token");
        let mut fields =
            vec![("token", token), ("email", EMAIL.to_owned()), ("password", PASSWORD.to_owned())];
        for name in ["consent", "return"] {
            if page.text.contains(&format!("name=\"{name}\"")) {
                fields.push((name, page.field(name)));
            }
        }
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.post("/login", &fields).await
    }

    /// Goes from the authorize request to the consent page, with a sign-in if needed. Returns its
    /// path and the page.
    pub async fn until_consent(&mut self, asks: &str) -> (String, Page) {
        let to = self.get(asks).await.location().to_owned();
        let to = if to.starts_with("/login") {
            self.sign_in(&to).await.location().to_owned()
        } else {
            to
        };
        let page = self.get(&to).await;
        (to, page)
    }

    /// Grants everything that the page asks for, for the preselected account.
    pub async fn allow(&mut self, path: &str, page: &Page) -> Page {
        let (token, organization) = (page.field("token"), page.field("organization"));
        let account = page.field("account");
        let mut fields = vec![
            ("token", token.as_str()),
            ("organization", organization.as_str()),
            ("account", account.as_str()),
            ("decision", "allow"),
        ];
        for scope in ["messages.send", "conversations.read"] {
            if page.text.contains(&format!("name=\"scope\" value=\"{scope}\"")) {
                fields.push(("scope", scope));
            }
        }
        self.post(path, &fields).await
    }
}

/// Creates the organization's member.
pub async fn create_member(world: &World) {
    world.admin().create_member(world.organization, EMAIL, "Ada", PASSWORD).await.unwrap();
}

/// Returns a parameter of a URL.
pub fn query_parameter(address: &str, name: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    let mark = format!("{name}=");
    query.split('&').find_map(|pair| pair.strip_prefix(&mark)).map(str::to_owned)
}

/// Goes through the handshake up to the code.
pub async fn obtain_code(browser: &mut Browser, partner: &Partner) -> String {
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let sent_on = browser.allow(&path, &page).await;
    query_parameter(sent_on.location(), "code").expect("a code")
}

/// Exchanges a code like a partner's server.
pub async fn exchange_code(world: &World, body: &Value) -> Answer {
    Answer::of(world.http.post(format!("{}/connect/token", world.base)).json(body)).await
}

/// Goes through the whole handshake. Returns the connection and its key.
pub async fn connect_application(
    world: &World,
    browser: &mut Browser,
    partner: &Partner,
) -> (Value, Pair) {
    let code = obtain_code(browser, partner).await;
    let answer = exchange_code(world, &partner.exchange(&code)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let key = Pair {
        client_id: answer.text_of("client_id"),
        client_secret: answer.text_of("client_secret"),
    };
    (answer.body, key)
}
