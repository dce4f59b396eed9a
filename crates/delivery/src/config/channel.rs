//! How the channel is reached, what proves that it calls, and what seals its tokens.

use super::{Proxy, Reader, within};
use auth::seal::KEY_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::media::WebAddress;
use ipnet::IpNet;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How the channel is reached.
#[derive(Clone)]
pub struct ChannelSettings {
    /// The Graph API, with its version, without a slash at its end.
    pub graph: String,
    /// Through which proxy it is reached.
    pub proxy: Proxy,
    /// What signs callbacks.
    pub app_secret: Option<String>,
    /// What Meta says when the callback address is set up.
    pub verify_token: Option<String>,
    /// After how long an unanswered call is given up.
    pub timeout: Duration,
    /// What seals tokens.
    pub encryption_key: KeySource,
    /// Networks that may be reached although they are not public.
    pub allow: Vec<IpNet>,
    /// After how long an attempt at delivering an event is given up.
    pub webhook_timeout: Duration,
}

/// Where the key that seals comes from.
#[derive(Clone)]
pub enum KeySource {
    /// From the configuration itself.
    Given([u8; KEY_BYTES]),
    /// From a file, which is made when it is missing.
    File(PathBuf),
}

impl fmt::Debug for ChannelSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ChannelSettings({})", self.graph)
    }
}

impl ChannelSettings {
    pub(super) fn read(reader: &mut Reader<'_>, proxy: Proxy) -> Option<Self> {
        let url = reader.read("graph_url", "an http or https address", |text| {
            WebAddress::parse(text).ok().map(|url| url.as_str().trim_end_matches('/').to_owned())
        });
        let version = reader.read("graph_version", "a version such as v23.0", |text| {
            let digits = text.strip_prefix('v')?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            (plain && !digits.is_empty()).then(|| text.to_owned())
        });
        let timeout = reader.read("graph_timeout", "a number of seconds from 1 to 12", |text| {
            // A server that is told to stop waits for the answers to what it has begun.
            within(text, 1, 12).and_then(|seconds| u64::try_from(seconds).ok())
        });
        let wanted = "32 bytes in base64, or file:PATH";
        let encryption_key = reader.read("encryption_key", wanted, KeySource::parse);
        let allow = reader.networks("webhook_allow");
        let webhook = reader.read("webhook_timeout", "a number of seconds from 1 to 20", |text| {
            // A claimed endpoint is let go after 30 seconds.
            within(text, 1, 20).and_then(|seconds| u64::try_from(seconds).ok())
        });
        Some(Self {
            graph: format!("{}/{}", url?, version?),
            proxy,
            app_secret: reader.optional("graph_app_secret"),
            verify_token: reader.optional("graph_verify_token"),
            timeout: Duration::from_secs(timeout?),
            encryption_key: encryption_key?,
            allow: allow?,
            webhook_timeout: Duration::from_secs(webhook?),
        })
    }
}

impl KeySource {
    /// Reads the base64 of a key, or `file:PATH`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("file:") {
            return (!path.is_empty()).then(|| Self::File(PathBuf::from(path)));
        }
        key_of(text).map(Self::Given)
    }
}

/// The key that is written in base64.
#[must_use]
pub fn key_of(text: &str) -> Option<[u8; KEY_BYTES]> {
    STANDARD.decode(text.trim()).ok()?.try_into().ok()
}
