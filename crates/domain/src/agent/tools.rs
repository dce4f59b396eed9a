//! The tools of a model: look-ups, templates that it may send, and the names of the built-in tools.

/// Maximum number of look-ups of an agent.
pub const MAX_LOOK_UPS: usize = 8;
/// Maximum number of templates that an agent may send.
pub const MAX_AGENT_TEMPLATES: usize = 20;
/// Maximum number of characters in the name of a look-up.
pub const MAX_LOOK_UP_NAME_LENGTH: usize = 48;
/// Maximum number of characters in the description of a look-up.
pub const MAX_LOOK_UP_DESCRIPTION_LENGTH: usize = 1000;
/// Maximum number of bytes of the JSON schema of a look-up's arguments.
pub const MAX_LOOK_UP_SCHEMA_BYTES: usize = 8 * 1024;
/// Maximum number of bytes of a look-up's answer that are given to the model.
pub const MAX_LOOK_UP_ANSWER_BYTES: usize = 8 * 1024;
/// Maximum number of tool calls of a model that are carried out in one round. A round is one answer
/// of the model.
pub const MAX_CALLS_PER_ROUND: usize = 8;

/// The names of the built-in tools.
pub const BUILT_IN_TOOLS: [&str; 4] = ["hand_over", "no_reply", "search_facts", "send_template"];

/// A template that a model may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTemplate {
    pub name: String,
    pub language: String,
}

/// The reason why a text cannot be the name of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLookUpName {
    #[error(
        "a name has 1 to {MAX_LOOK_UP_NAME_LENGTH} lowercase letters, digits and underscores, and \
         begins with a letter"
    )]
    Characters,
    #[error("a built-in tool has this name")]
    BuiltIn,
}

/// Checks the name of a look-up. The model calls the look-up by this name.
pub fn check_look_up_name(name: &str) -> Result<(), InvalidLookUpName> {
    let is_letter = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
    let begins = name.bytes().next().is_some_and(|it| it.is_ascii_lowercase());
    if !begins || name.len() > MAX_LOOK_UP_NAME_LENGTH || !name.bytes().all(is_letter) {
        return Err(InvalidLookUpName::Characters);
    }
    if BUILT_IN_TOOLS.contains(&name) {
        return Err(InvalidLookUpName::BuiltIn);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_up_has_a_plain_name_of_its_own() {
        assert_eq!(check_look_up_name("order_status2"), Ok(()));
        assert_eq!(check_look_up_name("hand_over"), Err(InvalidLookUpName::BuiltIn));
        for name in ["", "Order", "2nd", "a b", "_a", "é", &"a".repeat(49)] {
            assert_eq!(check_look_up_name(name), Err(InvalidLookUpName::Characters), "{name}");
        }
    }
}
