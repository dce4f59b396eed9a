//! Meta's error codes and their meaning for a message (`docs/contract.md#messages`).

use crate::SpeedLimit;
use domain::account::HealthReason;
use domain::message::{Failure, MessageError};

/// Returns the failure that a code means.
const fn failure_of(code: i64) -> Failure {
    match code {
        131_047 => Failure::WindowClosed,
        131_026 => Failure::RecipientUnreachable,
        131_050 => Failure::RecipientOptedOut,
        131_049 => Failure::ChannelCapped,
        130_429 | 131_048 | 131_056 => Failure::ChannelRateLimited,
        132_000 => Failure::TemplateParamsMismatch,
        132_001 => Failure::TemplateNotFound,
        132_015 => Failure::TemplatePaused,
        132_016 => Failure::TemplateDisabled,
        131_052 | 131_053 => Failure::MediaFailed,
        131_031 => Failure::AccountLocked,
        131_062 => Failure::PhoneNumberRequired,
        _ => Failure::ChannelError,
    }
}

/// Returns why Meta refuses the account, or `None` if the error is only about the request.
#[must_use]
pub const fn account_fault(code: i64) -> Option<HealthReason> {
    Some(match code {
        0 | 102 | 190 => HealthReason::TokenRefused,
        3 | 10 | 200..=299 | 131_005 => HealthReason::PermissionMissing,
        368 => HealthReason::PolicyViolation,
        130_497 => HealthReason::CountryRestricted,
        131_031 => HealthReason::AccountLocked,
        131_037 => HealthReason::NameNotApproved,
        131_042 => HealthReason::PaymentRequired,
        33 | 131_045 | 133_010 => HealthReason::NotRegistered,
        _ => return None,
    })
}

/// Returns why Meta refuses the account, for an error with this code and subcode. Code 100 with
/// subcode 33 says that the object does not exist for this token: its user has lost access to the
/// number.
#[must_use]
pub const fn account_fault_below(code: i64, subcode: i64) -> Option<HealthReason> {
    match (code, subcode) {
        (100, 33) => Some(HealthReason::PermissionMissing),
        _ => None,
    }
}

/// Returns whether the same request may succeed later. The code is one of the API's rate limits, or
/// an outage.
#[must_use]
pub const fn passes(code: i64) -> bool {
    matches!(code, 1 | 2 | 131_016 | 131_057 | 132_069 | 133_004 | 133_016 | 134_101)
        || speed_limit(code).is_some()
}

/// Returns whether the error is about the message itself, which the API will therefore never
/// accept.
#[must_use]
pub const fn is_of_the_message(code: i64) -> bool {
    !matches!(
        failure_of(code),
        Failure::ChannelError | Failure::ChannelRateLimited | Failure::AccountLocked
    )
}

/// Returns the scope of the rate limit, if the code means one.
#[must_use]
pub const fn speed_limit(code: i64) -> Option<SpeedLimit> {
    Some(match code {
        4 | 17 | 32 | 341 | 613 | 80_000..=80_014 | 130_429 | 131_048 => SpeedLimit::Number,
        131_056 => SpeedLimit::Pair,
        _ => return None,
    })
}

/// Creates the error of a message from Meta's code and text.
#[must_use]
pub fn delivery_error(code: Option<i64>, message: &str) -> MessageError {
    let failure = code.map_or(Failure::ChannelError, failure_of);
    MessageError { failure, message: sentence_of(message), channel_code: code }
}

/// The prefix of Meta's access tokens.
const TOKEN: &str = "EAA";
/// The words that come before a token in some of Meta's texts.
const BEFORE_A_TOKEN: &str = "access token ";
const MASK: &str = "[masked]";

/// Returns a text from Meta so that it can be stored and shown. Some texts contain access tokens,
/// which are masked.
#[must_use]
pub fn sentence_of(text: &str) -> String {
    // PostgreSQL cannot store NUL.
    let text = text.replace('\0', "\u{fffd}");
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(start) = rest.find(is_of_a_token) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|it| !is_of_a_token(it)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        kept.push_str(before);
        let is_named =
            kept.to_ascii_lowercase().ends_with(BEFORE_A_TOKEN) && has_digit_or_is_long(word);
        kept.push_str(if is_named || word.contains(TOKEN) { MASK } else { word });
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// Whether a token can contain the character. An app access token contains a `|`.
const fn is_of_a_token(character: char) -> bool {
    matches!(character, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '|' | '.')
}

/// Whether a word looks like a token, and not like an ordinary word such as "has" or "provided".
fn has_digit_or_is_long(word: &str) -> bool {
    word.len() > 16 || word.bytes().any(|it| it.is_ascii_digit() || it == b'|')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_token_is_masked() {
        for (said, kept) in [
            ("Malformed access token EAAG-test-token", "Malformed access token [masked]"),
            ("Malformed access token AQD3kdlfkjsldkfjsl.", "Malformed access token [masked]"),
            (
                "Error validating access token: Session has expired on Friday",
                "Error validating access token: Session has expired on Friday",
            ),
            (
                "Error validating access token: EAAGm0PX4Z",
                "Error validating access token: [masked]",
            ),
            ("The access token could not be decrypted", "The access token could not be decrypted"),
            (
                "Invalid OAuth access token - Cannot parse access token",
                "Invalid OAuth access token - Cannot parse access token",
            ),
            ("Malformed Access Token 1234|abcd", "Malformed Access Token [masked]"),
            ("(#131030) wamid.HBgL to +16505551234", "(#131030) wamid.HBgL to +16505551234"),
            ("access_token=EAAGm0&x=1", "access_token=[masked]&x=1"),
            ("a\0b", "a\u{fffd}b"),
            ("", ""),
        ] {
            assert_eq!(sentence_of(said), kept);
        }
    }
}
