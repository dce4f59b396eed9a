//! The programs of `docs/guides`, run exactly as they are there.

mod connecting;
mod importing;
mod mailing;
mod receiving;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// Returns the path of a program.
fn program(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides").join(file)
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test`"))
}

/// Listens in front of a server: closes the first connection without an answer, and forwards the
/// others. Returns the base URL.
async fn without_first_answer(base: &str) -> String {
    let server = base.strip_prefix("http://").expect("an address").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        first.shutdown().await.unwrap();
        // The request is read, so that it is the answer that fails.
        tokio::io::copy(&mut first, &mut tokio::io::sink()).await.unwrap();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(async move {
                // A client that is killed ends its connection.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    format!("http://{address}")
}

/// A server of the guides, with a folder that is its working directory.
struct GuideServer {
    file: &'static str,
    port: u16,
    folder: TempDir,
}

/// A server while it runs.
struct RunningServer {
    child: Child,
    printed: Lines<BufReader<ChildStdout>>,
}

impl GuideServer {
    fn new(file: &'static str, port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if has_extension(file, "mjs") {
            // Node looks for packages beside the program.
            std::fs::copy(program(file), folder.path().join(file)).unwrap();
            let modules = variable("SWITCHBOARD_TEST_NODE_MODULES");
            std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
        }
        Self { file, port, folder }
    }

    fn command(&self) -> Command {
        if has_extension(self.file, "mjs") {
            let mut command = Command::new("node");
            command.arg(self.file);
            return command;
        }
        if has_extension(self.file, "rs") {
            return Command::new(variable("SWITCHBOARD_TEST_WEBHOOKS_AXUM"));
        }
        let mut command = Command::new(variable("SWITCHBOARD_TEST_PYTHON"));
        command.arg(program(self.file));
        command
    }

    /// Starts the server with these variables, and waits until it listens. Its first line says so
    /// with `announced`.
    async fn start(&self, variables: &[(&str, &str)], announced: &str) -> RunningServer {
        let mut command = self.command();
        command
            .current_dir(self.folder.path())
            .env("PORT", self.port.to_string())
            .envs(variables.iter().copied())
            .env_remove("http_proxy");
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let printed = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = RunningServer { child, printed };
        assert_eq!(server.next_line().await, announced, "{}", self.file);
        for _ in 0..800 {
            if TcpStream::connect(("127.0.0.1", self.port)).await.is_ok() {
                return server;
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("{} did not listen within 20 seconds", self.file);
    }
}

impl RunningServer {
    /// Waits for the next line on standard output.
    async fn next_line(&mut self) -> String {
        let line = timeout(Duration::from_mins(1), self.printed.next_line()).await;
        line.expect("a line within a minute").unwrap().expect("the program runs")
    }

    /// Kills the process, so that it cannot clean up.
    async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension() == Some(OsStr::new(extension))
}

/// Names the tests after the programs, and runs each on both databases.
macro_rules! for_each_program {
    ($test:ident: $($name:ident = $file:literal),+ $(,)?) => {$(
        mod $name {
            use crate::world::Database;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$test(Database::migrated_sqlite(), $file).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$test(Database::migrated_postgres().await, $file).await;
            }
        }
    )+};
}
use for_each_program;
