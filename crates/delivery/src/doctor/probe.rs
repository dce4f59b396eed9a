//! The probe with which the doctor finds out which server answers at an address, and how that
//! server sees the request.
//!
//! The question is a header of `GET /healthz`, encrypted with the key that the instances of a
//! database share. So only a caller that can read the database gets an answer, and only a server of
//! the same database can give one.

use actix_web::HttpRequest;
use auth::seal::ClientStateKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_layer::client_address::{FORWARDING, caller, is_trusted};
use http_layer::deps::ServerDeps;
use platform::entropy::Entropy;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The header of the question and of the answer.
pub const HEADER: &str = "switchboard-probe";
const QUESTION: &str = "probe question";
const ANSWER: &str = "probe answer";

/// A probe as the server saw it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ObservedRequest {
    /// The nonce of the question, so that no other question's answer is accepted.
    nonce: String,
    pub version: String,
    /// The IP address that connected to the server.
    pub peer: Option<IpAddr>,
    /// The caller's IP address as the server determined it.
    pub client: Option<IpAddr>,
    /// Whether a header names the caller behind a proxy.
    pub forwarded: bool,
    /// Whether the peer is a trusted proxy.
    pub trusted: bool,
}

/// A question, with the nonce that its answer has to repeat.
pub struct ProbeQuestion {
    nonce: String,
    /// The value of the header.
    pub header: String,
}

/// Creates a question.
pub fn new_question(key: &ClientStateKey, entropy: &Entropy) -> Option<ProbeQuestion> {
    let nonce = URL_SAFE_NO_PAD.encode(entropy.bytes::<16>());
    let header = key.seal(nonce.as_bytes(), QUESTION, entropy.bytes()).ok()?;
    Some(ProbeQuestion { nonce, header })
}

/// Reads an answer, if it belongs to this question.
pub fn read(
    key: &ClientStateKey,
    question: &ProbeQuestion,
    header: &str,
) -> Option<ObservedRequest> {
    let seen: ObservedRequest = serde_json::from_slice(&key.open(header, ANSWER).ok()?).ok()?;
    (seen.nonce == question.nonce).then_some(seen)
}

/// Answers a question. Returns `None` for a caller without the key.
#[must_use]
pub fn answer(request: &HttpRequest, deps: &ServerDeps) -> Option<String> {
    let question = request.headers().get(HEADER)?.to_str().ok()?;
    let nonce = String::from_utf8(deps.client_state.open(question, QUESTION).ok()?).ok()?;
    let trusted = &deps.config.trusted_proxies;
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let seen = ObservedRequest {
        nonce,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        peer,
        client: caller(request, trusted),
        forwarded: FORWARDING.iter().any(|name| request.headers().contains_key(name)),
        trusted: peer.is_some_and(|peer| is_trusted(peer, trusted)),
    };
    let text = serde_json::to_vec(&seen).ok()?;
    deps.client_state.seal(&text, ANSWER, deps.entropy.bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_to_one_question_and_of_one_database() {
        let (key, other) = (ClientStateKey::new(b"one"), ClientStateKey::new(b"other"));
        let entropy = Entropy::system();
        let (question, again) =
            (new_question(&key, &entropy).unwrap(), new_question(&key, &entropy).unwrap());
        let seen = ObservedRequest {
            nonce: question.nonce.clone(),
            version: "1".to_owned(),
            peer: None,
            client: None,
            forwarded: false,
            trusted: false,
        };
        let text = serde_json::to_vec(&seen).unwrap();
        let answer = key.seal(&text, ANSWER, entropy.bytes()).unwrap();
        assert!(read(&key, &question, &answer).is_some());
        assert!(read(&key, &again, &answer).is_none());
        assert!(read(&other, &question, &answer).is_none());
        // A question is not accepted as an answer.
        assert!(read(&key, &question, &question.header).is_none());
    }
}
