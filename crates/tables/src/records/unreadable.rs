//! Rows that this version cannot read.
use super::{Application, Connection, Consent, Endpoint, Key, LaggingFeed};
use domain::application::RedirectUri;
use domain::connection::ClosedPeriods;
use domain::event::ConnectionSnapshot;
use domain::scope::ScopeSet;
use domain::webhook::{ConnectionAccess, Selection};
use std::error::Error;
use std::fmt::Display;

/// A row that this version cannot read, because a later version or a person wrote it.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRow {
    #[error("the {what} of {of} cannot be read: {why}")]
    Part {
        /// The part of the row.
        what: &'static str,
        /// The id of the row.
        of: String,
        why: Box<dyn Error + Send + Sync>,
    },
    /// A column of one of the queried rows.
    #[error("a row cannot be read: {0}")]
    Column(Box<dyn Error + Send + Sync>),
}

impl UnreadableRow {
    /// Creates the error for a part of the row with the id `of`.
    pub fn new(
        what: &'static str,
        of: &impl Display,
        why: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Part { what, of: of.to_string(), why: why.into() }
    }
}

fn scopes(of: &impl Display, stored: &str) -> Result<ScopeSet, UnreadableRow> {
    ScopeSet::stored(stored).map_err(|why| UnreadableRow::new("scopes", of, why))
}

impl Key {
    /// Returns the scopes that the key grants.
    pub fn granted_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&self.id, &self.scopes)
    }
}

impl Application {
    /// Returns the scopes that the application may ask for.
    pub fn registered_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&self.id, &self.scopes)
    }

    /// Returns the registered redirect URIs.
    pub fn registered_redirect_uris(&self) -> Result<Vec<RedirectUri>, UnreadableRow> {
        let wrong =
            |why: Box<dyn Error + Send + Sync>| UnreadableRow::new("redirect URIs", &self.id, why);
        let texts: Vec<String> =
            serde_json::from_str(&self.redirect_uris.0).map_err(|why| wrong(why.into()))?;
        let read = |text: &String| RedirectUri::parse(text).map_err(|why| wrong(why.into()));
        texts.iter().map(read).collect()
    }
}

impl Connection {
    /// Returns the connection as events show it, with the client id of its key.
    #[must_use]
    pub fn snapshot(&self, client_id: &str, application: &Application) -> ConnectionSnapshot {
        ConnectionSnapshot {
            id: self.id,
            application: application.client_id.clone(),
            application_name: application.name.clone(),
            client_id: client_id.to_owned(),
            account: self.account_id,
            scopes: self.scopes.split_whitespace().map(str::to_owned).collect(),
            connected_at: self.connected_at,
            ended_at: self.ended_at,
            ending: self.ending,
        }
    }
}

impl Consent {
    /// Returns the requested scopes; none if the request is faulty.
    pub fn asked_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        self.scopes.as_deref().map_or(Ok(ScopeSet::default()), |stored| scopes(&self.id, stored))
    }
}

fn selection(of: &impl Display, stored: &str) -> Result<Selection, UnreadableRow> {
    Selection::stored(stored).map_err(|why| UnreadableRow::new("events", of, why))
}

impl Endpoint {
    /// Returns the events that the endpoint receives.
    pub fn selection(&self) -> Result<Selection, UnreadableRow> {
        selection(&self.id, &self.events)
    }
}

impl LaggingFeed {
    /// Returns the events that the feed's endpoint receives.
    pub fn selection(&self) -> Result<Selection, UnreadableRow> {
        selection(&self.feed.endpoint_id, &self.events)
    }

    /// Returns what the connection may see, if the endpoint receives events through a connection.
    pub fn connection_access(&self) -> Result<Option<ConnectionAccess>, UnreadableRow> {
        let connected = self.feed.connection_id.zip(self.connection.as_ref());
        let access = connected.map(|(id, (account, stored))| {
            let scopes = scopes(&id, stored)?;
            let ends_at = self.connection_ends_at;
            let closed = ClosedPeriods::stored(self.connection_closed.as_deref().unwrap_or(""))
                .map_err(|why| UnreadableRow::new("closed periods", &id, why))?;
            Ok(ConnectionAccess { connection: id, account: *account, scopes, ends_at, closed })
        });
        access.transpose()
    }
}
