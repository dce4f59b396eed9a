//! HMAC-SHA256 over the bytes of a message, as the channel signs its callbacks.

use ring::hmac;
use subtle::ConstantTimeEq as _;

/// A signature that is being checked while the message comes in, piece by piece.
pub struct SignatureCheck {
    said: Vec<u8>,
    context: hmac::Context,
}

impl SignatureCheck {
    /// Begins with a `header`: `sha256=` and the hex of the HMAC of the body with `secret`. Nothing where it is
    /// not written like that: no body can fit it.
    #[must_use]
    pub fn begin(secret: &str, header: &str) -> Option<Self> {
        let said = header.strip_prefix("sha256=").filter(|hex| hex.len() == 64).and_then(unhex)?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Some(Self { said, context: hmac::Context::with_key(&key) })
    }

    /// Takes the next piece of the body.
    pub fn update(&mut self, piece: &[u8]) {
        self.context.update(piece);
    }

    /// Whether it was the signature of all that came; compared in constant time.
    #[must_use]
    pub fn is_right(self) -> bool {
        self.context.sign().as_ref().ct_eq(&self.said).into()
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
            body.chunks(5).for_each(|piece| check.update(piece));
            check.is_right()
        })
    }

    /// RFC 4231, test case 2.
    const TAG: &str = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

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
