//! The client's IP address. Forwarding headers are used only from a trusted proxy
//! (`docs/security.md` 31).

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

/// The header that most proxies send.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The forwarding header of RFC 7239.
const FORWARDED: HeaderName = HeaderName::from_static("forwarded");
/// The headers in which proxies send the client's address.
pub const FORWARDING: [HeaderName; 2] = [X_FORWARDED_FOR, FORWARDED];
/// Maximum number of proxies that are followed, because a client may write thousands of addresses
/// into the header.
const MAX_PROXY_HOPS: usize = 16;
/// Whether the warning about an untrusted forwarding header was already logged.
static WARNED: AtomicBool = AtomicBool::new(false);

/// Returns the client's IP address. An IPv4 address in IPv6 notation is converted to IPv4.
#[must_use]
pub fn caller(request: &HttpRequest, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip().to_canonical();
    let headers = request.headers();
    if !FORWARDING.iter().any(|name| headers.contains_key(name)) {
        return Some(peer);
    }
    if !is_trusted(peer, trusted) {
        if !WARNED.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %peer,
                "a forwarded client address is ignored because its sender is not in trusted_proxies. \
                 If the sender is your proxy, set SWITCHBOARD_TRUSTED_PROXIES. This is logged once"
            );
        }
        return Some(peer);
    }
    Some(behind(peer, headers, trusted))
}

/// Whether an address is in one of these networks.
#[must_use]
pub fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    let address = address.to_canonical();
    trusted.iter().any(|network| network.contains(&address))
}

/// Returns the address behind the trusted proxies. A proxy sets one of the two headers and forwards
/// the other unchanged. If the headers disagree, neither can be believed, and the proxy's own
/// address is used.
fn behind(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let plain = list(headers, &X_FORWARDED_FOR).map(|it| last_outside(peer, &it, trusted, node));
    let standard = list(headers, &FORWARDED).map(|it| last_outside(peer, &it, trusted, element));
    match (plain, standard) {
        (Some(one), Some(other)) if one != other => peer,
        (Some(caller), _) | (None, Some(caller)) => caller,
        (None, None) => peer,
    }
}

/// Joins the values of a header into one comma-separated list.
fn list(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).filter_map(|it| it.to_str().ok()).collect();
    (!values.is_empty()).then(|| values.join(","))
}

/// Returns the last address that is not a trusted proxy. Each proxy appends the address of its
/// client, so entries before that address cannot be trusted.
fn last_outside(
    peer: IpAddr,
    list: &str,
    trusted: &[IpNet],
    read: impl Fn(&str) -> Option<IpAddr>,
) -> IpAddr {
    let mut caller = peer;
    for said in list.rsplit(',').take(MAX_PROXY_HOPS) {
        if !is_trusted(caller, trusted) {
            break;
        }
        let Some(said) = read(said.trim()) else { break };
        caller = said;
    }
    caller
}

/// Parses an address with or without a port; IPv6 also in brackets.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| text.parse::<SocketAddr>().ok().map(|it| it.ip()));
    address.map(|it| it.to_canonical())
}

