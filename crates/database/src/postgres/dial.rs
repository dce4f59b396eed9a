//! Opens a connection to one of the hosts that a URL names, for example to the primary among a
//! cluster's servers.
use super::config::Config;
use super::refusal::refused;
use super::tls::{Connector, Encrypted, Encryption, Mode, SettingsFault, TlsHandshakeFault};
use futures_util::FutureExt as _;
use futures_util::future::select_ok;
use std::error::Error as _;
use std::io;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config as Server, Connection, Error, Socket};

/// The error of a server whose `pg_hba.conf` has no entry for the client's address, user and
/// encryption.
const NOT_ALLOWED: &SqlState = &SqlState::INVALID_AUTHORIZATION_SPECIFICATION;
/// The message of `tokio_postgres` for a server without TLS. It has no code for that error.
const NO_TLS: &str = "server does not support TLS";

/// A client and its connection. The connection has to be polled before the client gets answers.
pub struct Dialed {
    pub client: Client,
    /// The connection that carries the client's queries.
    pub connection: Connection<Socket, Encrypted>,
    /// The encryption of the connection, if it is encrypted.
    pub encryption: Option<Encryption>,
}

/// The reason why no connection was made.
#[derive(Debug, thiserror::Error)]
pub enum NotConnected {
    /// The URL's TLS parameters cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsFault),
    /// The TLS handshake failed.
    #[error("{fault}; {advice}", fault = .0, advice = .0.advice())]
    Handshake(TlsHandshakeFault),
    #[error("{why}", why = refused(.0))]
    Server(Error),
}

impl From<Error> for NotConnected {
    fn from(error: Error) -> Self {
        if error.source().is_some_and(|why| why.to_string() == NO_TLS) {
            return Self::Handshake(TlsHandshakeFault::NotOffered);
        }
        let io = error.source().and_then(|why| why.downcast_ref::<io::Error>());
        if let Some(fault) = io.and_then(TlsHandshakeFault::after) {
            return Self::Handshake(fault);
        }
        if !matches!(error.source(), Some(why) if why.is::<TlsHandshakeFault>()) {
            return Self::Server(error);
        }
        let Some(why) = error.into_source() else {
            return Self::Handshake(TlsHandshakeFault::Other(io::ErrorKind::Other.into()));
        };
        match why.downcast::<TlsHandshakeFault>() {
            Ok(fault) => Self::Handshake(*fault),
            Err(why) => Self::Handshake(TlsHandshakeFault::Other(io::Error::other(why))),
        }
    }
}

impl From<NotConnected> for crate::Error {
    fn from(error: NotConnected) -> Self {
        match error {
            NotConnected::Settings(fault)
            | NotConnected::Handshake(TlsHandshakeFault::Settings(fault)) => fault.into(),
            error => Self::Connect(error.to_string()),
        }
    }
}

/// Connects to a host of the URL. If the URL requires a session attribute (`target_session_attrs`),
/// all hosts are tried in parallel and the first one with the attribute is used, because a host
/// that is frozen may accept a connection and never respond. Otherwise the hosts are tried in
/// order.
pub async fn dial(config: &Config) -> Result<Dialed, NotConnected> {
    let single = each_host(&config.server);
    if single.len() < 2 {
        return one(config, &config.server).await;
    }
    let (first, _others_are_dropped) =
        select_ok(single.iter().map(|server| one(config, server).boxed())).await?;
    Ok(first)
}

/// Connects to a server with as much TLS as the settings require. If TLS is optional, the server is
/// tried once more without it after a failed handshake, or if its `pg_hba.conf` allows only
/// unencrypted connections.
async fn one(config: &Config, server: &Server) -> Result<Dialed, NotConnected> {
    let connector = Connector::new(&config.tls)?;
    let mut server = server.clone();
    server.ssl_mode(mode(config.tls.settings().mode, server.get_hosts()));
    let failed = match server.connect(connector.clone()).await {
        Ok((client, connection)) => {
            return Ok(Dialed { client, connection, encryption: connector.encryption() });
        }
        Err(error) => error,
    };
    let is_refused = failed.code() == Some(NOT_ALLOWED) && connector.encryption().is_some();
    let failed = NotConnected::from(failed);
    let is_of_tls = match &failed {
        NotConnected::Handshake(TlsHandshakeFault::Settings(_)) => false,
        NotConnected::Handshake(_) => true,
        NotConnected::Server(_) | NotConnected::Settings(_) => is_refused,
    };
    if server.get_ssl_mode() != SslMode::Prefer || !is_of_tls {
        return Err(failed);
    }
    tracing::debug!(%failed, "the TLS handshake failed; connecting without encryption");
    server.ssl_mode(SslMode::Disable);
    let (client, connection) = server.connect(connector).await?;
    Ok(Dialed { client, connection, encryption: None })
}

/// Returns the `tokio_postgres` mode. A connection through a Unix socket of this machine is never
/// encrypted.
fn mode(mode: Mode, hosts: &[Host]) -> SslMode {
    #[cfg(unix)]
    if hosts.iter().all(|host| matches!(host, Host::Unix(_))) {
        return SslMode::Disable;
    }
    match mode {
        Mode::Disable => SslMode::Disable,
        Mode::Prefer => SslMode::Prefer,
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
    }
}

