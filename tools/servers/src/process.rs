//! Runs foreground commands and waits for them. A signal interrupts them, and errors name the
//! command.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::interrupt::{self, Foreground};

/// Runs `command` and shows its output. A failure of the command is an error.
pub fn run(command: &mut Command) -> Result<()> {
    capture(command.stdin(Stdio::null()).stdout(Stdio::inherit())).map(drop)
}

/// Runs `command` and returns its standard output. A failure of the command is an error.
pub fn stdout(command: &mut Command) -> Result<String> {
    capture(command.stdin(Stdio::null()).stdout(Stdio::piped()))
}

/// Runs `command` with the contents of `file` on its standard input, and returns its standard
/// output.
pub fn stdout_of_input(command: &mut Command, file: File) -> Result<String> {
    capture(command.stdin(file).stdout(Stdio::piped()))
}

/// Runs `command` without showing its output, and returns whether it succeeded.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn capture(command: &mut Command) -> Result<String> {
    let described = describe(command);
    let mut foreground = Foreground::spawn(command)?;
    let mut printed = Vec::new();
    if let Some(mut stdout) = foreground.child.stdout.take() {
        stdout
            .read_to_end(&mut printed)
            .with_context(|| format!("cannot read what `{described}` prints"))?;
    }
    let status =
        foreground.child.wait().with_context(|| format!("cannot wait for `{described}`"))?;
    drop(foreground);
    interrupt::check()?;
    if !status.success() {
        bail!("`{described}` failed: {status}");
    }
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Returns the command as it would be typed in a shell.
fn describe(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str()).to_string_lossy()];
    words.extend(command.get_args().map(std::ffi::OsStr::to_string_lossy));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command() {
        let error = run(Command::new("/bin/sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed: exit status: 3");
    }

    #[test]
    fn output_is_returned() {
        assert_eq!(
            stdout(Command::new("/bin/sh").args(["-c", "echo out; echo err >&2"])).unwrap(),
            "out\n"
        );
    }
}
