//! Starts nginx, `HAProxy` and Caddy with the configuration from their page in `docs/deploy`.

use super::certificates::Issued;
use crate::world::free_port;
use rustix::process::geteuid;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

const NGINX: &str = include_str!("../../../docs/deploy/nginx.md");
const HAPROXY: &str = include_str!("../../../docs/deploy/haproxy.md");
const CADDY: &str = include_str!("../../../docs/deploy/systemd-caddy.md");

/// A running proxy, which stops when the test ends.
pub struct Proxy {
    /// The address on which plain HTTP is redirected to HTTPS; empty if there is none.
    pub plain: String,
    folder: TempDir,
    child: Child,
}

/// The address of a proxy. It is chosen before the proxy runs, because the servers' settings
/// contain it.
pub struct ProxyAddress {
    port: u16,
    plain: u16,
}

impl ProxyAddress {
    pub fn new() -> Self {
        Self { port: free_port(), plain: free_port() }
    }

    /// Returns the port for HTTPS.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn base(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// Starts nginx in front of this server. `change` edits the configuration from the page.
    pub async fn nginx(
        &self,
        server: &str,
        issued: &Issued,
        change: impl Fn(String) -> String,
    ) -> Proxy {
        let page = localize_config(
            &code_block(NGINX, "nginx"),
            &[
                ("server 127.0.0.1:8080;", &format!("server {server};")),
                ("listen 80;", &format!("listen 127.0.0.1:{};", self.plain)),
                ("listen 443 ", &format!("listen 127.0.0.1:{} ", self.port)),
                (
                    "/etc/letsencrypt/live/api.example.com/fullchain.pem",
                    path_text(&issued.certificate),
                ),
                ("/etc/letsencrypt/live/api.example.com/privkey.pem", path_text(&issued.key)),
                ("api.example.com", "localhost"),
            ],
        );
        let folder = tempfile::tempdir().unwrap();
        // The site is wrapped in the rest of a configuration like Debian's, with a single process,
        // so that killing it stops nginx.
        let user = if geteuid().is_root() { "user root;" } else { "" };
        let mut temporary = String::new();
        for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
            temporary +=
                &[name, "_temp_path ", path_text(folder.path()), "/", name, ";\n"].concat();
        }
        let config = format!(
            "daemon off; master_process off; pid {0}/pid; error_log stderr warn; worker_processes 1; {user}\n\
             events {{}}\nhttp {{\naccess_log off;\n{temporary}\n{1}\n}}\n",
            path_text(folder.path()),
            change(page),
        );
        let file = folder.path().join("nginx.conf");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(program_path("nginx"));
        command.args(["-e", "stderr", "-p", path_text(folder.path()), "-c", path_text(&file)]);
        self.start(command, folder).await
    }

    /// Starts `HAProxy` in front of these two servers.
    pub async fn haproxy(&self, servers: [&str; 2], issued: &Issued) -> Proxy {
        let config = localize_config(
            &code_block(HAPROXY, "haproxy"),
            &[
                // 20,000 connections would need more open files than many machines permit a test.
                ("maxconn 20000", "maxconn 200"),
                ("bind :80\n", &format!("bind 127.0.0.1:{}\n", self.plain)),
                ("bind :443 ", &format!("bind 127.0.0.1:{} ", self.port)),
                ("/etc/haproxy/api.example.com.pem", path_text(&issued.both)),
                ("10.0.0.11:8080", servers[0]),
                ("10.0.0.12:8080", servers[1]),
            ],
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("haproxy.cfg");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(program_path("haproxy"));
        command.args(["-db", "-f", path_text(&file)]);
        self.start(command, folder).await
    }

    /// Starts Caddy in front of this server. Caddy cannot request a certificate in a test, so it
    /// gets one as files.
    pub async fn caddy(&self, server: &str, issued: &Issued) -> Proxy {
        let site = format!(
            "https://localhost:{} {{\n\tbind 127.0.0.1\n\ttls {} {}",
            self.port,
            path_text(&issued.certificate),
            path_text(&issued.key)
        );
        let config = localize_config(
            &code_block(CADDY, "caddy"),
            &[("api.example.com {", &site), ("127.0.0.1:8080", server)],
        );
        let config = format!("{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{config}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Caddyfile");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(program_path("caddy"));
        command.args(["run", "--adapter", "caddyfile", "--config", path_text(&file)]);
        for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(variable, folder.path());
        }
        self.start(command, folder).await
    }

    async fn start(&self, mut command: Command, folder: TempDir) -> Proxy {
        let log = fs::File::create(folder.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.kill_on_drop(true).spawn().expect("installed by `cargo xtask test`");
        let plain = format!("http://localhost:{}", self.plain);
        let mut proxy = Proxy { plain, folder, child };
        for _ in 0..400 {
            if TcpStream::connect(("127.0.0.1", self.port)).await.is_ok() {
                return proxy;
            }
            if let Some(status) = proxy.child.try_wait().unwrap() {
                panic!("{command:?} ended with {status}: {}", proxy.log());
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("{command:?} was not ready within ten seconds: {}", proxy.log());
    }
}

impl Proxy {
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_else(|error| error.to_string())
    }

    /// Stops the proxy, which frees its port.
    pub async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// Returns the first code block in this language from a page.
pub fn code_block(page: &str, language: &str) -> String {
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect("the page shows it");
    rest.split_once("\n```").expect("the block ends").0.to_owned() + "\n"
}

/// Replaces the addresses and paths in a configuration by those of the test.
fn localize_config(config: &str, places: &[(&str, &str)]) -> String {
    places.iter().fold(config.to_owned(), |config, (from, to)| {
        assert!(config.contains(from), "{from} in {config}");
        config.replace(from, to)
    })
}

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the path of a server program, which Debian does not put into an ordinary user's `PATH`.
fn program_path(name: &str) -> PathBuf {
    let debian = Path::new("/usr/sbin").join(name);
    if debian.exists() { debian } else { name.into() }
}
