//! A proxy in front of a server that records all requests and responses.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The first bytes of each response.
const BEGINNING: &[u8] = b"HTTP/1.1 ";

/// The bytes of a connection in one direction.
type Noted = Arc<Mutex<Vec<u8>>>;

/// The bytes of a connection in both directions.
#[derive(Clone, Default)]
struct Connection {
    asked: Noted,
    answered: Noted,
}

pub struct Tap {
    pub address: SocketAddr,
    connections: Arc<Mutex<Vec<Connection>>>,
    accepting: JoinHandle<()>,
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Tap {
    /// Starts a proxy in front of the server with this base URL.
    pub async fn before(base: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = base.strip_prefix("http://").unwrap().to_owned();
        let connections = Arc::<Mutex<Vec<Connection>>>::default();
        let all = connections.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let connection = Connection::default();
                all.lock().unwrap().push(connection.clone());
                tokio::spawn(pass_on(client, server.clone(), connection));
            }
        });
        Self { address, connections, accepting }
    }

    /// Returns all requests, connection by connection.
    pub fn requests(&self) -> Vec<u8> {
        let connections = self.connections.lock().unwrap();
        connections.iter().flat_map(|it| it.asked.lock().unwrap().clone()).collect()
    }

    /// Returns all responses with their headers.
    pub fn answers(&self) -> Vec<Vec<u8>> {
        let connections = self.connections.lock().unwrap();
        connections.iter().flat_map(|it| split(&it.answered.lock().unwrap())).collect()
    }
}

/// Splits the bytes of a connection into responses.
fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    let begins = bytes.windows(BEGINNING.len()).enumerate();
    let mut begins: Vec<usize> =
        begins.filter(|(_, it)| *it == BEGINNING).map(|(at, _)| at).collect();
    begins.push(bytes.len());
    begins.windows(2).map(|it| bytes[it[0]..it[1]].to_vec()).collect()
}

async fn pass_on(client: TcpStream, server: String, connection: Connection) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let up = note(from_client, to_server, connection.asked);
    let down = note(from_server, to_client, connection.answered);
    tokio::join!(up, down);
}

async fn note(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, noted: Noted) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        noted.lock().unwrap().extend_from_slice(&bytes[..read]);
        if to.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    drop(to.shutdown().await);
}
