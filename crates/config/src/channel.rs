//! Settings of the channels.

use super::{SettingsReader, parse_bounded};
use channel::registry::Networks;
use channel::{cloud_api, twilio};
use domain::media::WebAddress;
use platform::settings::{ChannelSettings, KeySource, Proxy};
use std::time::Duration;

/// Reads the settings that begin with `graph_`, `twilio_`, `webhook_` and `agent_`, and
/// `encryption_key`.
pub(super) fn read(
    reader: &mut SettingsReader<'_>,
    proxy: Proxy,
    base_url: Option<&str>,
) -> Option<ChannelSettings> {
    let twilio = twilio(reader, base_url);
    let url = address(reader, "graph_url");
    let version = reader.read("graph_version", "a version such as v23.0", |text| {
        let digits = text.strip_prefix('v')?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (plain && !digits.is_empty()).then(|| text.to_owned())
    });
    let timeout = reader.read("graph_timeout", "a number of seconds from 1 to 12", |text| {
        // The maximum is low, because a server that stops waits only a short time for the answers
        // to requests in progress.
        parse_bounded(text, 1, 12).and_then(|seconds| u64::try_from(seconds).ok())
    });
    let wanted = "32 bytes in base64, or file:PATH";
    let encryption_key = reader.read("encryption_key", wanted, KeySource::parse);
    let allow = reader.networks("webhook_allow");
    let agent_allow = reader.networks("agent_allow");
    let agent = reader.read("agent_timeout", "a number of seconds from 1 to 60", |text| {
        // The maximum is below 90 seconds, because a worker's claim on a turn ends then.
        parse_bounded(text, 1, 60).and_then(|seconds| u64::try_from(seconds).ok())
    });
    let webhook = reader.read("webhook_timeout", "a number of seconds from 1 to 20", |text| {
        // The maximum is below 30 seconds, because a worker's claim on a webhook endpoint ends
        // then.
        parse_bounded(text, 1, 20).and_then(|seconds| u64::try_from(seconds).ok())
    });
    Some(ChannelSettings {
        networks: Networks {
            cloud_api: cloud_api::CloudSettings {
                graph: format!("{}/{}", url?, version?),
                app_secret: reader.optional("graph_app_secret"),
                verify_token: reader.optional("graph_verify_token"),
            },
            twilio: twilio?,
        },
        proxy,
        timeout: Duration::from_secs(timeout?),
        encryption_key: encryption_key?,
        allow: allow?,
        agent_allow: agent_allow?,
        agent_timeout: Duration::from_secs(agent?),
        webhook_timeout: Duration::from_secs(webhook?),
    })
}

fn address(reader: &mut SettingsReader<'_>, name: &str) -> Option<String> {
    reader.read(name, "an http or https address", |text| {
        WebAddress::parse(text).ok().map(|url| url.as_str().trim_end_matches('/').to_owned())
    })
}

fn twilio(
    reader: &mut SettingsReader<'_>,
    base_url: Option<&str>,
) -> Option<twilio::TwilioSettings> {
    let (url, content_url) = (address(reader, "twilio_url"), address(reader, "twilio_content_url"));
    let wanted = "an account's id, which is AC and 32 hexadecimal digits, or nothing";
    let account_sid = reader.read("twilio_account_sid", wanted, |text| match text {
        "" => Some(None),
        text => twilio::is_account_sid(text).then(|| Some(text.to_owned())),
    });
    Some(twilio::TwilioSettings {
        url: url?,
        content_url: content_url?,
        account_sid: account_sid?,
        auth_token: reader.optional("twilio_auth_token"),
        base_url: base_url?.to_owned(),
    })
}
