//! Connections that are opened while a server is asked to stop (`docs/security.md`, SIGTERM under
//! load): requests on open connections are answered, and later connections are refused. A proxy
//! repeats a request only if its connection was refused.

use crate::crashes::terminate;
use crate::world::{Process, free_port};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Sends a request on a new connection. Returns `None` if the connection is refused.
async fn asked(address: &str) -> Option<Result<String, std::io::Error>> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let answered = async {
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    };
    Some(answered.await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_answers_open_connections_and_refuses_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let (mut unanswered, mut total) = (Vec::new(), 0);
    for _ in 0..4 {
        // Given clients that open a connection for each request,
        let server = Process::serve(&url, free_port()).await;
        let address = server.base.trim_start_matches("http://");
        let client = async || {
            let (mut answered, mut lost) = (0, Vec::new());
            while let Some(answer) = asked(address).await {
                match answer {
                    Ok(text) if text.starts_with("HTTP/1.1 200") => answered += 1,
                    other => lost.push(format!("{other:?}")),
                }
            }
            (answered, lost)
        };
        let clients = join_all((0..64).map(|_| client()));
        let stop = async {
            tokio::time::sleep(Duration::from_millis(300)).await; // real time: the clients call
            terminate(&server);
        };
        // when the server is asked to stop,
        let (clients, ()) = tokio::join!(clients, stop);
        assert_eq!(server.exit_code().await, Some(0));
        for (answered, lost) in clients {
            total += answered;
            unanswered.extend(lost);
        }
    }
    // then each request with an open connection was answered.
    assert!(total > 0);
    assert_eq!(unanswered, Vec::<String>::new(), "beside {total} that were answered");
}
