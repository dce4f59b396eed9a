//! Connections to one of several hosts, of which one takes writes: the primary of a cluster and its standbys.
use futures_util::FutureExt as _;
use futures_util::future::select_ok;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{Client, Config, Connection, Error, NoTls, Socket};

/// A client, and its connection, which has to be polled before the client is answered.
pub type Dialed = (Client, Connection<Socket, NoTlsStream>);

/// Connects. If the URL requires a session attribute (`target_session_attrs`), all hosts are tried in parallel and the first
/// that meets it is used: a host that is frozen or unreachable may accept a connection and never respond. Otherwise hosts
/// are tried in order.
pub async fn dial(config: &Config) -> Result<Dialed, Error> {
    let single = each_host(config);
    if single.len() < 2 {
        return config.connect(NoTls).await;
    }
    let (first, _others_are_dropped) =
        select_ok(single.iter().map(|config| config.connect(NoTls).boxed())).await?;
    Ok(first)
}

/// The same settings for each host alone; none where the order of hosts counts, or their numbers do not fit.
fn each_host(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let many = hosts.len().max(addresses.len());
    let fits = |some: usize| some <= 1 || some == many;
    let is_any = config.get_target_session_attrs() == TargetSessionAttrs::Any;
    if is_any || !fits(config.get_ports().len()) || !fits(hosts.len()) || !fits(addresses.len()) {
        return Vec::new();
    }
    (0..many).map(|place| alone(config, place)).collect()
}

/// The settings for the host at one place. `Config` adds hosts to those that it has, so that all else is copied.
fn alone(config: &Config, place: usize) -> Config {
    let mut one = Config::new();
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

/// The same settings for another server, whichever those lead to.
#[must_use]
pub fn elsewhere(config: &Config, host: &str, port: u16) -> Config {
    let mut one = Config::new();
    one.host(host).port(port);
    copy_rest(config, &mut one);
    one
}

fn copy_rest(from: &Config, to: &mut Config) {
    copy_login(from, to);
    copy_deadlines(from, to);
    to.ssl_mode(from.get_ssl_mode());
    to.ssl_negotiation(from.get_ssl_negotiation());
    to.channel_binding(from.get_channel_binding());
}

fn copy_login(from: &Config, to: &mut Config) {
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

fn copy_deadlines(from: &Config, to: &mut Config) {
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

    fn urls_of(config: &str) -> Vec<Config> {
        each_host(&config.parse().unwrap())
    }

    #[test]
    fn hosts_are_asked_alone_where_one_that_takes_writes_is_wanted() {
        let settings = "connect_timeout=9&tcp_user_timeout=8&keepalives_idle=7&keepalives_interval=6\
                        &keepalives_retries=5&application_name=a&options=-cjit%3Doff&sslmode=disable\
                        &channel_binding=disable&target_session_attrs=read-write";
        let all = format!("postgres://u:p@one:1,two:2/d?{settings}");
        let single = [
            format!("postgres://u:p@one:1/d?{settings}").parse().unwrap(),
            format!("postgres://u:p@two:2/d?{settings}").parse().unwrap(),
        ];
        assert_eq!(urls_of(&all), single);
    }

    #[test]
    fn another_server_has_the_same_login_and_deadlines() {
        let all = "host=one,two hostaddr=10.0.0.1,10.0.0.2 port=1 user=u password=p dbname=d connect_timeout=9 \
                   target_session_attrs=read-write";
        let there = "host=three port=3 user=u password=p dbname=d connect_timeout=9";
        assert_eq!(elsewhere(&all.parse().unwrap(), "three", 3), there.parse().unwrap());
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
