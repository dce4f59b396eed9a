//! The HTTP server: routes, request ids, and the answers to requests that no operation handles.

use crate::checks::Warnings;
use crate::connections::{self, Bounded, Connections};
use crate::expect::Expectations;
use crate::tls::{Certificates, ClientStream};
use crate::{channel_webhook, doctor, log, observe, turn_answers};
use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::Server;
use actix_service::{ServiceFactoryExt as _, fn_service, map_config};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, ServiceRequest, ServiceResponse};
use actix_web::http::{ConnectionType, Method};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpRequest, HttpResponse, web};
use http_layer::answer_headers;
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use http_layer::request_id::{self, request_id};
use pages::refuse;
use pages::{assets, connect, dashboard, files, signed_out};
use persistence::deadline;
use platform::clock::Stopwatch;
use service::readiness::check_database;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tracing::Instrument as _;
use tracing::field::{Empty, display};

/// The time limit of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for receiving the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time in which a client has to close a connection that the server has closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// The time for which a connection may be idle.
const MAX_IDLE: Duration = Duration::from_secs(75);
/// The time limit of the database check for readiness.
const READY_TIMEOUT: Duration = Duration::from_secs(2);
/// The time in seconds that running requests may still take after the server has been asked to
/// stop.
const STOP_TIMEOUT_SECONDS: u64 = 20;

/// Starts a server on `listener`, with HTTPS if there are certificates. The caller awaits it.
pub fn serve(
    deps: Arc<ServerDeps>,
    warnings: Arc<Warnings>,
    listener: TcpListener,
    certificates: Option<&Arc<Certificates>>,
) -> std::io::Result<Server> {
    let tls = certificates.map(Certificates::config).transpose();
    let tls = tls.map_err(std::io::Error::other)?.map(TlsAcceptor::from);
    let (workers, address) = (deps.config.workers, listener.local_addr()?);
    let connections = Arc::new(Connections::new(
        deps.config.connections_per_address,
        deps.config.trusted_proxies.clone(),
        deps.config.answer_timeout,
    ));
    let mounted = api::operations();
    let (waiting, operations) = (deps.clone(), mounted.clone());
    let shelf = web::Data::new(reference::RenderCache::default());
    let inbox_streams = web::Data::new(dashboard::InboxStreams::default());
    let app = move || {
        let mounted = mounted.clone();
        App::new()
            .app_data(web::Data::new(deps.clone()))
            .app_data(web::Data::from(warnings.clone()))
            .app_data(shelf.clone())
            .app_data(inbox_streams.clone())
            .wrap(from_fn(instrument_request))
            .configure(|app| mounted.mount(app))
            .configure(connect::mount)
            .configure(signed_out::mount)
            .configure(dashboard::mount)
            .configure(assets::mount)
            .configure(reference::mount)
            .configure(mount)
            .default_service(web::to(nowhere))
    };
    let builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder
        .workers(workers)
        .max_concurrent_connections(connections::per_worker(workers))
        .shutdown_timeout(STOP_TIMEOUT_SECONDS)
        .disable_signals()
        .listen("http", listener, move || {
            let (connections, stopping, tls) = (connections.clone(), stopping.clone(), tls.clone());
            let expectations = Rc::new(Expectations::new(waiting.clone(), &operations));
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                .client_request_timeout(HEAD_TIMEOUT)
                .client_disconnect_timeout(CLOSE_TIMEOUT)
                .keep_alive(MAX_IDLE)
                .local_addr(address)
                .expect(fn_service(move |request| {
                    let expectations = expectations.clone();
                    async move { expectations.check(request).await }
                }))
                .finish(map_config(app(), |()| AppConfig::default()));
            fn_service(move |stream| admit(stream, connections.clone(), tls.clone())).and_then(http)
        })?;
    Ok(server.run())
}

/// Admits a connection. A connection that is not admitted is closed without an answer.
async fn admit(
    stream: TcpStream,
    connections: Arc<Connections>,
    tls: Option<TlsAcceptor>,
) -> Result<(ClientStream<Bounded>, Protocol, Option<SocketAddr>), DispatchError> {
    let peer = stream.peer_addr().ok();
    let io = match connections.admit(stream, peer) {
        Some(io) => connect(io, tls).await,
        None => Err(std::io::ErrorKind::ConnectionRefused.into()),
    };
    Ok((io.map_err(DispatchError::Io)?, Protocol::Http1, peer))
}

/// Prepares a connection for HTTP, including the TLS handshake. The connection is counted during
/// the handshake.
async fn connect(io: Bounded, tls: Option<TlsAcceptor>) -> std::io::Result<ClientStream<Bounded>> {
    let Some(tls) = tls else { return Ok(ClientStream::Plain(io)) };
    let shaken = timeout(HANDSHAKE_TIMEOUT, tls.accept(io)).await;
    match shaken.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into())) {
        Ok(stream) => Ok(ClientStream::Encrypted(Box::new(stream))),
        Err(error) => {
            metrics::counter!("switchboard_tls_handshakes_failed_total").increment(1);
            tracing::debug!(%error, "a TLS handshake failed");
            Err(error)
        }
    }
}

