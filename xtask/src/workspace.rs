//! Where the workspace is, and cargo in it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// The workspace around the current directory.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Asks cargo for it.
    pub fn find() -> Result<Self> {
        let manifest = process::stdout(cargo().args([
            "locate-project",
            "--workspace",
            "--message-format",
            "plain",
        ]))?;
        let root = Path::new(manifest.trim()).parent().context("cargo named no workspace")?;
        Ok(Self { root: root.to_owned() })
    }

    /// The directory of the workspace's `Cargo.toml`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo puts what it makes.
    pub fn target_directory(&self) -> Result<PathBuf> {
        let described =
            process::stdout(self.cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
        let described: Value = serde_json::from_str(&described)?;
        let target = described.get("target_directory").and_then(Value::as_str);
        Ok(target.context("cargo named no target directory")?.into())
    }

    /// The time that what is made of the source bears, in seconds: that of the last commit, if `SOURCE_DATE_EPOCH` says no
    /// other.
    pub fn source_date(&self) -> Result<u64> {
        let written = if let Ok(written) = env::var("SOURCE_DATE_EPOCH") {
            written
        } else {
            let mut git = Command::new("git");
            git.current_dir(&self.root).args(["log", "-1", "--format=%ct"]);
            process::stdout(&mut git)
                .context("without git's history, SOURCE_DATE_EPOCH has to name a time")?
        };
        let written = written.trim();
        written.parse().with_context(|| format!("{written:?} is no time in seconds"))
    }

    /// A cargo command at the root.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }

    /// Builds what the acceptance tests drive, and those tests.
    ///
    /// `--workspace` with a test among the targets is the selection from which the test runner unifies features
    /// too: with another one cargo would compile every dependency a second time.
    pub fn build_for_tests(&self) -> Result<Executables> {
        let programs = ["--bin", "switchboard", "--example", "handshake"];
        self.build(&[&["--workspace", "--test", "acceptance"], &programs[..]].concat())
    }

    /// Runs `cargo build` and returns the executables that it made, by name: cargo alone knows where they are.
    pub fn build(&self, arguments: &[&str]) -> Result<Executables> {
        self.build_with(&[], arguments)
    }

    /// The same with these variables in the environment.
    pub fn build_with(
        &self,
        variables: &[(&str, &OsStr)],
        arguments: &[&str],
    ) -> Result<Executables> {
        let printed = process::stdout(
            self.cargo()
                .envs(variables.iter().copied())
                .arg("build")
                .args(arguments)
                .arg("--message-format=json-render-diagnostics"),
        )?;
        Ok(Executables(executables(&printed)))
    }
}

/// What a build made.
pub struct Executables(BTreeMap<String, PathBuf>);

impl Executables {
    /// The executable of the binary or example with this name.
    pub fn get(&self, name: &str) -> Result<&Path> {
        match self.0.get(name) {
            Some(path) => Ok(path),
            None => bail!(
                "the build made no `{name}`; does its package still have a target of that name?"
            ),
        }
    }
}

fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        // A target's unit tests are an executable of the same name.
        if message.pointer("/profile/test") == Some(&Value::Bool(true)) {
            return None;
        }
        let name = message.pointer("/target/name")?.as_str()?.to_owned();
        Some((name, PathBuf::from(message.get("executable")?.as_str()?)))
    };
    messages.lines().filter_map(executable).collect()
}

/// The cargo that runs this program, in the environment of a shell.
/// A file's text; nothing if there is no such file yet.
pub fn text_or_nothing(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // `cargo run` describes xtask's own package in these. Some build scripts (ring's) watch them, and would run again
    // whenever a build by xtask follows one by hand.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_read_from_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"auth"},"executable":null}
not json
{"reason":"compiler-artifact","target":{"name":"switchboard"},"executable":"/t/debug/switchboard","profile":{"test":false}}
{"reason":"compiler-artifact","target":{"name":"switchboard"},"executable":"/t/debug/deps/switchboard-1","profile":{"test":true}}
{"reason":"build-finished","success":true}"#;
        let made = Executables(executables(messages));
        assert_eq!(made.get("switchboard").unwrap(), Path::new("/t/debug/switchboard"));
        assert!(made.get("auth").is_err());
    }
}
