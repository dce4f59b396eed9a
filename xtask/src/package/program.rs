//! The packaged program with its version, manual pages and shell completions.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use servers::process;

/// The shells, and the paths of their completions below `/usr/share`.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/switchboard"),
    ("zsh", "zsh/vendor-completions/_switchboard"),
    ("fish", "fish/vendor_completions.d/switchboard.fish"),
];

pub struct Program {
    pub file: PathBuf,
    pub version: String,
    /// The manual pages that the program generates, each with its file name, such as
    /// `switchboard-serve.1`.
    pub manual: Vec<(String, String)>,
    /// Shell completions, each with its path below `/usr/share`.
    pub completions: Vec<(&'static str, String)>,
}

impl Program {
    /// Reads the version, the manual pages and the completions from the program in this file.
    pub fn of(file: &Path) -> Result<Self> {
        let printed = process::stdout(&mut quiet(file, &["--version"]))?;
        let version = printed.split_whitespace().nth(1);
        let version =
            version.with_context(|| format!("{printed:?} contains no version"))?.to_owned();
        let mut completions = Vec::new();
        for (shell, path) in SHELLS {
            completions.extend(offered(file, &["completions", shell])?.map(|text| (path, text)));
        }
        Ok(Self { file: file.to_owned(), version, manual: manual(file)?, completions })
    }
}

/// Returns a command that finds no environment variables and no configuration file.
fn quiet(file: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(file);
    command.args(arguments).env_clear().current_dir("/");
    command
}

/// Returns the output of a subcommand, or `None` if the program does not have it.
fn offered(file: &Path, arguments: &[&str]) -> Result<Option<String>> {
    if !offers(file, arguments) {
        return Ok(None);
    }
    process::stdout(&mut quiet(file, arguments)).map(Some)
}

fn offers(file: &Path, arguments: &[&str]) -> bool {
    process::succeeds(&mut quiet(file, &[arguments, &["--help"]].concat()))
}

/// Returns the manual pages that the program writes. A program without the command `man` has none.
fn manual(file: &Path) -> Result<Vec<(String, String)>> {
    if !offers(file, &["man"]) {
        return Ok(Vec::new());
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    process::run(quiet(file, &["man"]).arg(folder.path()))?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder.path()).context("the manual pages cannot be listed")? {
        let entry = entry?;
        let page =
            std::fs::read_to_string(entry.path()).context("a manual page is not UTF-8 text")?;
        pages.push((entry.file_name().to_string_lossy().into_owned(), page));
    }
    pages.sort_unstable();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_does_not_offer_is_left_out() {
        assert_eq!(offered(Path::new("/bin/false"), &["man"]).unwrap(), None);
        assert_eq!(offered(Path::new("/bin/true"), &["man"]).unwrap(), Some(String::new()));
    }
}
