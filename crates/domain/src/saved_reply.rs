//! Saved replies: texts that members of an organization often send
//! (`docs/contract.md#saved-replies`).

use crate::invisible::hides;

/// Maximum number of saved replies of an organization.
pub const MAX_SAVED_REPLIES: usize = 200;
/// Maximum number of characters in the name of a saved reply.
pub const MAX_SAVED_REPLY_NAME_LENGTH: usize = 50;
/// Maximum number of characters in the text of a saved reply. A text message has the same maximum.
pub const MAX_SAVED_REPLY_LENGTH: usize = 4096;

/// The name and the text of a saved reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedReplyContent {
    pub name: String,
    pub text: String,
}

/// The reason why the name or the text of a saved reply is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSavedReply {
    #[error("a name has 1 to {MAX_SAVED_REPLY_NAME_LENGTH} characters")]
    NameLength,
    #[error("a name has no control or invisible characters")]
    UnreadableName,
    #[error("a text has 1 to {MAX_SAVED_REPLY_LENGTH} characters")]
    TextLength,
}

/// Parses the name of a saved reply. White space at both ends is removed.
pub fn parse_name(text: &str) -> Result<String, InvalidSavedReply> {
    let text = text.trim();
    let letters: Vec<char> = text.chars().collect();
    if !(1..=MAX_SAVED_REPLY_NAME_LENGTH).contains(&letters.len()) {
        return Err(InvalidSavedReply::NameLength);
    }
    if letters.iter().enumerate().any(|(at, letter)| letter.is_control() || hides(&letters, at)) {
        return Err(InvalidSavedReply::UnreadableName);
    }
    Ok(text.to_owned())
}

/// Parses the text of a saved reply. White space at both ends is removed.
pub fn parse_text(text: &str) -> Result<String, InvalidSavedReply> {
    let text = text.trim().replace("\r\n", "\n");
    if (1..=MAX_SAVED_REPLY_LENGTH).contains(&text.chars().count()) {
        Ok(text)
    } else {
        Err(InvalidSavedReply::TextLength)
    }
}

/// The values of the variables in a saved reply. A value that is not known is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedReplyValues<'a> {
    /// The name of the contact.
    pub name: &'a str,
    /// The phone number of the contact. Empty if it is not known.
    pub number: &'a str,
    /// The name of the member who writes the message.
    pub member: &'a str,
    /// The name of the organization.
    pub organization: &'a str,
}

impl<'a> SavedReplyValues<'a> {
    /// The names of the variables that a saved reply may contain.
    pub const NAMES: [&'static str; 5] = ["first_name", "name", "number", "member", "organization"];

    /// Returns the value of a variable, or `None` if there is no variable of that name.
    fn value(&self, variable: &str) -> Option<&'a str> {
        Some(match variable {
            "first_name" => self.name.split_whitespace().next().unwrap_or_default(),
            "name" => self.name,
            "number" => self.number,
            "member" => self.member,
            "organization" => self.organization,
            _ => return None,
        })
    }
}

/// Returns a text in which the variables are replaced with their values. If a value is not known,
/// the text after `|` in the variable is used: `{{first_name|there}}` then becomes `there`. A
/// variable that does not exist stays as it is written.
#[must_use]
pub fn fill(text: &str, values: &SavedReplyValues<'_>) -> String {
    let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, from)) = rest.split_once("{{") {
        filled.push_str(before);
        let variable = from.split_once("}}").and_then(|(inside, after)| {
            let (name, default) = inside.split_once('|').unwrap_or((inside, ""));
            let value = values.value(name.trim())?;
            Some((if value.is_empty() { default.trim() } else { value }, after))
        });
        if let Some((value, after)) = variable {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push_str("{{");
            rest = from;
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALUES: SavedReplyValues<'_> = SavedReplyValues {
        name: "Mei Tan",
        number: "+12025550142",
        member: "Ana",
        organization: "Juniper Bakery",
    };

    #[test]
    fn variables_have_the_values_of_the_conversation() {
        let filled = |text: &str| fill(text, &VALUES);
        assert_eq!(filled("Hi {{first_name}}, {{ member }} here."), "Hi Mei, Ana here.");
        assert_eq!(filled("{{name}} {{number}}"), "Mei Tan +12025550142");
        assert_eq!(filled("{{organization|us}}{{x}}{{"), "Juniper Bakery{{x}}{{");
        assert_eq!(filled("{{x}} {{first_name}}"), "{{x}} Mei");
        let unknown = SavedReplyValues { name: "", ..VALUES };
        assert_eq!(fill("Hi {{first_name|there}}{{name}}!", &unknown), "Hi there!");
    }

    #[test]
    fn names_and_texts_have_bounds() {
        assert_eq!(parse_name(" Opening hours "), Ok("Opening hours".to_owned()));
        assert_eq!(parse_name(&"é".repeat(50)), Ok("é".repeat(50)));
        assert_eq!(parse_name(&"é".repeat(51)), Err(InvalidSavedReply::NameLength));
        assert_eq!(parse_name(" "), Err(InvalidSavedReply::NameLength));
        assert_eq!(parse_name("a\u{202e}b"), Err(InvalidSavedReply::UnreadableName));
        assert_eq!(parse_text("One\r\ntwo "), Ok("One\ntwo".to_owned()));
        assert_eq!(parse_text(&"x".repeat(4096)).map(|it| it.len()), Ok(4096));
        assert_eq!(parse_text(&"x".repeat(4097)), Err(InvalidSavedReply::TextLength));
        assert_eq!(parse_text("\n"), Err(InvalidSavedReply::TextLength));
    }

    proptest! {
        /// A value may contain braces. They are not read as a variable.
        #[test]
        fn values_are_not_filled_in_again(text in "[{}|a-z ]{0,40}", name in "[{}a-z]{1,20}") {
            let values = SavedReplyValues { name: &name, ..SavedReplyValues::default() };
            let filled = fill(&text, &values);
            if !text.contains("{{") {
                prop_assert_eq!(filled, text);
            }
        }
    }
}
