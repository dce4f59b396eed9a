//! The receiver of Twilio's callbacks. A callback is a form, signed with HMAC-SHA1 over the URL and
//! the sorted fields.
//!
//! <https://www.twilio.com/docs/usage/security#validating-requests>

use super::{TwilioSettings, WEBHOOK};
use crate::receiver::{CallbackRefusal, Check, IncomingCall, Receiver};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use std::borrow::Cow;
use subtle::ConstantTimeEq as _;

/// The maximum number of bytes in a callback. A message has at most 1600 characters.
const MAX_BYTES: usize = 64 * 1024;
/// The maximum number of bytes in a query. Ours contains the id of a message.
const MAX_QUERY_BYTES: usize = 1024;
const SIGNATURE: &str = "x-twilio-signature";
/// The number of bytes in a SHA-1 digest.
const SIGNATURE_BYTES: usize = 20;

/// The receiver of Twilio's callbacks.
pub struct TwilioReceiver<'a>(&'a TwilioSettings);

impl<'a> TwilioReceiver<'a> {
    /// Creates the receiver with the auth token of the settings.
    #[must_use]
    pub const fn new(settings: &'a TwilioSettings) -> Self {
        Self(settings)
    }
}

impl Receiver for TwilioReceiver<'_> {
    fn max_bytes(&self) -> usize {
        MAX_BYTES
    }

    /// Returns nothing, because Twilio sends no request to set up the webhook URL.
    fn handshake(&self, _query: &str) -> Option<String> {
        None
    }

    fn begin(&self, call: &IncomingCall<'_>) -> Option<Box<dyn Check>> {
        let token = self.0.auth_token.as_deref()?;
        let headers = (call.headers)(SIGNATURE);
        let [header] = headers.as_slice() else { return None };
        let signature =
            STANDARD.decode(header).ok().filter(|said| said.len() == SIGNATURE_BYTES)?;
        if call.query.len() > MAX_QUERY_BYTES {
            return None;
        }
        Some(Box::new(FormCheck {
            said: signature,
            key: hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes()),
            base_url: self.0.base_url.clone(),
            query: call.query.to_owned(),
        }))
    }

    /// Returns empty `TwiML`. Twilio logs an error for any other content type.
    fn reply(&self) -> Option<(&'static str, &'static str)> {
        Some(("text/xml", "<Response/>"))
    }
}

/// The check of a request while its body arrives. The signature covers the sorted fields, so
/// nothing can be checked before the whole body has arrived.
struct FormCheck {
    said: Vec<u8>,
    key: hmac::Key,
    base_url: String,
    query: String,
}

impl Check for FormCheck {
    fn update(&mut self, _piece: &[u8]) {}

    fn finish(self: Box<Self>, body: Vec<u8>) -> Result<String, CallbackRefusal> {
        let fields = sorted(&body);
        let path = match self.query.as_str() {
            "" => WEBHOOK.to_owned(),
            query => format!("{WEBHOOK}?{query}"),
        };
        // All three forms of the URL are always tried, so that the duration does not reveal which
        // one is right.
        let right = written(&self.base_url).iter().fold(0, |right, base_url| {
            let tag = sign(&self.key, &format!("{base_url}{path}"), &fields);
            right | tag.as_ref().ct_eq(&self.said).unwrap_u8()
        });
        if right == 0 {
            return Err(CallbackRefusal::Signature);
        }
        let text = String::from_utf8(body);
        let text = text.map_err(|_| CallbackRefusal::Unreadable("it is not UTF-8".to_owned()))?;
        if text.contains('\0') {
            return Err(CallbackRefusal::Unreadable("the body is not a form".to_owned()));
        }
        // The query, which has our id of the message, is stored with the form. Twilio's fields
        // begin with a capital letter, so no name occurs twice.
        Ok(if self.query.is_empty() { text } else { format!("{text}&{}", self.query) })
    }
}

