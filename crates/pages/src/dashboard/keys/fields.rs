//! The fields of the forms that create and change a key: as they were typed, so that nobody types them
//! twice.

use crate::browser::{FieldErrors, Form, ScopeChoice, scope_choices, selected_scopes};
use crate::dashboard::fields::{ACCOUNT, NAME, RATE_LIMIT, SCOPE};
use domain::id::AccountId;
use domain::key::{InvalidRateLimit, MAX_RATE_LIMIT, RateLimit, grant};
use domain::name::Name;
use domain::number::with_commas;
use domain::scope::ScopeSet;
use service::keys::NewKey;

/// The error of a number that is none of the organization's.
pub const FOREIGN_NUMBER: &str = "Choose one of your numbers.";

/// What the form of a new key holds.
pub struct KeyFields {
    pub name: String,
    /// The id of a number; empty for any.
    pub account: String,
    pub rate_limit: String,
    pub scopes: ScopeSet,
}

impl KeyFields {
    /// A form that nobody has filled in.
    pub fn empty() -> Self {
        Self {
            name: String::new(),
            account: String::new(),
            rate_limit: RateLimit::default().number().to_string(),
            scopes: ScopeSet::default(),
        }
    }

    /// What somebody sent.
    pub fn of(form: &Form) -> Self {
        Self {
            name: NAME.of(form).to_owned(),
            account: form.value(ACCOUNT).to_owned(),
            rate_limit: form.value(RATE_LIMIT).to_owned(),
            scopes: selected_scopes(form),
        }
    }

    /// What it says, if all of it is right; whether the number is the organization's own is known when the key is made.
    pub fn parse(&self) -> Result<NewKey, FieldErrors> {
        let mut errors = FieldErrors::default();
        let name = name(&self.name, &mut errors);
        let account = match self.account.as_str() {
            "" => Some(None),
            text => {
                let account = text.parse::<AccountId>();
                account.map_err(|_| errors.add(ACCOUNT, FOREIGN_NUMBER)).ok().map(Some)
            }
        };
        let rate_limit = rate_limit(&self.rate_limit, &mut errors);
        let scopes = grant(self.scopes).map_err(|why| errors.add(SCOPE, why)).ok();
        match (name, account, rate_limit, scopes) {
            (Some(name), Some(account), Some(rate_limit), Some(scopes)) => {
                Ok(NewKey { name, scopes, account, rate_limit })
            }
            _ => Err(errors),
        }
    }

    /// Every scope, selected or not.
    pub fn choices(&self) -> Vec<ScopeChoice> {
        scope_choices(self.scopes)
    }

    /// What a rate limit may be.
    pub fn rate_limit_hint() -> String {
        format!("0 to {} requests/min; 0 = unlimited.", with_commas(MAX_RATE_LIMIT.into()))
    }

    /// The attributes of the control of a rate limit.
    pub fn rate_limit_attributes() -> String {
        format!("type=\"number\" min=\"0\" max=\"{MAX_RATE_LIMIT}\" required")
    }
}

/// What the form that changes a key holds.
pub struct KeyChange {
    pub name: String,
    pub rate_limit: String,
    pub errors: FieldErrors,
    /// Whether it is open.
    pub open: bool,
}

impl KeyChange {
    /// What somebody sent; `Err` with it where it is not right.
    pub fn parse(form: &Form) -> Result<(Name, RateLimit), Self> {
        let mut errors = FieldErrors::default();
        let name = name(NAME.of(form), &mut errors);
        match (name, rate_limit(form.value(RATE_LIMIT), &mut errors)) {
            (Some(name), Some(limit)) => Ok((name, limit)),
            _ => Err(Self { errors, ..Self::of(form) }),
        }
    }

    /// What somebody sent.
    pub fn of(form: &Form) -> Self {
        Self {
            name: NAME.of(form).to_owned(),
            rate_limit: form.value(RATE_LIMIT).to_owned(),
            errors: FieldErrors::default(),
            open: true,
        }
    }
}

fn name(text: &str, errors: &mut FieldErrors) -> Option<Name> {
    Name::parse(text).map_err(|why| errors.add(NAME.name, why)).ok()
}

fn rate_limit(text: &str, errors: &mut FieldErrors) -> Option<RateLimit> {
    let number = text.trim().parse().map_err(|_| InvalidRateLimit);
    number.and_then(RateLimit::parse).map_err(|why| errors.add(RATE_LIMIT, why)).ok()
}
