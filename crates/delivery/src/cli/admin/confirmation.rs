//! Asks before an action that cannot be undone.

use crate::cli::error::ErrorCode;
use crate::cli::terminal;
use anyhow::Result;
use clap::Args;

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
        if !terminal::is_interactive() {
            return Err(ErrorCode::ConfirmationRequired.error(format!(
                "{question} This cannot be undone; repeat the command with --yes"
            )));
        }
        let answer = terminal::line(&format!("{question} This cannot be undone. [y/N]"))?;
        let answer = answer.unwrap_or_default().trim().to_lowercase();
        if matches!(answer.as_str(), "y" | "yes") {
            return Ok(());
        }
        Err(ErrorCode::Canceled.error("nothing was done"))
    }
}
