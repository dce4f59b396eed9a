//! The content of the forms that create and change a key. Rejected input is kept, so that nobody
//! has to type it again.

use crate::browser::{FieldErrors, Form, ScopeChoice, scope_choices, selected_scopes};
use crate::dashboard::fields::{ACCOUNT, LAST_DAY, MESSAGES_PER_MONTH, NAME, RATE_LIMIT, SCOPE};
use domain::connection::{ConnectionCaps, MAX_MESSAGES_PER_MONTH};
use domain::id::AccountId;
use domain::key::{InvalidRateLimit, MAX_RATE_LIMIT, RateLimit, grant};
use domain::name::Name;
use domain::number::with_commas;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use persistence::records::Key;
use service::keys::NewKey;

/// The error for a number that does not belong to the organization.
pub const FOREIGN_NUMBER: &str = "Choose one of your numbers.";

/// Returns the hint with the bounds of a rate limit.
#[must_use]
pub fn rate_limit_hint() -> String {
    format!("0 to {} requests/min; 0 = unlimited.", with_commas(MAX_RATE_LIMIT.into()))
}

/// Returns the HTML attributes of the control of a rate limit.
#[must_use]
pub fn rate_limit_attributes() -> String {
    format!("type=\"number\" min=\"0\" max=\"{MAX_RATE_LIMIT}\" required")
}

/// The content of the form for a new key.
pub struct KeyFields {
    pub name: String,
    /// The id of a number. Empty for all numbers.
    pub account: String,
    pub rate_limit: String,
    pub scopes: ScopeSet,
}

impl KeyFields {
    pub fn empty() -> Self {
        Self {
            name: String::new(),
            account: String::new(),
            rate_limit: RateLimit::default().number().to_string(),
            scopes: ScopeSet::default(),
        }
    }

    pub fn of(form: &Form) -> Self {
        Self {
            name: NAME.of(form).to_owned(),
            account: form.value(ACCOUNT).to_owned(),
            rate_limit: form.value(RATE_LIMIT).to_owned(),
            scopes: selected_scopes(form),
        }
    }

    /// Validates the form. Whether the number belongs to the organization is checked when the key
    /// is created.
    pub fn parse(&self) -> Result<NewKey, FieldErrors> {
        let mut errors = FieldErrors::default();
        let name = name(&self.name, &mut errors);
        let scopes = grant(self.scopes).map_err(|why| errors.add(SCOPE, why)).ok();
        let account = match self.account.as_str() {
            "" => Some(None),
            text => {
                let account = text.parse::<AccountId>();
                account.map_err(|_| errors.add(ACCOUNT, FOREIGN_NUMBER)).ok().map(Some)
            }
        };
        let rate_limit = rate_limit(&self.rate_limit, &mut errors);
        match (name, account, rate_limit, scopes) {
            (Some(name), Some(account), Some(rate_limit), Some(scopes)) => {
                Ok(NewKey { name, scopes, account, rate_limit })
            }
            _ => Err(errors),
        }
    }

    /// Returns a checkbox for every scope.
    pub fn choices(&self) -> Vec<ScopeChoice> {
        scope_choices(self.scopes, Scope::plain_description)
    }
}

/// The content of the form that changes a key.
pub struct KeyChange {
    pub name: String,
    pub rate_limit: String,
    pub errors: FieldErrors,
}

impl KeyChange {
    /// Validates a submitted form.
    ///
    /// # Errors
    ///
    /// The input with its errors, if it is not valid.
    pub fn parse(form: &Form) -> Result<(Name, RateLimit), Self> {
        let mut errors = FieldErrors::default();
        let name = name(NAME.of(form), &mut errors);
        match (name, rate_limit(form.value(RATE_LIMIT), &mut errors)) {
            (Some(name), Some(limit)) => Ok((name, limit)),
            _ => Err(Self { errors, ..Self::of(form) }),
        }
    }

    pub fn of(form: &Form) -> Self {
        Self {
            name: NAME.of(form).to_owned(),
            rate_limit: form.value(RATE_LIMIT).to_owned(),
            errors: FieldErrors::default(),
        }
    }

    /// Fills the form with the stored values of a key.
    pub fn stored(key: &Key) -> Self {
        Self {
            name: key.name.clone(),
            rate_limit: key.rate_limit.number().to_string(),
            errors: FieldErrors::default(),
        }
    }
}

/// The content of the form with the caps of a connection.
pub struct CapsFields {
    pub rate_limit: String,
    pub messages_per_month: String,
    pub last_day: String,
    pub errors: FieldErrors,
}

impl CapsFields {
    /// Validates a submitted form. If the form contains no rate limit, `limit` is used.
    ///
    /// # Errors
    ///
    /// The input with its errors, if it is not valid.
    pub fn parse(form: &Form, limit: RateLimit, now: Timestamp) -> Result<ConnectionCaps, Self> {
        let mut fields = Self::of(form);
        let errors = &mut fields.errors;
        let limit = match fields.rate_limit.as_str() {
            "" => Some(limit),
            text => rate_limit(text, errors),
        };
        let messages = ConnectionCaps::parse_messages(&fields.messages_per_month);
        let messages = messages.map_err(|why| errors.add(MESSAGES_PER_MONTH, why)).ok();
        let end = ConnectionCaps::parse_last_day(&fields.last_day, now);
        let end = end.map_err(|why| errors.add(LAST_DAY, why)).ok();
        match (limit, messages, end) {
            (Some(rate_limit), Some(messages_per_month), Some(expires_at)) => {
                Ok(ConnectionCaps { rate_limit, messages_per_month, expires_at })
            }
            _ => Err(fields),
        }
    }

    #[must_use]
    pub fn of(form: &Form) -> Self {
        let text = |field| form.value(field).trim().to_owned();
        Self {
            rate_limit: text(RATE_LIMIT),
            messages_per_month: text(MESSAGES_PER_MONTH),
            last_day: text(LAST_DAY),
            errors: FieldErrors::default(),
        }
    }

    /// Fills the form with caps.
    #[must_use]
    pub fn stored(caps: &ConnectionCaps) -> Self {
        Self {
            rate_limit: caps.rate_limit.number().to_string(),
            messages_per_month: caps
                .messages_per_month
                .map_or_else(String::new, |it| it.to_string()),
            last_day: caps.last_day().unwrap_or_default(),
            errors: FieldErrors::default(),
        }
    }
}

/// Returns the HTML attributes of the control for the maximum number of messages.
#[must_use]
pub fn messages_attributes() -> String {
    format!("type=\"number\" min=\"0\" max=\"{MAX_MESSAGES_PER_MONTH}\"")
}

fn name(text: &str, errors: &mut FieldErrors) -> Option<Name> {
    Name::parse(text).map_err(|why| errors.add(NAME.name, why)).ok()
}

fn rate_limit(text: &str, errors: &mut FieldErrors) -> Option<RateLimit> {
    let number = text.trim().parse().map_err(|_| InvalidRateLimit);
    number.and_then(RateLimit::parse).map_err(|why| errors.add(RATE_LIMIT, why)).ok()
}
