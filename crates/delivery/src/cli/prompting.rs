//! Reads the arguments. On a terminal, asks for those that are missing.

use super::terminal;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error, Parser};
use std::ffi::OsString;

/// Parses the arguments of a command. On a terminal, asks for each required argument that is
/// missing.
///
/// # Errors
///
/// The arguments are wrong, or a required one is missing and nobody answers.
pub fn parse<C: Parser>(command: &Command, arguments: Vec<OsString>) -> Result<C, Error> {
    let mut arguments = arguments;
    loop {
        let error = match try_parse(command, &arguments) {
            Ok(parsed) => return Ok(parsed),
            Err(error) => error,
        };
        let given = missing(&error).and_then(|it| it.answer(command, &arguments));
        match given {
            Some(more) => add(&mut arguments, more),
            None => return Err(error),
        }
    }
}

fn try_parse<C: Parser>(command: &Command, arguments: &[OsString]) -> Result<C, Error> {
    let mut matches = command.clone().try_get_matches_from(arguments)?;
    C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command.clone()))
}

/// A required argument that is missing.
#[derive(Debug, PartialEq)]
enum Missing {
    /// `--name <NAME>`
    Option { flag: String },
    /// `--password-stdin`, whose value is read later.
    Flag { flag: String },
    /// `<KEY>`
    Positional { name: String },
}

/// Returns the first missing argument that an error names, if a person can be asked for it.
fn missing(error: &Error) -> Option<Missing> {
    if error.kind() != ErrorKind::MissingRequiredArgument || !terminal::is_interactive() {
        return None;
    }
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::Strings(names) => Missing::parse(names.first()?),
        _ => None,
    }
}

impl Missing {
    /// Parses an argument in the notation of the error.
    fn parse(text: &str) -> Option<Self> {
        if text.contains('|') {
            // Only one of several arguments is needed. Asking for all of them would mislead the
            // person.
            return None;
        }
        let (first, value) = text.split_once([' ', '=']).unwrap_or((text, ""));
        let named = |text: &str| {
            let name = text.strip_prefix('<')?.split('>').next()?;
            Some(name.to_owned())
        };
        match (first.starts_with("--"), value.starts_with('<')) {
            (true, true) => Some(Self::Option { flag: first.to_owned() }),
            (true, false) => Some(Self::Flag { flag: first.to_owned() }),
            (false, _) => named(text).map(|name| Self::Positional { name }),
        }
    }

    /// Asks for the argument. Returns the words to add to the command line.
    fn answer(&self, command: &Command, arguments: &[OsString]) -> Option<OsString> {
        let command = innermost(command, arguments);
        let (shown, arg) = match self {
            Self::Flag { flag } => return Some(flag.into()),
            Self::Option { flag } => {
                let long = flag.trim_start_matches('-');
                (flag, command.get_arguments().find(|arg| arg.get_long() == Some(long)))
            }
            Self::Positional { name } => {
                (name, command.get_positionals().find(|arg| shows(arg, name)))
            }
        };
        // If there is no answer, the error about the missing argument is reported.
        let answer = terminal::line(&question(shown, arg)).ok()??;
        Some(match self {
            Self::Positional { .. } => answer.into(),
            Self::Option { flag } | Self::Flag { flag } => format!("{flag}={answer}").into(),
        })
    }
}

/// Whether an error shows a positional argument by this name.
fn shows(arg: &Arg, name: &str) -> bool {
    match arg.get_value_names() {
        Some(names) => names.iter().any(|it| it.as_str() == name),
        None => arg.get_id().as_str().eq_ignore_ascii_case(name),
    }
}

/// Returns the command that the arguments name.
fn innermost<'a>(command: &'a Command, arguments: &[OsString]) -> &'a Command {
    arguments.iter().skip(1).fold(command, |command, argument| {
        let word = argument.to_str();
        word.and_then(|word| command.find_subcommand(word)).unwrap_or(command)
    })
}

/// Returns the question for an argument: its description, its name and its possible values.
fn question(shown: &str, arg: Option<&Arg>) -> String {
    let about = arg.and_then(Arg::get_help).map(ToString::to_string).unwrap_or_default();
    let about = about.trim_end_matches('.');
    let about = if about.is_empty() { "A value" } else { about };
    let values = arg.map(Arg::get_possible_values).unwrap_or_default();
    let values: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
    match values.as_slice() {
        [] => format!("{about} ({shown}):"),
        values => format!("{about} ({shown}: {}):", values.join(", ")),
    }
}

/// Adds an argument before those that follow `--`.
fn add(arguments: &mut Vec<OsString>, more: OsString) {
    let end = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    arguments.insert(end, more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_read_as_the_error_names_it() {
        let flag = |flag: &str| flag.to_owned();
        let option = Missing::Option { flag: flag("--name") };
        assert_eq!(Missing::parse("--name <NAME>"), Some(option));
        let secret = Missing::Flag { flag: flag("--password-stdin") };
        assert_eq!(Missing::parse("--password-stdin"), Some(secret));
        let positional = |name: &str| Some(Missing::Positional { name: name.to_owned() });
        assert_eq!(Missing::parse("<KEY>"), positional("KEY"));
        assert_eq!(Missing::parse("<IDS>..."), positional("IDS"));
        assert_eq!(Missing::parse("<--kind <KIND>|--all>"), None);
    }

    #[test]
    fn an_answer_stays_before_the_end_of_the_options() {
        let mut arguments: Vec<OsString> = ["send", "--", "x"].map(OsString::from).into();
        add(&mut arguments, "--to=1".into());
        assert_eq!(arguments, ["send", "--to=1", "--", "x"]);
    }
}
