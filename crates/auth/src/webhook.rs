//! Signatures of requests to webhook endpoints, according to Standard Webhooks 1.0.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::time::Timestamp;
use ring::hmac;
use std::fmt;
use std::time::Duration;

const PREFIX: &str = "whsec_";
/// The version of signatures with HMAC-SHA256.
const VERSION: &str = "v1";
const SIGNATURE_BYTES: usize = 32;
/// The specification allows 24 to 64 random bytes.
const BYTES: usize = 32;
/// How long requests are also signed with a secret that has been replaced
/// (`docs/contract.md#webhooks`).
pub const SIGNS_ALONG: Duration = Duration::from_hours(24);

/// The secret of a webhook endpoint. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; BYTES]);

/// The text is not the secret of a webhook endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the secret of a webhook endpoint")]
pub struct InvalidWebhookSecret;

impl WebhookSecret {
    /// Creates a secret from 256 random bits.
    #[must_use]
    pub const fn new(entropy: [u8; BYTES]) -> Self {
        Self(entropy)
    }

    /// Derives the secret of `switchboard listen` from the secret of an API key. A key always gives
    /// the same one, which does not reveal the key's own secret.
    #[must_use]
    pub fn of_listening_key(client_secret: &str) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, client_secret.as_bytes());
        let tag = hmac::sign(&key, b"signing secret of switchboard listen");
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(tag.as_ref());
        Self(bytes)
    }

    pub fn parse(text: &str) -> Result<Self, InvalidWebhookSecret> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidWebhookSecret)?;
        let bytes = STANDARD.decode(digits).map_err(|_| InvalidWebhookSecret)?;
        Ok(Self(bytes.try_into().map_err(|_| InvalidWebhookSecret)?))
    }

    /// Returns the secret in plain text, to show it once to the owner or to encrypt it for storage.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut context = hmac::Context::with_key(&key);
        context.update(format!("{id}.{seconds}.").as_bytes());
        context.update(body);
        format!("{VERSION},{}", STANDARD.encode(context.sign()))
    }

    /// Whether one of `signatures` was made with this secret for this id, time and body.
    #[must_use]
    pub fn verifies(&self, id: &str, at: Timestamp, body: &[u8], signatures: &Signatures) -> bool {
        let seconds = at.micros() / 1_000_000;
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let signed = [format!("{id}.{seconds}.").as_bytes(), body].concat();
        signatures.0.iter().any(|it| hmac::verify(&key, &signed, it).is_ok())
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WebhookSecret(…)")
    }
}

/// The last second of the year 9999.
const MAX_SECONDS: i64 = 253_402_300_799;

/// The text is not a number of seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of seconds since 1970")]
pub struct InvalidSignedTime;

/// Parses the value of `webhook-timestamp`: whole seconds since 1970.
pub fn parse_signed_time(header: &str) -> Result<Timestamp, InvalidSignedTime> {
    let seconds: i64 = header.trim().parse().map_err(|_| InvalidSignedTime)?;
    let is_time = (0..=MAX_SECONDS).contains(&seconds);
    if is_time { Ok(Timestamp::from_seconds(seconds)) } else { Err(InvalidSignedTime) }
}

/// The signatures in a `webhook-signature` header that have the version `v1` and the length of an
/// HMAC-SHA256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures(Vec<Vec<u8>>);

/// The text contains no signature in the form `v1,…` with base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a signature of version {VERSION}")]
pub struct InvalidSignatures;

impl Signatures {
    /// Parses the value of `webhook-signature`: signatures separated by spaces. Signatures of other
    /// versions are ignored.
    pub fn parse(header: &str) -> Result<Self, InvalidSignatures> {
        let digits = header.split_whitespace().filter_map(|it| it.split_once(','));
        let known = digits.filter(|(version, _)| *version == VERSION);
        let decoded = known.filter_map(|(_, digits)| STANDARD.decode(digits).ok());
        let signatures: Vec<Vec<u8>> = decoded.filter(|it| it.len() == SIGNATURE_BYTES).collect();
        if signatures.is_empty() { Err(InvalidSignatures) } else { Ok(Self(signatures)) }
    }

    /// Whether `self` and `other` have a signature in common.
    #[must_use]
    pub fn has_any_of(&self, other: &Self) -> bool {
        self.0.iter().any(|it| other.0.contains(it))
    }
}

/// The headers that authenticate a request to a webhook endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedHeaders {
    /// The value of `webhook-timestamp`: the time of the attempt in whole seconds since 1970.
    pub timestamp: String,
    /// The value of `webhook-signature`: one signature for each secret, separated by spaces.
    pub signature: String,
}

