//! Why an operator does not get what they ask for.

use crate::sealing::SealingError;
use auth::password::PasswordError;
use domain::id::{AccountId, NotAnId};
use domain::key::NotARateLimit;
use domain::name::NotAName;
use domain::phone::NotAPhoneNumber;

/// Why an operator does not get what they ask for. Each says what to do, where something can be done.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what they are")]
pub enum AdminError {
    #[error(transparent)]
    Name(#[from] NotAName),
    #[error(transparent)]
    PhoneNumber(#[from] NotAPhoneNumber),
    #[error(transparent)]
    RateLimit(#[from] NotARateLimit),
    #[error(transparent)]
    Id(#[from] NotAnId),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Sealing(#[from] SealingError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
    #[error("{0:?} is no e-mail address")]
    NoEmailAddress(String),
    #[error("there is a member {0} already; `member add` makes them one of this organization too")]
    MemberExists(String),
    #[error("there is no member {0}; make one with `member create`")]
    NoMember(String),
    #[error("the ids of the Cloud API are numbers, such as 106540352242922")]
    CloudApiIds,
    #[error("the access token is empty, or no token")]
    AccessToken,
    #[error("{0}, or its phone number id, is connected already")]
    NumberConnected(String),
    #[error("a ceiling is at most {}", i32::MAX)]
    Ceiling,
    #[error("there is no plan {0:?}; make it with `switchboard admin plan set`")]
    NoPlan(String),
    #[error("an active subscription needs a plan; name one with --plan")]
    PlanNeeded,
    #[error("the organization has no number {0}")]
    NoNumber(AccountId),
    #[error("there is no key {0}")]
    NoKey(String),
    #[error("there is no application {0}")]
    NoApplication(String),
    #[error("{text:?} is not the id of {noun} to go on after")]
    After {
        text: String,
        noun: &'static str,
        #[source]
        why: NotAnId,
    },
    #[error("there is no {noun} with the {known_by} {wanted:?}")]
    NotFound { noun: &'static str, known_by: &'static str, wanted: String },
    /// The candidates stand below it, a line each.
    #[error(
        "several {nouns} are called {wanted:?}; use the id of the one that is meant:{candidates}"
    )]
    Ambiguous { nouns: &'static str, wanted: String, candidates: String },
}
