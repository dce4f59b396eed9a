//! Asks before an action that cannot be undone.

use anyhow::{Result, bail};
use clap::Args;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

#[derive(Clone, Copy, Debug, Args)]
pub struct Confirmation {
    /// Do not ask. Required without a terminal.
    #[arg(long)]
    yes: bool,
}

impl Confirmation {
    /// Asks for confirmation on a terminal.
    ///
    /// # Errors
    ///
    /// The answer is not yes, or there is no terminal and no `--yes`.
    pub fn ask(self, question: &str) -> Result<()> {
        if self.yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            bail!("{question} This cannot be undone; repeat the command with --yes");
        }
        write!(io::stderr(), "{question} This cannot be undone. [y/N] ")?;
        io::stderr().flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            return Ok(());
        }
        bail!("nothing was done")
    }
}