/// Signs `body` with each of the secrets. `id` is the value of `webhook-id`.
#[must_use]
pub fn sign<'a>(
    secrets: impl IntoIterator<Item = &'a WebhookSecret>,
    id: &str,
    at: Timestamp,
    body: &[u8],
) -> SignedHeaders {
    let seconds = at.micros() / 1_000_000;
    let signatures: Vec<String> =
        secrets.into_iter().map(|secret| secret.sign(id, seconds, body)).collect();
    SignedHeaders { timestamp: seconds.to_string(), signature: signatures.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_secrets_give_two_signatures() {
        let (new, old) = (WebhookSecret::new([1; BYTES]), WebhookSecret::new([2; BYTES]));
        let at = Timestamp::from_seconds(1_614_265_330);
        let one = |secret| sign([secret], "evt_1", at, b"{}").signature;
        let both = sign([&new, &old], "evt_1", at, b"{}");
        assert_eq!(both.timestamp, "1614265330");
        assert_eq!(both.signature, format!("{} {}", one(&new), one(&old)));
        assert!(one(&new).starts_with("v1,"));
        assert_ne!(one(&new), one(&old));
    }

    /// The expected value was computed with `openssl dgst -sha256 -mac HMAC -macopt key:sws_1
    /// -binary | base64`. A program that has the secret in its settings goes on working after an
    /// update.
    #[test]
    fn the_secret_of_a_key_that_listens_stays_the_same() {
        let secret = WebhookSecret::of_listening_key("sws_1");
        assert_eq!(secret.reveal(), "whsec_VLB+iU+Nci8dB0qGFmJxKTTVVxw9D71gJpCziwzCP/w=");
        assert_ne!(secret, WebhookSecret::of_listening_key("sws_2"));
    }

    /// The expected value was computed with `openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01
    /// -binary | base64`.
    #[test]
    fn the_signature_is_over_id_time_and_body() {
        let secret = WebhookSecret::new([1; BYTES]);
        let at = Timestamp::from_seconds(1_614_265_330);
        let signed = sign([&secret], "evt_1", at, br#"{"test": 2432232314}"#);
        assert_eq!(signed.signature, "v1,L3kJZnp6mmSrcjAsxf1kVWChC/Qgiu4VXIrV+5DeK9U=");
    }

    #[test]
    fn a_signature_verifies_with_its_secret_id_time_and_body_only() {
        let (new, old) = (WebhookSecret::new([1; BYTES]), WebhookSecret::new([2; BYTES]));
        let at = Timestamp::from_seconds(1_614_265_330);
        let header = sign([&new, &old], "evt_1", at, b"{}").signature;
        let both = Signatures::parse(&format!("v1a,AAAA {header}")).unwrap();
        let verifies = |secret: &WebhookSecret, id, seconds, body: &[u8]| {
            secret.verifies(id, Timestamp::from_seconds(seconds), body, &both)
        };
        assert!(verifies(&new, "evt_1", 1_614_265_330, b"{}"));
        assert!(verifies(&old, "evt_1", 1_614_265_330, b"{}"));
        assert!(!verifies(&WebhookSecret::new([3; BYTES]), "evt_1", 1_614_265_330, b"{}"));
        assert!(!verifies(&new, "evt_2", 1_614_265_330, b"{}"));
        assert!(!verifies(&new, "evt_1", 1_614_265_331, b"{}"));
        assert!(!verifies(&new, "evt_1", 1_614_265_330, b"{ }"));
        let one = sign([&old], "evt_1", at, b"{}").signature;
        assert!(both.has_any_of(&Signatures::parse(&one).unwrap()));
        for text in ["", "v1", "v1,", "v1,AAAA", "v2,L3kJZnp6mmSrcjAsxf1kVWChC/Qgiu4VXIrV+5DeK9U="]
        {
            assert_eq!(Signatures::parse(text), Err(InvalidSignatures), "{text}");
        }
    }

    #[test]
    fn a_signed_time_is_a_number_of_seconds() {
        let at = Timestamp::from_seconds(1_614_265_330);
        assert_eq!(parse_signed_time(" 1614265330\n"), Ok(at));
        for text in ["", "-1", "1.5", "253402300800", "9223372036854775807", "2026-11-21"] {
            assert_eq!(parse_signed_time(text), Err(InvalidSignedTime), "{text}");
        }
    }

    #[test]
    fn a_secret_is_read_as_it_is_shown_and_never_printed() {
        let secret = WebhookSecret::new([7; BYTES]);
        assert_eq!(WebhookSecret::parse(&secret.reveal()), Ok(secret.clone()));
        assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
        for text in ["", "whsec_", "whsec_AAAA", "whsec_!", &secret.reveal()[6..]] {
            assert_eq!(WebhookSecret::parse(text), Err(InvalidWebhookSecret), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_changed_byte_is_another_signature(body: Vec<u8>, change in 1_u8.., place: usize) {
            prop_assume!(!body.is_empty());
            let secret = WebhookSecret::new([1; BYTES]);
            let at = Timestamp::from_seconds(1_614_265_330);
            let mut changed = body.clone();
            let place = place % changed.len();
            changed[place] ^= change;
            prop_assert_ne!(
                sign([&secret], "evt_1", at, &body),
                sign([&secret], "evt_1", at, &changed)
            );
        }
    }
}
