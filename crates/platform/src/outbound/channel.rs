//! HTTP client for channels: sends the requests of an adapter and returns the answers.

use super::{BuildClientError, client, proxy};
use crate::error_chain::chain;
use crate::settings::{ChannelSettings, Proxy};
use channel::request::{Authorization, Body, ChannelAnswer, Request, Response};
use futures_util::StreamExt as _;
use reqwest::RequestBuilder;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use rustls::ClientConfig;
use std::time::Duration;

/// Maximum number of bytes read of an answer.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client for channels. Cheap to clone; connections are reused.
#[derive(Clone)]
pub struct Channel {
    /// The client for addresses of this machine and of private networks.
    local: reqwest::Client,
    /// The client for all other addresses.
    remote: reqwest::Client,
}

impl Channel {
    pub(super) fn new(
        settings: &ChannelSettings,
        tls: &ClientConfig,
    ) -> Result<Self, BuildClientError> {
        let made = |wanted: &Proxy| {
            let http = client(tls.clone()).connect_timeout(CONNECT_TIMEOUT);
            let http = http.timeout(settings.timeout);
            // After our timeout, the kernel must not deliver an unacknowledged request any more.
            // Otherwise it would still deliver the request when a lost network returns, although
            // the message may have been sent again by then.
            #[cfg(target_os = "linux")]
            let http = http.tcp_user_timeout(settings.timeout.mul_f64(0.9));
            proxy::through(http, wanted)?.build()
        };
        let local =
            if settings.proxy == Proxy::Environment { &Proxy::None } else { &settings.proxy };
        Ok(Self { local: made(local)?, remote: made(&settings.proxy)? })
    }

    /// Sends a request. The error text does not contain the access token.
    pub async fn send(&self, asked: Request) -> ChannelAnswer {
        let Request { url, body, authorization } = asked;
        let http = if proxy::is_local(&url) { &self.local } else { &self.remote };
        let request = match body {
            Body::Empty => http.get(url),
            Body::Deletion => http.delete(url),
            Body::Json(body) => typed(http.post(url), "application/json", body.to_string()),
            Body::Form(body) => typed(http.post(url), "application/x-www-form-urlencoded", body),
        };
        let failed = |error: reqwest::Error| {
            format!("the channel did not answer: {}", chain(&error.without_url()))
        };
        let response = authorized(request, &authorization).send().await.map_err(failed)?;
        let succeeded = response.status().is_success();
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER);
        let seconds = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(chunk) if body.len() + chunk.len() <= MAX_RESPONSE_BYTES => body.extend(chunk),
                // The status says that the channel has accepted the request. A missing part of the
                // body does not change that.
                Ok(_) | Err(_) if succeeded => break,
                Ok(_) => return Err("the channel's answer is too long".to_owned()),
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(Response { status, retry_after: seconds.map(Duration::from_secs), body })
    }
}

fn typed(request: RequestBuilder, content_type: &'static str, body: String) -> RequestBuilder {
    request.header(CONTENT_TYPE, content_type).body(body)
}

/// Adds the authorization to a request.
pub fn authorized(request: RequestBuilder, authorization: &Authorization) -> RequestBuilder {
    match authorization {
        Authorization::Bearer(token) => request.bearer_auth(token),
        Authorization::Basic { user, password } => request.basic_auth(user, Some(password)),
    }
}
