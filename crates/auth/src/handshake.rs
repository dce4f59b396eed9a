//! The faults of a handshake. A fault is in the authorize request or in the code exchange.

use crate::pkce::VerifierMismatch;
use domain::id::ApplicationId;
use domain::keyword::Keyword;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use std::collections::HashMap;
use std::time::Duration;

macro_rules! faults {
    ($($(#[$doc:meta])* $Case:ident = $word:literal, $advice:literal;)+) => {
        /// A fault of a handshake, for the handshake log of the application's owner.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HandshakeFault { $(#[doc = concat!("`", $word, "`")] $Case,)+ }

        impl Keyword for HandshakeFault {
            const ALL: &'static [Self] = &[$(Self::$Case,)+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$Case => $word,)+ }
            }
        }

        impl HandshakeFault {
            /// Returns a sentence that says what went wrong, and a sentence that says what to do.
            /// The `error_description` of a redirect is made of it, see
            /// [`HandshakeFault::description`].
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$Case => $advice,)+ }
            }
        }
    };
}

faults! {
    RepeatedParameter = "repeated_parameter", "A parameter of the authorize request is repeated. Send each parameter once.";
    TooManyParameters = "too_many_parameters", "The authorize request has more than 32 parameters. Send only those of the reference.";
    RedirectNotRegistered = "redirect_not_registered", "The redirect_uri of the authorize request is not registered. Register exactly the URL that is sent: scheme, host, port, path, query and trailing slash all count.";
    StateMissing = "state_missing", "state is missing. Send a random value that your server makes and keeps for each handshake.";
    StateTooLong = "state_too_long", "state is longer than 512 bytes. Send a short random value, and keep what belongs to it on your server.";
    ResponseTypeUnsupported = "response_type_unsupported", "response_type is not supported. Send response_type=code, or leave it out.";
    ChallengeMethodUnsupported = "challenge_method_unsupported", "code_challenge_method is missing or not supported. Send code_challenge and code_challenge_method=S256 (PKCE).";
    ChallengeMissing = "challenge_missing", "code_challenge is missing. Send the unpadded base64url of the SHA-256 digest of the verifier.";
    ChallengeMalformed = "challenge_malformed", "code_challenge is not 43 to 128 letters, digits or -._~. Send the unpadded base64url of the SHA-256 digest of the verifier.";
    ScopeMissing = "scope_missing", "scope is missing. Send the scopes that the application needs, with spaces between.";
    ScopeUnknown = "scope_unknown", "scope names a scope that does not exist. Send only scopes that the reference lists, with spaces between.";
    ScopeNotRegistered = "scope_not_registered", "scope names a scope that this application has not registered. Add it to the application, or leave it out.";
    RequestUnreadable = "request_unreadable", "The exchange could not be read. Send it as application/json or application/x-www-form-urlencoded, uncompressed, with at most 16 KiB.";
    TooManyFields = "too_many_fields", "The exchange has more than 32 fields. Send only those of the reference.";
    FieldRepeated = "field_repeated", "A field of the exchange is repeated. Send each field once.";
    GrantTypeUnsupported = "grant_type_unsupported", "The grant_type of the exchange is not supported. Send authorization_code, or leave it out.";
    ClientUnclear = "client_unclear", "The Authorization header of the exchange is not one pair in HTTP Basic, or the body has a secret or another client_id as well. Send client id and secret in one of the two places.";
    CodeMissing = "code_missing", "code is missing in the exchange. Take it from the redirect.";
    ClientIdMissing = "client_id_missing", "client_id is missing in the exchange. Send the application's client id and secret.";
    ClientSecretMissing = "client_secret_missing", "client_secret is missing in the exchange. Send the application's own secret, from your server.";
    UnknownCode = "unknown_code", "No such code was ever issued. Take it from the redirect as it is, decoded once.";
    CodeUsed = "code_used", "The code has already been used. A code is good for one attempt, even a failed one: start a new handshake.";
    CodeExpired = "code_expired", "The code was older than 60 seconds. Exchange it at once, from your server, when the redirect arrives.";
    OtherApplication = "other_application", "The code was issued to another application. Send the client_id that began this handshake.";
    WrongSecret = "wrong_secret", "The client_secret is wrong. Use the application's own secret, not a connection's; make a new one if it is lost.";
    OtherRedirect = "other_redirect", "The redirect_uri does not exactly match the one of the authorize request.";
    ChallengeInHex = "challenge_in_hex", "The challenge is hex. Send unpadded base64url of the raw SHA-256 digest.";
    ChallengeOfHex = "challenge_of_hex", "The challenge is base64 of the digest's hex. Send unpadded base64url of the raw digest.";
    ChallengeIsVerifier = "challenge_is_verifier", "The challenge is the verifier itself. Send unpadded base64url of its SHA-256 digest.";
    ChallengeInOtherBase64 = "challenge_in_other_base64", "The challenge is in the standard alphabet of base64, or padded. Send base64url without padding.";
    WrongVerifier = "wrong_verifier", "The verifier is not the one that the challenge was made of. Keep it with the state, on your server, for each handshake.";
    NoVerifier = "no_verifier", "The code_verifier is missing, or not 43 to 128 letters, digits or -._~.";
    ApplicationGone = "application_gone", "The application was deleted, or may not connect this organization any more.";
}

