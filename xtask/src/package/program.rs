//! The packaged program with its version, manual pages and shell completions.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use servers::process;

/// The shells, and the paths of their completions below `/usr/share`.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/switchboard"),
    ("zsh", "zsh/vendor-completions/_switchboard"),
    ("fish", "fish/vendor_completions.d/switchboard.fish"),
];

/// The length of an ELF file's head, up to the machine type.
const HEAD: usize = 20;

/// A machine type, numbered as in `elf.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    X86_64,
    Aarch64,
    Riscv64,
}

impl Machine {
    /// Returns Debian's name of the architecture.
    pub const fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
            Self::Riscv64 => "riscv64",
        }
    }

    /// Returns the kernel's name of the architecture.
    pub const fn linux(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
            Self::Riscv64 => "riscv64",
        }
    }
}

pub struct Program {
    pub file: PathBuf,
    pub machine: Machine,
    pub version: String,
    /// The manual pages that the program generates, each with its file name, such as
    /// `switchboard-serve.1`.
    pub manual: Vec<(String, String)>,
    /// Shell completions, each with its path below `/usr/share`.
    pub completions: Vec<(&'static str, String)>,
}

impl Program {
    /// Collects all of it from the program in this file.
    pub fn of(file: &Path) -> Result<Self> {
        let machine = machine(&head(file)?)
            .with_context(|| format!("{} cannot be packaged", file.display()))?;
        let printed = process::stdout(&mut quiet(file, &["--version"]))?;
        let version = printed.split_whitespace().nth(1);
        let version =
            version.with_context(|| format!("{printed:?} contains no version"))?.to_owned();
        let mut completions = Vec::new();
        for (shell, path) in SHELLS {
            completions.extend(offered(file, &["completions", shell])?.map(|text| (path, text)));
        }
        Ok(Self { file: file.to_owned(), machine, version, manual: manual(file)?, completions })
    }
}

/// Returns a command without any settings.
fn quiet(file: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(file);
    command.args(arguments).env_clear().current_dir("/");
    command
}

/// Returns the output of a subcommand, or `None` if it does not exist.
fn offered(file: &Path, arguments: &[&str]) -> Result<Option<String>> {
    if !offers(file, arguments) {
        return Ok(None);
    }
    process::stdout(&mut quiet(file, arguments)).map(Some)
}

fn offers(file: &Path, arguments: &[&str]) -> bool {
    process::succeeds(&mut quiet(file, &[arguments, &["--help"]].concat()))
}

/// Returns the manual pages that the program writes, or none if it has no command for that.
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

fn head(file: &Path) -> Result<[u8; HEAD]> {
    let mut head = [0; HEAD];
    File::open(file)
        .and_then(|mut opened| opened.read_exact(&mut head))
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok(head)
}

fn machine(head: &[u8; HEAD]) -> Result<Machine> {
    // ELF, 64 bits, little-endian.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        bail!("it is not a program for 64-bit Linux");
    }
    let [.., low, high] = *head;
    match u16::from_le_bytes([low, high]) {
        62 => Ok(Machine::X86_64),
        183 => Ok(Machine::Aarch64),
        243 => Ok(Machine::Riscv64),
        other => bail!("there is no package for machine type {other} of elf.h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_read_from_the_program() {
        let mut head = *b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xb7\0";
        assert_eq!(machine(&head).unwrap(), Machine::Aarch64);
        head[18] = 62;
        assert_eq!(machine(&head).unwrap().debian(), "amd64");
        head[18] = 3;
        assert!(machine(&head).is_err());
        assert!(machine(b"#!/bin/sh\necho good\n").is_err());
    }

    #[test]
    fn what_a_program_does_not_offer_is_left_out() {
        assert_eq!(offered(Path::new("/bin/false"), &["man"]).unwrap(), None);
        assert_eq!(offered(Path::new("/bin/true"), &["man"]).unwrap(), Some(String::new()));
    }
}
