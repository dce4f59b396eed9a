//! The disk with the SQLite file and the media files is full: writes are rejected with a
//! `Retry-After`, reads still work, and the server recovers by itself when there is space again
//! (`docs/security.md`, What is promised).

use crate::credentials::with_credentials;
use crate::media_files::{MEDIA, upload_body};
use crate::operators::prepare;
use crate::world::{Answer, Pair, Process, client, free_port, serving};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;

const SEND: &str = "/api/v1/messages";
/// The script that starts the server: it mounts a small file system in memory, visible only to the
/// server, and copies the prepared files to it.
const ON_A_SMALL_DISK: &str = "mount -t tmpfs -o size=24m tmpfs \"$DISK\" \
                               && cp -a \"$PREPARED/.\" \"$DISK\" && exec \"$0\" \"$@\"";

/// Returns the arguments of `unshare` with which this user may mount: root in a mount namespace,
/// others in a user namespace if the machine permits it.
async fn unshare() -> &'static [&'static str] {
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    for way in ways {
        let mut tried = Command::new("unshare");
        tried.args(way).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).stderr(Stdio::null());
        if tried.status().await.is_ok_and(|ended| ended.success()) {
            return way;
        }
    }
    panic!(
        "a small disk cannot be mounted here: run the tests as root, or let users have \
         namespaces of their own (sysctl user.max_user_namespaces)"
    );
}

/// A server whose disk is small.
struct Site {
    server: Process,
    key: Pair,
    folder: TempDir,
}

impl Site {
    async fn start(way: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["prepared", "disk"] {
            std::fs::create_dir(place(name)).unwrap();
        }
        let url = |name: &str| format!("sqlite:{}", place(name).join("switchboard.db").display());
        let key = prepare(&url("prepared")).await;
        let port = free_port();
        let serving = serving(&url("disk"), port);
        let serving = serving.as_std();
        let mut command = Command::new("unshare");
        command.args(way).args(["/bin/sh", "-c", ON_A_SMALL_DISK]).arg(serving.get_program());
        command.args(serving.get_args()).env_clear().stdin(Stdio::null());
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("PREPARED", place("prepared")).env("DISK", place("disk"));
        let media = format!("file:{}", place("disk").join("media").display());
        command.env("SWITCHBOARD_MEDIA_URL", media).current_dir(folder.path());
        // The test reaches the server's disk through `/proc`, which this setting permits to users
        // other than root.
        command.env("SWITCHBOARD_ALLOW_DEBUGGER", "true");
        Self { server: Process::ready(command, port).await, key, folder }
    }

    /// Returns the path by which the test reaches the server's disk.
    fn disk(&self) -> PathBuf {
        let inside = self.folder.path().join("disk");
        let view = format!("/proc/{}/root", self.server.id());
        Path::new(&view).join(inside.strip_prefix("/").unwrap())
    }

    /// Fills the disk. Deleting the returned file frees the space.
    fn fill(&self) -> PathBuf {
        let path = self.disk().join("filler");
        let mut file = File::create(&path).unwrap();
        // Whole blocks come first, and then whatever still fits.
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        path
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = client().post(format!("{}{path}", self.server.base)).json(body);
        Answer::of(with_credentials(request, &self.key)).await
    }

    async fn get(&self, path: &str) -> Answer {
        Answer::of(with_credentials(client().get(format!("{}{path}", self.server.base)), &self.key))
            .await
    }

    /// Sends a message. Returns its id, or the error response.
    async fn send(&self, number: usize) -> Result<String, Answer> {
        let text = format!("{number:04} {}", "x".repeat(3900));
        let body = json!({"type": "text", "phone_number": "+12025550100", "text": text});
        let answer = self.post(SEND, &body).await;
        if answer.status == 201 { Ok(answer.text_of("id")) } else { Err(answer) }
    }
}

#[track_caller]
fn is_told_to_come_again(answer: &Answer) {
    answer.is_problem(503, "unavailable");
    assert!(!answer.header("retry-after").is_empty(), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_refuses_writes_and_is_over_by_itself_once_there_is_room() {
    // Given a server on a full disk,
    let site = Site::start(unshare().await).await;
    let mut accepted = vec![site.send(0).await.expect("there is room")];
    let filler = site.fill();

    // when messages are sent, then all are rejected once SQLite's write-ahead log cannot grow,
    let mut refused = 0;
    for number in 1..400 {
        match site.send(number).await {
            Ok(id) => accepted.push(id),
            Err(answer) => {
                is_told_to_come_again(&answer);
                refused += 1;
            }
        }
        if refused == 40 {
            break;
        }
    }
    assert_eq!(refused, 40, "{} were accepted", accepted.len());
    // and so is an upload,
    let file = upload_body("text/plain", "x".repeat(100_000).as_bytes());
    is_told_to_come_again(&site.post(MEDIA, &file).await);
    // while everything that was accepted can be read.
    for id in &accepted {
        assert_eq!(site.get(&format!("{SEND}/{id}")).await.status, 200);
    }
    let history = "/api/v1/conversations/history?phone_number=%2B12025550100&limit=100";
    for path in ["/api/v1/me", "/api/v1/events?limit=5", history] {
        assert_eq!(site.get(path).await.status, 200, "{path}");
    }

    // When there is space again, then messages and files are accepted without a restart,
    std::fs::remove_file(filler).unwrap();
    for number in 1000..1100 {
        match site.send(number).await {
            Ok(id) => {
                accepted.push(id);
                break;
            }
            Err(answer) => is_told_to_come_again(&answer),
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process recovers
    }
    assert_eq!(site.post(MEDIA, &file).await.status, 201);

    // and exactly the accepted messages reach the channel.
    let all_sent = async {
        for id in &accepted {
            while site.get(&format!("{SEND}/{id}")).await.body["status"] == "queued" {
                tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process sends
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all_sent).await.expect("they are sent");
    let there = site.get(history).await;
    let there: Vec<_> = there.body["data"].as_array().unwrap().iter().collect();
    let outbound = there.iter().filter(|it| it["direction"] == "outbound");
    let ids: Vec<_> = outbound.rev().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, accepted, "{there:#?}");
}
