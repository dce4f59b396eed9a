//! The handshake on a partner's server. The state, the verifier and the client secret never reach
//! the browser.

use super::Partner;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Method, StatusCode};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};

/// The scopes that this server requests.
const SCOPES: &str = "messages.send conversations.read";
/// A test number of the sandbox that reads messages and answers them.
const SOMEBODY: &str = "+12025550100";

#[derive(Clone)]
pub struct Begun {
    state: String,
    verifier: String,
}

impl Begun {
    /// Draws fresh secrets: 16 random bytes for the state, 64 for the verifier.
    pub fn new() -> Self {
        Self { state: random::<16>(), verifier: random::<64>() }
    }

    /// Whether a callback with this state belongs to the handshake.
    pub fn is(&self, state: &str) -> bool {
        self.state == state
    }

    /// Returns the URL that the button opens. The challenge is the unpadded base64url of the raw
    /// digest, not of its hex form.
    pub fn authorize_url(&self, partner: &Partner) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.verifier.as_bytes());
        let challenge = URL_SAFE_NO_PAD.encode(digest);
        let query = [
            ("client_id", partner.client_id.as_str()),
            ("redirect_uri", &redirect_uri(partner)),
            ("scope", SCOPES),
            ("state", &self.state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        #[expect(clippy::disallowed_methods, reason = "pairs of strings can always be encoded")]
        let query = serde_urlencoded::to_string(query).unwrap_or_default();
        format!("{}/connect/authorize?{query}", partner.service)
    }
}

/// Returns the redirect URI. It has to equal the registered one exactly.
fn redirect_uri(partner: &Partner) -> String {
    format!("{}/callback", partner.address)
}

/// Returns `BYTES` random bytes as URL-safe text.
#[expect(clippy::disallowed_methods, reason = "a separate server with its own randomness")]
pub fn random<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    if SystemRandom::new().fill(&mut bytes).is_err() {
        // Without random bytes the secrets could be guessed, so the process ends instead.
        std::process::abort();
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A connection: the key for one business that connected this application.
#[derive(Clone)]
pub struct PartnerConnection {
    client_id: String,
    client_secret: String,
    /// The name of the business.
    pub organization: String,
    /// The phone number that the business chose.
    pub number: String,
    /// The granted scopes.
    pub scopes: String,
    /// The reason why calls are refused at present, or `None` if they are not. The reason is always
    /// the plan of the business, not the connection.
    pub refused: Option<String>,
}

/// Exchanges a code for a key, and makes the first call with that key.
pub async fn exchange(
    http: &reqwest::Client,
    partner: &Partner,
    begun: &Begun,
    code: &str,
) -> Result<PartnerConnection, String> {
    let body = json!({
        "code": code,
        "code_verifier": begun.verifier,
        "client_id": partner.client_id,
        "client_secret": partner.client_secret,
    });
    let request = http.post(format!("{}/connect/token", partner.service));
    let (status, answer) = call(request.body(body.to_string())).await?;
    if status != StatusCode::OK {
        return Err(format!(
            "The exchange failed: {}. Click the button again.",
            text(&answer, "/error")
        ));
    }
    let mut connection = PartnerConnection {
        client_id: text(&answer, "/client_id"),
        client_secret: text(&answer, "/client_secret"),
        organization: text(&answer, "/organization/name"),
        number: text(&answer, "/account/phone_number"),
        scopes: text(&answer, "/scope"),
        refused: None,
    };
    // If the plan is the problem, the first call shows it. The key stays valid, so the exchange is
    // not repeated.
    let (status, me) = call(connection.request(http, partner, Method::GET, "/api/v1/me")).await?;
    if status == StatusCode::FORBIDDEN {
        connection.refused = Some(text(&me, "/error"));
    }
    Ok(connection)
}

impl PartnerConnection {
    fn request(
        &self,
        http: &reqwest::Client,
        partner: &Partner,
        method: Method,
        path: &str,
    ) -> reqwest::RequestBuilder {
        http.request(method, format!("{}{path}", partner.service))
            .header("x-client-id", &self.client_id)
            .header("x-client-secret", &self.client_secret)
    }

    /// Sends a message on behalf of the business.
    pub async fn send_hello(
        &self,
        http: &reqwest::Client,
        partner: &Partner,
    ) -> Result<String, String> {
        let body =
            json!({"type": "text", "phone_number": SOMEBODY, "text": "Hello from the partner"});
        let request = self.request(http, partner, Method::POST, "/api/v1/messages");
        let (status, answer) = call(request.body(body.to_string())).await?;
        match status {
            StatusCode::CREATED => Ok(format!("Sent {} to {SOMEBODY}.", text(&answer, "/id"))),
            // The business ended the connection or connected again, so a retry is pointless.
            StatusCode::UNAUTHORIZED => Err("The connection has ended. Connect again.".to_owned()),
            _ => Err(text(&answer, "/error")),
        }
    }

    /// Deletes the key.
    pub async fn hand_back(&self, http: &reqwest::Client, partner: &Partner) -> Result<(), String> {
        let request = self.request(http, partner, Method::DELETE, "/api/v1/me");
        match call(request).await? {
            // 401: the key was already deleted.
            (StatusCode::OK | StatusCode::UNAUTHORIZED, _) => Ok(()),
            (_, answer) => Err(text(&answer, "/error")),
        }
    }
}

async fn call(request: reqwest::RequestBuilder) -> Result<(StatusCode, Value), String> {
    let failed = |error: reqwest::Error| format!("The service cannot be reached: {error}");
    let response =
        request.header("content-type", "application/json").send().await.map_err(failed)?;
    let status = response.status();
    let body = response.bytes().await.map_err(failed)?;
    #[expect(clippy::disallowed_methods, reason = "an answer that is not JSON still has a status")]
    let answer = serde_json::from_slice(&body).unwrap_or_default();
    Ok((status, answer))
}

fn text(answer: &Value, pointer: &str) -> String {
    answer.pointer(pointer).and_then(Value::as_str).unwrap_or("unknown").to_owned()
}
