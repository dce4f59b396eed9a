//! The Connect handshake on a server, with tokio, reqwest, ring, base64, `serde_json`, `serde_urlencoded` and anyhow.
#![expect(clippy::disallowed_methods, reason = "a separate program with its own randomness")]
use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL};
use reqwest::{Client, Method};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use std::{collections::HashMap, env, io::stdin};

struct Partner {
    switchboard: String,
    client_id: String,
    client_secret: String,
    redirect_uri: String,
}

/// Values of one handshake, kept on the server for this visitor.
struct Begun {
    state: String,
    verifier: String,
}

fn random<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    SystemRandom::new().fill(&mut bytes).ok().context("no randomness")?;
    Ok(BASE64URL.encode(bytes))
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl Partner {
    // 1. Begin. Only the challenge is sent.
    fn begin(&self) -> Result<(String, Begun)> {
        let begun = Begun { state: random::<16>()?, verifier: random::<64>()? };
        let query = serde_urlencoded::to_string([
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", &self.redirect_uri),
            ("scope", "messages.send conversations.read"),
            ("state", &begun.state),
            ("code_challenge", &BASE64URL.encode(digest(&SHA256, begun.verifier.as_bytes()))),
            ("code_challenge_method", "S256"),
        ])?;
        Ok((format!("{}/connect/authorize?{query}", self.switchboard), begun))
    }

    // 3. Exchange the code immediately; it works once. The answer holds a key for this one business: store it.
    async fn exchange(&self, http: &Client, code: &str, begun: &Begun) -> Result<Value> {
        let body = json!({
            "code": code, "code_verifier": begun.verifier,
            "client_id": self.client_id, "client_secret": self.client_secret,
        });
        let request = http.post(format!("{}/connect/token", self.switchboard));
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let response = request.send().await?;
        let status = response.status();
        let answer: Value = serde_json::from_slice(&response.bytes().await?)?;
        ensure!(status == 200, "the exchange failed: {}", text(&answer, "error_description"));
        Ok(answer)
    }

    // 4. The first call shows whether the plan allows API calls: 403 means "not now", 401 "connect again".
    async fn call(&self, http: &Client, key: &Value, method: Method, path: &str) -> Result<Value> {
        let request = http.request(method, format!("{}{path}", self.switchboard));
        let request = request.header("x-client-id", text(key, "client_id"));
        let response = request.header("x-client-secret", text(key, "client_secret")).send().await?;
        Ok(serde_json::from_slice(&response.bytes().await?)?)
    }
}

// 2. The visitor comes back to the redirect URI. Reject anything that does not carry the state.
fn code_of(callback: &str, begun: &Begun) -> Result<String> {
    let (_, query) = callback.trim().split_once('?').context("no answer")?;
    let mut query: HashMap<String, String> = serde_urlencoded::from_str(query)?;
    ensure!(query.get("state") == Some(&begun.state), "this was not begun here");
    query.remove("code").with_context(|| format!("not connected: {:?}", query.get("error")))
}

#[tokio::main]
async fn main() -> Result<()> {
    // Needed if reqwest comes without a cryptography provider.
    drop(rustls::crypto::ring::default_provider().install_default());
    let partner = Partner {
        switchboard: env::var("SWITCHBOARD").unwrap_or("http://localhost:8080".to_owned()),
        client_id: env::var("APP_CLIENT_ID")?,
        client_secret: env::var("APP_CLIENT_SECRET")?,
        redirect_uri: env::var("REDIRECT_URI")?,
    };
    let (url, begun) = partner.begin()?;
    println!("{url}");
    let mut callback = String::new();
    stdin().read_line(&mut callback)?;
    let http = Client::new();
    let connection = partner.exchange(&http, &code_of(&callback, &begun)?, &begun).await?;
    println!("{}", partner.call(&http, &connection, Method::GET, "/api/v1/me").await?);
    Ok(())
}
