//! The settings that use cases and workers need.

mod channel;
mod files;
mod proxy;

pub use channel::{ChannelSettings, KeySource, key_of};
pub use files::{Bucket, FileSettings};
pub use proxy::Proxy;

#[derive(Clone, Debug)]
pub struct Settings {
    /// The public URL of this server, without a trailing slash.
    pub base_url: String,
    /// The settings of channels and webhook requests.
    pub channel: ChannelSettings,
}
