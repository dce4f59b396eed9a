//! Meta's error codes, and what they mean for a message (`docs/contract.md#messages`).

use domain::account::HealthReason;
use domain::message::{DeliveryError, Failure};

/// What a code means.
const fn failure_of(code: i64) -> Failure {
    match code {
        131_047 => Failure::WindowClosed,
        131_026 => Failure::RecipientUnreachable,
        131_050 => Failure::RecipientOptedOut,
        131_049 => Failure::ChannelCapped,
        130_429 | 131_056 => Failure::ChannelRateLimited,
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

/// Why the account is refused, and not what is asked; none where it is not.
#[must_use]
pub const fn account_fault(code: i64) -> Option<HealthReason> {
    Some(match code {
        0 | 190 => HealthReason::TokenRefused,
        3 | 10 | 200..=299 | 131_005 => HealthReason::PermissionMissing,
        368 => HealthReason::PolicyViolation,
        130_497 => HealthReason::CountryRestricted,
        131_031 => HealthReason::AccountLocked,
        131_042 => HealthReason::PaymentRequired,
        131_045 | 133_010 => HealthReason::NotRegistered,
        _ => return None,
    })
}

/// What Meta said of a message.
#[must_use]
pub const fn delivery_error(code: Option<i64>, message: String) -> DeliveryError {
    let failure = match code {
        Some(code) => failure_of(code),
        None => Failure::ChannelError,
    };
    DeliveryError { failure, message, channel_code: code }
}
