//! The list of all settings: names, defaults and descriptions.

/// A setting. It has three spellings: `bind` in the file is `SWITCHBOARD_BIND` in the environment
/// and `--bind` as a flag.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name in `switchboard.toml`.
    pub name: &'static str,
    pub default: &'static str,
    /// The description, in one sentence.
    pub about: &'static str,
    /// Whether the value may contain a secret.
    pub secret: bool,
}

impl Setting {
    /// Returns the allowed values, if they are a fixed list.
    #[must_use]
    pub fn values(&self) -> &'static [&'static str] {
        match (self.name, self.default) {
            ("log_format", _) => &["text", "json"],
            (_, "true" | "false") => &["true", "false"],
            _ => &[],
        }
    }
}

const fn open(name: &'static str, default: &'static str, about: &'static str) -> Setting {
    Setting { name, default, about, secret: false }
}

const fn secret(name: &'static str, default: &'static str, about: &'static str) -> Setting {
    Setting { name, default, about, secret: true }
}

pub const SETTINGS: &[Setting] = &[
    open("bind", "127.0.0.1:8080", "The address and port that HTTP is served on."),
    open("base_url", "http://localhost:8080", "The public URL of this server."),
    open(
        "hsts",
        "true",
        "Whether responses tell browsers to use https only, for a year. Has no effect unless the base URL is https.",
    ),
    open(
        "tls_cert",
        "",
        "With tls_key, serve HTTPS: a PEM file of the certificate with its chain, read again when it changes. Without it, HTTP is served, for a proxy in front.",
    ),
    open("tls_key", "", "The PEM file of that certificate's private key."),
    open(
        "trusted_proxies",
        "",
        "Networks or addresses of the proxies in front of this server, separated by commas. Only their X-Forwarded-For or Forwarded header is trusted.",
    ),
    open(
        "docs_hosts",
        "",
        "Hosts, besides the base URL's, that the reference may show as its own address, as HOST or HOST:PORT, separated by commas.",
    ),
    secret(
        "database_url",
        "sqlite:data/switchboard.db",
        "sqlite:PATH for one server, postgres://… for several that share it.",
    ),
    open(
        "database_connections",
        "16",
        "Maximum number of connections to PostgreSQL; not used with SQLite.",
    ),
    secret(
        "database_url_read",
        "",
        "A standby of the PostgreSQL in database_url that serves histories, lists and pages, as postgres://…; without it the primary serves them.",
    ),
    open("database_connections_read", "16", "Maximum number of connections to that standby."),
    open(
        "wait",
        "0",
        "For how many seconds a starting server retries while PostgreSQL or Redis cannot be reached.",
    ),
    open(
        "upgrade_url",
        "",
        "Where an organization changes its plan: billing errors link to it. Default: /plan under the base URL.",
    ),
    open(
        "support_contact",
        "",
        "Whom members ask about their plan, a forgotten password or an error: an email address, a URL or a line of text that the pages show.",
    ),
    open(
        "metrics_bind",
        "127.0.0.1:9464",
        "The address and port that Prometheus' metrics are served on.",
    ),
    open(
        "media_url",
        "file:data/media",
        "Where uploads are kept: file:FOLDER, or s3://BUCKET/PREFIX where several servers share them.",
    ),
    open("media_s3_region", "us-east-1", "The region of an s3:// bucket."),
    open("media_s3_endpoint", "", "The address of an S3-compatible service; without it, Amazon's."),
    open("media_s3_access_key_id", "", "The access key id for an s3:// bucket."),
    secret("media_s3_secret_access_key", "", "The secret of that access key."),
    open(
        "media_s3_metadata_url",
        "http://169.254.169.254",
        "The address at which Amazon's machines get the credentials of their role, which are used if no key is set.",
    ),
    secret(
        "redis_url",
        "",
        "The Redis that several instances share for rate limits, as redis://… or, with TLS, rediss://…; without it, each instance counts for itself.",
    ),
    open(
        "redis_ca_file",
        "",
        "A PEM file of the authorities that the certificate of a rediss:// server may be from; without it, the machine's own.",
    ),
    secret(
        "proxy",
        "environment",
        "The proxy for requests to Meta's and Twilio's APIs and to an s3:// bucket: environment for that of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, which is not used for addresses of this machine and of private networks; none; or the address of a proxy, which is used for all of them. Webhook deliveries never use a proxy.",
    ),
    open("graph_url", "https://graph.facebook.com", "Meta's Graph API."),
    open("graph_version", "v23.0", "The version of Meta's Graph API."),
    secret(
        "graph_app_secret",
        "",
        "The secret of your app at Meta, which signs callbacks; without it they are rejected.",
    ),
    secret(
        "graph_verify_token",
        "",
        "The verify token for setting up the callback URL at Meta; without it the setup is refused.",
    ),
    open("graph_timeout", "10", "Timeout of a request to Meta's or Twilio's API, in seconds."),
    open(
        "twilio_account_sid",
        "",
        "Your account SID at Twilio, for numbers at Twilio; callbacks arrive at {base_url}/channel/twilio/webhook.",
    ),
    secret(
        "twilio_auth_token",
        "",
        "The auth token of that account, which also signs callbacks; without it they are rejected.",
    ),
    open("twilio_url", "https://api.twilio.com", "Twilio's API for messages."),
    open("twilio_content_url", "https://content.twilio.com", "Twilio's API for templates."),
    secret(
        "encryption_key",
        "file:data/encryption.key",
        "The key that encrypts tokens in the database: 32 bytes in base64, or file:PATH, which is created if it is missing. Servers that share a database share the key.",
    ),
    open(
        "webhook_allow",
        "",
        "Networks or addresses, separated by commas, that may be reached besides public ones when somebody else supplies the URL, such as that of a webhook endpoint.",
    ),
    open(
        "agent_allow",
        "",
        "Networks or addresses, separated by commas, that may be reached besides public ones when a member enters the address of a model's server for an AI agent, such as 127.0.0.1 for Ollama on the same machine.",
    ),
    open(
        "agent_timeout",
        "60",
        "Time in which an AI agent has to answer when it is asked, in seconds, at most 60.",
    ),
    open("webhook_timeout", "15", "Timeout of a webhook delivery, in seconds."),
    open(
        "log",
        "info",
        "What is logged: off, error, warn, info, debug, trace, or target=level pairs, separated by commas.",
    ),
    open("log_format", "text", "The format of the log: text or json."),
    open(
        "connections_per_address",
        "auto",
        "Maximum number of connections per client address, except proxies in trusted_proxies; auto is a quarter of the files that the process may open, 4096 at most.",
    ),
    open(
        "answer_timeout",
        "30",
        "Seconds after which a connection is closed if its client reads nothing.",
    ),
    open(
        "allow_debugger",
        "false",
        "Whether debuggers and profilers of the same user may read this process's memory and environment, and a crash may leave a core file.",
    ),
    open("workers", "auto", "Number of HTTP worker threads; auto is one per core."),
];

/// Returns the setting with this name.
#[must_use]
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Whether the value of `name` may contain a secret. An unknown name counts as secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    setting(name).is_none_or(|setting| setting.secret)
}