/// Mounts the routes that are neither operations nor pages.
fn mount(app: &mut web::ServiceConfig) {
    app.service(watched("/healthz").route(web::get().to(healthy)))
        .service(watched("/readyz").route(web::get().to(ready)))
        .service(
            watched(files::MEDIA_PATH)
                .route(web::get().to(files::serve))
                .route(web::head().to(files::serve)),
        )
        .configure(channel_webhook::mount)
        .configure(turn_answers::mount);
}

/// Wraps each request: assigns an id, measures the duration, and logs the result.
async fn instrument_request(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let watch = Stopwatch::start();
    let deps = request.app_data::<web::Data<Arc<ServerDeps>>>().map(|deps| deps.get_ref().clone());
    let id = request_id::attach(&request, deps.as_deref());
    let route = request.match_pattern().unwrap_or_else(|| "none".to_owned());
    let span = span(request.request(), &route, &id, deps.as_deref());
    let method = request.method().clone();
    answer_head_as_get(&mut request, &route);
    let answered = answer(request, next, deps.as_deref());
    let answered = deadline::of_request(move || watch.elapsed(), answered);
    let mut response = answered.instrument(span.clone()).await?;
    answer_headers::add(response.headers_mut(), &id, deps.as_deref());
    if deps.is_some_and(|deps| deps.stopping.load(Ordering::Relaxed)) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    let took = watch.elapsed();
    observe::request(&method, &route, response.status(), took);
    span.in_scope(|| log::request(response.status(), took));
    Ok(response)
}

/// Handles a request. An error that a page's handler returns is shown as a page.
async fn answer(
    request: ServiceRequest,
    next: Next<BoxBody>,
    deps: Option<&ServerDeps>,
) -> Result<ServiceResponse, Error> {
    let mut response = next.call(request).await?;
    let page = match (response.response().error(), deps) {
        // The future is boxed because it is large and few requests need it.
        (Some(error), Some(deps)) => {
            Box::pin(dashboard::error_page(error, response.request(), deps)).await
        }
        _ => None,
    };
    if let Some(page) = page {
        *response.response_mut() = page;
    }
    Ok(response)
}

/// Handles HEAD requests as GET (RFC 9110 section 9.3.2). The body of the response is dropped when
/// the response is written. Requests for media files keep the method HEAD, so that their handler
/// does not read the file.
fn answer_head_as_get(request: &mut ServiceRequest, route: &str) {
    if request.method() == Method::HEAD && route != files::MEDIA_PATH {
        request.head_mut().method = Method::GET;
    }
}

/// Creates the span of a request, which adds these fields to all log lines of the request. The span
/// has the level error, so that errors have the fields at every log level.
fn span(request: &HttpRequest, route: &str, id: &str, deps: Option<&ServerDeps>) -> tracing::Span {
    let client = deps.and_then(|deps| caller(request, &deps.config.trusted_proxies));
    let (method, client) = (observe::method_label(request.method()), client.map(display));
    tracing::error_span!(
        "request",
        request_id = id,
        method = display(method),
        route,
        client,
        // Filled in after authentication.
        key = Empty,
        organization = Empty,
        application = Empty,
    )
}

/// Returns a resource that answers only GET and HEAD.
fn watched(path: &str) -> actix_web::Resource {
    web::resource(path).default_service(only("GET, HEAD"))
}

/// Returns the answer to all other methods.
fn only(allow: &'static str) -> actix_web::Route {
    web::to(move |request: HttpRequest| {
        let answer = refuse(&request, &Problem::method_not_allowed(allow));
        async move { answer }
    })
}

async fn nowhere(request: HttpRequest, deps: web::Data<Arc<ServerDeps>>) -> HttpResponse {
    dashboard::unknown_path(&request, &deps).await
}

/// Answers that the process runs. Also answers the probe of a doctor.
async fn healthy(request: HttpRequest, deps: web::Data<Arc<ServerDeps>>) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    if let Some(seen) = doctor::answer_probe(&request, &deps) {
        answer.insert_header((doctor::PROBE_HEADER, seen));
    }
    answer.json(serde_json::json!({"status": "ok"}))
}

/// Returns the body of a ready server. Its reader may be unauthenticated, so details are only in
/// the log.
fn state(warnings: &[&str]) -> serde_json::Value {
    if warnings.is_empty() {
        return serde_json::json!({"status": "ready"});
    }
    let lines = warnings.iter().map(|subject| {
        format!("{subject}: the resource it names cannot be used at the moment; the log says why")
    });
    serde_json::json!({"status": "ready", "warnings": lines.collect::<Vec<_>>()})
}

/// Answers whether the process runs and its database can be read and written in time.
async fn ready(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
    warnings: web::Data<Warnings>,
) -> HttpResponse {
    let asked = tokio::time::timeout(READY_TIMEOUT, check_database(&deps)).await;
    let why = match asked {
        Ok(Ok(())) if !deps.stopping.load(Ordering::Relaxed) => {
            return HttpResponse::Ok().json(state(&warnings.subjects(&deps.files.reports)));
        }
        Ok(Ok(())) => "the server is stopping".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("the database did not answer within {} s", READY_TIMEOUT.as_secs()),
    };
    tracing::warn!(why, code = Code::Unavailable.as_str(), "not ready");
    Problem::unavailable().response(&request_id(&request))
}
