//! Tools of cargo's from crates.io, at pinned versions. They are installed where cargo installs programs, so that the next run
//! finds them.

use anyhow::Result;

use servers::process;
use servers::step::step;
use servers::workspace::Workspace;

/// A subcommand of cargo.
pub struct CargoTool {
    /// What is written after `cargo`.
    subcommand: &'static str,
    package: &'static str,
    version: &'static str,
}

/// Checks licenses, bans, sources and advisories of dependencies.
pub const DENY: CargoTool =
    CargoTool { subcommand: "deny", package: "cargo-deny", version: "0.20.2" };
/// Finds unused dependencies.
pub const MACHETE: CargoTool =
    CargoTool { subcommand: "machete", package: "cargo-machete", version: "0.9.2" };

impl CargoTool {
    /// Installs the tool, unless this version is installed.
    ///
    /// # Errors
    ///
    /// The tool cannot be installed.
    pub fn ensure(&self, workspace: &Workspace) -> Result<()> {
        let Self { subcommand, package, version } = self;
        let mut ask = workspace.cargo();
        ask.args([subcommand, "--version"]);
        // Asking fails where no version is installed.
        let is_installed = process::stdout(&mut ask).is_ok_and(|installed| {
            installed.split_whitespace().any(|word| word.trim_start_matches('v') == *version)
        });
        if is_installed {
            return Ok(());
        }
        step(&format!("installing {package} {version}"), || {
            let package = format!("{package}@{version}");
            process::run(workspace.cargo().args(["install", "--locked", "--force", &package]))
        })
    }
}
