//! Reads how the channel is reached.

use super::{Reader, within};
use channel::cloud_api;
use channel::registry::Networks;
use domain::media::WebAddress;
use service::settings::{ChannelSettings, KeySource, Proxy};
use std::time::Duration;

/// Reads what begins with `graph_` and `webhook_`, and `encryption_key`.
pub(super) fn read(reader: &mut Reader<'_>, proxy: Proxy) -> Option<ChannelSettings> {
    let url = reader.read("graph_url", "an http or https address", |text| {
        WebAddress::parse(text).ok().map(|url| url.as_str().trim_end_matches('/').to_owned())
    });
    let version = reader.read("graph_version", "a version such as v23.0", |text| {
        let digits = text.strip_prefix('v')?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (plain && !digits.is_empty()).then(|| text.to_owned())
    });
    let timeout = reader.read("graph_timeout", "a number of seconds from 1 to 12", |text| {
        // A server that is asked to stop waits for the answers to what it has begun.
        within(text, 1, 12).and_then(|seconds| u64::try_from(seconds).ok())
    });
    let wanted = "32 bytes in base64, or file:PATH";
    let encryption_key = reader.read("encryption_key", wanted, KeySource::parse);
    let allow = reader.networks("webhook_allow");
    let webhook = reader.read("webhook_timeout", "a number of seconds from 1 to 20", |text| {
        // A claimed endpoint is let go after 30 seconds.
        within(text, 1, 20).and_then(|seconds| u64::try_from(seconds).ok())
    });
    Some(ChannelSettings {
        networks: Networks {
            cloud_api: cloud_api::Settings {
                graph: format!("{}/{}", url?, version?),
                app_secret: reader.optional("graph_app_secret"),
                verify_token: reader.optional("graph_verify_token"),
            },
        },
        proxy,
        timeout: Duration::from_secs(timeout?),
        encryption_key: encryption_key?,
        allow: allow?,
        webhook_timeout: Duration::from_secs(webhook?),
    })
}
