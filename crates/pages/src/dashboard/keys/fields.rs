//! The fields of the forms that create and change a key: as they were typed, so that nobody types them
//! twice.

use crate::browser::{FieldErrors, Form, ScopeChoice, scope_choices, selected_scopes};
use crate::dashboard::fields::{ACCOUNT, NAME, RATE_LIMIT, SCOPE};
use domain::id::AccountId;
use domain::key::{InvalidRateLimit, MAX_RATE_LIMIT, RateLimit, grant};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
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
            scopes: Scope::ALL.iter().copied().collect(),
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
        let name_and_limit = name_and_limit(&self.name, &self.rate_limit, &mut errors);
        let scopes = grant(self.scopes).map_err(|why| errors.add(SCOPE, why)).ok();
        let account = match self.account.as_str() {
            "" => Some(None),
            text => {
                let account = text.parse::<AccountId>();
                account.map_err(|_| errors.add(ACCOUNT, FOREIGN_NUMBER)).ok().map(Some)
            }
        };
        match (name_and_limit, scopes, account) {
            ((Some(name), Some(rate_limit)), Some(scopes), Some(account)) => {
                Ok(NewKey { name, scopes, account, rate_limit })
            }
            _ => Err(errors),
        }
    }

    /// Every scope, selected or not.
    pub fn choices(&self) -> Vec<ScopeChoice> {
        scope_choices(self.scopes)
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
        let (name, limit) = (NAME.of(form), form.value(RATE_LIMIT));
        match name_and_limit(name, limit, &mut errors) {
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

fn name_and_limit(
    name: &str,
    rate_limit: &str,
    errors: &mut FieldErrors,
) -> (Option<Name>, Option<RateLimit>) {
    let name = Name::parse(name).map_err(|why| errors.add(NAME.name, why)).ok();
    let rate_limit = rate_limit.trim().parse().map_err(|_| InvalidRateLimit);
    let rate_limit = rate_limit.and_then(RateLimit::parse);
    (name, rate_limit.map_err(|why| errors.add(RATE_LIMIT, why)).ok())
}
