//! Scopes: the permissions of a key (`docs/contract.md#api-keys`).

use crate::keyword::{Keyword, keywords};

keywords! {
    /// A permission that a key may have, and that operations of the API require.
    pub enum Scope {
        /// Allows sending messages, including templates.
        MessagesSend = "messages.send",
        /// Allows listing templates.
        TemplatesRead = "templates.read",
        /// Allows creating templates.
        TemplatesWrite = "templates.write",
        /// Allows reading conversations and their messages.
        ConversationsRead = "conversations.read",
        /// Allows changing conversations: their status, assignee, labels and notes, and whether the
        /// AI agent answers.
        ConversationsWrite = "conversations.write",
        /// Allows deleting contacts.
        ContactsDelete = "contacts.delete",
        /// Allows answering as the organization's AI agent.
        AgentReply = "agent.reply",
        /// Allows uploading files.
        MediaWrite = "media.write",
        /// Allows managing webhook endpoints.
        WebhooksManage = "webhooks.manage",
    }
}

impl Scope {
    /// Returns a sentence that describes the permission to a member who is asked to grant it.
    #[must_use]
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::MessagesSend => "Send messages to your customers",
            Self::TemplatesRead => "See your message templates",
            Self::TemplatesWrite => "Create message templates and submit them for review",
            Self::ConversationsRead => "Read your conversations with customers",
            Self::ConversationsWrite => {
                "Organize your conversations: assign, label, close and write notes"
            }
            Self::ContactsDelete => "Delete people forever, with everything they wrote",
            Self::AgentReply => "Answer customers as your AI agent",
            Self::MediaWrite => "Upload files to send to your customers",
            Self::WebhooksManage => {
                "Manage webhook endpoints, which get everything that happens in your organization"
            }
        }
    }

    /// Returns a sentence that describes the permission to the developer of an application that
    /// requests it from businesses.
    #[must_use]
    pub const fn developer_description(self) -> &'static str {
        match self {
            Self::MessagesSend => "Send messages to the business’s customers",
            Self::TemplatesRead => "See the business’s message templates",
            Self::TemplatesWrite => "Create message templates and submit them for review",
            Self::ConversationsRead => "Read the business’s conversations with customers",
            Self::ConversationsWrite => {
                "Organize the business’s conversations: assign, label, close and write notes"
            }
            Self::ContactsDelete => "Delete people for ever, with everything they wrote",
            Self::AgentReply => "Answer customers as the business’s AI agent",
            Self::MediaWrite => "Upload files to send to the business’s customers",
            Self::WebhooksManage => {
                "Manage webhook endpoints, which get everything that happens in the business"
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeSet(u32);

/// A set stores each scope as one bit. The build fails if there are more scopes than bits.
const _: () = assert!(Scope::ALL.len() <= u32::BITS as usize);

/// The error for a word that is not the name of a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope; the scopes are {all}", all = Scope::listed())]
pub struct UnknownScope(pub String);

impl ScopeSet {
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u32) != 0
    }

    /// Returns the scopes of the set, in the order in which they are declared.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let all = Scope::ALL.iter().copied();
        all.filter(move |scope| self.contains(*scope))
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Parses the text in which a set is stored: the names of the scopes, separated by spaces.
    ///
    /// # Errors
    ///
    /// The text contains a name that is not a scope. Unknown names are not ignored, because then a
    /// scope would be lost.
    pub fn stored(text: &str) -> Result<Self, UnknownScope> {
        Self::parse(text.split_whitespace())
    }

    /// Creates a set from the names of its scopes. A name may occur several times.
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
