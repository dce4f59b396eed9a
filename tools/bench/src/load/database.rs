//! Access to the database of a measured server, to count the results and to insert rows that the
//! load needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use servers::{Postgres, process, programs};

#[derive(Clone)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Database {
    /// Returns the URL for `SWITCHBOARD_DATABASE_URL`.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres(url) => url.clone(),
        }
    }

    /// Runs a query and returns its output: lines with `|` between columns.
    pub fn ask(&self, query: &str) -> Result<String> {
        let mut shell = self.shell()?;
        match self {
            Self::Sqlite(_) => shell.arg(query),
            Self::Postgres(_) => shell.args(["--command", query]),
        };
        process::stdout(&mut shell)
    }

    /// Runs a query and returns the numbers in its only row.
    pub fn numbers(&self, query: &str) -> Result<Vec<u64>> {
        let said = self.ask(query)?;
        let numbers = said.trim().split('|').map(str::parse).collect::<Result<_, _>>();
        numbers.with_context(|| format!("`{query}` did not return numbers: {said}"))
    }

    pub fn run(&self, file: &Path) -> Result<()> {
        let mut shell = self.shell()?;
        match self {
            Self::Sqlite(_) => shell.arg(format!(".read {}", file.display())),
            Self::Postgres(_) => shell.arg("--file").arg(file),
        };
        process::stdout(&mut shell).map(drop)
    }

    fn shell(&self) -> Result<Command> {
        Ok(match self {
            Self::Sqlite(file) => {
                let mut shell = Command::new(programs::require(&["sqlite3"])?);
                shell.args(["-batch", "-bail", "-cmd", ".timeout 10000"]).arg(file);
                shell
            }
            Self::Postgres(url) => {
                let mut shell = Command::new(programs::require(&["psql"])?);
                shell.args(["--no-psqlrc", "--no-align", "--tuples-only", "--quiet"]);
                shell.args(["--set", "ON_ERROR_STOP=1", url]);
                shell
            }
        })
    }

    /// Formats an id as a literal.
    pub fn id(&self, id: u128) -> String {
        match self {
            Self::Sqlite(_) => format!("x'{id:032x}'"),
            Self::Postgres(_) => format!("'{id:032x}'"),
        }
    }

    /// Formats hexadecimal bytes as a literal.
    pub fn bytes(&self, hex: &str) -> String {
        match self {
            Self::Sqlite(_) => format!("x'{hex}'"),
            Self::Postgres(_) => format!("'\\x{hex}'"),
        }
    }

    /// Formats a time, in seconds since 1970, as a literal.
    pub fn time(&self, seconds: i64) -> String {
        match self {
            Self::Sqlite(_) => format!("{seconds}000000"),
            Self::Postgres(_) => format!("to_timestamp({seconds})"),
        }
    }
}

/// A database of the PostgreSQL that the measurements use. It is dropped together with the server
/// that uses it, because all databases of a run could fill the disk.
pub struct Temporary {
    url: String,
    name: String,
}

impl Temporary {
    /// Creates a database of this name.
    pub fn make(postgres: &Postgres, name: String) -> Result<Self> {
        let made = Self { url: postgres.url(), name };
        made.run(&format!("CREATE DATABASE {}", made.name))?;
        Ok(made)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, statement: &str) -> Result<()> {
        let mut shell = Command::new(programs::require(&["psql"])?);
        shell.args(["--no-psqlrc", "--quiet", "--command", statement, &self.url]);
        process::stdout(&mut shell).map(drop)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A failure does not matter: the whole cluster is removed at the end.
        let _ = self.run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_those_of_the_database() {
        let (sqlite, postgres) =
            (Database::Sqlite("a".into()), Database::Postgres("postgres://a".to_owned()));
        assert_eq!(sqlite.id(10), format!("x'{:0>32}'", "a"));
        assert_eq!(postgres.id(10), format!("'{:0>32}'", "a"));
        assert_eq!([sqlite.bytes("00ff"), postgres.bytes("00ff")], ["x'00ff'", "'\\x00ff'"]);
        assert_eq!([sqlite.time(7), postgres.time(7)], ["7000000", "to_timestamp(7)"]);
    }
}
