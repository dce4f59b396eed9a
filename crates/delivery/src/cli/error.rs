//! The errors of commands, with their codes (`docs/contract.md#commands`).

/// An error that the command itself detects.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    pub code: ErrorCode,
    pub message: String,
}

/// The code of an error. Programs may rely on codes. The sentences may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The arguments are wrong, or one is missing.
    Usage,
    /// The command needs `--yes`, because there is no terminal to ask on.
    ConfirmationRequired,
    /// The person at the terminal did not confirm, or pressed Ctrl-C.
    Canceled,
    InvalidSettings,
    /// A value breaks a rule.
    InvalidValue,
    NotFound,
    /// Several objects have the name.
    AmbiguousName,
    AlreadyExists,
    /// The state of an object does not allow the change.
    Conflict,
    /// The database file does not exist.
    NoDatabase,
    DatabaseUnavailable,
    DatabaseError,
    ServerUnreachable,
    /// A program other than Switchboard answered.
    NotAServer,
    /// A check of `doctor` or of an agent failed.
    CheckFailed,
    OutputFailed,
    /// Any other error.
    Failed,
}

impl ErrorCode {
    /// All codes, in the order of the documentation.
    #[cfg(test)]
    pub const ALL: [Self; 17] = [
        Self::Usage,
        Self::ConfirmationRequired,
        Self::Canceled,
        Self::InvalidSettings,
        Self::InvalidValue,
        Self::NotFound,
        Self::AmbiguousName,
        Self::AlreadyExists,
        Self::Conflict,
        Self::NoDatabase,
        Self::DatabaseUnavailable,
        Self::DatabaseError,
        Self::ServerUnreachable,
        Self::NotAServer,
        Self::CheckFailed,
        Self::OutputFailed,
        Self::Failed,
    ];

    pub const fn as_str(self) -> &'static str {
        self.word_and_hint().0
    }

    /// Returns a sentence that says what to do.
    pub const fn hint(self) -> &'static str {
        self.word_and_hint().1
    }

    const fn word_and_hint(self) -> (&'static str, &'static str) {
        match self {
            Self::Usage => ("usage", "`--help` after the command lists what it takes."),
            Self::ConfirmationRequired => {
                ("confirmation_required", "Repeat the command with --yes.")
            }
            Self::Canceled => ("canceled", "Repeat the command, and answer its question."),
            Self::InvalidSettings => {
                ("invalid_settings", "`switchboard serve --help` lists the settings.")
            }
            Self::InvalidValue => ("invalid_value", "Correct the value that the message names."),
            Self::NotFound => (
                "not_found",
                "For `admin` commands, `list` shows what exists, for example `switchboard admin key list`.",
            ),
            Self::AmbiguousName => ("ambiguous_name", "Use one of the ids in the message."),
            Self::AlreadyExists => {
                ("already_exists", "Use the existing object, or choose another value.")
            }
            Self::Conflict => ("conflict", "The message says what has to change first."),
            Self::NoDatabase => (
                "no_database",
                "Create it with `switchboard migrate run`, or name another with --database-url.",
            ),
            Self::DatabaseUnavailable => (
                "database_unavailable",
                "Check that the database runs, and that --database-url is right.",
            ),
            Self::DatabaseError => ("database_error", "`switchboard doctor` checks the database."),
            Self::ServerUnreachable => {
                ("server_unreachable", "Check that the server runs, and that --url is right.")
            }
            Self::NotAServer => {
                ("not_a_server", "Check that --url is the base URL of a Switchboard server.")
            }
            Self::CheckFailed => {
                ("check_failed", "The advice of each failed check says what to do.")
            }
            Self::OutputFailed => {
                ("output_failed", "Make room on the disk, or write the output elsewhere.")
            }
            Self::Failed => {
                ("failed", "`switchboard doctor` checks the settings and what they name.")
            }
        }
    }

    pub fn error(self, message: impl Into<String>) -> anyhow::Error {
        CommandError { code: self, message: message.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The contract lists every code, because programs rely on the codes.
    #[test]
    fn each_code_is_another_word_and_stands_in_the_contract() {
        let contract = include_str!("../../../../docs/contract.md");
        let words: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(words.len(), ErrorCode::ALL.len());
        for word in words {
            assert!(contract.contains(&format!("`{word}`")), "{word} is not in the contract");
        }
    }
}
