//! Questions to the person at a terminal. Without a terminal nobody is asked.

use super::error::ErrorCode;
use anyhow::Result;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

/// Whether a person can be asked: the standard input and the standard error are a terminal.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line. Returns `None` if the answer is empty or the input has ended.
pub fn line(question: &str) -> io::Result<Option<String>> {
    write!(io::stderr(), "{question} ")?;
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim_end_matches(['\r', '\n']);
    Ok(Some(answer.to_owned()).filter(|answer| !answer.is_empty()))
}

/// Asks for a secret, which is not shown while it is typed.
pub fn secret(question: &str) -> io::Result<Option<String>> {
    let hidden = HiddenInput::begin()?;
    let answer = line(question);
    drop(hidden);
    writeln!(io::stderr())?;
    answer
}

/// Asks for an argument that is missing.
///
/// # Errors
///
/// There is no terminal, or no answer. The message names the option.
pub fn required(option: &str, what: &str) -> Result<String> {
    let answer = if is_interactive() { line(&format!("{what} ({option}):"))? } else { None };
    answer.ok_or_else(|| ErrorCode::Usage.error(format!("{option} is required: {what}")))
}

/// A terminal that does not show what is typed. Dropping this shows it again.
struct HiddenInput(Termios);

impl HiddenInput {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.0) {
            crate::output::note(&format!(
                "the settings of the terminal could not be restored ({error}); run `stty sane`"
            ));
        }
    }
}
