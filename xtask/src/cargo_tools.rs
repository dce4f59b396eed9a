//! Cargo's additional tools from crates.io, at pinned versions. They are installed in the target
//! folder, so that they do not replace a version that the developer uses elsewhere.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::{env, iter};

use anyhow::Result;
use servers::process;
use servers::step::step;
use servers::workspace::Workspace;

/// A subcommand of cargo.
pub struct CargoTool {
    /// The name that follows `cargo` on the command line.
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
/// Writes bills of materials.
pub const CYCLONEDX: CargoTool =
    CargoTool { subcommand: "cyclonedx", package: "cargo-cyclonedx", version: "0.5.9" };
/// Makes Debian packages.
pub const DEB: CargoTool = CargoTool { subcommand: "deb", package: "cargo-deb", version: "3.8.0" };

/// The profile for compiling the tools. Compilation is fast, because the tools run for seconds
/// only. The tools' own profiles compile more slowly: cargo-deny's has link-time optimization.
const PROFILE: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];

impl CargoTool {
    /// Installs the tool, unless this version is installed.
    pub fn install(&self, workspace: &Workspace) -> Result<()> {
        self.command(workspace).map(drop)
    }

    /// Returns the command `cargo SUBCOMMAND`, after installing the tool unless this version is
    /// installed.
    pub fn command(&self, workspace: &Workspace) -> Result<Command> {
        let Self { subcommand, package, version } = self;
        let root = workspace.target_directory()?.join("cargo-tools");
        let path = path(root.join("bin"))?;
        let command = || {
            let mut command = workspace.cargo();
            command.arg(subcommand).env("PATH", &path);
            command
        };
        // The command fails if no version is installed.
        let is_installed = process::stdout(command().arg("--version")).is_ok_and(|installed| {
            installed.split_whitespace().any(|word| word.trim_start_matches('v') == *version)
        });
        if !is_installed {
            let package = format!("{package}@{version}");
            step(&format!("installing {package}"), || {
                let mut install = workspace.cargo();
                // Quiet, because other steps print at the same time.
                install.args(["install", "--quiet", "--locked", "--force", "--root"]).arg(&root);
                // One folder for all, because the tools share many dependencies.
                install.arg("--target-dir").arg(root.join("build"));
                process::run(install.arg(&package).envs(PROFILE))
            })?;
        }
        Ok(command())
    }
}

/// Returns the search path with this folder in front.
fn path(first: PathBuf) -> Result<OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(iter::once(first).chain(env::split_paths(&rest)))?)
}
