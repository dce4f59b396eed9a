//! Requests to addresses that neither this program nor its operator chose, such as those of
//! webhooks. A name is resolved once, the request is refused if any of its addresses is not public,
//! and the connection goes to the address that was checked (`docs/security.md` 34).

use super::reach::may_reach;
use super::{BuildClientError, client};
use futures_util::future::BoxFuture;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Method, RequestBuilder, Url};
use rustls::ClientConfig;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Time limit for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client for addresses that the operator did not choose. Cheap to clone.
#[derive(Clone)]
pub struct Guarded {
    http: reqwest::Client,
    allowed: Arc<[IpNet]>,
}

/// The reason why an address is not contacted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// The URL is not a web address.
    #[error("it is not an http or https address")]
    NoAddress,
    /// An address of the host is not public and not allowed by the operator.
    #[error("{0} is not an address of the public internet")]
    NotPublic(IpAddr),
}

/// The setting that names the networks that a client may reach although they are not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowSetting {
    /// The setting for webhook requests.
    Webhook,
    /// The setting for requests to servers of AI models.
    Agent,
}

impl AllowSetting {
    /// Returns a sentence that says how the operator can allow an address. For a loopback address,
    /// the setting in the sentence allows all loopback addresses. For others it allows only that
    /// address.
    #[must_use]
    pub fn advice(self, address: IpAddr) -> String {
        let (variable, option) = match self {
            Self::Webhook => ("SWITCHBOARD_WEBHOOK_ALLOW", "--webhook-allow"),
            Self::Agent => ("SWITCHBOARD_AGENT_ALLOW", "--agent-allow"),
        };
        let address = address.to_canonical();
        let networks = if address.is_loopback() {
            "127.0.0.0/8,::1/128".to_owned()
        } else {
            address.to_string()
        };
        format!(
            "The operator of this server can allow it by starting the server with {option} {networks} or with \
             {variable}={networks}."
        )
    }
}

impl Guarded {
    pub(super) fn new(allowed: Vec<IpNet>, tls: ClientConfig) -> Result<Self, BuildClientError> {
        let look_up: Lookup = Arc::new(|name| {
            Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
        });
        Self::with(allowed, tls, look_up)
    }

    fn with(
        allowed: Vec<IpNet>,
        tls: ClientConfig,
        look_up: Lookup,
    ) -> Result<Self, BuildClientError> {
        let allowed: Arc<[IpNet]> = allowed.into();
        let resolver = Arc::new(PublicOnly { allowed: allowed.clone(), look_up });
        // No proxy is used: it would resolve names itself and could reach any address, so the check
        // here would be useless.
        let http = client(tls).no_proxy().dns_resolver(resolver);
        let http = http.connect_timeout(CONNECT_TIMEOUT).build()?;
        Ok(Self { http, allowed })
    }

    /// Creates a request to complete and send. A host that is a numeric address, in any notation,
    /// is checked here, because the resolver never sees it.
    pub fn request(&self, method: Method, url: &str) -> Result<RequestBuilder, Unreachable> {
        let url = self.check(url)?;
        Ok(self.http.request(method, url))
    }

    /// Checks a URL as far as possible without resolving its name. The addresses of a name are
    /// checked for each connection.
    pub fn check(&self, url: &str) -> Result<Url, Unreachable> {
        let url = Url::parse(url).map_err(|_| Unreachable::NoAddress)?;
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.scheme(), "http" | "https") || has_credentials {
            return Err(Unreachable::NoAddress);
        }
        // The parser has already converted decimal, octal and hex notations of the host.
        let host = url.host_str().map(|host| host.trim_matches(['[', ']'])).unwrap_or_default();
        let is_special_name = match host.trim_end_matches('.').rsplit('.').next() {
            None | Some("") => return Err(Unreachable::NoAddress),
            // `localhost` is this machine for every resolver (RFC 6761).
            Some("localhost") => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            Some(_) => host.parse().ok(),
        };
        match is_special_name {
            Some(address) if !may_reach(address, &self.allowed) => {
                Err(Unreachable::NotPublic(address))
            }
            _ => Ok(url),
        }
    }
}

