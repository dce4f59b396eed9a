//! Access to a database through its own command-line client.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::row::{Format, Rows};
use super::world::{Table, World};
use servers::clock::Stopwatch;
use servers::interrupt::{self, Foreground};
use servers::step::seconds;
use servers::{process, programs};

/// The number of rows that are passed to the client at a time.
const BATCH: i64 = 500;
/// The interval of progress lines in seconds.
const PATIENCE: u64 = 10;

/// SQLite settings without a rollback journal. That is safe, because an interrupted fill starts
/// again on a new database.
const PRAGMAS: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;
PRAGMA temp_store = FILE; PRAGMA threads = 4; PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = OFF;";

/// PostgreSQL settings that skip foreign key checks, because rows are written in the order of their
/// references. They need a superuser.
const SETTINGS: &str = "-c session_replication_role=replica -c synchronous_commit=off \
-c maintenance_work_mem=1GB -c max_parallel_maintenance_workers=2 -c client_min_messages=warning";

pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

pub struct Index {
    pub name: String,
    /// The statement that creates the index.
    pub statement: String,
}

impl Database {
    /// Parses a database URL as in `SWITCHBOARD_DATABASE_URL`.
    pub fn of(url: &str) -> Result<Self> {
        if let Some(file) = url.strip_prefix("sqlite:") {
            let file = PathBuf::from(file);
            return Ok(Self::Sqlite(std::path::absolute(&file)?));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        bail!("a database must be sqlite:PATH or postgres://…, not {url}")
    }

    /// Returns the name of the database system, as reports show it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// Returns the URL for `SWITCHBOARD_DATABASE_URL`.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres(url) => url.clone(),
        }
    }

    /// Runs statements and returns their output: lines with tabs between columns.
    pub fn run(&self, statements: &str) -> Result<String> {
        let mut command = self.client()?;
        match self {
            Self::Sqlite(_) => command.arg(format!("PRAGMA busy_timeout = 60000;{statements}")),
            Self::Postgres(_) => command.args(["-c", statements]),
        };
        let printed = process::stdout(&mut command)?;
        Ok(match self {
            // The first line is the pragma's output.
            Self::Sqlite(_) => printed.split_once('\n').map(|it| it.1.to_owned()),
            Self::Postgres(_) => None,
        }
        .unwrap_or(printed))
    }

    /// Runs a query that returns one number.
    pub fn number(&self, query: &str) -> Result<i64> {
        let printed = self.run(query)?;
        printed.trim().parse().with_context(|| format!("`{query}` printed `{}`", printed.trim()))
    }

    /// Returns the number of rows of each table.
    pub fn counts(&self) -> Result<Vec<(String, i64)>> {
        let names = self.run(match self {
            Self::Sqlite(_) => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_\\_%' \
                 ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY name"
            }
            Self::Postgres(_) => {
                "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() \
                 AND tablename NOT LIKE '\\_\\_%' ORDER BY tablename"
            }
        })?;
        let count = |name: &str| {
            Ok((name.to_owned(), self.number(&format!("SELECT count(*) FROM {name}"))?))
        };
        names.lines().map(count).collect()
    }

    /// Drops the indexes of a table that no constraint needs.
    pub fn drop_indexes(&self, table: &str) -> Result<Vec<Index>> {
        let listed = self.run(&match self {
            Self::Sqlite(_) => format!(
                "SELECT name, replace(sql, char(10), ' ') FROM sqlite_master \
                 WHERE type = 'index' AND tbl_name = '{table}' AND sql IS NOT NULL"
            ),
            Self::Postgres(_) => format!(
                "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() \
                 AND tablename = '{table}' AND NOT EXISTS (SELECT FROM pg_constraint \
                 WHERE conindid = (quote_ident(schemaname) || '.' || quote_ident(indexname))::regclass)"
            ),
        })?;
        let split = listed.lines().filter_map(|line| line.split_once('\t'));
        let indexes: Vec<Index> = split
            .map(|(name, statement)| Index {
                name: name.to_owned(),
                statement: statement.to_owned(),
            })
            .collect();
        let drops = indexes.iter().map(|index| format!("DROP INDEX {};", index.name));
        self.run(&drops.collect::<String>())?;
        Ok(indexes)
    }

    /// Creates a dropped index again.
    pub fn make_index(&self, index: &Index) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.run(&format!("{PRAGMAS}\n{};", index.statement)),
            Self::Postgres(_) => self.run(&index.statement),
        }
        .map(drop)
    }

    /// Updates the planner's statistics, and sets the journal mode of the SQLite file that the
    /// server expects.
    pub fn finish(&self) -> Result<()> {
        match self {
            // SQLite gets no statistics, because the server never runs ANALYZE.
            Self::Sqlite(_) => self.run("PRAGMA journal_mode = WAL;"),
            Self::Postgres(_) => {
                self.run("VACUUM ANALYZE")?;
                self.run("CHECKPOINT")
            }
        }
        .map(drop)
    }

    /// Writes the rows of a table, beginning with number `first`, and reports progress.
    pub fn write(&self, table: &Table, world: &World, first: i64) -> Result<()> {
        let (name, columns) = (table.name, table.columns.join(", "));
        let (mut command, format) = (self.client()?, self.format());
        if let Self::Postgres(_) = self {
            command.args(["-c", &format!("COPY {name} ({columns}) FROM STDIN")]);
        }
        // The output of pragmas is discarded.
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut client = Foreground::spawn(&mut command)?;
        let stdin = client.child.stdin.take().context("no way to write to the client")?;
        let mut into = BufWriter::with_capacity(1 << 20, stdin);
        let rows = first..first + table.rows;
        let written =
            write_rows(table, world, rows, (format, &mut into)).and_then(|()| Ok(into.flush()?));
        drop(into);
        let status = client.child.wait()?;
        drop(client);
        interrupt::check()?;
        if !status.success() {
            bail!("the rows of {name} were refused: {status}");
        }
        written
    }

    fn format(&self) -> Format {
        match self {
            Self::Sqlite(_) => Format::Values,
            Self::Postgres(_) => Format::Copy,
        }
    }

    fn client(&self) -> Result<Command> {
        Ok(match self {
            Self::Sqlite(file) => {
                let mut command = Command::new(programs::require(&["sqlite3"])?);
                command.args(["-batch", "-bail", "-separator", "\t"]).arg(file);
                command
            }
            Self::Postgres(url) => {
                let mut command = Command::new(programs::require(&["psql"])?);
                command.args(["--no-psqlrc", "--quiet", "-A", "-t", "-F", "\t"]);
                command.args(["-v", "ON_ERROR_STOP=1", url.as_str()]);
                command.env("PGOPTIONS", SETTINGS);
                command
            }
        })
    }
}

