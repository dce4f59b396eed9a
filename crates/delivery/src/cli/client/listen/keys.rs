//! The keys of a session on a terminal: `r` posts the last event again, `d` shows it, `o` opens it in
//! the browser, `q` ends the session.

use crate::output;
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::io::{self, Read as _};
use tokio::sync::mpsc;

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKey {
    /// Post the last event again.
    Again,
    /// Show the last event.
    Details,
    /// Open the page of the last event's object.
    Open,
    Quit,
}

impl SessionKey {
    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            b'r' => Some(Self::Again),
            b'd' => Some(Self::Details),
            b'o' => Some(Self::Open),
            // 4 is Ctrl-D, which ends the input.
            b'q' | 4 => Some(Self::Quit),
            _ => None,
        }
    }
}

/// A terminal that passes on each key at once, without waiting for Enter. Dropping this value
/// restores the terminal's settings.
pub struct TerminalKeys {
    before: Termios,
    keys: mpsc::UnboundedReceiver<SessionKey>,
}

impl TerminalKeys {
    /// Begins to read keys, if the standard input and the standard error are terminals.
    pub fn begin() -> Option<Self> {
        if !isatty(io::stdin()) || !isatty(io::stderr()) {
            return None;
        }
        let before = tcgetattr(io::stdin()).ok()?;
        let mut each = before.clone();
        // Ctrl-C still sends its signal.
        each.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &each).ok()?;
        let (sender, keys) = mpsc::unbounded_channel();
        // The thread waits for a key until the process ends.
        std::thread::spawn(move || {
            let mut byte = [0];
            while let Ok(1) = io::stdin().read(&mut byte) {
                let key = byte.first().copied().and_then(SessionKey::from_byte);
                if key.is_some_and(|key| sender.send(key).is_err()) {
                    break;
                }
            }
        });
        Some(Self { before, keys })
    }

    /// Waits for a key. Never returns if no more keys come.
    pub async fn next(&mut self) -> SessionKey {
        match self.keys.recv().await {
            Some(key) => key,
            None => std::future::pending().await,
        }
    }
}

impl Drop for TerminalKeys {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.before) {
            output::note(&format!(
                "the settings of the terminal could not be restored ({error}); run `stty sane`"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_keys_mean_something() {
        let found = (0..=u8::MAX).filter_map(SessionKey::from_byte).count();
        assert_eq!(found, 5);
        assert_eq!(SessionKey::from_byte(b'r'), Some(SessionKey::Again));
        assert_eq!(SessionKey::from_byte(b'R'), None);
    }
}
