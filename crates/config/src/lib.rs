//! The configuration: `switchboard.toml`, then `SWITCHBOARD_*`, then flags
//! (`docs/contract.md#operation`).

mod base_url;
mod channel;
mod document;
mod files;
mod log_filter;
mod proxy;
mod sources;
mod table;
mod tls;

pub use document::markdown;
pub use log_filter::LogFilter;

pub use sources::{
    CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE, Effective, FILE_VARIABLE, SettingOrigin,
    without_password,
};
pub use table::{SETTINGS, Setting, setting};
pub use tls::TlsFiles;

use domain::media::WebAddress;
use ipnet::IpNet;
use persistence::DatabaseLocation;
use platform::settings::{ChannelSettings, FileSettings};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A PostgreSQL server that serves some reads instead of the primary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandbySettings {
    /// The URL of the standby.
    pub url: String,
    /// Maximum number of connections to the standby.
    pub connections: usize,
}

/// The maximum number of connections that one client address may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerAddress {
    /// A quarter of the files that the process may open, at most 4,096.
    Auto,
    /// A fixed number.
    AtMost(usize),
}

/// The validated configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address and port that HTTP is served on.
    pub bind: SocketAddr,
    /// The public URL of this server, without a trailing slash.
    pub base_url: String,
    /// Whether the header `Strict-Transport-Security` tells browsers to use only https.
    pub hsts: bool,
    /// The certificate and its key, if the server itself serves HTTPS.
    pub tls: Option<TlsFiles>,
    /// The proxies whose forwarding headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The hosts that the reference may show as its own address, besides the host of the base URL.
    pub docs_hosts: Vec<String>,
    pub database: DatabaseLocation,
    /// Maximum number of connections to PostgreSQL.
    pub database_connections: usize,
    /// The standby that serves histories, lists and pages, if there is one.
    pub standby: Option<StandbySettings>,
    /// How long a server that starts retries while it cannot reach the database or Redis.
    pub wait: Duration,
    /// The Redis that instances share for rate limits.
    pub redis_url: Option<String>,
    /// A PEM file of the certificate authorities that are trusted for Redis. Without it, the system's
    /// authorities are trusted.
    pub redis_ca_file: Option<PathBuf>,
    /// The page on which organizations change their plan.
    pub upgrade_url: String,
    /// Contact for members who need help. Empty if none is set.
    pub support_contact: String,
    /// The address and port that metrics are served on.
    pub metrics_bind: SocketAddr,
    /// Whether the operator did not choose that address.
    pub metrics_bind_is_default: bool,
    /// The filter that decides which log lines are written.
    pub log: LogFilter,
    pub log_format: LogFormat,
    /// The number of HTTP worker threads.
    pub workers: usize,
    /// The maximum number of connections that one client address may hold.
    pub connections_per_address: PerAddress,
    /// The time after which a connection is closed if its client does not read the answer.
    pub answer_timeout: Duration,
    /// Whether other processes of the same user may read the memory of this one.
    pub allow_debugger: bool,
    pub files: FileSettings,
    /// The settings of the channels.
    pub channel: ChannelSettings,
}

const ADDRESS: &str = "an address and a port, such as 127.0.0.1:8080";

