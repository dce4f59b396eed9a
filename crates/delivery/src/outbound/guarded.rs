//! Requests to addresses that somebody else chose: resolved once, refused if any of the addresses is
//! not public, and connected to what was checked (`security.md` 34).

use super::reach::may_reach;
use super::{CannotBeMade, client};
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Method, RequestBuilder, Url};
use rustls::ClientConfig;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// A client for addresses that somebody else chose. Cheap to clone.
#[derive(Clone)]
pub struct Guarded {
    http: reqwest::Client,
    allowed: Arc<[IpNet]>,
}

/// An address that is not gone to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// It is none of the web.
    #[error("it is no http or https address")]
    NoAddress,
    /// It leads, or some of what its name stands for leads, where nobody from outside may.
    #[error("{0} is not an address of the public internet")]
    NotPublic(IpAddr),
}

impl Guarded {
    pub(super) fn new(allowed: Vec<IpNet>, tls: ClientConfig) -> Result<Self, CannotBeMade> {
        let allowed: Arc<[IpNet]> = allowed.into();
        let resolver = Arc::new(PublicOnly(allowed.clone()));
        let http = client(tls).dns_resolver(resolver).connect_timeout(CONNECT_WITHIN).build()?;
        Ok(Self { http, allowed })
    }

    /// A request, to be completed and sent. An address that is written as a number, in whatever
    /// notation, is judged here: no name is resolved for it, so the resolver never sees it.
    pub fn request(&self, method: Method, url: &str) -> Result<RequestBuilder, Unreachable> {
        let url = Url::parse(url).map_err(|_| Unreachable::NoAddress)?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() {
            return Err(Unreachable::NoAddress);
        }
        // The standard's parser has read decimal, octal and hex hosts as what they stand for.
        let literal = url.host_str().map(|host| host.trim_matches(['[', ']']).parse::<IpAddr>());
        match literal {
            None => Err(Unreachable::NoAddress),
            Some(Ok(address)) if !may_reach(address, &self.allowed) => {
                Err(Unreachable::NotPublic(address))
            }
            Some(_) => Ok(self.http.request(method, url)),
        }
    }
}

/// Resolves names to what may be reached, or to nothing at all.
struct PublicOnly(Arc<[IpNet]>);

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
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

    fn guarded(allowed: &[&str]) -> Guarded {
        let allowed = allowed.iter().map(|it| it.parse().unwrap()).collect();
        Guarded::new(allowed, super::super::tls().unwrap()).unwrap()
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
            "x",
            "http:///",
        ] {
            assert!(guarded.request(Method::GET, url).is_err(), "{url}");
        }
        assert!(guarded.request(Method::GET, "https://93.184.216.34/").is_ok());
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_when_it_is_resolved() {
        let refused =
            guarded(&[]).request(Method::GET, "http://localhost:1/").unwrap().send().await;
        let error = format!("{:?}", refused.unwrap_err());
        assert!(error.contains("NotPublic"), "{error}");
        let allowed = guarded(&["127.0.0.0/8", "::1/128"]);
        let tried = allowed.request(Method::GET, "http://localhost:1/").unwrap().send().await;
        assert!(!format!("{:?}", tried.unwrap_err()).contains("NotPublic"));
    }
}
