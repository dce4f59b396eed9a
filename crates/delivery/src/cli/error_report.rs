//! The error of a command as it is printed: as text, or with `--json` as one object.

use super::client::CallError;
use super::error::{CommandError, ErrorCode};
use crate::output::OutputError;
use clap::error::{ContextKind, ContextValue};
use config::ConfigError;
use domain::email::InvalidEmailAddress;
use domain::id::InvalidId;
use domain::key::InvalidRateLimit;
use domain::name::InvalidName;
use serde::Serialize;
use serde_json::Value;
use service::admin::{AdminError, DeadLetterError};
use service::agents::AgentError;
use service::keys::KeyError;
use std::error::Error as StdError;
use std::ffi::OsString;

/// The JSON object for an error.
#[derive(Debug, Serialize)]
pub struct ErrorReport {
    code: String,
    message: String,
    hint: String,
    /// The status with which a server refused the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The details that a server gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

/// Whether the arguments ask for JSON. The arguments are not parsed yet, because wrong arguments
/// are also reported as JSON.
pub fn asks_for_json(arguments: &[OsString]) -> bool {
    let options: Vec<&OsString> = arguments.iter().take_while(|it| *it != "--").collect();
    let is_format = |pair: &[&OsString]| matches!(pair, [name, value] if *name == "--output" && *value == "json");
    options.iter().any(|it| *it == "--json" || *it == "--output=json")
        || options.windows(2).any(is_format)
}

/// Whether the arguments of the command are wrong.
pub fn is_usage(error: &anyhow::Error) -> bool {
    error.downcast_ref::<CommandError>().is_some_and(|it| it.code == ErrorCode::Usage)
}

impl ErrorReport {
    /// Reports wrong arguments.
    pub fn of_arguments(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let sentence = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let message = words.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
        let similar = [
            (ContextKind::SuggestedSubcommand, "command"),
            (ContextKind::SuggestedArg, "option"),
            (ContextKind::SuggestedValue, "value"),
        ];
        let similar = similar.into_iter().find_map(|(kind, noun)| {
            let words = match error.get(kind)? {
                ContextValue::String(word) => word.clone(),
                ContextValue::Strings(words) => words.join(", "),
                _ => return None,
            };
            Some(format!("A similar {noun} exists: {words}."))
        });
        let hint = similar.unwrap_or_else(|| ErrorCode::Usage.hint().to_owned());
        let code = ErrorCode::Usage.as_str().to_owned();
        Self { code, message, hint, status: None, details: None }
    }

