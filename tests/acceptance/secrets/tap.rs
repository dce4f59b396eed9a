//! A proxy before the server that notes everything it answers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How each answer begins.
const BEGINNING: &[u8] = b"HTTP/1.1 ";

/// What came over a connection.
type Noted = Arc<Mutex<Vec<u8>>>;

pub struct Tap {
    /// Where it listens.
    pub address: SocketAddr,
    answered: Arc<Mutex<Vec<Noted>>>,
    accepting: JoinHandle<()>,
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Tap {
    /// Before the server at this base address.
    pub async fn before(base: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = base.strip_prefix("http://").unwrap().to_owned();
        let answered = Arc::<Mutex<Vec<Noted>>>::default();
        let connections = answered.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let noted = Noted::default();
                connections.lock().unwrap().push(noted.clone());
                tokio::spawn(pass_on(client, server.clone(), noted));
            }
        });
        Self { address, answered, accepting }
    }

    /// All answers, with their heads.
    pub fn answers(&self) -> Vec<Vec<u8>> {
        let connections = self.answered.lock().unwrap();
        connections.iter().flat_map(|noted| split(&noted.lock().unwrap())).collect()
    }
}

/// The answers of a connection.
fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    let begins = bytes.windows(BEGINNING.len()).enumerate();
    let mut begins: Vec<usize> =
        begins.filter(|(_, it)| *it == BEGINNING).map(|(at, _)| at).collect();
    begins.push(bytes.len());
    begins.windows(2).map(|it| bytes[it[0]..it[1]].to_vec()).collect()
}

async fn pass_on(client: TcpStream, server: String, noted: Noted) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async move {
        drop(tokio::io::copy(&mut from_client, &mut to_server).await);
        drop(to_server.shutdown().await);
    };
    let down = async move {
        let mut bytes = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut bytes).await {
            noted.lock().unwrap().extend_from_slice(&bytes[..read]);
            if to_client.write_all(&bytes[..read]).await.is_err() {
                break;
            }
        }
        drop(to_client.shutdown().await);
    };
    tokio::join!(up, down);
}
