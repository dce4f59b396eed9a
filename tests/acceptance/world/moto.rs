//! Moto, an S3-compatible service, in its own process. It supports multipart uploads and their
//! listing, and accepts every access key.

use super::free_port;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

pub const BUCKET: &str = "uploads";
/// The prefix of the keys of the server's files.
pub const PREFIX: &str = "switch/board";

/// A running Moto with one bucket; dropping it kills the process.
pub struct Moto {
    http: reqwest::Client,
    port: u16,
    _child: Child,
}

impl Moto {
    pub async fn start() -> Self {
        let python = std::env::var("SWITCHBOARD_TEST_PYTHON").expect("run `cargo xtask test`");
        let port = free_port();
        let mut command = Command::new(python);
        command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.kill_on_drop(true).spawn().unwrap();
        let moto = Self { http: super::client(), port, _child: child };
        for _ in 0..600 {
            let made = moto.http.put(moto.url(BUCKET)).send().await;
            if made.is_ok_and(|answer| answer.status().is_success()) {
                return moto;
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process starts
        }
        panic!("moto was not ready within thirty seconds");
    }

    /// Returns the address as HOST:PORT.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address())
    }

    /// Begins a multipart upload and leaves it incomplete.
    pub async fn begin_upload(&self, key: &str) {
        let url = self.url(&format!("{BUCKET}/{key}?uploads"));
        let answer = self.http.post(url).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    /// Returns the keys of the multipart uploads that are neither completed nor aborted.
    pub async fn unfinished_uploads(&self) -> Vec<String> {
        self.keys(&format!("{BUCKET}?uploads")).await
    }

    /// Returns the keys of all files.
    pub async fn files(&self) -> Vec<String> {
        self.keys(&format!("{BUCKET}?list-type=2")).await
    }

    async fn keys(&self, path: &str) -> Vec<String> {
        let answer = self.http.get(self.url(path)).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let text = answer.text().await.unwrap();
        let keys = text.split("<Key>").skip(1).map(|rest| rest.split_once("</Key>").unwrap().0);
        let mut keys: Vec<_> = keys.map(str::to_owned).collect();
        keys.sort();
        keys
    }
}

/// Returns the settings of a server that keeps its media files in Moto's bucket at `address`.
pub fn settings_at(address: &str) -> [(&'static str, String); 4] {
    [
        ("media_url", format!("s3://{BUCKET}/{PREFIX}")),
        ("media_s3_endpoint", format!("http://{address}")),
        ("media_s3_access_key_id", "key".to_owned()),
        ("media_s3_secret_access_key", "secret".to_owned()),
    ]
}

/// Converts settings to environment variables.
pub fn variables(settings: &[(&str, String)]) -> Vec<(String, String)> {
    let named = |name: &str| format!("SWITCHBOARD_{}", name.to_ascii_uppercase());
    settings.iter().map(|(name, value)| (named(name), value.clone())).collect()
}
