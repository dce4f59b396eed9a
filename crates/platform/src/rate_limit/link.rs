//! A connection to Redis behind a circuit breaker. A call waits for an answer at most until its
//! deadline. After several failures calls are refused at once, until Redis answers again.

use super::script::probe;
use crate::outbound::provide_cryptography;
use parking_lot::{Mutex, MutexGuard};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, TlsCertificates};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

/// The time limit of a call, including a new connection and a second attempt.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(250);
/// Number of consecutive failures after which calls are refused without asking Redis.
const MAX_FAILURES: u32 = 3;
/// Interval at which Redis is tested while calls are refused.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// Time limit for opening a connection in such a test.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeouts of the Redis client. They are longer than the time limits above, so that those apply
/// first.
const GIVE_UP_AFTER: Duration = Duration::from_secs(4);

/// The reason why Redis gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Redis has not answered for a while, and is tested in the background.
    #[error("Redis is unavailable")]
    Open,
    /// The deadline has passed.
    #[error("Redis did not answer within {} ms", ANSWER_TIMEOUT.as_millis())]
    Late,
    /// The answer is not valid.
    #[error("Redis answered with an invalid time")]
    Unreadable,
    /// Redis refused, or could not be reached.
    #[error(transparent)]
    Redis(#[from] RedisError),
}

/// A connection that is opened again whenever it is lost.
pub struct RedisLink {
    client: Client,
    /// The runtime that drives connections. Otherwise the HTTP worker that first noticed a lost
    /// connection would drive the new one.
    runtime: Handle,
    state: Mutex<RedisLinkState>,
    /// Locked while connecting, so that several calls that notice a lost connection open only one
    /// new connection.
    connecting: tokio::sync::Mutex<()>,
}

struct RedisLinkState {
    /// The connection with its number. `None` while the circuit breaker is open.
    connection: Option<(u64, MultiplexedConnection)>,
    made: u64,
    failures: u32,
}

impl RedisLink {
    /// Connects to `url`. New connections after a loss use the same credentials.
    pub async fn open(url: &str, authorities: Option<Vec<u8>>) -> Result<Arc<Self>, RedisError> {
        provide_cryptography();
        let client = match authorities {
            Some(_) => {
                let trusted = TlsCertificates { client_tls: None, root_cert: authorities };
                Client::build_with_tls(url, trusted)?
            }
            None => Client::open(url)?,
        };
        let state = RedisLinkState { connection: None, made: 0, failures: 0 };
        let link = Arc::new(Self {
            client,
            runtime: Handle::current(),
            state: Mutex::new(state),
            connecting: tokio::sync::Mutex::default(),
        });
        link.connect().await?;
        Ok(link)
    }

    /// Tests Redis on a new connection, regardless of the breaker.
    pub async fn probe(&self) -> Result<(), RedisError> {
        probe(self.connection().await?).await
    }

    /// Sends a query and waits for the answer within the time limit. If the connection turns out to
    /// be closed, it is replaced and the query is sent again.
    pub async fn query<T>(
        self: &Arc<Self>,
        question: impl AsyncFn(MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Result<T, LinkError> {
        let Some((number, connection)) = self.state().connection.clone() else {
            return Err(LinkError::Open);
        };
        let outcome = async {
            match question(connection).await {
                Err(error) if error.is_connection_dropped() => {
                    question(self.reconnect(number).await?).await
                }
                answer => answer,
            }
        };
        let answer = match timeout(ANSWER_TIMEOUT, outcome).await {
            Ok(answer) => answer.map_err(LinkError::from),
            Err(_) => Err(LinkError::Late),
        };
        match &answer {
            Ok(_) => self.state().failures = 0,
            Err(error) => self.failed(number, error),
        }
        answer
    }

    /// Returns the connection that replaced `lost`, or opens a new one.
    async fn reconnect(self: &Arc<Self>, lost: u64) -> Result<MultiplexedConnection, RedisError> {
        let link = self.clone();
        let made = self.runtime.spawn(async move {
            let _turn = link.connecting.lock().await;
            let current = link.state().connection.clone();
            match current {
                Some((number, connection)) if number != lost => Ok(connection),
                _ => link.connect().await,
            }
        });
        made.await.unwrap_or_else(|_| Err(RedisError::from(std::io::Error::other("stopped"))))
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        let connection = self.connection().await?;
        self.install(connection.clone());
        Ok(connection)
    }

    /// Opens a new connection and logs in.
    async fn connection(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(GIVE_UP_AFTER))
            .set_response_timeout(Some(GIVE_UP_AFTER));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    fn install(&self, connection: MultiplexedConnection) {
        let mut state = self.state();
        state.made += 1;
        state.connection = Some((state.made, connection));
    }

    /// Counts a failure. After `MAX_FAILURES` consecutive failures the breaker opens.
    fn failed(self: &Arc<Self>, number: u64, error: &LinkError) {
        let mut state = self.state();
        state.failures += 1;
        // A failure on an earlier connection, or from before the breaker opened, is ignored.
        let current = state.connection.as_ref().is_some_and(|(current, _)| *current == number);
        if !current || state.failures < MAX_FAILURES {
            return;
        }
        state.connection = None;
        tracing::error!(%error, "Redis does not answer: calls of limited keys are refused until it does");
        self.runtime.spawn(probe_until_answered(Arc::downgrade(self)));
    }

    fn state(&self) -> MutexGuard<'_, RedisLinkState> {
        self.state.lock()
    }
}

/// Reconnects and sends test queries until one is answered. Then the breaker closes.
async fn probe_until_answered(link: Weak<RedisLink>) {
    while let Some(link) = link.upgrade() {
        let tried = async {
            let connection = link.connection().await?;
            probe(connection.clone()).await?;
            Ok::<_, RedisError>(connection)
        };
        match timeout(CONNECT_TIMEOUT, tried).await {
            Ok(Ok(connection)) => {
                link.state().failures = 0;
                link.install(connection);
                tracing::info!("Redis answers again");
                return;
            }
            Ok(Err(error)) => tracing::debug!(%error, "Redis does not answer yet"),
            Err(_) => tracing::debug!("Redis does not answer yet"),
        }
        drop(link);
        sleep(PROBE_INTERVAL).await;
    }
}
