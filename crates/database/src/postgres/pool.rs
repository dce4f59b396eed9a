//! Pools of connections to PostgreSQL.
use super::config::Config;
use super::pool_mode::PoolMode;
use super::{Conn, connect};
use crate::{Error, Result};
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod,
};
use futures_util::FutureExt as _;
use tokio::runtime::Handle;

/// Creates a pool of at most `connections` connections. Each begins with the statements of
/// `session`.
///
/// # Errors
///
/// [`Error::Connect`] if the pool cannot be built.
pub fn pool(
    config: &Config,
    lending: PoolMode,
    connections: usize,
    runtime: &Handle,
    session: &'static str,
) -> Result<Pool<Conn>> {
    let mut manager = ManagerConfig::default();
    // The default runs `SELECT 1` before every use, which costs one more round trip per query.
    manager.recycling_method = RecyclingMethod::Fast;
    // A task drives each connection. It runs on `runtime`, not on the actix worker that first asked
    // for the connection.
    let (home, config) = (runtime.clone(), config.clone());
    manager.custom_setup = Box::new(move |_| {
        let (home, config) = (home.clone(), config.clone());
        async move {
            let made = home
                .spawn(async move { connect::establish_for_pool(&config, lending, session).await });
            let made = made.await.map_err(|error| error.to_string());
            made.and_then(|conn| conn.map_err(|error| error.to_string()))
                .map_err(diesel::ConnectionError::BadConnection)
        }
        .boxed()
    });
    // The URL is in `config`.
    Pool::builder(AsyncDieselConnectionManager::new_with_config("", manager))
        .max_size(connections)
        .build()
        .map_err(|error| Error::Connect(error.to_string()))
}