/// Splits the settings into one value per host, so that the hosts can be tried in parallel. Returns
/// no values if the hosts must be tried in order, because the URL requires no session attribute, or
/// if the numbers of hosts, addresses and ports do not match.
fn each_host(config: &Server) -> Vec<Server> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let many = hosts.len().max(addresses.len());
    let fits = |some: usize| some <= 1 || some == many;
    let is_any = config.get_target_session_attrs() == TargetSessionAttrs::Any;
    if is_any || !fits(config.get_ports().len()) || !fits(hosts.len()) || !fits(addresses.len()) {
        return Vec::new();
    }
    (0..many).map(|place| alone(config, place)).collect()
}

/// Returns the settings for the host at one position. `Server` has no function to remove hosts, so
/// all other settings are copied to a new one.
fn alone(config: &Server, place: usize) -> Server {
    let mut one = Server::new();
    match config.get_hosts().get(place) {
        Some(Host::Tcp(name)) => {
            one.host(name);
        }
        #[cfg(unix)]
        Some(Host::Unix(folder)) => {
            one.host_path(folder);
        }
        None => {}
    }
    if let Some(address) = config.get_hostaddrs().get(place) {
        one.hostaddr(*address);
    }
    let ports = config.get_ports();
    if let Some(port) = ports.get(place).or(ports.first()) {
        one.port(*port);
    }
    copy_rest(config, &mut one);
    one.target_session_attrs(config.get_target_session_attrs());
    one
}

/// Returns the settings with another server's address: the same login, deadlines and TLS, with the
/// certificate checked for that server's name.
#[must_use]
pub fn with_address(config: &Config, host: &str, port: u16) -> Config {
    let mut one = Server::new();
    one.host(host).port(port);
    copy_rest(&config.server, &mut one);
    Config { server: one, tls: config.tls.clone() }
}

fn copy_rest(from: &Server, to: &mut Server) {
    copy_login(from, to);
    copy_deadlines(from, to);
    to.ssl_negotiation(from.get_ssl_negotiation());
    to.channel_binding(from.get_channel_binding());
}

fn copy_login(from: &Server, to: &mut Server) {
    if let Some(user) = from.get_user() {
        to.user(user);
    }
    if let Some(password) = from.get_password() {
        to.password(password);
    }
    if let Some(name) = from.get_dbname() {
        to.dbname(name);
    }
    if let Some(options) = from.get_options() {
        to.options(options);
    }
    if let Some(name) = from.get_application_name() {
        to.application_name(name);
    }
}

fn copy_deadlines(from: &Server, to: &mut Server) {
    if let Some(limit) = from.get_connect_timeout() {
        to.connect_timeout(*limit);
    }
    if let Some(limit) = from.get_tcp_user_timeout() {
        to.tcp_user_timeout(*limit);
    }
    to.keepalives(from.get_keepalives());
    to.keepalives_idle(from.get_keepalives_idle());
    if let Some(interval) = from.get_keepalives_interval() {
        to.keepalives_interval(interval);
    }
    if let Some(retries) = from.get_keepalives_retries() {
        to.keepalives_retries(retries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls_of(config: &str) -> Vec<Server> {
        each_host(&config.parse().unwrap())
    }

    #[test]
    fn hosts_are_asked_alone_where_one_that_takes_writes_is_wanted() {
        let settings = "connect_timeout=9&tcp_user_timeout=8&keepalives_idle=7&keepalives_interval=6\
                        &keepalives_retries=5&application_name=a&options=-cjit%3Doff\
                        &channel_binding=disable&target_session_attrs=read-write";
        let all = format!("postgres://u:p@one:1,two:2/d?{settings}");
        let single = [
            format!("postgres://u:p@one:1/d?{settings}").parse().unwrap(),
            format!("postgres://u:p@two:2/d?{settings}").parse().unwrap(),
        ];
        assert_eq!(urls_of(&all), single);
    }

    #[test]
    fn another_server_has_the_same_login_deadlines_and_tls() {
        let all = "postgres://u:p@one:1,two:1/d?connect_timeout=9&sslmode=verify-full&target_session_attrs=read-write";
        let there = "postgres://u:p@three:3/d?connect_timeout=9&sslmode=verify-full";
        let [all, there] = [all, there].map(|url| Config::read(url).unwrap());
        let other = with_address(&all, "three", 3);
        assert_eq!(other.server, there.server);
        assert_eq!(other.tls.settings(), there.tls.settings());
    }

    #[test]
    fn a_socket_of_this_machine_s_is_not_encrypted() {
        let hosts = |url| Config::read(url).unwrap().server.get_hosts().to_vec();
        let mode = |url| mode(Mode::VerifyFull, &hosts(url));
        assert_eq!(mode("postgres://u@%2Frun/d"), SslMode::Disable);
        assert_eq!(mode("postgres://u@%2Frun,one/d"), SslMode::Require);
    }

    #[test]
    fn their_order_counts_where_any_will_do() {
        assert_eq!(urls_of("postgres://u@one,two/d"), []);
        assert_eq!(urls_of("postgres://u@one,two/d?load_balance_hosts=random"), []);
    }

    #[test]
    fn hosts_may_share_a_port_and_an_address_may_be_given_for_each() {
        let all = "host=one,two hostaddr=10.0.0.1,10.0.0.2 port=5 target_session_attrs=read-write";
        let ask = |rest: &str| format!("{rest} port=5 target_session_attrs=read-write");
        let single = [
            ask("host=one hostaddr=10.0.0.1").parse().unwrap(),
            ask("host=two hostaddr=10.0.0.2").parse().unwrap(),
        ];
        assert_eq!(urls_of(all), single);
        let unfit = "host=one,two,three port=5,6 target_session_attrs=read-write";
        assert_eq!(urls_of(unfit), []);
    }
}