impl HandshakeFault {
    /// Returns the `error_description` of the redirect. `unregistered` are the scopes that the
    /// request names and the application has not registered. Nothing else of the request is in the
    /// text, because it may have only the characters of RFC 6749 section 4.1.2.1: printable ASCII
    /// without `"` and `\`.
    #[must_use]
    pub fn description(self, unregistered: ScopeSet) -> String {
        let names: Vec<&str> = unregistered.iter().map(Scope::as_str).collect();
        match (self, names.as_slice()) {
            (Self::ScopeNotRegistered, [name]) => format!(
                "scope names a scope that this application has not registered: {name}. Add it to the application, \
                 or leave it out."
            ),
            (Self::ScopeNotRegistered, [_, _, ..]) => format!(
                "scope names scopes that this application has not registered: {}. Add them to the application, \
                 or leave them out.",
                names.join(", ")
            ),
            _ => self.advice().to_owned(),
        }
    }

    /// Returns the `error` parameter that is added to the redirect URI (RFC 6749, section 4.1.2.1).
    /// Returns nothing for a fault after which the browser must not be redirected.
    #[must_use]
    pub const fn error(self) -> Option<&'static str> {
        match self {
            Self::StateMissing
            | Self::StateTooLong
            | Self::ChallengeMethodUnsupported
            | Self::ChallengeMissing
            | Self::ChallengeMalformed => Some("invalid_request"),
            Self::ResponseTypeUnsupported => Some("unsupported_response_type"),
            Self::ScopeMissing | Self::ScopeUnknown | Self::ScopeNotRegistered => {
                Some("invalid_scope")
            }
            _ => None,
        }
    }
}

/// The results of the checks of a code exchange.
#[expect(clippy::struct_excessive_bools, reason = "each field is a separate check")]
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    /// The code exists and has not been used.
    pub code_known: bool,
    /// The code has not expired.
    pub in_time: bool,
    /// The code was issued to this application.
    pub same_application: bool,
    /// The application's secret is correct.
    pub right_secret: bool,
    /// The exchange named the same redirect URI as the authorize request, or named none.
    pub same_redirect: bool,
    /// The verifier is well-formed.
    pub verifier_read: bool,
    /// The verifier matches the challenge.
    pub right_verifier: bool,
    /// The likely mistake, which is used only if the verifier does not match.
    pub mistake: VerifierMismatch,
}

impl Checks {
    /// Returns the fault of the first check that failed, if any.
    #[must_use]
    pub const fn failure(&self) -> Option<HandshakeFault> {
        Some(match self {
            Self { code_known: false, .. } => HandshakeFault::UnknownCode,
            Self { same_application: false, .. } => HandshakeFault::OtherApplication,
            Self { in_time: false, .. } => HandshakeFault::CodeExpired,
            Self { right_secret: false, .. } => HandshakeFault::WrongSecret,
            Self { same_redirect: false, .. } => HandshakeFault::OtherRedirect,
            Self { verifier_read: false, .. } => HandshakeFault::NoVerifier,
            Self { right_verifier: false, mistake, .. } => match mistake {
                VerifierMismatch::Hex => HandshakeFault::ChallengeInHex,
                VerifierMismatch::OfHex => HandshakeFault::ChallengeOfHex,
                VerifierMismatch::Plain => HandshakeFault::ChallengeIsVerifier,
                VerifierMismatch::OtherBase64 => HandshakeFault::ChallengeInOtherBase64,
                VerifierMismatch::Other => HandshakeFault::WrongVerifier,
            },
            _ => return None,
        })
    }
}

/// The minimum time between two log entries for the same fault of the same application. Anybody can
/// send faulty authorize requests without signing in, so they must not fill the handshake log.
const RECORD_INTERVAL: Duration = Duration::from_secs(10);

/// The time at which each fault of each application was last recorded. The map stays small: it has
/// at most one entry for each application and kind of fault.
#[derive(Debug, Default)]
pub struct FaultyRequests(HashMap<(ApplicationId, HandshakeFault), Timestamp>);

