//! The settings that use cases and workers need.

mod channel;
mod files;
mod proxy;

pub use channel::{ChannelSettings, KeySource, parse_key};
pub use files::{Bucket, FileSettings};
pub use proxy::Proxy;

#[derive(Clone, Debug)]
pub struct PlatformSettings {
    /// The public URL of this server, without a trailing slash.
    pub base_url: String,
    /// The settings of channels and webhook requests.
    pub channel: ChannelSettings,
}
