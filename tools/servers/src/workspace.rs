//! The workspace, and running cargo in it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// The workspace that contains the current directory.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Finds the workspace with cargo.
    pub fn find() -> Result<Self> {
        let manifest = process::stdout(cargo().args([
            "locate-project",
            "--workspace",
            "--message-format",
            "plain",
        ]))?;
        let root = Path::new(manifest.trim()).parent().context("cargo found no workspace")?;
        Ok(Self { root: root.to_owned() })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn target_directory(&self) -> Result<PathBuf> {
        let metadata = self.metadata()?;
        let target = metadata.get("target_directory").and_then(Value::as_str);
        Ok(target.context("cargo reported no target directory")?.into())
    }

    /// Returns the names of the workspace's packages, each with its manifest.
    pub fn members(&self) -> Result<Vec<(String, PathBuf)>> {
        let metadata = self.metadata()?;
        let packages = metadata.get("packages").and_then(Value::as_array);
        let member = |package: &Value| {
            let text = |name| package.get(name).and_then(Value::as_str);
            Some((text("name")?.to_owned(), PathBuf::from(text("manifest_path")?)))
        };
        Ok(packages.context("cargo reported no packages")?.iter().filter_map(member).collect())
    }

    /// Returns the output of `cargo metadata` about the workspace's own packages.
    pub fn metadata(&self) -> Result<Value> {
        let arguments = ["metadata", "--no-deps", "--format-version=1"];
        serde_json::from_str(&process::stdout(self.cargo().args(arguments))?)
            .context("cargo metadata printed no JSON")
    }

    /// Returns the time for generated files, in seconds since 1970: `SOURCE_DATE_EPOCH` if it is
    /// set, otherwise the time of the last commit.
    pub fn source_date(&self) -> Result<u64> {
        let written = if let Ok(written) = env::var("SOURCE_DATE_EPOCH") {
            written
        } else {
            let mut git = Command::new("git");
            git.current_dir(&self.root).args(["log", "-1", "--format=%ct"]);
            process::stdout(&mut git)
                .context("without git's history, SOURCE_DATE_EPOCH must be set")?
        };
        let written = written.trim();
        written.parse().with_context(|| format!("{written:?} is not a time in seconds"))
    }

    /// Returns a cargo command that runs in the root.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }

    /// Builds the acceptance tests and the programs that they run.
    ///
    /// `--workspace` with a test among the targets selects the same packages as the test runner
    /// does, so cargo builds the dependencies with the same features. Otherwise every dependency
    /// would be compiled a second time.
    pub fn build_for_tests(&self) -> Result<Executables> {
        let programs = ["--bin", "switchboard", "--bin", "bench"];
        let examples = ["--example", "handshake", "--example", "webhooks_axum"];
        self.build(&[&["--workspace", "--test", "acceptance"], &programs[..], &examples].concat())
    }

    /// Builds a program of `tools/` with the same features as the tests. For that, any test among
    /// the targets is enough, so the smallest one is used.
    pub fn build_tool(&self, name: &str) -> Result<Executables> {
        self.build(&["--workspace", "--test", "rules", "--bin", name])
    }

    /// Runs `cargo build` and returns the paths of the executables by name. Only cargo knows these
    /// paths.
    pub fn build(&self, arguments: &[&str]) -> Result<Executables> {
        self.build_with(&[], arguments)
    }

    /// Builds like [`Self::build`], with additional environment variables.
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

/// The executables of a build.
pub struct Executables(BTreeMap<String, PathBuf>);

impl Executables {
    /// Returns the executable of the binary or example with this name.
    pub fn get(&self, name: &str) -> Result<&Path> {
        match self.0.get(name) {
            Some(path) => Ok(path),
            None => bail!("the build made no `{name}`: no package has a target of this name"),
        }
    }
}

fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        // The executable of the target's unit tests has the same name and is skipped.
        if message.pointer("/profile/test") == Some(&Value::Bool(true)) {
            return None;
        }
        let name = message.pointer("/target/name")?.as_str()?.to_owned();
        Some((name, PathBuf::from(message.get("executable")?.as_str()?)))
    };
    messages.lines().filter_map(executable).collect()
}

/// Returns the text of a file, or an empty text if the file does not exist.
pub fn text_or_nothing(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // `cargo run` sets these variables for xtask itself. Some build scripts, such as ring's, watch
    // them. They would run again whenever builds by xtask and manual builds alternate.
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
