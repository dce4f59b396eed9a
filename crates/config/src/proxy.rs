//! The proxy for outgoing requests.

use super::SettingsReader;
use domain::media::WebAddress;
use platform::settings::Proxy;

/// Reads `proxy`.
pub(super) fn read(reader: &mut SettingsReader<'_>) -> Option<Proxy> {
    let wanted = "environment, none, or the http or https address of a proxy";
    reader.read("proxy", wanted, |text| match text {
        "environment" => Some(Proxy::Environment),
        "none" => Some(Proxy::None),
        text => WebAddress::parse(text).ok().map(|url| Proxy::Through(url.as_str().to_owned())),
    })
}