    fn with(code: ErrorCode, message: String) -> Self {
        let (code, hint) = (code.as_str().to_owned(), code.hint().to_owned());
        Self { code, message, hint, status: None, details: None }
    }
}

impl From<&anyhow::Error> for ErrorReport {
    fn from(error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        let call = error.chain().find_map(|it| it.downcast_ref::<CallError>());
        if let Some(CallError::Refused(refusal)) = call {
            return Self {
                code: refusal.code().to_owned(),
                message,
                hint: refusal.hint(),
                status: Some(refusal.status()),
                details: refusal.details().cloned(),
            };
        }
        let code = error.chain().find_map(code_of);
        Self::with(code.unwrap_or(ErrorCode::Failed), message)
    }
}

/// Returns the code of one error of a chain, if it has one.
fn code_of(error: &(dyn StdError + 'static)) -> Option<ErrorCode> {
    if let Some(it) = error.downcast_ref::<CommandError>() {
        return Some(it.code);
    }
    if error.is::<ConfigError>() {
        return Some(ErrorCode::InvalidSettings);
    }
    if error.is::<OutputError>() {
        return Some(ErrorCode::OutputFailed);
    }
    if let Some(it) = error.downcast_ref::<CallError>() {
        return Some(match it {
            CallError::Unreachable { .. } => ErrorCode::ServerUnreachable,
            CallError::Foreign { .. } => ErrorCode::NotAServer,
            // The server's own code is reported.
            CallError::Refused(_) => ErrorCode::Failed,
        });
    }
    if let Some(it) = error.downcast_ref::<AdminError>() {
        return Some(of_admin(it));
    }
    if let Some(it) = error.downcast_ref::<AgentError>() {
        return Some(of_agent(it));
    }
    if let Some(it) = error.downcast_ref::<DeadLetterError>() {
        return Some(match it {
            DeadLetterError::NotFound(_) => ErrorCode::NotFound,
            DeadLetterError::Database(it) => of_database(it),
        });
    }
    if let Some(it) = error.downcast_ref::<persistence::Error>() {
        return Some(of_database(it));
    }
    let is_invalid = error.is::<InvalidName>()
        || error.is::<InvalidId>()
        || error.is::<InvalidEmailAddress>()
        || error.is::<InvalidRateLimit>()
        || error.is::<domain::scope::UnknownScope>()
        || error.is::<domain::application::InvalidTerms>();
    is_invalid.then_some(ErrorCode::InvalidValue)
}

fn of_admin(error: &AdminError) -> ErrorCode {
    match error {
        AdminError::Database(it) | AdminError::Key(KeyError::Database(it)) => of_database(it),
        AdminError::NoMember(_)
        | AdminError::NoPlan(_)
        | AdminError::NoKey(_)
        | AdminError::NoApplication(_)
        | AdminError::NotFound { .. } => ErrorCode::NotFound,
        AdminError::Ambiguous { .. } => ErrorCode::AmbiguousName,
        AdminError::MemberExists(_)
        | AdminError::NumberConnected(_)
        | AdminError::PlanExists(_) => ErrorCode::AlreadyExists,
        AdminError::LastOwner
        | AdminError::PlanNeeded
        | AdminError::PlanInUse(_)
        | AdminError::OrganizationInUse(_)
        | AdminError::NumberInUse(_) => ErrorCode::Conflict,
        AdminError::Sealing(_) => ErrorCode::Failed,
        AdminError::Name(_)
        | AdminError::PhoneNumber(_)
        | AdminError::Key(_)
        | AdminError::Id(_)
        | AdminError::Password(_)
        | AdminError::OptOutWords(_)
        | AdminError::EmailAddress { .. }
        | AdminError::CloudApiIds
        | AdminError::AccessToken
        | AdminError::NoAccessToken(_)
        | AdminError::PlanLimit
        | AdminError::After { .. } => ErrorCode::InvalidValue,
    }
}

fn of_agent(error: &AgentError) -> ErrorCode {
    match error {
        AgentError::Name(_) | AgentError::Missing { .. } | AgentError::Invalid { .. } => {
            ErrorCode::InvalidValue
        }
        AgentError::TooMany
        | AgentError::TooManyEntries { .. }
        | AgentError::NumberTaken { .. } => ErrorCode::Conflict,
        AgentError::NotFound | AgentError::NoSuchNumber(_) => ErrorCode::NotFound,
        AgentError::Database(it) => of_database(it),
        AgentError::Unreadable(_) | AgentError::Unwritable(_) | AgentError::Sealing(_) => {
            ErrorCode::Failed
        }
    }
}

fn of_database(error: &persistence::Error) -> ErrorCode {
    match error {
        persistence::Error::Connect(_) | persistence::Error::Tls { .. } => {
            ErrorCode::DatabaseUnavailable
        }
        persistence::Error::Url(_) => ErrorCode::InvalidSettings,
        _ => ErrorCode::DatabaseError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    fn arguments(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn an_option_asks_for_json_and_a_value_does_not() {
        for words in [&["key", "list", "--json"][..], &["--output", "json"], &["--output=json"]] {
            assert!(asks_for_json(&arguments(words)), "{words:?}");
        }
        for words in [&["key", "list"][..], &["--output", "text"], &["--", "--json"], &["json"]] {
            assert!(!asks_for_json(&arguments(words)), "{words:?}");
        }
    }

    #[test]
    fn the_first_error_of_a_chain_that_has_a_code_gives_it() {
        let refused = persistence::Error::Connect("connection refused".to_owned());
        let error = Err::<(), _>(refused).context("cannot open the database").unwrap_err();
        let report = ErrorReport::from(&error);
        assert_eq!(report.code, "database_unavailable");
        assert_eq!(report.message, "cannot open the database: connection refused");
        let report = ErrorReport::from(&anyhow::anyhow!("anything"));
        assert_eq!(report.code, "failed");
        assert_eq!(report.status, None);
    }
}
