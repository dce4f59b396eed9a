//! Settings of channels, of the encryption key, and of webhook requests.

use super::Proxy;
use auth::seal::KEY_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channel::registry::Networks;
use ipnet::IpNet;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone)]
pub struct ChannelSettings {
    /// The addresses of channels, and the secrets that verify their callbacks.
    pub networks: Networks,
    /// The proxy for requests to channels.
    pub proxy: Proxy,
    /// The timeout of a request to a channel.
    pub timeout: Duration,
    /// The key that encrypts access tokens.
    pub encryption_key: KeySource,
    /// Networks that webhooks may reach although they are not public.
    pub allow: Vec<IpNet>,
    /// Networks that requests to servers of models may reach although they are not public.
    pub agent_allow: Vec<IpNet>,
    /// The time in which an AI agent has to answer when it is asked.
    pub agent_timeout: Duration,
    /// The timeout of an attempt to deliver an event.
    pub webhook_timeout: Duration,
}

/// The source of the encryption key.
#[derive(Clone)]
pub enum KeySource {
    /// The settings contain the key.
    Given([u8; KEY_BYTES]),
    /// A file contains the key. It is created if it is missing.
    File(PathBuf),
}

impl fmt::Debug for ChannelSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ChannelSettings({:?})", self.networks)
    }
}

impl KeySource {
    /// Parses a key in base64, or `file:PATH`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("file:") {
            return (!path.is_empty()).then(|| Self::File(PathBuf::from(path)));
        }
        parse_key(text).map(Self::Given)
    }
}

/// Decodes a key in base64.
#[must_use]
pub fn parse_key(text: &str) -> Option<[u8; KEY_BYTES]> {
    STANDARD.decode(text.trim()).ok()?.try_into().ok()
}
