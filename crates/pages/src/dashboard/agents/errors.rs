//! What the forms of agents say about an error.

use service::agents::AgentError;

/// Returns the field of an error with a sentence. Returns `None` for an error that no member can
/// correct.
pub(super) fn beside_field(error: &AgentError) -> Option<(&'static str, String)> {
    let field = match error {
        AgentError::Database(_)
        | AgentError::Unreadable(_)
        | AgentError::Sealing(_)
        | AgentError::Unwritable(_) => return None,
        AgentError::Name(_) => "name",
        AgentError::Missing { field } | AgentError::Invalid { field, .. } => *field,
        AgentError::NoSuchNumber(_) | AgentError::NumberTaken { .. } => "account",
        AgentError::TooMany | AgentError::TooManyEntries { .. } | AgentError::NotFound => "",
    };
    let sentence = match error {
        AgentError::Missing { .. } => "Fill this in.".to_owned(),
        AgentError::Invalid { why, .. } => why.clone(),
        other => other.to_string(),
    };
    Some((field, sentence))
}