/// Resolves a name.
type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// A resolver that returns the addresses of a name only if all of them may be reached.
struct PublicOnly {
    allowed: Arc<[IpNet]>,
    look_up: Lookup,
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let (allowed, found) = (self.allowed.clone(), (self.look_up)(name.as_str().to_owned()));
        Box::pin(async move {
            let found = found.await?;
            let bad = found.iter().find(|address| !may_reach(address.ip(), &allowed));
            if let Some(bad) = bad {
                return Err(Unreachable::NotPublic(bad.ip()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn guarded(allowed: &[&str]) -> Guarded {
        let allowed = allowed.iter().map(|it| it.parse().unwrap()).collect();
        Guarded::new(allowed, super::super::tls().unwrap()).unwrap()
    }

    /// Returns every notation that a resolver or a browser may accept for this address.
    fn notations(address: Ipv4Addr) -> Vec<String> {
        let [a, b, c, d] = address.octets();
        let (all, rest, last) =
            (u32::from(address), u32::from(address) & 0xff_ffff, u16::from_be_bytes([c, d]));
        let mapped = address.to_ipv6_mapped();
        vec![
            address.to_string(),
            all.to_string(),
            format!("{all:#x}"),
            format!("0{all:o}"),
            format!("{a}.{rest}"),
            format!("{a:#x}.{b}.{last}"),
            format!("0{a:o}.0{b:o}.{c:#X}.{d}"),
            format!("{address}."),
            format!("%{:02x}{}", address.to_string().as_bytes()[0], &address.to_string()[1..]),
            address.to_string().chars().map(|it| if it == '.' { '\u{3002}' } else { it }).collect(),
            format!("[{mapped}]"),
            format!("[::ffff:{:x}:{last:x}]", u16::from_be_bytes([a, b])),
        ]
    }

    /// The client for the property tests. It is created once, because reading the machine's
    /// certificates takes longer than a test case.
    static GUARDED: std::sync::LazyLock<Guarded> = std::sync::LazyLock::new(|| guarded(&[]));

    proptest! {
        #[test]
        fn no_notation_leads_inside(bytes: [u8; 4], which in 0_usize..6, port: u16) {
            let [_, b, c, d] = bytes;
            let address = Ipv4Addr::from([[127, b, c, d], [10, b, c, d], [192, 168, c, d], [169, 254, c, d], [0, b, c, d], [172, 16, c, d]][which]);
            for host in notations(address) {
                for url in [format!("http://{host}/"), format!("https:\\\\{host}:{port}/a?b#c"), format!("HTTP:/{host}")] {
                    prop_assert!(GUARDED.check(&url).is_err(), "{}", url);
                }
            }
        }

        #[test]
        fn whatever_is_written_is_judged(url in "(https?:[/\\\\]{0,3})?[ -~\u{3002}é]{0,40}") {
            if let Ok(url) = GUARDED.check(&url) {
                prop_assert!(matches!(url.scheme(), "http" | "https") && url.username().is_empty());
                prop_assert!(url.host_str().is_some_and(|host| !host.ends_with("localhost")));
            }
        }
    }

    #[test]
    fn the_advice_permits_the_address() {
        for (host, value) in [
            ("localhost", "127.0.0.0/8,::1/128"),
            ("[::1]", "127.0.0.0/8,::1/128"),
            ("[::ffff:127.0.0.1]", "127.0.0.0/8,::1/128"),
            ("10.0.0.7", "10.0.0.7"),
            ("[fd00::7]", "fd00::7"),
        ] {
            let url = format!("http://{host}/");
            let Err(Unreachable::NotPublic(address)) = guarded(&[]).check(&url) else {
                panic!("{url} is not public")
            };
            let advice = AllowSetting::Webhook.advice(address);
            assert!(advice.contains(&format!("--webhook-allow {value} ")), "{advice}");
            assert!(advice.contains(&format!("SWITCHBOARD_WEBHOOK_ALLOW={value}.")), "{advice}");
            let networks = value.split(',').map(|it| match it.parse::<IpAddr>() {
                Ok(address) => IpNet::from(address),
                Err(_) => it.parse().unwrap(),
            });
            let tls = super::super::tls().unwrap();
            assert!(Guarded::new(networks.collect(), tls).unwrap().check(&url).is_ok(), "{url}");
        }
    }

    #[test]
    fn numbers_are_judged_in_every_notation() {
        let guarded = guarded(&[]);
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://169.254.169.254/latest",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://0/",
        ] {
            let refused = guarded.request(Method::GET, url).map(drop);
            assert!(matches!(refused, Err(Unreachable::NotPublic(_))), "{url}: {refused:?}");
        }
        for url in [
            "ftp://example.com/",
            "file:///etc/passwd",
            "http://user@example.com/",
            "http://:secret@example.com/",
            "x",
            "http:///",
        ] {
            assert!(guarded.request(Method::GET, url).is_err(), "{url}");
        }
        assert!(guarded.request(Method::GET, "https://93.184.216.34/").is_ok());
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused() {
        for url in ["http://localhost:1/", "https://shop.localhost/", "http://LOCALHOST./"] {
            let refused = guarded(&[]).request(Method::GET, url).map(drop);
            assert!(matches!(refused, Err(Unreachable::NotPublic(_))), "{url}: {refused:?}");
        }
        let allowed = guarded(&["127.0.0.0/8", "::1/128"]);
        let tried = allowed.request(Method::GET, "http://localhost:1/").unwrap().send().await;
        assert!(!format!("{:?}", tried.unwrap_err()).contains("NotPublic"));
    }

    /// Connects to a name that resolves to these addresses, one list per lookup. Returns the
    /// addresses that were connected to.
    async fn goes_to(answers: &'static [&'static [&'static str]]) -> Vec<String> {
        let asked = Arc::new(AtomicUsize::new(0));
        let look_up: Lookup = Arc::new(move |_| {
            let answer = answers[asked.fetch_add(1, Ordering::SeqCst) % answers.len()];
            let found = answer.iter().map(|it| SocketAddr::new(it.parse().unwrap(), 0)).collect();
            Box::pin(async move { Ok(found) })
        });
        let allowed = vec!["127.0.0.2/32".parse().unwrap()];
        let tls = super::super::tls().unwrap();
        let guarded = Guarded::with(allowed, tls, look_up).unwrap();
        let mut outcomes = Vec::new();
        for _ in answers {
            let request = guarded.request(Method::GET, "http://hooks.example:1/").unwrap();
            outcomes.push(format!("{:?}", request.send().await.unwrap_err()));
        }
        outcomes
    }

    #[tokio::test]
    async fn a_name_is_refused_if_any_of_its_addresses_is_not_public() {
        for list in [["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "169.254.169.254"]] {
            let list: &'static [&'static str] = Vec::leak(list.to_vec());
            let outcomes = goes_to(Vec::leak(vec![list])).await;
            assert!(outcomes[0].contains("NotPublic"), "{}", outcomes[0]);
        }
    }

    /// A connection takes one lookup and goes to the address that was checked. A name that resolves
    /// differently the next time is checked again.
    #[tokio::test]
    async fn a_name_that_answers_differently_the_second_time_leads_nowhere() {
        let outcomes = goes_to(&[&["127.0.0.2"], &["127.0.0.1"], &["::ffff:10.0.0.1"]]).await;
        assert!(outcomes[0].contains("ConnectionRefused"), "{}", outcomes[0]);
        for outcome in &outcomes[1..] {
            assert!(outcome.contains("NotPublic"), "{outcome}");
        }
    }
}
