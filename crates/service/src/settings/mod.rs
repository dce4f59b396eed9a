//! What an operator sets, as far as use cases and workers need it.

mod channel;
mod files;
mod proxy;

pub use channel::{ChannelSettings, KeySource, key_of};
pub use files::{Bucket, FileSettings};
pub use proxy::Proxy;

/// The settings of the service.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address that the world knows this server by, without a slash at its end.
    pub base_url: String,
    /// How the channel and endpoints of webhooks are reached.
    pub channel: ChannelSettings,
}
