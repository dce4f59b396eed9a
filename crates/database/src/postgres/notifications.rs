//! Notifications between instances: one instance tells another that it has accepted messages for an
//! organization that the other has claimed. Notifications may be lost, because each instance also
//! looks for work at intervals.
use super::Conn;
use super::config::Config;
use super::connect::{in_time, refused};
use super::dial::{Dialed, dial};
use super::pool_mode::PoolMode;
use crate::{Error, Result};
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl as _;
use futures_util::FutureExt as _;
use std::convert::Infallible;
use std::future::poll_fn;
use std::time::Duration;
use tokio_postgres::{AsyncMessage, Client};
use uuid::Uuid;

const LISTEN: &str = "LISTEN organization_work";
/// The interval at which the connection is checked. A server that hangs keeps its connections open
/// and sends nothing.
const ASK_EVERY: Duration = Duration::from_secs(5);
const NOTIFY: &str =
    "SELECT count(pg_notify('organization_work', due.id)) FROM unnest($1) AS due (id)";

/// Notifies all listening instances that work is due for organizations.
pub async fn notify(conn: &mut Conn, organizations: &[Uuid]) -> Result<()> {
    let organizations: Vec<_> = organizations.iter().map(Uuid::to_string).collect();
    let notify = diesel::sql_query(NOTIFY).bind::<Array<Text>, _>(organizations);
    notify.execute(conn).await?;
    Ok(())
}

/// Listens for notifications until the connection ends.
///
/// # Errors
///
/// Always ends with an error: [`Error::Unsupported`] through a pooler in transaction mode.
pub async fn listen_for_work(
    config: &Config,
    lending: PoolMode,
    heard: &(dyn Fn(Uuid) + Sync),
) -> Result<()> {
    if lending == PoolMode::Transaction {
        return Err(Error::Unsupported(
            "a pooler in transaction mode does not pass on notifications".to_owned(),
        ));
    }
    let dialed = in_time(async { Ok(dial(config).await?) });
    let Dialed { client, mut connection, .. } = dialed.await?;
    let mut listening = std::pin::pin!(listen(&client).fuse());
    loop {
        let message = tokio::select! {
            ended = &mut listening => match ended? {},
            message = poll_fn(|context| connection.poll_message(context)) => message,
        };
        let lost = || Error::Connect("the connection ended".to_owned());
        if let AsyncMessage::Notification(notification) =
            message.ok_or_else(lost)?.map_err(|error| refused(&error))?
            && let Ok(id) = Uuid::parse_str(notification.payload())
        {
            heard(id);
        }
    }
}

/// Listens as long as the server answers. `LISTEN` is repeated to check this, which has no other
/// effect.
async fn listen(client: &Client) -> Result<Infallible> {
    loop {
        in_time(async { client.batch_execute(LISTEN).await.map_err(|error| refused(&error)) })
            .await?;
        tokio::time::sleep(ASK_EVERY).await;
    }
}
