//! Questions to the person at a terminal. Without a terminal, no questions are asked.

use super::error::ErrorCode;
use anyhow::Result;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::io::{self, BufRead, IsTerminal as _, Write as _};

const CTRL_C: u8 = 3;
const CTRL_Z: u8 = 26;
const CTRL_BACKSLASH: u8 = 28;

/// Whether a person can be asked: both standard input and standard error are terminals.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line. Returns `None` if the answer is empty or the input has ended.
pub fn line(question: &str) -> Result<Option<String>> {
    show(question)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(without_line_end(&answer))
}

/// Asks for a secret. The terminal does not show it while it is typed.
///
/// # Errors
///
/// The person pressed Ctrl-C, or the terminal cannot be read.
pub fn secret(question: &str) -> Result<Option<String>> {
    let hidden = HiddenInput::begin()?;
    let answer =
        show(question).map_err(anyhow::Error::from).and_then(|()| hidden_line(io::stdin().lock()));
    drop(hidden);
    writeln!(io::stderr())?;
    answer
}

fn show(question: &str) -> io::Result<()> {
    write!(io::stderr(), "{question} ")?;
    io::stderr().flush()
}

/// Reads a line in which Ctrl-C, Ctrl-Z and Ctrl-\ are bytes instead of signals.
fn hidden_line(input: impl BufRead) -> Result<Option<String>> {
    let mut typed = Vec::new();
    for byte in input.bytes() {
        match byte? {
            CTRL_C | CTRL_Z | CTRL_BACKSLASH => {
                return Err(ErrorCode::Canceled.error("nothing was done"));
            }
            b'\n' => break,
            byte => typed.push(byte),
        }
    }
    Ok(without_line_end(std::str::from_utf8(&typed)?))
}

fn without_line_end(answer: &str) -> Option<String> {
    let answer = answer.trim_end_matches(['\r', '\n']);
    Some(answer.to_owned()).filter(|answer| !answer.is_empty())
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

/// A terminal that does not show what is typed. Dropping this value restores the terminal.
///
/// A signal would end the process before this value is dropped. So Ctrl-C, Ctrl-Z and Ctrl-\ send
/// no signals. They are bytes of the line, and Ctrl-C also ends the line.
struct HiddenInput(Termios);

impl HiddenInput {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        hidden.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::error::CommandError;

    #[test]
    fn a_hidden_line_ends_with_enter_and_a_key_that_sends_a_signal_cancels_it() {
        let read = |typed: &'static str| hidden_line(typed.as_bytes());
        assert_eq!(read("correct horse\r\nbattery").unwrap().unwrap(), "correct horse");
        assert_eq!(read("correct").unwrap().unwrap(), "correct");
        assert_eq!(read("\n").unwrap(), None);
        for typed in ["correct\u{3}", "\u{3}", "a\u{1a}b\n", "\u{1c}\n"] {
            let error = read(typed).unwrap_err();
            let error = error.downcast_ref::<CommandError>().unwrap();
            assert_eq!(error.code, ErrorCode::Canceled, "{typed:?}");
        }
    }
}
