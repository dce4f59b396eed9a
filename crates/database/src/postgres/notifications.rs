//! Notifications among the servers that share a database: one has accepted messages for an organization that another one has
//! claimed. They may be lost: that one also looks by itself, though later.
use super::Conn;
use super::config::Config;
use super::connect::{in_time, refused};
use super::dial::{Dialed, dial};
use super::lending::PoolMode;
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
/// How often it is asked whether the server is there: one that is frozen keeps its connections open and says nothing.
const ASK_EVERY: Duration = Duration::from_secs(5);
const NOTIFY: &str =
    "SELECT count(pg_notify('organization_work', due.id)) FROM unnest($1) AS due (id)";

/// Notifies all servers that listen that something is due for organizations.
pub async fn notify(conn: &mut Conn, organizations: &[Uuid]) -> Result<()> {
    let organizations: Vec<_> = organizations.iter().map(Uuid::to_string).collect();
    let notify = diesel::sql_query(NOTIFY).bind::<Array<Text>, _>(organizations);
    notify.execute(conn).await?;
    Ok(())
}

/// Listens for notifications, until the connection ends.
///
/// # Errors
///
/// Always ends with one; [`Error::Unsupported`] through a pooler that lends connections for a transaction at a time.
pub async fn listen_for_work(
    config: &Config,
    lending: PoolMode,
    heard: &(dyn Fn(Uuid) + Sync),
) -> Result<()> {
    if lending == PoolMode::Transaction {
        return Err(Error::Unsupported("the pooler passes no notifications on".to_owned()));
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

/// Listens, for as long as the server answers. Asked for again, it changes nothing.
async fn listen(client: &Client) -> Result<Infallible> {
    loop {
        in_time(async { client.batch_execute(LISTEN).await.map_err(|error| refused(&error)) })
            .await?;
        tokio::time::sleep(ASK_EVERY).await;
    }
}
