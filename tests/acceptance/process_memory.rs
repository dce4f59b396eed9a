//! What the server knows is in its memory, and what the operator put into its environment there: no other process of the same
//! user reads either, and no core file has them (`docs/security.md` 23). Root may.

use crate::world::{Process, free_port, ordinary_account, serving};
use rustix::process::Signal;
use std::os::unix::fs::chown;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// A server of an ordinary user's in this folder, with these variables in its environment.
async fn serve(folder: &Path, variables: &[(&str, &str)]) -> Process {
    let (database, port) = (folder.join("switchboard.db"), free_port());
    let server = serving(&format!("sqlite:{}", database.display()), port);
    // Where the tests' own program lies, that user may not be able to go.
    let program = folder.join("switchboard");
    std::fs::copy(server.as_std().get_program(), &program).unwrap();
    let mut command = Command::new("/bin/sh");
    // What it would leave when it crashes is as large as may be.
    command.args(["-c", "ulimit -S -c \"$(ulimit -H -c)\" && exec \"$0\" \"$@\""]);
    command.arg(&program).args(server.as_std().get_args());
    command.env_clear().envs(variables.iter().copied()).current_dir(folder).stdin(Stdio::null());
    if let Some((user, group)) = ordinary_account() {
        chown(folder, Some(user), Some(group)).unwrap();
        chown(&program, Some(user), Some(group)).unwrap();
        command.uid(user).gid(group);
    }
    Process::ready(command, port).await
}

/// Whether another process of the same user may open this file of what Linux tells about the server.
async fn is_open(server: &Process, file: &str) -> bool {
    let path = format!("/proc/{}/{file}", server.id());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", ": < \"$0\"", &path]).stderr(Stdio::null());
    if let Some((user, group)) = ordinary_account() {
        command.uid(user).gid(group);
    }
    command.status().await.unwrap().success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_other_process_of_the_same_user_reads_the_servers_memory() {
    // Given a server of an ordinary user's, with a secret in its environment,
    let folder = tempfile::tempdir().unwrap();
    let secret = ("SWITCHBOARD_GRAPH_APP_SECRET", "a secret of the operator's");
    let server = serve(folder.path(), &[secret]).await;

    // then another process of that user cannot open its environment, its memory or where that lies,
    for file in ["environ", "mem", "maps", "auxv"] {
        assert!(!is_open(&server, file).await, "{file}");
    }
    // can still ask how much of the machine it takes,
    for file in ["status", "stat"] {
        assert!(is_open(&server, file).await, "{file}");
    }
    // and when it crashes there is no core file.
    server.signal(Signal::ABORT);
    let ended = server.ended().await;
    assert_eq!((ended.signal(), ended.core_dumped()), (Some(6), false), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_allows_debuggers_lets_them_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[("SWITCHBOARD_ALLOW_DEBUGGER", "true")]).await;
    for file in ["environ", "maps"] {
        assert!(is_open(&server, file).await, "{file}");
    }
}
