//! The secrets in the server's memory and environment are protected: no other process of the same
//! user can read them, and no core file contains them (`docs/security.md` 23). Root can read them.

use crate::world::{Process, free_port, ordinary_account, serving};
use rustix::process::Signal;
use std::os::unix::fs::chown;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Starts a server as an ordinary user in this directory, with these environment variables.
async fn serve(folder: &Path, variables: &[(&str, &str)]) -> Process {
    let (database, port) = (folder.join("switchboard.db"), free_port());
    let server = serving(&format!("sqlite:{}", database.display()), port);
    // The binary is copied, because that user may not have access to the original directory.
    let program = folder.join("switchboard");
    std::fs::copy(server.as_std().get_program(), &program).unwrap();
    let mut command = Command::new("/bin/sh");
    // The limit for the size of core files is raised to its maximum.
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

/// Returns whether another process of the same user may open this file of the server in `/proc`.
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
    // Given a server of an ordinary user, with a secret in its environment,
    let folder = tempfile::tempdir().unwrap();
    let secret = ("SWITCHBOARD_GRAPH_APP_SECRET", "a secret of the operator's");
    let server = serve(folder.path(), &[secret]).await;

    // then another process of that user cannot open its environment, memory or memory map,
    for file in ["environ", "mem", "maps", "auxv"] {
        assert!(!is_open(&server, file).await, "{file}");
    }
    // can still read its use of resources,
    for file in ["status", "stat"] {
        assert!(is_open(&server, file).await, "{file}");
    }
    // and when the server crashes there is no core file.
    server.signal(Signal::ABORT);
    let ended = server.ended().await;
    assert_eq!(ended.signal(), Some(6), "{ended:?}");
    assert!(!ended.core_dumped(), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_allow_debugger_the_memory_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[("SWITCHBOARD_ALLOW_DEBUGGER", "true")]).await;
    for file in ["environ", "maps"] {
        assert!(is_open(&server, file).await, "{file}");
    }
}
