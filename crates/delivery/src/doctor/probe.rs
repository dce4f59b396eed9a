//! How the doctor learns who answers at an address, and what that server sees of the request.
//!
//! The question is a header on `GET /healthz`, sealed with the key that the servers of a database share: so only
//! who can read the database gets an answer, and only a server of the same database can give one.

use actix_web::HttpRequest;
use auth::seal::ClientStateKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use service::entropy::Entropy;
use std::net::IpAddr;
use web_core::client_address::{FORWARDING, caller, is_trusted};
use web_core::deps::Deps;

/// The header of question and answer.
pub const HEADER: &str = "switchboard-probe";
const QUESTION: &str = "probe question";
const ANSWER: &str = "probe answer";

/// What a server saw of a question.
#[derive(Debug, Serialize, Deserialize)]
pub struct ObservedRequest {
    /// What the question was: no other question's answer will do.
    nonce: String,
    /// The server's version.
    pub version: String,
    /// Who connected to it.
    pub peer: Option<IpAddr>,
    /// For whom it takes that.
    pub client: Option<IpAddr>,
    /// Whether a header names the address behind a proxy.
    pub forwarded: bool,
    /// Whether the peer is one of its trusted proxies.
    pub trusted: bool,
}

/// A question, and what its answer is known by.
pub struct Question {
    nonce: String,
    /// What to put into the header.
    pub header: String,
}

/// A fresh question.
pub fn ask(key: &ClientStateKey, entropy: &Entropy) -> Option<Question> {
    let nonce = URL_SAFE_NO_PAD.encode(entropy.bytes::<16>());
    let header = key.seal(nonce.as_bytes(), QUESTION, entropy.bytes()).ok()?;
    Some(Question { nonce, header })
}

/// What the header of an answer says, if it is the answer to this question.
pub fn read(key: &ClientStateKey, question: &Question, header: &str) -> Option<ObservedRequest> {
    let seen: ObservedRequest = serde_json::from_slice(&key.open(header, ANSWER).ok()?).ok()?;
    (seen.nonce == question.nonce).then_some(seen)
}

/// What a server answers. Nothing to a caller without the key.
#[must_use]
pub fn answer(request: &HttpRequest, deps: &Deps) -> Option<String> {
    let question = request.headers().get(HEADER)?.to_str().ok()?;
    let nonce = String::from_utf8(deps.client_state.open(question, QUESTION).ok()?).ok()?;
    let trusted = &deps.settings.trusted_proxies;
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
        let (question, again) = (ask(&key, &entropy).unwrap(), ask(&key, &entropy).unwrap());
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
        // A question is no answer.
        assert!(read(&key, &question, &question.header).is_none());
    }
}
