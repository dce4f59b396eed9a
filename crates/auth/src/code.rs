//! Authorization codes: issued, then consumed, by whatever exchange comes first (`service.md` 2.4).

use crate::digest::Digest;
use crate::secret::base62;
use domain::time::Timestamp;
use domain::word::Word;
use std::time::Duration;

/// How long a code is good.
pub const GOOD_FOR: Duration = Duration::from_mins(1);
const DIGITS: usize = 43;

/// A fresh code of 256 random bits.
#[must_use]
pub fn code(entropy: [u8; 32]) -> String {
    base62(&entropy, DIGITS)
}

/// What is kept of a code.
#[must_use]
pub fn digest(code: &str) -> Digest {
    Digest::of(code.as_bytes())
}

/// Whether a code that was issued then is still good.
#[must_use]
pub fn is_good(issued_at: Timestamp, now: Timestamp) -> bool {
    now.since(issued_at) <= GOOD_FOR
}

macro_rules! failures {
    ($($(#[$doc:meta])* $Case:ident = $word:literal, $advice:literal;)+) => {
        /// Which check of an exchange failed. The wire never says it; the application's owner sees it in
        /// the handshake log.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ExchangeFailure { $(#[doc = concat!("`", $word, "`")] $Case,)+ }

        impl Word for ExchangeFailure {
            const ALL: &'static [Self] = &[$(Self::$Case,)+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$Case => $word,)+ }
            }
        }

        impl ExchangeFailure {
            /// What went wrong, and what to do about it.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$Case => $advice,)+ }
            }
        }
    };
}

failures! {
    UnknownCode = "unknown_code", "No such code was ever issued. Take it from the redirect as it is, decoded once.";
    CodeUsed = "code_used", "The code had been used before. Each is good for one attempt, also a failed one: start the handshake anew.";
    CodeExpired = "code_expired", "The code was older than 60 seconds. Exchange it at once, from your server, when the redirect arrives.";
    OtherApplication = "other_application", "The code was issued to another application. Send the client_id that began this handshake.";
    WrongSecret = "wrong_secret", "The client_secret is wrong. Use the application's own secret, not a connection's; make a new one if it is lost.";
    OtherRedirect = "other_redirect", "The redirect_uri is not the one of the authorize request, letter for letter.";
    ChallengeInHex = "challenge_in_hex", "The challenge is hex. Send unpadded base64url of the raw SHA-256 digest.";
    ChallengeOfHex = "challenge_of_hex", "The challenge is base64 of the digest's hex. Send unpadded base64url of the raw digest.";
    ChallengeIsVerifier = "challenge_is_verifier", "The challenge is the verifier itself. Send unpadded base64url of its SHA-256 digest.";
    ChallengeInOtherBase64 = "challenge_in_other_base64", "The challenge is in the standard alphabet of base64, or padded. Send base64url without padding.";
    WrongVerifier = "wrong_verifier", "The verifier is not the one that the challenge was made of. Keep it with the state, on your server, for each handshake.";
    NoVerifier = "no_verifier", "The code_verifier is missing, or not 43 to 128 letters, digits or -._~.";
    ApplicationGone = "application_gone", "The application was deleted, or may not connect this organization any more.";
}