impl FaultyRequests {
    /// Whether the fault has to be recorded now. If so, the caller must record it,
    /// because the fault counts as recorded from then on.
    pub fn is_due(
        &mut self,
        application: ApplicationId,
        fault: HandshakeFault,
        now: Timestamp,
    ) -> bool {
        let last = self.0.get(&(application, fault));
        let due = last.is_none_or(|last| now < *last || now.since(*last) >= RECORD_INTERVAL);
        if due {
            self.0.insert((application, fault), now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_keeps_to_the_characters_of_the_rfc() {
        let all: ScopeSet = Scope::ALL.iter().copied().collect();
        for fault in HandshakeFault::ALL.iter().filter(|fault| fault.error().is_some()) {
            for description in [fault.description(ScopeSet::default()), fault.description(all)] {
                let right = |byte| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
                assert!(description.bytes().all(right), "{description}");
            }
        }
    }

    #[test]
    fn a_description_names_the_scopes_that_are_not_registered() {
        let fault = HandshakeFault::ScopeNotRegistered;
        let one = [Scope::MediaWrite].into_iter().collect();
        let several = [Scope::MediaWrite, Scope::TemplatesRead].into_iter().collect();
        assert_eq!(
            fault.description(one),
            "scope names a scope that this application has not registered: media.write. Add it to the application, \
             or leave it out."
        );
        assert_eq!(
            fault.description(several),
            "scope names scopes that this application has not registered: templates.read, media.write. Add them to \
             the application, or leave them out."
        );
        assert_eq!(fault.description(ScopeSet::default()), fault.advice());
        let other = HandshakeFault::ScopeMissing;
        assert_eq!(other.description(one), other.advice());
    }

    #[test]
    fn what_goes_back_to_the_redirect_url_has_a_word_of_the_rfc() {
        for fault in HandshakeFault::ALL {
            let expected = match fault {
                HandshakeFault::ResponseTypeUnsupported => "unsupported_response_type",
                _ if fault.as_str().starts_with("scope_") => "invalid_scope",
                _ => "invalid_request",
            };
            assert!(fault.error().is_none_or(|word| word == expected), "{fault:?}");
        }
        assert_eq!(HandshakeFault::StateMissing.error(), Some("invalid_request"));
        assert_eq!(HandshakeFault::ScopeUnknown.error(), Some("invalid_scope"));
        for secret in [HandshakeFault::UnknownCode, HandshakeFault::RepeatedParameter] {
            assert_eq!(secret.error(), None);
        }
    }

    const RIGHT: Checks = Checks {
        code_known: true,
        in_time: true,
        same_application: true,
        right_secret: true,
        same_redirect: true,
        verifier_read: true,
        right_verifier: true,
        mistake: VerifierMismatch::Other,
    };

    #[test]
    fn each_check_that_fails_is_named_and_the_first_of_several() {
        let verifier = |mistake| Checks { right_verifier: false, mistake, ..RIGHT };
        assert_eq!(RIGHT.failure(), None);
        for (checks, fault) in [
            (Checks { code_known: false, ..RIGHT }, HandshakeFault::UnknownCode),
            (Checks { same_application: false, ..RIGHT }, HandshakeFault::OtherApplication),
            (Checks { in_time: false, ..RIGHT }, HandshakeFault::CodeExpired),
            (Checks { right_secret: false, ..RIGHT }, HandshakeFault::WrongSecret),
            (Checks { same_redirect: false, ..RIGHT }, HandshakeFault::OtherRedirect),
            (Checks { verifier_read: false, ..RIGHT }, HandshakeFault::NoVerifier),
            (verifier(VerifierMismatch::Hex), HandshakeFault::ChallengeInHex),
            (verifier(VerifierMismatch::OfHex), HandshakeFault::ChallengeOfHex),
            (verifier(VerifierMismatch::Plain), HandshakeFault::ChallengeIsVerifier),
            (verifier(VerifierMismatch::OtherBase64), HandshakeFault::ChallengeInOtherBase64),
            (verifier(VerifierMismatch::Other), HandshakeFault::WrongVerifier),
            (
                Checks { same_application: false, in_time: false, right_secret: false, ..RIGHT },
                HandshakeFault::OtherApplication,
            ),
        ] {
            assert_eq!(checks.failure(), Some(fault));
        }
    }

    #[test]
    fn the_same_fault_is_recorded_every_ten_seconds() {
        let at =
            |millis| Timestamp::from_seconds(1_800_000_000).plus(Duration::from_millis(millis));
        let application = |number| ApplicationId::new(at(0), [number; 10]);
        let (mut requests, fault) = (FaultyRequests::default(), HandshakeFault::StateMissing);
        assert!(requests.is_due(application(1), fault, at(5_000)));
        assert!(!requests.is_due(application(1), fault, at(5_000)));
        assert!(!requests.is_due(application(1), fault, at(14_999)));
        // Other faults, and faults of other applications, have intervals of their own.
        assert!(requests.is_due(application(1), HandshakeFault::StateTooLong, at(5_000)));
        assert!(requests.is_due(application(2), fault, at(5_000)));
        assert!(requests.is_due(application(1), fault, at(15_000)));
        assert!(!requests.is_due(application(1), fault, at(24_999)));
        // A fault is recorded at once if the clock was set back.
        assert!(requests.is_due(application(1), fault, at(14_000)));
    }

    #[test]
    fn each_fault_has_a_word_of_its_own() {
        for fault in HandshakeFault::ALL {
            assert_eq!(HandshakeFault::from_keyword(fault.as_str()), Some(*fault));
        }
    }
}
