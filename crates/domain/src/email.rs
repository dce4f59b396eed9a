//! Email addresses with which members sign in to the dashboard.

use std::fmt;

/// Maximum number of bytes in an email address (RFC 5321, section 4.5.3.1).
pub const MAX_EMAIL_BYTES: usize = 254;

/// An email address in lowercase. Nobody has checked that its mailbox exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress(String);

/// The error for a text that is not an email address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("enter an email address, such as ada@acme.example")]
pub struct InvalidEmailAddress;

impl EmailAddress {
    /// Parses an email address. Surrounding spaces are removed, and letters become lowercase.
    pub fn parse(text: &str) -> Result<Self, InvalidEmailAddress> {
        let text = text.trim();
        let hidden = |letter: char| letter.is_whitespace() || letter.is_control();
        let plausible = text.len() <= MAX_EMAIL_BYTES
            && text.split_once('@').is_some_and(|(user, host)| {
                !user.is_empty() && host.contains('.') && !text.contains(hidden)
            });
        let lowercase = text.to_lowercase();
        if plausible && lowercase.len() <= MAX_EMAIL_BYTES {
            Ok(Self(lowercase))
        } else {
            Err(InvalidEmailAddress)
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_in_lowercase() {
        assert_eq!(EmailAddress::parse(" Ada@Acme.example ").unwrap().as_str(), "ada@acme.example");
        let longest = format!("{}@a.example", "x".repeat(MAX_EMAIL_BYTES - 10));
        assert!(EmailAddress::parse(&longest).is_ok());
        for text in ["", "ada", "@acme.example", "ada@acme", "a b@acme.example", "a\0@acme.example"]
        {
            assert_eq!(EmailAddress::parse(text), Err(InvalidEmailAddress), "{text:?}");
        }
        assert!(EmailAddress::parse(&format!("x{longest}")).is_err());
    }
}
