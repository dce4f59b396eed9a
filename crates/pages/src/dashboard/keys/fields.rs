//! The fields of the forms that create and change a key: as they were typed, so that nobody types them
//! twice.

use crate::browser::{FieldErrors, Form};
use crate::dashboard::scopes::{ScopeChoice, choices, ticked};
use domain::id::AccountId;
use domain::key::{InvalidRateLimit, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use persistence::rows::Account;
use service::keys::NewKey;

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
            name: form.value("name").to_owned(),
            account: form.value("account").to_owned(),
            rate_limit: form.value("rate_limit").to_owned(),
            scopes: ticked(form),
        }
    }

    /// What it says, if all of it is right.
    pub fn parse(&self, accounts: &[Account]) -> Result<NewKey<'_>, FieldErrors> {
        let mut errors = FieldErrors::default();
        let (_, rate_limit) = name_and_limit(&self.name, &self.rate_limit, &mut errors);
        if domain::key::grant(self.scopes).is_err() {
            errors.add("scope", "Choose at least one permission.");
        }
        let account = match self.account.as_str() {
            "" => None,
            text => {
                let own = text.parse::<AccountId>().ok();
                let own = own.filter(|id| accounts.iter().any(|account| *account.id == *id));
                if own.is_none() {
                    errors.add("account", "Choose one of your numbers.");
                }
                own
            }
        };
        match rate_limit {
            Some(rate_limit) if errors.is_empty() => {
                Ok(NewKey { name: &self.name, scopes: self.scopes, account, rate_limit })
            }
            _ => Err(errors),
        }
    }

    /// Every scope, ticked or not.
    pub fn choices(&self) -> Vec<ScopeChoice> {
        choices(self.scopes)
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
        let (name, limit) = (form.value("name"), form.value("rate_limit"));
        match name_and_limit(name, limit, &mut errors) {
            (Some(name), Some(limit)) => Ok((name, limit)),
            _ => Err(Self { errors, ..Self::of(form) }),
        }
    }

    /// What somebody sent.
    pub fn of(form: &Form) -> Self {
        Self {
            name: form.value("name").to_owned(),
            rate_limit: form.value("rate_limit").to_owned(),
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
    let name = Name::parse(name).map_err(|why| errors.add("name", why)).ok();
    let rate_limit = rate_limit.trim().parse().map_err(|_| InvalidRateLimit);
    let rate_limit = rate_limit.and_then(RateLimit::parse);
    (name, rate_limit.map_err(|why| errors.add("rate_limit", why)).ok())
}
