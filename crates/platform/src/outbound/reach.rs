//! Decides which addresses may be reached if the operator did not choose them
//! (`docs/security.md` 34).

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a connection to `address` is allowed: the address is public, or the operator allows its
/// network.
pub fn may_reach(address: IpAddr, allowed: &[IpNet]) -> bool {
    let address = address.to_canonical();
    is_global(address) || allowed.iter().any(|network| network.contains(&address))
}

/// Whether an address is public according to the registries of IANA (RFC 6890 and its updates). If
/// an address embeds another one, that one must be public too.
fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, d] = address.octets();
    let special = match a {
        // "This network", private, loopback; multicast, reserved, broadcast.
        0 | 10 | 127 | 224..=255 => true,
        // Shared between a carrier's customers (RFC 6598).
        100 => (64..128).contains(&b),
        // Link-local, where clouds serve their metadata.
        169 => b == 254,
        // Azure's metadata service, although its address is public.
        168 => (b, c, d) == (63, 129, 16),
        172 => (16..32).contains(&b),
        // Private; protocol assignments and documentation; 6to4 relays; AS112.
        192 => {
            matches!((b, c), (168, _) | (0, 0 | 2) | (88, 99) | (31, 196) | (52, 193) | (175, 48))
        }
        // Benchmarks, documentation.
        198 => matches!((b, c), (18 | 19, _) | (51, 100)),
        203 => (b, c) == (0, 113),
        _ => false,
    };
    !special
}

fn is_global_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_global_v4(Ipv4Addr::new(a, b, c, d))
    };
    let [.., high, low] = address.segments();
    match (a, b) {
        // NAT64: checked by the embedded address. The local form is never public (RFC 8215).
        (0x64, 0xff9b) => address.segments().get(2..6) == Some(&[0; 4]) && embedded(high, low),
        // 6to4.
        (0x2002, _) => embedded(b, c),
        // Teredo, ORCHID, benchmarks and other protocol assignments; documentation.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        // Only this eighth of the address space is allocated.
        (0x2000..=0x3fff, _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reachable(address: &str) -> bool {
        may_reach(address.parse().unwrap(), &[])
    }

    #[test]
    fn public_addresses_are_reached() {
        for address in [
            "8.8.8.8",
            "93.184.216.34",
            "172.15.0.1",
            "100.63.0.1",
            "2606:4700::1",
            "2a00:1450::1",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(reachable(address), "{address}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "ff02::1",
            "100::1",
            "3fff::1",
            "5f00::1",
        ] {
            assert!(!reachable(address), "{address}");
        }
    }

    proptest! {
        /// An IPv4 address embedded in IPv6 is allowed only if the IPv4 address itself is allowed.
        #[test]
        fn nothing_is_reached_in_a_wrapping(bytes: [u8; 4], private: bool) {
            let [_, b, c, d] = bytes;
            let address = Ipv4Addr::from(if private { [10, b, c, d] } else { bytes });
            let [high, low] = [[0, 1], [2, 3]].map(|at| u16::from_be_bytes(at.map(|it| address.octets()[it])));
            let itself = may_reach(address.into(), &[]);
            prop_assert_eq!(may_reach(address.to_ipv6_mapped().into(), &[]), itself);
            for wrapped in [
                [0, 0, 0, 0, 0, 0, high, low],
                [0x64, 0xff9b, 0, 0, 0, 0, high, low],
                [0x64, 0xff9b, 1, 0, 0, 0, high, low],
                [0x2002, high, low, 0, 0, 0, 0, 1],
                [0x2001, 0, high, low, 0, 0, !high, !low],
            ] {
                prop_assert!(itself || !may_reach(Ipv6Addr::from(wrapped).into(), &[]), "{:?}", wrapped);
            }
        }
    }

    #[test]
    fn an_operator_may_allow_a_network() {
        let allowed = ["127.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        for address in ["127.0.0.1", "::ffff:127.0.0.1", "fd00::1"] {
            assert!(may_reach(address.parse().unwrap(), &allowed), "{address}");
        }
        assert!(!may_reach("10.0.0.1".parse().unwrap(), &allowed));
    }
}
