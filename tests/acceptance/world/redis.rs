//! A Redis server for one test, which the test can kill, freeze or protect with a password.

use super::certificate::Certificate;
use super::free_port;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A running Redis server; dropping it kills the process.
pub struct Redis {
    port: u16,
    password: Option<String>,
    child: Child,
}

impl Redis {
    /// Starts Redis on a free port, with a password if one is given.
    pub async fn start(password: Option<&str>) -> Self {
        Self::start_on(free_port(), password).await
    }

    /// Starts Redis with an additional port for TLS, and returns that port.
    pub async fn start_with_tls(certificate: &Certificate) -> (Self, u16) {
        let port = free_port();
        let shown = |file: &Path| file.display().to_string();
        let tls = [
            ("--tls-port", port.to_string()),
            ("--tls-cert-file", shown(&certificate.chain)),
            ("--tls-key-file", shown(&certificate.key)),
            ("--tls-ca-cert-file", shown(&certificate.authority)),
            ("--tls-auth-clients", "no".to_owned()),
        ];
        (Self::start_with(free_port(), None, &tls).await, port)
    }

    /// Starts Redis with a password. It keeps a verbose log in `folder`, and saves its data there when
    /// told to.
    pub async fn start_writing(folder: &Path, password: &str) -> Self {
        let folder = folder.display().to_string();
        let more = [("--dir", folder.as_str()), ("--logfile", "redis.log")];
        let more = [&more[..], &[("--loglevel", "debug"), ("--rdbcompression", "no")]].concat();
        let more: Vec<_> = more.into_iter().map(|(name, it)| (name, it.to_owned())).collect();
        Self::start_with(free_port(), Some(password), &more).await
    }

    /// Starts Redis on the given port.
    pub async fn start_on(port: u16, password: Option<&str>) -> Self {
        Self::start_with(port, password, &[]).await
    }

    async fn start_with(port: u16, password: Option<&str>, more: &[(&str, String)]) -> Self {
        let programs = ["valkey-server", "redis-server"];
        let child = programs.iter().find_map(|program| {
            let mut command = Command::new(program);
            command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
            command.args(["--save", "", "--appendonly", "no", "--requirepass"]);
            command.arg(password.unwrap_or_default()).stdin(Stdio::null());
            for (name, value) in more {
                command.args([name, value.as_str()]);
            }
            command.stdout(Stdio::null()).kill_on_drop(true).spawn().ok()
        });
        let child = child.expect("Redis or Valkey is installed: run `cargo xtask test`");
        let redis = Self { port, password: password.map(str::to_owned), child };
        for _ in 0..200 {
            if redis.execute("PING").await.is_some_and(|answer| answer.contains("PONG")) {
                return redis;
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("Redis was not ready within five seconds");
    }

    /// Returns the URL, with the password that Redis was started with.
    pub fn url(&self) -> String {
        let password = self.password.as_ref().map(|it| format!(":{it}@")).unwrap_or_default();
        format!("redis://{password}127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Sends commands, one per line, after a login with the password that Redis was started with.
    /// Returns the responses.
    pub async fn execute(&self, commands: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        let login = self.password.as_ref().map(|it| format!("AUTH {it}\r\n")).unwrap_or_default();
        let all = format!("{login}{}\r\nQUIT\r\n", commands.replace('\n', "\r\n"));
        stream.write_all(all.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        Some(answer)
    }

    /// Records all commands that Redis receives from now on. Redis hides the credentials of an AUTH
    /// command.
    pub async fn record_commands(&self) -> Arc<Mutex<Vec<u8>>> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let login = self.password.as_ref().map(|it| format!("AUTH {it}\r\n")).unwrap_or_default();
        stream.write_all(format!("{login}MONITOR\r\n").as_bytes()).await.unwrap();
        let heard = Arc::<Mutex<Vec<u8>>>::default();
        let noted = heard.clone();
        tokio::spawn(async move {
            let mut bytes = vec![0; 16 * 1024];
            while let Ok(read @ 1..) = stream.read(&mut bytes).await {
                noted.lock().unwrap().extend_from_slice(&bytes[..read]);
            }
        });
        heard
    }

    /// Changes the password, and closes all client connections.
    pub async fn lock(&mut self, password: &str) {
        let commands =
            format!("CONFIG SET requirepass {password}\nCLIENT KILL TYPE normal SKIPME yes");
        let answer = self.execute(&commands).await.unwrap();
        assert!(!answer.contains("-ERR") && !answer.contains("-NOAUTH"), "{answer}");
        self.password = Some(password.to_owned());
    }

    /// Stops the process with SIGSTOP: its connections stay open, and nothing answers.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets the frozen process continue.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let id = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(id.expect("it runs"), signal).unwrap();
    }

    /// Kills the process with SIGKILL.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}
