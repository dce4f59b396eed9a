//! What a key may do (`docs/contract.md#api-keys`).

use crate::keyword::{Keyword, keywords};

keywords! {
    /// A permission that an endpoint asks for and a key may hold.
    pub enum Scope {
        /// Send messages and templates.
        MessagesSend = "messages.send",
        /// List templates.
        TemplatesRead = "templates.read",
        /// Create templates.
        TemplatesWrite = "templates.write",
        /// Read messages.
        ConversationsRead = "conversations.read",
        /// Upload files.
        MediaWrite = "media.write",
    }
}

impl Scope {
    /// The permission in words that somebody who is asked to grant it understands.
    #[must_use]
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::MessagesSend => "Send messages to your customers",
            Self::TemplatesRead => "See your message templates",
            Self::TemplatesWrite => "Create message templates and submit them for review",
            Self::ConversationsRead => "Read your conversations with customers",
            Self::MediaWrite => "Upload files to send to your customers",
        }
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeSet(u32);

/// Each scope has a bit of its own.
const _: () = assert!(Scope::ALL.len() <= u32::BITS as usize);

/// A word that is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope; the scopes are {all}", all = Scope::listed())]
pub struct UnknownScope(pub String);

impl ScopeSet {
    /// Whether it holds `scope`.
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u32) != 0
    }

    /// Its scopes, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let all = Scope::ALL.iter().copied();
        all.filter(move |scope| self.contains(*scope))
    }

    /// Whether it holds none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads what was stored: names with spaces between. A name that is no scope is an error, not a scope less.
    pub fn stored(text: &str) -> Result<Self, UnknownScope> {
        Self::parse(text.split_whitespace())
    }

    /// Reads scope names, each once or more.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownScope> {
        names
            .into_iter()
            .map(|name| Scope::from_keyword(name).ok_or_else(|| UnknownScope(name.to_owned())))
            .collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let bits = scopes.into_iter().map(|scope| 1 << scope as u32);
        Self(bits.fold(0, |set, bit| set | bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_it_was_given_and_nothing_else() {
        let set = ScopeSet::parse(["media.write", "messages.send", "media.write"]).unwrap();
        let names: Vec<_> = set.iter().map(Scope::as_str).collect();
        assert_eq!(names, ["messages.send", "media.write"]);
        assert!(!set.contains(Scope::TemplatesRead));
        assert_eq!(ScopeSet::stored("media.write messages.send"), Ok(set));
        assert!(ScopeSet::stored("media.write messages.sent").is_err());
        assert_eq!(ScopeSet::parse(["messages.sent"]), Err(UnknownScope("messages.sent".into())));
    }
}
