//! Decides which requests go through a proxy.

use super::reach::may_reach;
use crate::settings::Proxy;
use reqwest::{ClientBuilder, Url};
use std::net::IpAddr;

/// Sets the proxy for requests to this address.
pub(super) fn with_proxy(
    builder: ClientBuilder,
    proxy: &Proxy,
    address: &str,
) -> Result<ClientBuilder, reqwest::Error> {
    match proxy {
        Proxy::Environment if is_local(address) => Ok(builder.no_proxy()),
        other => through(builder, other),
    }
}

/// Sets the proxy for requests to any address.
pub(super) fn through(
    builder: ClientBuilder,
    proxy: &Proxy,
) -> Result<ClientBuilder, reqwest::Error> {
    Ok(match proxy {
        Proxy::Environment => builder,
        Proxy::None => builder.no_proxy(),
        Proxy::Through(proxy) => builder.no_proxy().proxy(reqwest::Proxy::all(proxy)?),
    })
}

/// Whether an address is on this machine or in a private network, as far as the URL shows. Names
/// are not resolved, because behind a proxy there may be no resolver.
pub(super) fn is_local(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(address) => !may_reach(address, &[]),
        // `localhost` is this machine, also with a trailing dot (RFC 6761).
        Err(_) => host.trim_end_matches('.').rsplit('.').next() == Some("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn addresses_of_this_machine_and_of_private_networks_are_local() {
        for local in [
            "http://127.0.0.1:9000",
            "http://[::1]/",
            "https://10.1.2.3/x",
            "http://169.254.169.254",
        ] {
            assert!(is_local(local), "{local}");
        }
        for local in ["http://localhost:9000", "http://minio.localhost", "http://localhost.:9000"] {
            assert!(is_local(local), "{local}");
        }
        for other in
            ["https://s3.eu-central-1.amazonaws.com", "https://93.184.216.34/", "http://minio:9000"]
        {
            assert!(!is_local(other), "{other}");
        }
    }
}
