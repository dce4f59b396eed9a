//! Outbound requests and proxies: requests to a public bucket and to the channel use the proxy;
//! those to this machine use it only if the settings say so; webhooks never use it.

use crate::cloud_inbound::{ENVIRONMENT, connect};
use crate::credentials::with_credentials;
use crate::operators::prepare;
use crate::starting::Starting;
use crate::world::moto::{Moto, settings_at, variables};
use crate::world::{Database, Process, client, free_port, settings_with};
use channel::cloud_api::GraphRequest;
use channel::request::Body;
use delivery::cli::start;
use domain::webhook::Selection;
use persistence::records::Owner;
use platform::clock::Clock;
use platform::outbound::Outbound;
use reqwest::Method;
use serde_json::json;
use service::endpoints::{self, EndpointInput};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that records the first line of each request and responds with 502. As a proxy it lets
/// nothing through.
struct RecordingProxy {
    address: String,
    lines: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl RecordingProxy {
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
                        if stream.read_line(&mut head).await.unwrap_or_else(|_| Default::default())
                            == 0
                        {
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

impl Drop for RecordingProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Starts a server with a bucket at this endpoint and additional variables.
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
    let (database, moto, proxy) =
        (Database::sqlite(), Moto::start().await, RecordingProxy::start().await);
    let endpoint = format!("http://{}", moto.address());
    let environment =
        ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, proxy.address.as_str()));
    // Given a proxy in the environment, when the bucket is on this machine, then the proxy is not
    // used,
    let mut starting = with_bucket(&database, &endpoint, &environment);
    starting.says("ready").await;
    let said = starting.ends_on_request().await;
    assert!(!said.contains("SWITCHBOARD_MEDIA_URL"), "{said}");
    assert_eq!(proxy.lines(), Vec::<String>::new());

