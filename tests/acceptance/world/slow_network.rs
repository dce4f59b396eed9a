//! A TCP link to a server that can be slow, or break at a certain byte sequence.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The way the link carries bytes to the server. Bytes from the server always pass at once.
#[derive(Clone)]
pub enum Throughput {
    /// At most this many bytes per second on each connection.
    Slowly(u32),
    /// Everything until this text. Then the connection stalls, and the chunk with the text is not
    /// delivered.
    Until(&'static str),
}

/// The link; after it is dropped, it accepts no new connections.
pub struct NetworkLink {
    address: SocketAddr,
    broken: Arc<Notify>,
    accepting: JoinHandle<()>,
}

impl NetworkLink {
    /// Starts a link to `server`, given as HOST:PORT.
    pub async fn start(server: &str, carries: Throughput) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (server, broken) = (server.to_owned(), Arc::new(Notify::new()));
        let tell = broken.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                tokio::spawn(forward(client, server.clone(), carries.clone(), tell.clone()));
            }
        });
        Self { address, broken, accepting }
    }

    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Waits until the text of [`Throughput::Until`] has been seen.
    pub async fn is_broken(&self) {
        self.broken.notified().await;
    }
}

impl Drop for NetworkLink {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn forward(client: TcpStream, server: String, carries: Throughput, broken: Arc<Notify>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let back = tokio::spawn(async move {
        let _ = copy(&mut from_server, &mut to_client).await;
    });
    let mut piece = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from_client.read(&mut piece).await {
        match &carries {
            Throughput::Slowly(a_second) => {
                let takes = Duration::from_secs(1) * u32::try_from(read).unwrap() / *a_second;
                tokio::time::sleep(takes).await; // real time: this delay is what makes the link slow
            }
            Throughput::Until(word) => {
                let found = piece[..read].windows(word.len()).any(|it| it == word.as_bytes());
                if found {
                    broken.notify_one();
                    std::future::pending::<()>().await;
                }
            }
        }
        if to_server.write_all(&piece[..read]).await.is_err() {
            break;
        }
    }
    drop(to_server);
    let _ = back.await;
}
