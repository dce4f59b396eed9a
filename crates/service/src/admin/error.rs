//! Errors of operator commands.

use crate::keys::KeyError;
use auth::password::PasswordError;
use domain::email::InvalidEmailAddress;
use domain::id::InvalidId;
use domain::name::InvalidName;
use domain::opt_out::InvalidOptOutWords;
use domain::phone::InvalidPhoneNumber;
use platform::sealing::SealingError;

/// The reason why an operator's command failed, with advice where there is any.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what they are")]
pub enum AdminError {
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error(transparent)]
    PhoneNumber(#[from] InvalidPhoneNumber),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Id(#[from] InvalidId),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    OptOutWords(#[from] InvalidOptOutWords),
    #[error(transparent)]
    Sealing(#[from] SealingError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
    #[error("{text:?} is not an email address: {why}")]
    EmailAddress { text: String, why: InvalidEmailAddress },
    #[error("the member {0} already exists; use `member add` to add them to this organization")]
    MemberExists(String),
    #[error("there is no member {0}; create one with `member create`")]
    NoMember(String),
    #[error(
        "the last owner cannot be removed or get another role; make somebody else an owner first"
    )]
    LastOwner,
    #[error("the ids of the Cloud API are numbers, such as 106540352242922")]
    CloudApiIds,
    #[error("the access token is empty or not a token")]
    AccessToken,
    #[error("a number of {0} has no access token of its own")]
    NoAccessToken(&'static str),
    #[error("{0}, or its phone number id, is connected already")]
    NumberConnected(String),
    #[error("a limit of a plan is at most {}", i32::MAX)]
    PlanLimit,
    #[error("there is no plan {0:?}; create it with `switchboard admin plan set`")]
    NoPlan(String),
    #[error("an active subscription needs a plan; name one with --plan")]
    PlanNeeded,
    #[error("a plan named {0:?} exists already")]
    PlanExists(String),
    #[error(
        "organizations have the plan {0:?}; give them another one with `subscription set` first"
    )]
    PlanInUse(String),
    #[error(
        "the organization {0:?} is in use: only one without members, numbers, keys, applications, agents and events can be removed; \
         `subscription remove` ends its access, `key disable` stops its keys"
    )]
    OrganizationInUse(String),
    #[error(
        "the number {0} is in use: only one without conversations, templates, keys, connections and agents can be disconnected; \
         `key disable` stops what sends from it"
    )]
    NumberInUse(String),
    #[error("there is no key {0}")]
    NoKey(String),
    #[error("there is no application {0}")]
    NoApplication(String),
    #[error("{text:?} is not a valid {noun} id to continue after")]
    After {
        text: String,
        noun: &'static str,
        #[source]
        why: InvalidId,
    },
    #[error("there is no {noun} with the {known_by} {wanted:?}")]
    NotFound { noun: &'static str, known_by: &'static str, wanted: String },
    /// The candidates follow the message, one per line.
    #[error("several {nouns} are named {wanted:?}; use an id:{candidates}")]
    Ambiguous { nouns: &'static str, wanted: String, candidates: String },
}