    // unless the settings name the proxy.
    let setting = ("SWITCHBOARD_PROXY", proxy.address.as_str());
    let mut starting = with_bucket(&database, &endpoint, &[setting]);
    starting.says("SWITCHBOARD_MEDIA_URL").await;
    let wanted = format!("PUT {endpoint}/uploads/switch/board/switchboard-check HTTP/1.1");
    assert!(proxy.lines().contains(&wanted), "{:?}", proxy.lines());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_elsewhere_is_reached_through_the_proxy_of_the_environment() {
    let (database, proxy) = (Database::sqlite(), RecordingProxy::start().await);
    let environment = ("HTTP_PROXY", proxy.address.as_str());
    let endpoint = "http://s3.example.com";
    let mut starting = with_bucket(&database, endpoint, &[environment]);
    starting.says("SWITCHBOARD_MEDIA_URL").await;
    let lines = proxy.lines();
    assert!(lines[0].starts_with("PUT http://s3.example.com/uploads/"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_channel_is_reached_through_a_proxy_and_webhooks_are_not() {
    let (proxy, endpoint) = (RecordingProxy::start().await, RecordingProxy::start().await);
    let database = Database::sqlite();
    let settings = [
        ("proxy", proxy.address.as_str()),
        ("graph_url", "http://graph.example.com"),
        ("webhook_allow", "127.0.0.0/8"),
    ];
    let settings = settings_with(&database.url, &settings);
    let outbound = Outbound::new(&settings.channel).unwrap();
    // Requests to the channel go to the proxy,
    let graph = &settings.channel.networks.cloud_api;
    let asked = GraphRequest { path: "1/phone_numbers".to_owned(), body: Body::Empty };
    let answer = outbound.channel.send(graph.request(asked, "token")).await.unwrap();
    assert_eq!(answer.status, 502);
    let line = format!("GET {}/1/phone_numbers HTTP/1.1", graph.graph);
    assert_eq!(proxy.lines(), [line]);
    // and requests to a webhook endpoint go directly to the endpoint.
    let posted = outbound.guarded.request(Method::POST, &endpoint.address).unwrap().send().await;
    assert_eq!(posted.unwrap().status(), 502);
    assert_eq!(endpoint.lines(), ["POST / HTTP/1.1"]);
    assert_eq!(proxy.lines().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_proxy_and_the_setting_none_keep_a_bucket_from_the_proxy_of_the_environment() {
    let proxy = RecordingProxy::start().await;
    let environment = ("HTTP_PROXY", proxy.address.as_str());
    let wanted = "PUT http://s3.invalid/uploads/";
    // Given a bucket host that does not exist, the proxy from the environment is used by default;
    // it is not used if the host is excepted or the settings switch proxies off.
    for (more, through_it) in [
        (None, true),
        (Some(("NO_PROXY", "s3.invalid")), false),
        (Some(("no_proxy", ".invalid")), false),
        (Some(("NO_PROXY", "other.example")), true),
        (Some(("SWITCHBOARD_PROXY", "none")), false),
        (Some(("SWITCHBOARD_PROXY", "environment")), true),
    ] {
        let database = Database::sqlite();
        let variables: Vec<_> = [environment].into_iter().chain(more).collect();
        let before = proxy.lines().len();
        let mut starting = with_bucket(&database, "http://s3.invalid", &variables);
        starting.says("SWITCHBOARD_MEDIA_URL").await;
        let lines = proxy.lines()[before..].to_vec();
        assert_eq!(
            lines.iter().any(|line| line.starts_with(wanted)),
            through_it,
            "{more:?}: {lines:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_proxy_of_the_environment_is_for_the_channel_and_not_for_webhooks() {
    // Given a server with a proxy in its environment, an account on the Cloud API and a webhook
    // endpoint on this machine,
    let (proxy, receiver) = (RecordingProxy::start().await, RecordingProxy::start().await);
    let database = Database::sqlite();
    let key = prepare(&database.url).await;
    connect(&database.url).await;
    let variables = [
        ("SWITCHBOARD_GRAPH_URL", "http://graph.example.com"),
        ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8"),
        ("HTTP_PROXY", &proxy.address),
        ("ALL_PROXY", &proxy.address),
    ];
    add_endpoint(&database.url, &receiver.address).await;
    let variables = [&ENVIRONMENT[..], &variables].concat();
    let server = Process::serve_with(&database.url, free_port(), &variables).await;
    // when a message is sent,
    let body = json!({"type": "text", "phone_number": "+12025550110", "text": "Hello"});
    let request = client().post(format!("{}/api/v1/messages", server.base)).json(&body);
    assert_eq!(with_credentials(request, &key).send().await.unwrap().status(), 201);
    // then the request to the channel goes through the proxy, and the webhook goes directly to the
    // endpoint.
    let wanted = "POST http://graph.example.com/";
    until(async || proxy.lines().iter().any(|line| line.starts_with(wanted))).await;
    until(async || receiver.lines().contains(&"POST / HTTP/1.1".to_owned())).await;
    let others: Vec<_> = proxy
        .lines()
        .into_iter()
        .filter(|line| !line.contains(" http://graph.example.com/"))
        .collect();
    assert_eq!(others, Vec::<String>::new());
    server.kill().await;
}

/// Waits until another process has done something.
async fn until(holds: impl AsyncFn() -> bool) {
    for _ in 0..1_200 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process works
    }
    panic!("it does not come within a minute");
}

/// Registers a webhook endpoint of the organization for all events.
async fn add_endpoint(url: &str, address: &str) {
    let (_, encryption_key) = ENVIRONMENT[0];
    let more = [("webhook_allow", "127.0.0.0/8"), ("encryption_key", encryption_key)];
    let server = start(settings_with(url, &more), Clock::system(), false).await.unwrap();
    let named = server.deps.db.operator().organizations_named("Bakery".to_owned()).await.unwrap();
    let bakery = named[0].id;
    let owner = Owner::Organization(bakery);
    let endpoint_input = EndpointInput { url: address, description: "", events: Selection::All };
    endpoints::create(&server.deps, owner, endpoint_input).await.unwrap();
    server.stop().await.unwrap();
}
