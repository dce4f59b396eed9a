//! `switchboard backup` and `switchboard restore` (`docs/backup.md`).

mod drill;
mod moved_files;
mod refusals;

use crate::cloud::{BUSINESS, NUMBER};
use crate::cloud_inbound::ENVIRONMENT;
use crate::credentials::with_credentials;
use crate::media_files::{MEDIA, sha256, upload_body};
use crate::operators::{Output, prepare, run, run_line};
use crate::world::graph::Graph;
use crate::world::{Answer, Pair, Process, free_port, switchboard};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

/// An operator's machine: a database, a media directory, a file with the encryption key, and an
/// account on the channel's stand-in.
struct Site {
    graph: Graph,
    url: String,
    folder: TempDir,
    key: Pair,
    http: reqwest::Client,
}

/// An accepted upload.
#[derive(Clone)]
struct Upload {
    path: String,
    sha256: String,
}

impl Site {
    /// Creates a site with this database.
    async fn on(url: &str) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), url).await
    }

    async fn in_folder(folder: TempDir, url: &str) -> Self {
        let graph = Graph::start().await;
        let (key, http) = (prepare(url).await, crate::world::client());
        let site = Self { graph, url: url.to_owned(), folder, key, http };
        site.connect().await;
        site
    }

    /// Creates a site with an SQLite database in the site's directory.
    async fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
        Self::in_folder(folder, &url).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the path of the database file, if the database is SQLite.
    fn database_file(&self) -> Option<&Path> {
        self.url.strip_prefix("sqlite:").map(Path::new)
    }

    fn variables(&self) -> Vec<(String, String)> {
        let file = |name: &str| format!("file:{}", self.path(name).display());
        let [_, (app_secret, secret)] = ENVIRONMENT;
        [
            ("SWITCHBOARD_DATABASE_URL", self.url.clone()),
            ("SWITCHBOARD_MEDIA_URL", file("media")),
            ("SWITCHBOARD_ENCRYPTION_KEY", file("encryption.key")),
            ("SWITCHBOARD_GRAPH_URL", self.graph.url()),
            (app_secret, secret.to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// Connects an account whose access token is encrypted with the key in the file.
    async fn connect(&self) {
        let what = ["admin", "account", "connect", "--organization", "Bakery", "--default"];
        let number = ["--phone-number", "+12025550180", "--display-name", "Bakery"];
        let channel =
            ["--channel", "cloud-api", "--phone-number-id", NUMBER, "--waba-id", BUSINESS];
        let place = ["--access-token-stdin"];
        let mut command = switchboard(&[&what[..], &number, &channel, &place].concat());
        command.envs(self.variables()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"EAAG-test-token\n").await.unwrap();
        drop(input);
        assert!(child.wait().await.unwrap().success());
    }

    async fn serve(&self) -> Process {
        let variables = self.variables();
        let variables: Vec<_> = variables.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        Process::serve_with(&self.url, free_port(), &variables).await
    }

    /// Runs a command with the server's settings, some of them overridden.
    async fn run_with(&self, arguments: &[&str], more: &[(&str, &str)]) -> Output {
        let ours = self.variables();
        let ours = ours.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let ours = ours.filter(|(name, _)| more.iter().all(|(other, _)| other != name));
        let variables: Vec<_> = ours.chain(more.iter().copied()).collect();
        run(self.folder.path(), arguments, &variables).await
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[]).await
    }

    /// Runs a shell command as `backup` printed it.
    async fn run_line(&self, line: &str) -> String {
        let variables = self.variables();
        let variables: Vec<_> = variables.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        run_line(line, &variables).await.succeeded()
    }

    /// Sends a text. Returns its id if it was accepted, or `None` if the server is gone.
    async fn text(&self, base: &str, to: &str, text: &str) -> Option<String> {
        let body = json!({"type": "text", "phone_number": to, "text": text});
        let request = self.http.post(format!("{base}/api/v1/messages")).json(&body);
        let answer = with_credentials(request, &self.key).send().await.ok()?;
        let status = answer.status();
        let body: Value = answer.json().await.ok()?;
        assert_eq!(status, 201, "{body}");
        Some(body["id"].as_str().unwrap().to_owned())
    }

    async fn upload(&self, base: &str, text: &str) -> Option<Upload> {
        let request = self.http.post(format!("{base}{MEDIA}"));
        let request = request.json(&upload_body("text/plain", text.as_bytes()));
        let answer = with_credentials(request, &self.key).send().await.ok()?;
        let status = answer.status();
        let record: Value = answer.json().await.ok()?;
        assert_eq!(status, 201, "{record}");
        let (_, path) = record["url"].as_str().unwrap().split_once("/media/").unwrap();
        Some(Upload { path: format!("/media/{path}"), sha256: sha256(text.as_bytes()) })
    }

    async fn get(&self, url: &str) -> Answer {
        Answer::of(with_credentials(self.http.get(url), &self.key)).await
    }
}