fn write_rows(
    table: &Table,
    world: &World,
    rows: Range<i64>,
    (format, into): (Format, &mut impl Write),
) -> Result<()> {
    let Table { name, write, .. } = table;
    let columns = table.columns.join(", ");
    let is_sql = format == Format::Values;
    if is_sql {
        writeln!(into, "{PRAGMAS}\nBEGIN;")?;
    }
    let (watch, mut told, mut text) = (Stopwatch::start(), 0, Rows::new(format));
    let mut from = rows.start;
    while from < rows.end {
        let to = (from + BATCH).min(rows.end);
        for n in from..to {
            text.begin();
            write(world, n, &mut text);
            text.end();
        }
        if is_sql {
            writeln!(into, "INSERT INTO {name} ({columns}) VALUES\n{};", text.text())?;
        } else {
            into.write_all(text.text().as_bytes())?;
        }
        text.clear();
        from = to;
        let periods = watch.elapsed().as_secs() / PATIENCE;
        if periods > told {
            told = periods;
            interrupt::check()?;
            eprintln!(
                "[xtask]   {name}: {from} of {} after {}",
                rows.end,
                seconds(watch.elapsed())
            );
        }
    }
    if is_sql {
        writeln!(into, "COMMIT;")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_what_the_server_takes_for_one() {
        assert!(matches!(Database::of("sqlite:/a/b.db"), Ok(Database::Sqlite(_))));
        assert!(matches!(Database::of("postgres://a@b/c"), Ok(Database::Postgres(_))));
        assert!(Database::of("mysql://a").is_err());
    }

    #[test]
    fn an_index_is_dropped_and_made_again() {
        if programs::find("sqlite3").is_none() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(folder.path().join("a.db"));
        let unique = "CREATE UNIQUE INDEX one ON t (b)\n WHERE b > 0";
        database.run(&format!("CREATE TABLE t (a INTEGER UNIQUE, b INTEGER); {unique};")).unwrap();
        let dropped = database.drop_indexes("t").unwrap();
        assert_eq!(dropped.len(), 1);
        let count = "SELECT count(*) FROM sqlite_master WHERE name = 'one'";
        assert_eq!(database.number(count).unwrap(), 0);
        database.make_index(&dropped[0]).unwrap();
        assert_eq!(database.number(count).unwrap(), 1);
    }
}
