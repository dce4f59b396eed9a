//! `cargo xtask test`: runs all tests, with the servers that they need.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};

use crate::cargo_tools;
use crate::foreign::{self, ForeignPrograms};
use servers::step::step;
use servers::workspace::Workspace;
use servers::{Citus, Durability, Postgres, Redis, WORKERS, process, programs};

/// The database of tests that need `PostgreSQL`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Database {
    /// A single server.
    Postgres,
    /// A coordinator and two workers with the Citus extension; each test gets a distributed
    /// database.
    Citus,
}

/// Installs the missing test dependencies that are not Debian packages: programs in other
/// languages, and cargo tools. They are installed before the tests, because several tests use the
/// same cargo tool at once.
pub fn install(workspace: &Workspace) -> Result<ForeignPrograms> {
    cargo_tools::DEB.install(workspace)?;
    cargo_tools::CYCLONEDX.install(workspace)?;
    foreign::install(workspace)
}

/// Runs all tests, or those selected by `filter` (arguments of the test runner).
pub fn run(workspace: &Workspace, database: Database, filter: &[String]) -> Result<()> {
    programs::ensure(programs::FOR_TESTS)?;
    let ForeignPrograms { python, small_model, node_modules, go_oauth, axe } = install(workspace)?;
    let built = step("building the server and its tests", || workspace.build_for_tests())?;
    let (binary, handshake) = (built.get("switchboard")?, built.get("handshake")?);
    let (bench, webhooks_axum) = (built.get("bench")?, built.get("webhooks_axum")?);
    let screenshots = workspace.target_directory()?.join("screenshots");
    let temporary = env::temp_dir();
    let server = step("starting PostgreSQL", || Server::start(database, &temporary, binary))?;
    let urls = server.urls();
    let template_folder = tempfile::tempdir().context("cannot make a directory")?;
    let sqlite_template = sqlite_template(binary, template_folder.path())?;
    let postgres_server = programs::require(&["postgres"])?;
    let postgres_programs = postgres_server.parent().unwrap_or(&postgres_server);
    let own = env::current_exe().context("this program has no file")?;
    let tests_at_a_time = tests_at_a_time()?.to_string();
    let redis = step("starting Redis", || Redis::start(&temporary))?;
    let test = |arguments: &[&str], filter: &[String]| {
        let mut cargo = workspace.cargo();
        cargo
            .args(arguments)
            .args(filter)
            .env("NEXTEST_TEST_THREADS", &tests_at_a_time)
            .env("SWITCHBOARD_TEST_POSTGRES", &urls)
            .env("SWITCHBOARD_TEST_POSTGRES_PROGRAMS", postgres_programs)
            .env("SWITCHBOARD_TEST_SQLITE_TEMPLATE", &sqlite_template)
            .env("SWITCHBOARD_TEST_REDIS", redis.url())
            .env("SWITCHBOARD_TEST_BINARY", binary)
            .env("SWITCHBOARD_TEST_XTASK", &own)
            .env("SWITCHBOARD_TEST_BENCH", bench)
            .env("SWITCHBOARD_TEST_HANDSHAKE", handshake)
            .env("SWITCHBOARD_TEST_WEBHOOKS_AXUM", webhooks_axum)
            .env("SWITCHBOARD_TEST_PYTHON", &python)
            .env("SWITCHBOARD_TEST_SMALL_MODEL", &small_model)
            .env("SWITCHBOARD_TEST_NODE_MODULES", &node_modules)
            .env("SWITCHBOARD_TEST_GO_OAUTH", &go_oauth)
            .env("SWITCHBOARD_TEST_AXE", &axe)
            .env("SWITCHBOARD_TEST_SCREENSHOTS", &screenshots);
        step(&format!("cargo {}", arguments.join(" ")), || process::run(&mut cargo))
    };
    // Documentation tests run first, so that the output ends with the summary of the other tests.
    // While there are none, rustdoc would read all crates for nothing.
    if filter.is_empty() && has_documentation_tests(workspace) {
        test(&["test", "--workspace", "--doc"], &[])?;
    }
    test(runner(workspace, !filter.is_empty()), filter)
}

/// Returns whether the documentation of a library may have an example, which rustdoc runs as a test.
fn has_documentation_tests(workspace: &Workspace) -> bool {
    let mut search = Command::new("git");
    search.args(["grep", "-qE", "^ *//[/!] *```", "--", "*/src/*.rs"]);
    search.current_dir(workspace.root()).stderr(Stdio::null());
    // 1 says that there are none. If git cannot tell, rustdoc finds out.
    !search.status().is_ok_and(|status| status.code() == Some(1))
}

/// Returns the number of tests that run at a time. It exceeds the number of cores, because many
/// tests wait for time to pass or for another program.
fn tests_at_a_time() -> Result<usize> {
    Ok(thread::available_parallelism().context("cannot count the cores")?.get() * 2)
}

/// The `PostgreSQL` servers of the tests.
enum Server {
    One(Postgres),
    Several(Citus),
}

impl Server {
    fn start(database: Database, base: &Path, program: &Path) -> Result<Self> {
        Ok(match database {
            Database::Postgres => {
                let postgres = Postgres::start(Durability::Volatile, base)?;
                postgres.make_template(program)?;
                Self::One(postgres)
            }
            Database::Citus => {
                let citus = Citus::start(Durability::Volatile, base, WORKERS)?;
                citus.make_template(program)?;
                Self::Several(citus)
            }
        })
    }

    /// Returns the URLs of all nodes. The first one is the node that tests connect to.
    fn urls(&self) -> String {
        match self {
            Self::One(postgres) => postgres.url(),
            Self::Several(citus) => citus.urls().join(" "),
        }
    }
}

/// Creates a SQLite database with all tables of the program. Tests copy its file. Returns the file.
fn sqlite_template(program: &Path, folder: &Path) -> Result<PathBuf> {
    let file = folder.join("template.db");
    let url = format!("sqlite:{}", file.display());
    let mut migrate = Command::new(program);
    migrate.args(["migrate", "run", "--database-url", &url]).env_clear().current_dir(folder);
    process::stdout(&mut migrate)?;
    Ok(file)
}

/// Returns the arguments of the test runner: cargo-nextest if it is installed, because it runs all
/// packages' tests in parallel and repeats failures at the end.
fn runner(workspace: &Workspace, filtered: bool) -> &'static [&'static str] {
    let mut nextest: Command = workspace.cargo();
    if process::succeeds(nextest.args(["nextest", "--version"])) {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else if filtered {
        &["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast", "--"]
    } else {
        &["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"]
    }
}
