//! Callgrind, which runs the server and counts its instructions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use servers::{interrupt, programs};

/// The prefix of the dump files; a number follows it.
const DUMP: &str = "callgrind.out";

/// The counter of one process.
pub struct Counter {
    files: PathBuf,
    process: u32,
}

impl Counter {
    /// Wraps `command` in Callgrind. Counting starts later, because with counting the server's
    /// start would take minutes. `more` contains further arguments, which take precedence.
    pub fn around(command: &Command, files: &Path, more: &[&str]) -> Result<Command> {
        let mut around = Command::new(programs::require(&["valgrind"])?);
        around
            .args(["--tool=callgrind", "--instr-atstart=no"])
            .arg(format!("--callgrind-out-file={}", files.join(DUMP).display()))
            .arg(prefix(files))
            .args(more)
            .arg(command.get_program())
            .args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => around.env(name, value),
                None => around.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            around.current_dir(folder);
        }
        Ok(around)
    }

    /// Returns the counter of a process that runs in Callgrind and writes its dumps into `files`.
    pub fn new(files: &Path, process: u32) -> Self {
        Self { files: files.to_owned(), process }
    }

    /// Starts counting. Counting is never stopped: after instrumentation is switched off and on,
    /// Callgrind's dumps are wrong (with 3.19, totals are negative), and the server would have to
    /// be translated again.
    pub fn begin(&self) -> Result<()> {
        self.tell(&["instrumentation", "on"])
    }

    pub fn reset(&self) -> Result<()> {
        self.tell(&["zero"])
    }

    /// Returns the number of instructions of all threads since the last reset. The server is paused
    /// meanwhile.
    pub fn take(&self) -> Result<u64> {
        let totals = self
            .dump()?
            .into_iter()
            .map(|dump| total_of(&dump).context("a dump of Callgrind has no line `totals:`"));
        totals.sum()
    }

    /// Returns the instructions executed since the last reset in Callgrind's format, one text per
    /// part. The server is paused meanwhile.
    pub fn dump(&self) -> Result<Vec<String>> {
        self.tell(&["dump"])?;
        Self::written(&self.files)
    }

    /// Reads and removes the dumps in `files`.
    pub fn written(files: &Path) -> Result<Vec<String>> {
        let mut dumps = Vec::new();
        for entry in fs::read_dir(files)? {
            let file = entry?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(DUMP) {
                continue;
            }
            let text = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            // The file for the dump at the end of the process exists from the start, but is still
            // empty.
            if !text.is_empty() {
                fs::remove_file(&file)?;
                dumps.push(text);
            }
        }
        Ok(dumps)
    }

    /// Sends a command with `vgdb`. `callgrind_control` does the same, but inspects all processes
    /// of the machine first.
    fn tell(&self, words: &[&str]) -> Result<()> {
        let mut command = Command::new(programs::require(&["vgdb"])?);
        command.arg(format!("--pid={}", self.process)).arg(prefix(&self.files)).args(words);
        // The output is captured, because vgdb reports every command.
        let output = command.stdin(Stdio::null()).output().context("cannot start vgdb")?;
        interrupt::check()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "Callgrind does not answer: {}", said.trim());
        Ok(())
    }
}

/// Returns the option that names the folder of vgdb's files. They are in the folder of the dumps,
/// so that no file is left behind.
fn prefix(files: &Path) -> String {
    format!("--vgdb-prefix={}", files.join("vgdb").display())
}

/// Parses the total of a dump, which is at its end.
fn total_of(dump: &str) -> Option<u64> {
    dump.lines().rev().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_a_dump_is_at_its_end() {
        let dump = "# callgrind format\nversion: 1\npart: 2\nevents: Ir\nsummary: 5\n\n\
                    fn=(12) main\n16 400\ncalls=1 50\n16 300\n\ntotals: 6977776\n";
        assert_eq!(total_of(dump), Some(6_977_776));
        assert_eq!(total_of("# callgrind format\nevents: Ir\nsummary: 5\n"), None);
        assert_eq!(total_of("totals: -3\n"), None);
    }

    #[test]
    fn the_server_keeps_its_environment() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "true"]).env("A", "b").env_remove("C").current_dir("/tmp");
        let Ok(around) = Counter::around(&command, Path::new("/tmp/files"), &[]) else {
            return;
        };
        let arguments: Vec<_> = around.get_args().collect();
        assert!(arguments.ends_with(&["/bin/sh".as_ref(), "-c".as_ref(), "true".as_ref()]));
        let set: Vec<_> = around.get_envs().collect();
        assert_eq!(set, [("A".as_ref(), Some("b".as_ref())), ("C".as_ref(), None)]);
        assert_eq!(around.get_current_dir(), Some(Path::new("/tmp")));
    }
}
