//! An S3-compatible service with one bucket, which can be unreachable, hang and fail. `s3s`
//! implements the protocol and checks the signatures; `s3s-fs` keeps the objects as files.

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpResponse};
use s3s_fs::FileSystem;
use std::fs::create_dir;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

pub const BUCKET: &str = "uploads";
pub const ACCESS_KEY: &str = "AKIAEXAMPLE";
pub const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// The behavior of the service for a request.
#[derive(Clone, Debug, Default)]
pub enum S3Behavior {
    #[default]
    Works,
    /// The connection stays open, and no response comes.
    Hangs,
    /// The response is a 503, as from an overloaded service.
    Fails,
    /// The response is a 403 with this error code, for example because the access keys were
    /// changed.
    Refuses(&'static str),
    /// The response is a 503 if the query contains this text, for example for the second part of an
    /// upload.
    FailsFor(&'static str),
}

pub struct S3 {
    address: SocketAddr,
    folder: TempDir,
    service: S3Service,
    mood: Arc<Mutex<S3Behavior>>,
    serving: Option<JoinHandle<()>>,
}

impl S3 {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        create_dir(folder.path().join(BUCKET)).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let (service, mood) = (builder.build(), Arc::default());
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut s3 = Self { address, folder, service, mood, serving: None };
        s3.listen_again().await;
        s3
    }

    /// Listens again on the same address.
    pub async fn listen_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.address = listener.local_addr().unwrap();
        let (service, mood) = (self.service.clone(), self.mood.clone());
        self.serving = Some(tokio::spawn(serve(listener, service, mood)));
    }

    /// Closes the port and all connections.
    pub async fn stop_listening(&mut self) {
        let serving = self.serving.take().expect("it is there");
        serving.abort();
        assert!(serving.await.unwrap_err().is_cancelled());
    }

    pub fn is_in(&self, mood: S3Behavior) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Returns the settings of a server that keeps its media files in this bucket under a prefix.
    pub fn settings(&self) -> [(&'static str, String); 5] {
        [
            ("media_url", format!("s3://{BUCKET}/switch/board")),
            ("media_s3_endpoint", self.base()),
            ("media_s3_region", "eu-central-1".to_owned()),
            ("media_s3_access_key_id", ACCESS_KEY.to_owned()),
            ("media_s3_secret_access_key", SECRET_KEY.to_owned()),
        ]
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the directory in which the service keeps its objects.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> Vec<String> {
        files_under(&self.folder.path().join(BUCKET))
    }

    /// Returns the leftovers of multipart uploads that were neither completed nor aborted.
    pub fn unfinished_uploads(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(".upload")).collect()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn serve(listener: TcpListener, service: S3Service, mood: Arc<Mutex<S3Behavior>>) {
    // All connections close when this set is dropped at the end of the function.
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (service, mood) = (service.clone(), mood.clone());
        let service = service_fn(move |request| answer(service.clone(), mood.clone(), request));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        connections.spawn(async move { drop(connection.await) });
    }
}

async fn answer(
    service: S3Service,
    mood: Arc<Mutex<S3Behavior>>,
    request: Request<Incoming>,
) -> Result<HttpResponse, s3s::HttpError> {
    let mood = mood.lock().unwrap().clone();
    let query = request.uri().query().unwrap_or_default();
    match mood {
        S3Behavior::Hangs => std::future::pending().await,
        S3Behavior::FailsFor(part) if !query.contains(part) => {
            service.call(request.map(Body::from)).await
        }
        S3Behavior::Works => service.call(request.map(Body::from)).await,
        S3Behavior::Refuses(code) => {
            let error = format!("<Error><Code>{code}</Code><Message>No.</Message></Error>");
            let mut response = HttpResponse::new(Body::from(error));
            *response.status_mut() = hyper::StatusCode::FORBIDDEN;
            Ok(response)
        }
        S3Behavior::Fails | S3Behavior::FailsFor(_) => {
            let mut response = HttpResponse::new(Body::empty());
            *response.status_mut() = hyper::StatusCode::SERVICE_UNAVAILABLE;
            Ok(response)
        }
    }
}

/// Returns the paths of all files under a directory, relative to it.
pub fn files_under(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}
