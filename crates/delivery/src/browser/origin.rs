//! From which address somebody calls: what a proxy says counts only where the proxy is ours (`security.md` 31).

use actix_web::HttpRequest;
use ipnet::IpNet;
use std::net::IpAddr;

/// The address that a request comes from.
#[must_use]
pub fn caller(request: &HttpRequest, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    let said = request.headers().get_all("x-forwarded-for");
    let said: Vec<&str> = said.filter_map(|value| value.to_str().ok()).collect();
    Some(behind(peer, &said.join(","), trusted))
}

/// Who stands behind a chain of proxies: each of them adds who called it at the end, so the last one that
/// is not ours is as far as can be believed.
fn behind(peer: IpAddr, forwarded: &str, trusted: &[IpNet]) -> IpAddr {
    let is_ours = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut caller = peer;
    for said in forwarded.rsplit(',') {
        let Ok(said) = said.trim().parse() else { return caller };
        if !is_ours(&caller) {
            return caller;
        }
        caller = said;
    }
    caller
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_proxies_are_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let behind =
            |peer: &str, said: &str| behind(peer.parse().unwrap(), said, &trusted).to_string();
        assert_eq!(behind("203.0.113.9", "198.51.100.1"), "203.0.113.9");
        assert_eq!(behind("10.0.0.1", "198.51.100.1"), "198.51.100.1");
        // Whatever stands before what our own proxy added is a claim of its caller.
        assert_eq!(behind("10.0.0.1", "192.0.2.66, 198.51.100.1"), "198.51.100.1");
        assert_eq!(behind("10.0.0.1", "198.51.100.1, 10.0.0.2"), "198.51.100.1");
        assert_eq!(behind("fd00::1", "2001:db8::7"), "2001:db8::7");
        assert_eq!(behind("10.0.0.1", "unknown"), "10.0.0.1");
        assert_eq!(behind("10.0.0.1", ""), "10.0.0.1");
    }
}
