//! `cargo xtask migrate`: runs the server's migrator, adds migrations, and maintains the list of
//! those that never change.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use time::OffsetDateTime;

use crate::tidy::{CHECKSUMS, DATABASES, Tree, ledger};
use servers::workspace::{Workspace, text_or_nothing};
use servers::{clock, process};

const MAX_NAME_LENGTH: usize = 60;

#[derive(Subcommand)]
pub enum Command {
    /// Run pending migrations on the configured database (`switchboard migrate run`).
    Run {
        /// Arguments for `switchboard migrate run`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Show which migrations have run on the configured database (`switchboard migrate status`).
    Status {
        /// Arguments for `switchboard migrate status`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Create an empty migration for both databases.
    New {
        /// What the migration does, such as `add_webhook_endpoints`: lowercase letters, digits and
        /// underscores
        name: String,
    },
    /// Add new migrations to `migrations/checksums.txt`. Locked migrations never change.
    Lock,
}

pub fn run(workspace: &Workspace, command: Command) -> Result<()> {
    match command {
        Command::Run { arguments } => switchboard(workspace, "run", &arguments),
        Command::Status { arguments } => switchboard(workspace, "status", &arguments),
        Command::New { name } => {
            for file in create(workspace.root(), &name, clock::now())? {
                println!("{file}");
            }
            println!("Write both, then run `cargo xtask migrate lock`.");
            Ok(())
        }
        Command::Lock => {
            let added = lock(workspace.root())?;
            for path in &added {
                println!("locked migrations/{path}");
            }
            if added.is_empty() {
                println!("every migration is locked already");
            }
            Ok(())
        }
    }
}

fn switchboard(workspace: &Workspace, verb: &str, arguments: &[String]) -> Result<()> {
    process::run(
        workspace
            .cargo()
            .args(["run", "-q", "-p", "delivery", "--", "migrate", verb])
            .args(arguments),
    )
}

/// Creates the files of a migration in diesel's layout and returns their paths.
fn create(root: &Path, name: &str, now: OffsetDateTime) -> Result<Vec<String>> {
    if !is_good(name) {
        bail!(
            "`{name}` is not a valid name: use 1 to {MAX_NAME_LENGTH} lowercase letters, digits and underscores, \
             the first one a letter, such as add_webhook_endpoints"
        );
    }
    let version = version(now);
    let tree = Tree::read(root)?;
    for existing in tree.migrations().keys() {
        if existing.split_once('_').is_some_and(|(_, taken)| taken == name) {
            bail!("a migration of this name exists: {existing}");
        }
        if existing.split('_').next().is_some_and(|last| last >= version.as_str()) {
            bail!(
                "{existing} is newer than now ({version}), and would run after the new one; is this clock right?"
            );
        }
    }
    let mut made = Vec::new();
    for database in DATABASES {
        let folder = format!("migrations/{database}/{version}_{name}");
        fs::create_dir_all(root.join(&folder)).with_context(|| format!("cannot make {folder}"))?;
        for (file, comment) in
            [("up.sql", "What this adds, and why."), ("down.sql", "Undoes up.sql.")]
        {
            let path = format!("{folder}/{file}");
            fs::write(root.join(&path), format!("-- {comment}\n"))
                .with_context(|| format!("cannot write {path}"))?;
            made.push(path);
        }
    }
    Ok(made)
}

fn is_good(name: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= MAX_NAME_LENGTH
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(word)
}

fn version(now: OffsetDateTime) -> String {
    let (date, time) = (now.date(), now.time());
    format!(
        "{:04}-{:02}-{:02}-{:02}{:02}{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

/// Adds the new files to the list and returns their paths under `migrations/`.
fn lock(root: &Path) -> Result<Vec<String>> {
    let tree = Tree::read(root)?;
    let faults = ledger::broken(&tree);
    if !faults.is_empty() {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        bail!(
            "nothing was locked, because the list of locked files is broken:\n{}",
            faults.join("\n")
        );
    }
    let new = ledger::unlisted(&tree);
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let path = root.join(CHECKSUMS);
    let mut text = text_or_nothing(&path)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for entry in &new {
        text.push_str(&entry.to_string());
        text.push('\n');
    }
    fs::write(&path, text).with_context(|| format!("cannot write {CHECKSUMS}"))?;
    Ok(new.into_iter().map(|entry| entry.path).collect())
}

#[cfg(test)]
mod tests {
    use time::{Date, Month, Time};

    use super::*;

    fn noon() -> OffsetDateTime {
        let date = Date::from_calendar_date(2026, Month::March, 9).unwrap();
        OffsetDateTime::new_utc(date, Time::from_hms(12, 3, 4).unwrap())
    }

    #[test]
    fn a_new_migration_has_diesels_layout_for_both_databases() {
        let root = tempfile::tempdir().unwrap();
        let made = create(root.path(), "add_webhooks", noon()).unwrap();
        assert_eq!(
            made,
            [
                "migrations/sqlite/2026-03-09-120304_add_webhooks/up.sql",
                "migrations/sqlite/2026-03-09-120304_add_webhooks/down.sql",
                "migrations/postgres/2026-03-09-120304_add_webhooks/up.sql",
                "migrations/postgres/2026-03-09-120304_add_webhooks/down.sql",
            ]
        );
        assert!(made.iter().all(|path| root.path().join(path).is_file()));
    }

    #[test]
    fn a_bad_a_taken_and_an_untimely_name_are_refused() {
        let root = tempfile::tempdir().unwrap();
        for name in ["", "1st", "_a", "Add", "add-a", "add a", "../a", "ä", &"a".repeat(61)] {
            assert!(create(root.path(), name, noon()).is_err(), "{name}");
        }
        create(root.path(), "add_a", noon()).unwrap();
        let later = noon() + time::Duration::seconds(1);
        assert!(create(root.path(), "add_a", later).unwrap_err().to_string().contains("exists"));
        assert!(create(root.path(), "add_b", noon()).unwrap_err().to_string().contains("clock"));
        create(root.path(), "add_b", later).unwrap();
    }

    #[test]
    fn locking_adds_what_is_new_and_never_changes_a_line() {
        let root = tempfile::tempdir().unwrap();
        create(root.path(), "first", noon()).unwrap();
        assert_eq!(lock(root.path()).unwrap().len(), 4);
        let first = fs::read_to_string(root.path().join(CHECKSUMS)).unwrap();
        create(root.path(), "second", noon() + time::Duration::seconds(1)).unwrap();
        assert_eq!(lock(root.path()).unwrap().len(), 4);
        let both = fs::read_to_string(root.path().join(CHECKSUMS)).unwrap();
        assert!(both.starts_with(&first) && both.lines().count() == 8, "{both}");
        assert!(lock(root.path()).unwrap().is_empty());

        fs::write(root.path().join("migrations/sqlite/2026-03-09-120304_first/up.sql"), "changed")
            .unwrap();
        create(root.path(), "third", noon() + time::Duration::seconds(2)).unwrap();
        assert!(lock(root.path()).unwrap_err().to_string().contains("nothing was locked"));
        assert_eq!(fs::read_to_string(root.path().join(CHECKSUMS)).unwrap(), both);
    }
}