/// All errors of a configuration, one line each.
#[derive(Debug, thiserror::Error)]
#[error("the configuration has errors:\n{}", .0.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Settings {
    /// Validates the effective values. Returns all errors, not only the first.
    pub fn read(effective: &Effective) -> Result<Self, ConfigError> {
        let mut reader = SettingsReader { effective, wrong: Vec::new() };
        let proxy = proxy::read(&mut reader).unwrap_or_default();
        let files = files::read(&mut reader, &proxy);
        let (bind, base_url) = reader.addresses();
        let channel = channel::read(&mut reader, proxy, base_url.as_deref());
        let tls = tls::read(&mut reader, base_url.as_deref());
        let made = Self::with(&mut reader, bind, base_url, tls, files, channel);
        let wrong = reader.wrong;
        made.filter(|_| wrong.is_empty()).ok_or(ConfigError(wrong))
    }

    /// Returns the folder for temporary files. With SQLite that is the folder of the database,
    /// because it may be the only writable one. Otherwise it is the system's folder.
    #[must_use]
    pub fn temporary_folder(&self) -> PathBuf {
        let DatabaseLocation::Sqlite(file) = &self.database else { return std::env::temp_dir() };
        Path::new(file).parent().map(Path::to_owned).unwrap_or_default()
    }

    fn with(
        reader: &mut SettingsReader<'_>,
        bind: Option<SocketAddr>,
        base_url: Option<String>,
        tls: Option<TlsFiles>,
        files: Option<FileSettings>,
        channel: Option<ChannelSettings>,
    ) -> Option<Self> {
        let hsts = reader.flag("hsts");
        let trusted_proxies = reader.networks("trusted_proxies");
        let docs_hosts = reader.docs_hosts();
        let database = reader.read(
            "database_url",
            "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
            |text| DatabaseLocation::parse(text).ok(),
        );
        let database_connections =
            reader.read("database_connections", "a number from 2 to 500", |text| {
                parse_bounded(text, 2, 500)
            });
        let standby = reader.standby(database.as_ref());
        let wait = reader.wait();
        let (redis_url, redis_ca_file) = reader.redis();
        let own_page = base_url.as_ref().map(|url| format!("{url}/plan")).unwrap_or_default();
        let upgrade_url =
            reader.read("upgrade_url", "an http or https address, or nothing", |text| match text {
                "" => Some(own_page),
                text => WebAddress::parse(text).ok().map(|url| url.as_str().to_owned()),
            });
        let one_line = "a line of at most 200 characters";
        let support_contact = reader.read("support_contact", one_line, |text| {
            let text = text.trim();
            let fits = text.chars().count() <= 200 && !text.chars().any(char::is_control);
            fits.then(|| text.to_owned())
        });
        let metrics_bind = reader.read("metrics_bind", ADDRESS, |text| text.parse().ok());
        let levels = "one of error, warn, info, debug, trace and off, or target=level pairs separated by \
                      commas, such as info,delivery=debug";
        let log = reader.read("log", levels, LogFilter::parse);
        let log_format = reader.read("log_format", "text or json", LogFormat::parse);
        let workers =
            reader.read("workers", "a number from 1 to 256, or auto", |text| match text {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "two workers are a reasonable default if the number of cores is unknown"
                )]
                "auto" => Some(std::thread::available_parallelism().map_or(2, usize::from)),
                text => parse_bounded(text, 1, 256),
            });
        let (connections_per_address, answer_timeout) = reader.clients();
        Some(Self {
            bind: bind?,
            base_url: base_url?,
            hsts: hsts?,
            tls,
            trusted_proxies: trusted_proxies?,
            docs_hosts: docs_hosts?,
            database: database?,
            database_connections: database_connections?,
            standby,
            wait: wait?,
            redis_url,
            redis_ca_file,
            upgrade_url: upgrade_url?,
            support_contact: support_contact?,
            metrics_bind: metrics_bind?,
            metrics_bind_is_default: reader.effective.value("metrics_bind").1
                == SettingOrigin::Default,
            log: log?,
            log_format: log_format?,
            workers: workers?,
            connections_per_address: connections_per_address?,
            answer_timeout: answer_timeout?,
            allow_debugger: reader.flag("allow_debugger")?,
            files: files?,
            channel: channel?,
        })
    }
}

impl LogFormat {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

struct SettingsReader<'a> {
    effective: &'a Effective,
    wrong: Vec<String>,
}

