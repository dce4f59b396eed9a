//! The receiver of Meta's callbacks. It checks the signature, an HMAC-SHA256 over the bytes of the
//! body. It also answers the handshake with which Meta sets up the webhook URL.

use super::CloudSettings;
use crate::receiver::{CallbackRefusal, Check, IncomingCall, Receiver};
use ring::{digest, hmac};
use serde::de::IgnoredAny;
use subtle::ConstantTimeEq as _;

/// The maximum number of bytes in a callback. This is Meta's own limit.
const MAX_BYTES: usize = 3 * 1024 * 1024;
/// The maximum number of bytes in the query of the handshake.
const MAX_QUERY_BYTES: usize = 4 * 1024;
const SIGNATURE: &str = "x-hub-signature-256";

/// The receiver of Meta's callbacks.
pub struct CloudReceiver<'a>(&'a CloudSettings);

impl<'a> CloudReceiver<'a> {
    /// Creates the receiver with the secrets of the settings.
    #[must_use]
    pub const fn new(settings: &'a CloudSettings) -> Self {
        Self(settings)
    }
}

impl Receiver for CloudReceiver<'_> {
    fn max_bytes(&self) -> usize {
        MAX_BYTES
    }

    fn handshake(&self, query: &str) -> Option<String> {
        if query.len() > MAX_QUERY_BYTES {
            return None;
        }
        let value = |name: &str| {
            let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(it, _)| it == name);
            // A repeated parameter is treated as missing.
            found.next().filter(|_| found.next().is_none()).map(|(_, value)| value.into_owned())
        };
        let expected = digest_of(self.0.verify_token.as_deref()?);
        let same = expected.as_ref().ct_eq(digest_of(&value("hub.verify_token")?).as_ref());
        let challenge = value("hub.challenge")?;
        (bool::from(same) && value("hub.mode")? == "subscribe").then_some(challenge)
    }

    fn begin(&self, call: &IncomingCall<'_>) -> Option<Box<dyn Check>> {
        let secret = self.0.app_secret.as_deref()?;
        let headers = (call.headers)(SIGNATURE);
        let [header] = headers.as_slice() else { return None };
        Some(Box::new(SignatureCheck::begin(secret, header)?))
    }

    fn reply(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// Hashes a text. Digests have the same length, so comparing them does not reveal the text's
/// length.
fn digest_of(text: &str) -> digest::Digest {
    digest::digest(&digest::SHA256, text.as_bytes())
}

impl Check for SignatureCheck {
    fn update(&mut self, piece: &[u8]) {
        self.context.update(piece);
    }

    fn finish(self: Box<Self>, body: Vec<u8>) -> Result<String, CallbackRefusal> {
        if !self.is_right() {
            return Err(CallbackRefusal::Signature);
        }
        let text = String::from_utf8(body);
        let text = text.map_err(|_| CallbackRefusal::Unreadable("it is not UTF-8".to_owned()))?;
        let read: Result<IgnoredAny, _> = serde_json::from_str(&text);
        read.map_err(|error| CallbackRefusal::Unreadable(error.to_string()))?;
        Ok(text)
    }
}

/// The check of a signature while the body arrives.
struct SignatureCheck {
    said: Vec<u8>,
    context: hmac::Context,
}

impl SignatureCheck {
    /// Starts a check. The `header` must be `sha256=` and, in hex, the HMAC of the body with
    /// `secret`. Returns nothing if the header has another form, because no body can match it.
    fn begin(secret: &str, header: &str) -> Option<Self> {
        let signature =
            header.strip_prefix("sha256=").filter(|hex| hex.len() == 64).and_then(unhex)?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Some(Self { said: signature, context: hmac::Context::with_key(&key) })
    }

    /// Whether the signature matches the whole body. Compares in constant time.
    fn is_right(&self) -> bool {
        self.context.clone().sign().as_ref().ct_eq(&self.said).into()
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| char::from(letter).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_signed(secret: &str, body: &[u8], header: &str) -> bool {
        SignatureCheck::begin(secret, header).is_some_and(|mut check| {
            body.chunks(5).for_each(|piece| Check::update(&mut check, piece));
            check.is_right()
        })
    }

    /// RFC 4231, test case 2.
    const TAG: &str = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    proptest::proptest! {
        #[test]
        fn no_header_is_taken_for_a_signature_but_the_right_one(header in "(sha256=)?[0-9a-fA-Fx+ -]{60,68}|\\PC{0,80}") {
            proptest::prop_assert!(!is_signed("Jefe", b"what do ya want?", &header), "{}", header);
        }

        #[test]
        fn only_the_verify_token_that_stands_once_gets_the_challenge(
            said in proptest::collection::vec("hub\\.(mode|verify_token|challenge)=(subscribe|meaty|meat|1)?", 0..6),
            junk in "[ -~]{0,20}",
        ) {
            let settings = CloudSettings { graph: String::new(), app_secret: None, verify_token: Some("meaty".to_owned()) };
            let query = format!("{junk}&{}", said.join("&"));
            let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
            let values = |name: &str| pairs.iter().filter(|it| it.0 == name).map(|it| it.1.to_string()).collect::<Vec<_>>();
            let once = values("hub.verify_token") == ["meaty"] && values("hub.mode") == ["subscribe"];
            let expected = match values("hub.challenge").as_slice() {
                [challenge] if once => Some(challenge.clone()),
                _ => None,
            };
            proptest::prop_assert_eq!(CloudReceiver::new(&settings).handshake(&query), expected);
        }

        #[test]
        fn a_changed_byte_is_refused(place in 0_usize..28, change in 1_u8..) {
            let mut body = b"what do ya want for nothing?".to_vec();
            body[place] ^= change;
            proptest::prop_assert!(!is_signed("Jefe", &body, TAG));
        }
    }

    #[test]
    fn only_the_right_tag_over_the_very_bytes_is_taken() {
        let body = b"what do ya want for nothing?";
        assert!(is_signed("Jefe", body, TAG));
        assert!(is_signed("Jefe", body, &TAG.to_uppercase().replace("SHA256", "sha256")));
        for wrong in ["", "sha256=", "sha256=00", "sha256=5", "sha256=zz", &TAG[7..]] {
            assert!(!is_signed("Jefe", body, wrong), "{wrong}");
        }
        assert!(!is_signed("jefe", body, TAG));
        assert!(!is_signed("Jefe", b"what do ya want for nothing", TAG));
    }
}
