//! Meta's Graph API: carries what the channel's adapter asks, and brings back what was answered.

use super::{BuildClientError, client, proxy};
use crate::error_chain::chain;
use crate::settings::ChannelSettings;
use channel::cloud_api::{GraphRequest, GraphResponse};
use futures_util::StreamExt as _;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use rustls::ClientConfig;
use std::sync::Arc;
use std::time::Duration;

/// More of an answer is not read.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client of the Graph API. Cheap to clone; connections are used again.
#[derive(Clone)]
pub struct Graph {
    http: reqwest::Client,
    address: Arc<str>,
}

/// An answer.
#[derive(Debug)]
pub struct GraphAnswer {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl GraphAnswer {
    /// As the channel's adapter reads it.
    #[must_use]
    pub fn read(&self) -> GraphResponse<'_> {
        GraphResponse { status: self.status, retry_after: self.retry_after, body: &self.body }
    }
}

impl Graph {
    pub(super) fn new(
        settings: &ChannelSettings,
        tls: ClientConfig,
    ) -> Result<Self, BuildClientError> {
        let http = proxy::towards(client(tls), &settings.proxy, &settings.graph)?;
        let http = http.connect_timeout(CONNECT_TIMEOUT).timeout(settings.timeout).build()?;
        Ok(Self { http, address: settings.graph.as_str().into() })
    }

    /// Asks; the error is a sentence that tells nothing of the token.
    pub async fn ask(&self, asked: &GraphRequest, token: &str) -> Result<GraphAnswer, String> {
        let url = format!("{}/{}", self.address, asked.path);
        let request = match &asked.body {
            Some(body) => {
                let request = self.http.post(url).header(CONTENT_TYPE, "application/json");
                request.body(body.to_string())
            }
            None => self.http.get(url),
        };
        let failed = |error: reqwest::Error| {
            format!("the channel did not answer: {}", chain(&error.without_url()))
        };
        let response = request.bearer_auth(token).send().await.map_err(failed)?;
        let succeeded = response.status().is_success();
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER);
        let seconds = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(chunk) if body.len() + chunk.len() <= MAX_RESPONSE_BYTES => body.extend(chunk),
                // The head has said that it did as asked: what is missing of the body does not change that.
                Ok(_) | Err(_) if succeeded => break,
                Ok(_) => return Err("the channel's answer is too long".to_owned()),
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(GraphAnswer { status, retry_after: seconds.map(Duration::from_secs), body })
    }
}