/// Parses the `for` of an element of `Forwarded` (RFC 7239 section 4), such as
/// `for="[2001:db8::1]:4711";proto=https`.
fn element(text: &str) -> Option<IpAddr> {
    text.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let value = value.trim();
        let value = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value);
        name.trim().eq_ignore_ascii_case("for").then(|| node(value)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    fn trusted() -> Vec<IpNet> {
        vec!["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()]
    }

    fn seen(peer: &str, headers: &[(HeaderName, &str)]) -> String {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        behind(peer.parse::<IpAddr>().unwrap().to_canonical(), &all, &trusted()).to_string()
    }

    #[test]
    fn only_our_proxies_are_believed() {
        let behind = |peer: &str, said: &str| seen(peer, &[(X_FORWARDED_FOR, said)]);
        assert_eq!(behind("203.0.113.9", "198.51.100.1"), "203.0.113.9");
        assert_eq!(behind("10.0.0.1", "198.51.100.1"), "198.51.100.1");
        // The client may have written the entries before the one that the trusted proxy added.
        assert_eq!(behind("10.0.0.1", "192.0.2.66, 198.51.100.1"), "198.51.100.1");
        assert_eq!(behind("10.0.0.1", "198.51.100.1, 10.0.0.2"), "198.51.100.1");
        assert_eq!(behind("fd00::1", "2001:db8::7"), "2001:db8::7");
        assert_eq!(behind("10.0.0.1", "unknown"), "10.0.0.1");
        assert_eq!(behind("10.0.0.1", ""), "10.0.0.1");
    }

    #[test]
    fn an_address_is_read_with_its_port_and_brackets() {
        for (said, read) in [
            ("203.0.113.1:5123", "203.0.113.1"),
            ("[2001:db8::1]:5123", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:203.0.113.1", "203.0.113.1"),
            ("[::ffff:203.0.113.1]:80", "203.0.113.1"),
        ] {
            assert_eq!(seen("10.0.0.1", &[(X_FORWARDED_FOR, said)]), read, "{said}");
        }
        // IPv4 in IPv6 notation counts as IPv4: a server that listens on [::] sees an IPv4 proxy
        // that way.
        assert_eq!(seen("::ffff:10.0.0.1", &[(X_FORWARDED_FOR, "203.0.113.1")]), "203.0.113.1");
    }

    #[test]
    fn the_header_of_rfc_7239_is_read() {
        for (said, read) in [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
            ("for=198.51.100.17, proto=https; for=\"10.0.0.2:80\"", "198.51.100.17"),
            ("for=unknown", "10.0.0.1"),
            ("for=\"_gazonk\"", "10.0.0.1"),
            ("by=10.0.0.1", "10.0.0.1"),
        ] {
            assert_eq!(seen("10.0.0.1", &[(FORWARDED, said)]), read, "{said}");
        }
    }

    #[test]
    fn two_headers_that_disagree_are_not_believed() {
        let both = |one: &str, other: &str| {
            seen("10.0.0.1", &[(X_FORWARDED_FOR, one), (FORWARDED, other)])
        };
        assert_eq!(both("203.0.113.1", "for=203.0.113.1"), "203.0.113.1");
        assert_eq!(both("203.0.113.1", "for=198.51.100.1"), "10.0.0.1");
    }

    proptest! {
        /// Clients may write any text into the header. The address that the trusted proxy appends
        /// is used. Without a trusted proxy the header is ignored.
        #[test]
        fn nobody_chooses_who_they_are(
            written in "[ -~]{0,40}|((for=)?\"?\\[?(10\\.0\\.0\\.[0-9]|203\\.0\\.113\\.1|fd00::1)\\]?(:80)?\"?[,;] ?){0,5}",
            outside in any::<[u8; 4]>(),
        ) {
            let outside = IpAddr::from(outside);
            prop_assume!(!is_trusted(outside, &trusted()));
            let plain = [(X_FORWARDED_FOR, format!("{written}, {outside}"))];
            let standard = [(FORWARDED, format!("{written}, for={outside}"))];
            let twice = [(X_FORWARDED_FOR, written.clone()), (X_FORWARDED_FOR, outside.to_string())];
            for headers in [&plain[..], &standard, &twice] {
                let headers: Vec<_> = headers.iter().map(|(name, it)| (name.clone(), it.as_str())).collect();
                prop_assert_eq!(seen("10.0.0.1", &headers), outside.to_string());
                prop_assert_eq!(seen("203.0.113.9", &headers), "203.0.113.9");
            }
        }
    }

    #[test]
    fn thousands_of_hops_are_not_followed() {
        let hops = vec!["10.0.0.2"; 10_000].join(",");
        assert_eq!(
            seen("10.0.0.1", &[(X_FORWARDED_FOR, &format!("192.0.2.1,{hops}"))]),
            "10.0.0.2"
        );
    }
}
