//! The settings of a PostgreSQL connection: those that `tokio_postgres` knows, and TLS.
use super::refusal::refused;
use super::tls::{Tls, TlsSettings};
use crate::Result;
use std::sync::Arc;
use std::time::Duration;

/// The longest time for connecting to one address, unless the URL sets it. A URL may name several
/// addresses.
const ACCEPT: Duration = Duration::from_millis(1_200);
/// TCP keepalives: the silence after which the system probes the other end, the interval between
/// probes, and their number.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_PROBES: u32 = 3;
/// The longest time that sent data may stay unacknowledged before the system ends the connection.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The keepalive idle time that `tokio_postgres` sets if the URL sets none.
const KEEPALIVE_IDLE_UNSET: Duration = Duration::from_hours(2);

/// The settings of a database URL, with bounds for those that it leaves out.
#[derive(Clone, Debug)]
pub struct Config {
    pub(super) server: tokio_postgres::Config,
    pub(super) tls: Arc<Tls>,
}

impl Config {
    /// Parses a database URL. Timeouts and keepalives in the URL are kept. Those that are missing
    /// get the values of this module.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Tls`] if its TLS parameters cannot be used, [`crate::Error::Connect`] if
    /// anything else cannot be parsed.
    pub fn read(url: &str) -> Result<Self> {
        let (tls, url) = TlsSettings::split_from_url(url)?;
        let mut server: tokio_postgres::Config = url.parse().map_err(|error| refused(&error))?;
        bound(&mut server);
        // If the URL has an address (`hostaddr`) but no host name, the certificate must be for the
        // address.
        if server.get_hosts().is_empty() {
            for address in server.get_hostaddrs().to_vec() {
                server.host(address.to_string());
            }
        }
        Ok(Self { server, tls: Arc::new(Tls::new(tls)) })
    }
}

fn bound(config: &mut tokio_postgres::Config) {
    if config.get_application_name().is_none() {
        config.application_name("switchboard");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(ACCEPT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    if config.get_keepalives_idle() == KEEPALIVE_IDLE_UNSET {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_PROBES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use tokio_postgres::config::Host;

    #[test]
    fn what_a_url_says_of_deadlines_holds_and_the_rest_is_bounded() {
        let read = |url| Config::read(url).unwrap().server;
        let config = read("postgres://a@localhost/b?connect_timeout=9&keepalives_idle=60");
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(9)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_mins(1));
        assert_eq!(config.get_tcp_user_timeout(), Some(&UNACKNOWLEDGED));
        assert_eq!(config.get_keepalives_interval(), Some(KEEPALIVE_INTERVAL));
        assert_eq!(config.get_keepalives_retries(), Some(KEEPALIVE_PROBES));
        let config = read("postgres://a@localhost/b");
        assert_eq!(config.get_connect_timeout(), Some(&ACCEPT));
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
    }

    #[test]
    fn an_address_alone_is_the_name_of_a_certificate() {
        let config = Config::read("postgres:///d?hostaddr=10.0.0.1").unwrap();
        assert_eq!(config.server.get_hosts(), [Host::Tcp("10.0.0.1".to_owned())]);
    }

    #[test]
    fn what_cannot_be_used_of_tls_is_no_matter_of_waiting() {
        let error = Config::read("postgres://h/d?sslmode=allow").unwrap_err();
        assert!(matches!(error, Error::Tls { .. }), "{error}");
        assert!(error.to_string().contains("verify-full"), "{error}");
    }
}
