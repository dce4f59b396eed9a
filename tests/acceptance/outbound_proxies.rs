//! Which requests leave through a proxy: those to a public bucket and to the channel do, those to this machine do not
//! unless the settings say so, and webhooks never do.

use crate::starting::Starting;
use crate::world::moto::{Moto, settings_at, variables};
use crate::world::{Database, settings_with};
use channel::cloud_api::Asked;
use reqwest::Method;
use service::outbound::Outbound;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that notes the first line of every request and answers 502: as a proxy it lets nobody through.
struct Noting {
    address: String,
    lines: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Noting {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let noted = lines.clone();
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let noted = noted.clone();
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut head = String::new();
                    while !head.ends_with("\r\n\r\n") {
                        if stream.read_line(&mut head).await.unwrap_or_default() == 0 {
                            return;
                        }
                    }
                    noted.lock().unwrap().push(head.lines().next().unwrap().to_owned());
                    let answer = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                    drop(stream.write_all(answer.as_bytes()).await);
                });
            }
        });
        Self { address, lines, serving }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A server that is to start with a bucket at this address and these variables besides.
fn with_bucket(database: &Database, endpoint: &str, more: &[(&str, &str)]) -> Starting {
    let mut settings = settings_at("").to_vec();
    settings.retain(|(name, _)| *name != "media_s3_endpoint");
    settings.push(("media_s3_endpoint", endpoint.to_owned()));
    let variables = variables(&settings);
    let mut variables: Vec<_> =
        variables.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    variables.extend(more);
    Starting::serve(&database.url, &[], &variables)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_on_this_machine_is_reached_without_the_proxy_of_the_environment() {
    let (database, moto, proxy) = (Database::sqlite(), Moto::start().await, Noting::start().await);
    let endpoint = format!("http://{}", moto.address());
    let environment =
        ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, proxy.address.as_str()));
    // Given a proxy in the environment, when the bucket is on this machine, then it is not used,
    let mut starting = with_bucket(&database, &endpoint, &environment);
    starting.says("ready").await;
    let said = starting.ends_on_request().await;
    assert!(!said.contains("SWITCHBOARD_MEDIA_URL"), "{said}");
    assert_eq!(proxy.lines(), Vec::<String>::new());

    // unless the settings name it.
    let setting = ("SWITCHBOARD_PROXY", proxy.address.as_str());
    let mut starting = with_bucket(&database, &endpoint, &[setting]);
    starting.says("SWITCHBOARD_MEDIA_URL").await;
    let wanted = format!("PUT {endpoint}/uploads/switch/board/switchboard-check HTTP/1.1");
    assert!(proxy.lines().contains(&wanted), "{:?}", proxy.lines());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_elsewhere_is_reached_through_the_proxy_of_the_environment() {
    let (database, proxy) = (Database::sqlite(), Noting::start().await);
    let environment = ("HTTP_PROXY", proxy.address.as_str());
    let endpoint = "http://s3.example.com";
    let mut starting = with_bucket(&database, endpoint, &[environment]);
    starting.says("SWITCHBOARD_MEDIA_URL").await;
    let lines = proxy.lines();
    assert!(lines[0].starts_with("PUT http://s3.example.com/uploads/"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_channel_is_reached_through_a_proxy_and_webhooks_are_not() {
    let (proxy, endpoint) = (Noting::start().await, Noting::start().await);
    let database = Database::sqlite();
    let settings = [
        ("proxy", proxy.address.as_str()),
        ("graph_url", "http://graph.example.com"),
        ("webhook_allow", "127.0.0.0/8"),
    ];
    let settings = settings_with(&database.url, &settings);
    let outbound = Outbound::new(&settings.channel).unwrap();
    // What the channel is asked goes to the proxy,
    let asked = Asked { path: "1/phone_numbers".to_owned(), body: None };
    let answer = outbound.graph.ask(&asked, "token").await.unwrap();
    assert_eq!(answer.read().status, 502);
    let line = format!("GET {}/1/phone_numbers HTTP/1.1", settings.channel.graph);
    assert_eq!(proxy.lines(), [line]);
    // and what somebody else's endpoint is told goes there.
    let posted = outbound.guarded.request(Method::POST, &endpoint.address).unwrap().send().await;
    assert_eq!(posted.unwrap().status(), 502);
    assert_eq!(endpoint.lines(), ["POST / HTTP/1.1"]);
    assert_eq!(proxy.lines().len(), 1);
}
