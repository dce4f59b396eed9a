//! `PgBouncer` in front of the test's PostgreSQL.

use super::free_port;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// The time for which a client of `PgBouncer` keeps a server connection.
#[derive(Clone, Copy, Debug)]
pub enum PoolMode {
    Session,
    Transaction,
}

/// A running `PgBouncer`, which stops when the test ends.
pub struct PgBouncer {
    /// The URL of the same database through `PgBouncer`.
    pub url: String,
    _child: Child,
    _folder: TempDir,
}

impl PgBouncer {
    pub async fn start(database_url: &str, mode: PoolMode) -> Self {
        Self::start_with(database_url, mode, None).await
    }

    /// Starts a `PgBouncer` that accepts only this user and password.
    pub async fn locked(database_url: &str, user: &str, password: &str) -> Self {
        let it = Self::start_with(database_url, PoolMode::Session, Some((user, password))).await;
        let mut url = url::Url::parse(&it.url).unwrap();
        url.set_username(user).unwrap();
        url.set_password(Some(password)).unwrap();
        Self { url: url.into(), ..it }
    }

    async fn start_with(database_url: &str, mode: PoolMode, login: Option<(&str, &str)>) -> Self {
        let server = url::Url::parse(database_url).unwrap();
        let (host, port) = (server.host_str().unwrap(), server.port().unwrap());
        let (user, listen) = (server.username(), free_port());
        let mode = match mode {
            PoolMode::Session => "session",
            PoolMode::Transaction => "transaction",
        };
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("userlist.txt");
        let auth = match login {
            None => "auth_type = any".to_owned(),
            Some((user, password)) => {
                fs::write(&users, format!("\"{user}\" \"{password}\"\n")).unwrap();
                format!("auth_type = scram-sha-256\nauth_file = {}", users.display())
            }
        };
        let settings = format!(
            "[databases]\n* = host={host} port={port} user={user}\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {listen}\nunix_socket_dir =\n{auth}\n\
             pool_mode = {mode}\nmax_client_conn = 200\ndefault_pool_size = 20\nserver_login_retry = 1\n"
        );
        // PgBouncer does not run as root, and the account that it runs as has to read this
        // directory.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        let mut command = Command::new(program());
        if rustix::process::geteuid().is_root() {
            command.args(["-u", "nobody"]);
        }
        let child = command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.kill_on_drop(true).spawn().expect("PgBouncer is installed");
        for _ in 0..400 {
            if TcpStream::connect(("127.0.0.1", listen)).await.is_ok() {
                let mut url = server;
                url.set_port(Some(listen)).unwrap();
                return Self { url: url.into(), _child: child, _folder: folder };
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("PgBouncer was not ready within ten seconds");
    }
}

/// Returns the path of the program, which Debian does not put into an ordinary user's `PATH`.
fn program() -> &'static str {
    let debian = "/usr/sbin/pgbouncer";
    if Path::new(debian).exists() { debian } else { "pgbouncer" }
}
