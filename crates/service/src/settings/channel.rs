//! How the channel is reached, what proves that it calls, and what seals its tokens.

use super::Proxy;
use auth::seal::KEY_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channel::registry::Networks;
use ipnet::IpNet;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How the channel is reached.
#[derive(Clone)]
pub struct ChannelSettings {
    /// Where networks are, and what proves that they call.
    pub networks: Networks,
    /// Through which proxy they are reached.
    pub proxy: Proxy,
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
        write!(out, "ChannelSettings({:?})", self.networks)
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
