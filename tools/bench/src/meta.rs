//! The signature of Meta's callbacks.

use ring::hmac;

/// Returns the value of `X-Hub-Signature-256` for a body, without the prefix `sha256=`.
pub fn signature(app_secret: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, app_secret.as_bytes());
    auth::digest::hex(hmac::sign(&key, body.as_bytes()).as_ref())
}
