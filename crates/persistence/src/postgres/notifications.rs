//! Notifications among the servers that share a database: one has accepted messages for an organization that another one has
//! claimed. They may be lost: that one also looks by itself, though later.
use super::Db;
use super::connect::{in_time, refused};
use super::dial::dial;
use super::lending::PoolMode;
use crate::types::{Col, Uid};
use crate::{Error, Result};
use diesel::sql_types::Array;
use diesel_async::RunQueryDsl as _;
use domain::id::OrganizationId;
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
    "SELECT count(pg_notify('organization_work', due.id::text)) FROM unnest($1) AS due (id)";

impl Db {
    /// Notifies all servers that listen that something is due for organizations.
    pub(crate) async fn notify_work(&self, organizations: Vec<OrganizationId>) -> Result<()> {
        let organizations: Vec<_> = organizations.into_iter().map(Col).collect();
        self.write(move |conn| {
            async move {
                let notify = diesel::sql_query(NOTIFY).bind::<Array<Uid>, _>(organizations);
                notify.execute(conn).await?;
                Ok(())
            }
            .boxed()
        })
        .await
    }

    /// Listens for notifications, until the connection ends.
    ///
    /// # Errors
    ///
    /// Always ends with one; [`Error::Unsupported`] through a pooler that lends connections for a transaction at a time.
    pub(crate) async fn listen_for_work(
        &self,
        heard: &(dyn Fn(OrganizationId) + Sync),
    ) -> Result<()> {
        if self.lending == PoolMode::Transaction {
            return Err(Error::Unsupported("the pooler passes no notifications on".to_owned()));
        }
        let (client, mut connection) =
            in_time(async { dial(&self.config).await.map_err(|error| refused(&error)) }).await?;
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
                heard(OrganizationId::from_uuid(id));
            }
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
