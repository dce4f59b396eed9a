//! Twilio's error codes and their meaning for a message (`docs/contract.md#messages`).
//!
//! <https://www.twilio.com/docs/api/errors>

use domain::account::HealthReason;
use domain::message::{Failure, MessageError};

/// Returns the failure that an error code stands for.
const fn failure_of(code: i64) -> Failure {
    match code {
        63_016 => Failure::WindowClosed,
        21_211 | 21_217 | 21_614 | 63_003 | 63_024 => Failure::RecipientUnreachable,
        21_610 => Failure::RecipientOptedOut,
        63_032 | 63_049 => Failure::ChannelCapped,
        20_429 | 63_018 => Failure::ChannelRateLimited,
        63_028 => Failure::TemplateParamsMismatch,
        63_027 => Failure::TemplateNotFound,
        21_620 | 63_019 => Failure::MediaFailed,
        20_005 | 63_020 => Failure::AccountLocked,
        _ => Failure::ChannelError,
    }
}

/// Returns the error of a message.
pub fn delivery_error(code: Option<i64>, message: &str) -> MessageError {
    // PostgreSQL cannot store NUL.
    let message = message.replace('\0', "\u{fffd}");
    let failure = code.map_or(Failure::ChannelError, failure_of);
    MessageError { failure, message, channel_code: code }
}

/// Whether an error code means too many requests or a temporary problem. Twilio does not send all
/// of these codes with status 429 or 5xx.
pub const fn passes(code: i64) -> bool {
    matches!(code, 20_429 | 63_010 | 63_018)
}

/// Returns why Twilio refuses the account, or `None` if the error is only about the request.
pub const fn account_fault(code: i64) -> Option<HealthReason> {
    Some(match code {
        20_003 => HealthReason::TokenRefused,
        20_008 => HealthReason::PermissionMissing,
        10_001 | 20_005 | 20_010 | 63_020 => HealthReason::AccountLocked,
        63_001 | 63_007 => HealthReason::NotRegistered,
        63_112 => HealthReason::AccountDisabled,
        _ => return None,
    })
}
