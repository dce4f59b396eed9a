//! Checks that the Redis or Valkey for rate limits supports everything that an API call needs.

use super::Finding;
use ::redis::{ErrorKind, RedisError, ServerErrorKind};
use config::{Settings, without_password};
use platform::error_chain::{chain, find};
use platform::rate_limit::RateLimiter;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;

const SUBJECT: &str = "SWITCHBOARD_REDIS_URL";
/// The time limit for connecting, logging in and answering together.
const WITHIN: Duration = Duration::from_millis(2_500);

const RUNNING: &str = "make sure that it runs and can be reached from here";

/// A reason why rate limits cannot be kept in a Redis.
#[derive(Debug, thiserror::Error)]
pub enum RedisFault {
    #[error("no answer within {} ms", WITHIN.as_millis())]
    Silent,
    #[error("the file of authorities {} cannot be read: {error}", .file.display())]
    Authorities { file: PathBuf, error: io::Error },
    #[error("{}", sentence(.0))]
    Redis(#[from] RedisError),
}

/// Opens the rate limit store and counts a call in it, which also loads the script. The key of that
/// call expires after a minute.
pub async fn open(settings: &Settings) -> Result<RateLimiter, RedisFault> {
    let authorities = match &settings.redis_ca_file {
        Some(file) => {
            let read = tokio::fs::read(file).await;
            Some(read.map_err(|error| RedisFault::Authorities { file: file.clone(), error })?)
        }
        None => None,
    };
    let opened = async {
        let rate_limiter = RateLimiter::open(settings.redis_url.as_deref(), authorities).await?;
        rate_limiter.probe().await?;
        Ok(rate_limiter)
    };
    timeout(WITHIN, opened).await.map_err(|_| RedisFault::Silent)?
}

/// Checks the configured Redis. Returns `None` if none is configured.
pub async fn check(settings: &Settings) -> Option<Finding> {
    let url = settings.redis_url.as_deref()?;
    let shown = without_password(url);
    Some(match open(settings).await {
        Ok(_) => Finding::ok(SUBJECT, format!("{shown} can keep rate limits")),
        Err(fault) if fault.is_temporary() => {
            let what = format!("{shown} cannot be used now: {fault}");
            Finding::warning(SUBJECT, what, fault.advice())
        }
        Err(fault) => {
            let what = format!("{shown} cannot be used: {fault}");
            Finding::failed(SUBJECT, what, fault.advice())
        }
    })
}

impl RedisFault {
    /// Whether the fault may end without a change of settings.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        let error = match self {
            Self::Silent => return true,
            Self::Authorities { .. } => return false,
            Self::Redis(error) => error,
        };
        match error.kind() {
            ErrorKind::Io => find::<rustls::Error>(error).is_none(),
            ErrorKind::Server(kind) => matches!(
                kind,
                ServerErrorKind::BusyLoading
                    | ServerErrorKind::TryAgain
                    | ServerErrorKind::ClusterDown
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::NotBusy
            ),
            // MISCONF and OOM: Redis refuses writes while its disk or memory is full.
            ErrorKind::Extension => matches!(error.code(), Some("MISCONF" | "OOM" | "BUSY")),
            _ => false,
        }
    }

    /// Returns what the operator can do about it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        let error = match self {
            Self::Silent => return RUNNING,
            Self::Authorities { .. } => {
                return "name a file in SWITCHBOARD_REDIS_CA_FILE that this server may read";
            }
            Self::Redis(error) => error,
        };
        match (error.kind(), error.code()) {
            _ if self.is_temporary() => RUNNING,
            (ErrorKind::Io, _) => {
                "make sure that the address is right, and name the file of its authority in SWITCHBOARD_REDIS_CA_FILE"
            }
            (ErrorKind::AuthenticationFailed, _) | (_, Some("NOAUTH" | "WRONGPASS")) => {
                "write the password into it, as redis://:PASSWORD@HOST:PORT or redis://USER:PASSWORD@HOST:PORT"
            }
            (ErrorKind::Server(ServerErrorKind::ReadOnly), _) => {
                "name the primary, because rate limits are written"
            }
            (_, Some("NOPERM")) => {
                "allow its user to run EVALSHA and SCRIPT LOAD on the keys switchboard:*"
            }
            (ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::CrossSlot), _) => {
                "name a Redis or Valkey that is not a cluster"
            }
            _ => "name a Redis or Valkey of version 6.2 or newer, as redis://HOST:PORT",
        }
    }
}

/// Describes the error. For a missing or wrong password, replaces the library's text, which says
/// too little.
fn sentence(error: &RedisError) -> String {
    match error.code() {
        Some("NOAUTH") => "it requires a password".to_owned(),
        Some("READONLY") => "it is a read-only replica".to_owned(),
        _ if error.kind() == ErrorKind::AuthenticationFailed => {
            "it refuses this user or password".to_owned()
        }
        _ => chain(error),
    }
}