impl SettingsReader<'_> {
    /// Reads the address to serve HTTP on, and the base URL.
    fn addresses(&mut self) -> (Option<SocketAddr>, Option<String>) {
        let bind = self.read("bind", ADDRESS, |text| text.parse().ok());
        let base_url = self.read("base_url", base_url::EXPECTED, base_url::parse);
        (bind, base_url.map(|url| self.base_url(url, bind)))
    }

    /// Returns the base URL. If it is not set, it is `localhost` with the port of `bind`, and its
    /// scheme depends on whether the server serves HTTPS.
    fn base_url(&self, url: String, bind: Option<SocketAddr>) -> String {
        let said = self.effective.value("base_url").1 != SettingOrigin::Default;
        let port = bind.map(|bind| bind.port()).filter(|port| *port != 0 && !said);
        let scheme = if self.effective.value("tls_cert").0.is_empty() { "http" } else { "https" };
        match port {
            Some(port) => format!("{scheme}://localhost:{port}"),
            None if said => url,
            None => url.replace("http://", &format!("{scheme}://")),
        }
    }

    /// Reads the standby of a PostgreSQL database.
    fn standby(&mut self, database: Option<&DatabaseLocation>) -> Option<StandbySettings> {
        let wanted = "postgres://USER:PASSWORD@HOST/DATABASE of a standby, or nothing";
        let url = self.read("database_url_read", wanted, |text| match text {
            "" => Some(None),
            text => match DatabaseLocation::parse(text) {
                Ok(DatabaseLocation::Postgres(url)) => Some(Some(url)),
                _ => None,
            },
        });
        let connections =
            self.read("database_connections_read", "a number from 2 to 500", |text| {
                parse_bounded(text, 2, 500)
            });
        let url = url.flatten()?;
        if matches!(database, Some(DatabaseLocation::Sqlite(_))) {
            let message = "database_url_read requires a PostgreSQL database in database_url; a SQLite file has no standby";
            self.wrong.push(message.to_owned());
        }
        Some(StandbySettings { url, connections: connections? })
    }

    /// Reads the URL of Redis and the file of the certificate authorities that are trusted for it.
    /// The file is allowed only with a `rediss://` URL, which uses TLS.
    fn redis(&mut self) -> (Option<String>, Option<PathBuf>) {
        let wanted = "redis://HOST:PORT, rediss://HOST:PORT with TLS, or nothing";
        let url = self.read("redis_url", wanted, |text| match text {
            "" => Some(None),
            text => {
                let is_url = text.starts_with("redis://") || text.starts_with("rediss://");
                is_url.then(|| Some(text.to_owned()))
            }
        });
        let file = self.optional("redis_ca_file").map(PathBuf::from);
        if file.is_some() && !self.effective.value("redis_url").0.starts_with("rediss://") {
            let message = "redis_ca_file is for a redis_url that begins with rediss://";
            self.wrong.push(message.to_owned());
        }
        (url.flatten(), file)
    }

    /// Reads a number of seconds, at most a day.
    fn wait(&mut self) -> Option<Duration> {
        self.read("wait", "a number of seconds up to 86400", |text| {
            let seconds = text.parse::<u64>().ok().filter(|seconds| *seconds <= 86_400);
            seconds.map(Duration::from_secs)
        })
    }

    /// Reads the maximum number of connections per client address, and the time within which a
    /// client must accept an answer.
    fn clients(&mut self) -> (Option<PerAddress>, Option<Duration>) {
        let wanted = "a number from 1 to 1000000, or auto";
        let connections = self.read("connections_per_address", wanted, |text| match text {
            "auto" => Some(PerAddress::Auto),
            text => parse_bounded(text, 1, 1_000_000).map(PerAddress::AtMost),
        });
        let seconds = self.read("answer_timeout", "a number of seconds from 1 to 3600", |text| {
            Some(Duration::from_secs(u64::try_from(parse_bounded(text, 1, 3600)?).ok()?))
        });
        (connections, seconds)
    }

    /// Reads a list of hosts, written as in the `Host` header.
    fn docs_hosts(&mut self) -> Option<Vec<String>> {
        let wanted = "hosts separated by commas, such as api.example.com,localhost:8080";
        self.read("docs_hosts", wanted, |text| {
            let hosts = text.split(',').map(str::trim).filter(|host| !host.is_empty());
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
            hosts.map(|host| host.bytes().all(fits).then(|| host.to_owned())).collect()
        })
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        self.read(name, "true or false", |text| text.parse().ok())
    }

    /// Reads a text that may be empty.
    fn optional(&mut self, name: &str) -> Option<String> {
        let (text, _) = self.effective.value(name);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Reads a list of networks that may be empty.
    fn networks(&mut self, name: &str) -> Option<Vec<IpNet>> {
        self.read(
            name,
            "networks or addresses separated by commas, such as 10.0.0.0/8,fd00::/8",
            |text| {
                let networks = text.split(',').map(str::trim).filter(|text| !text.is_empty());
                networks.map(network).collect()
            },
        )
    }

    fn read<T>(
        &mut self,
        name: &str,
        wanted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let (text, origin) = self.effective.value(name);
        let parsed = parse(text);
        if parsed.is_none() {
            let shown = if table::is_secret(name) { "…" } else { text };
            self.wrong.push(format!("{name} = {shown:?} ({origin}) is not {wanted}"));
        }
        parsed
    }
}

/// Parses a network or a single address. An IPv4 network in IPv6 notation is converted to IPv4.
fn network(text: &str) -> Option<IpNet> {
    let network: IpNet = match text.parse() {
        Ok(network) => network,
        Err(_) => text.parse::<IpAddr>().ok()?.into(),
    };
    let mapped = match network {
        IpNet::V6(it) => it.addr().to_ipv4_mapped().zip(it.prefix_len().checked_sub(96)),
        IpNet::V4(_) => None,
    };
    match mapped {
        Some((address, prefix)) => IpNet::new(address.into(), prefix).ok(),
        None => Some(network),
    }
}

fn parse_bounded(text: &str, least: usize, most: usize) -> Option<usize> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}