/// Returns the fields sorted by name and value, without duplicates.
fn sorted(body: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    let mut fields: Vec<_> = form_urlencoded::parse(body).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

fn sign(key: &hmac::Key, url: &str, fields: &[(Cow<'_, str>, Cow<'_, str>)]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key);
    context.update(url.as_bytes());
    for (name, value) in fields {
        context.update(name.as_bytes());
        context.update(value.as_bytes());
    }
    context.sign()
}

/// Returns the three forms of the base URL that Twilio may sign: unchanged, without its port, and
/// with the default port.
fn written(base_url: &str) -> [String; 3] {
    let port =
        |rest: &str| rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let (scheme, rest) = base_url.split_once("://").unwrap_or(("https", base_url));
    let usual = if scheme == "https" { 443 } else { 80 };
    let without = match rest.rsplit_once(':') {
        Some((host, _)) if port(rest) => format!("{scheme}://{host}"),
        _ => base_url.to_owned(),
    };
    let with = if port(rest) { base_url.to_owned() } else { format!("{base_url}:{usual}") };
    [base_url.to_owned(), without, with]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The test vectors of Twilio's own libraries.
    #[test]
    fn the_signature_is_over_the_address_and_the_sorted_fields() {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, b"12345");
        let url = "https://mycompany.com/myapp.php?foo=1&bar=2";
        for (body, expected) in [
            (
                "CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309",
                "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
            ),
            (
                "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234",
                "IK+Dwps556ElfBT0I3Rgjkr1wJU=",
            ),
        ] {
            let tag = sign(&key, url, &sorted(body.as_bytes()));
            assert_eq!(STANDARD.encode(tag), expected);
        }
    }

    #[test]
    fn an_address_is_taken_with_its_port_and_without() {
        for (base_url, others) in [
            ("https://a.example", ["https://a.example", "https://a.example:443"]),
            ("https://a.example:8443", ["https://a.example", "https://a.example:8443"]),
            ("http://[::1]", ["http://[::1]", "http://[::1]:80"]),
        ] {
            let [first, without, with] = written(base_url);
            assert_eq!(first, base_url);
            assert_eq!(without, others[0]);
            assert_eq!(with, others[1]);
        }
    }

    const TOKEN: &str = "12345";
    const BASE_URL: &str = "https://api.example.com";

    fn taken(header: &str, query: &str, body: &[u8]) -> Option<Result<String, CallbackRefusal>> {
        let signature =
            STANDARD.decode(header).ok().filter(|said| said.len() == SIGNATURE_BYTES)?;
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, TOKEN.as_bytes());
        let check = FormCheck {
            said: signature,
            key,
            base_url: BASE_URL.to_owned(),
            query: query.to_owned(),
        };
        Some(Box::new(check).finish(body.to_vec()))
    }

    proptest! {
        #[test]
        fn only_what_was_signed_is_taken(
            body in "([A-Za-z]{1,5}=[a-zA-Z0-9%+]{0,9}&?){0,6}|[ -~]{0,40}",
            query in "(message=[a-z0-9_]{0,9})?",
            place: usize,
            change in 1_u8..,
        ) {
            let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, TOKEN.as_bytes());
            let mark = if query.is_empty() { "" } else { "?" };
            let url = format!("{BASE_URL}{WEBHOOK}{mark}{query}");
            let mut signature = sign(&key, &url, &sorted(body.as_bytes())).as_ref().to_vec();
            let right = taken(&STANDARD.encode(&signature), &query, body.as_bytes());
            prop_assert!(matches!(right, Some(Ok(_))), "{:?}", right.is_some());
            let place = place % signature.len();
            signature[place] ^= change;
            let wrong = taken(&STANDARD.encode(&signature), &query, body.as_bytes());
            prop_assert!(matches!(wrong, Some(Err(CallbackRefusal::Signature))));
        }

        #[test]
        fn whatever_comes_is_refused(header in "[A-Za-z0-9+/]{27}=|[ -~]{0,40}", body: Vec<u8>, query in "[ -~]{0,40}") {
            prop_assert!(!matches!(taken(&header, &query, &body), Some(Ok(_))));
        }
    }
}
