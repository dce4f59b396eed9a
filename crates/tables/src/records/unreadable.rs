//! Rows that hold what this version cannot read.
use super::{Application, Connection, Consent, Endpoint, Key, LaggingFeed};
use domain::application::RedirectUri;
use domain::event::ConnectionSnapshot;
use domain::scope::ScopeSet;
use domain::webhook::{ConnectionAccess, Selection};
use std::error::Error;
use std::fmt::Display;

/// A row that holds what this version cannot read: a later version wrote it, or somebody by hand.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRow {
    /// A part of one row.
    #[error("the {what} of {of} cannot be read: {why}")]
    Part {
        /// Which part.
        what: &'static str,
        /// Of what.
        of: String,
        /// Why not.
        why: Box<dyn Error + Send + Sync>,
    },
    /// A column of one of the rows that were asked for.
    #[error("a row cannot be read: {0}")]
    Column(Box<dyn Error + Send + Sync>),
}

impl UnreadableRow {
    /// A part of a row.
    pub fn of(
        what: &'static str,
        of: &impl Display,
        why: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Part { what, of: of.to_string(), why: why.into() }
    }
}

fn scopes(of: &impl Display, stored: &str) -> Result<ScopeSet, UnreadableRow> {
    ScopeSet::stored(stored).map_err(|why| UnreadableRow::of("scopes", of, why))
}

impl Key {
    /// What it may do.
    pub fn granted_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&self.id, &self.scopes)
    }
}

impl Application {
    /// What it may ask for.
    pub fn registered_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&self.id, &self.scopes)
    }

    /// Where members may be sent back to.
    pub fn registered_redirect_uris(&self) -> Result<Vec<RedirectUri>, UnreadableRow> {
        let wrong =
            |why: Box<dyn Error + Send + Sync>| UnreadableRow::of("redirect URLs", &self.id, why);
        let texts: Vec<String> =
            serde_json::from_str(&self.redirect_uris.0).map_err(|why| wrong(why.into()))?;
        let read = |text: &String| RedirectUri::parse(text).map_err(|why| wrong(why.into()));
        texts.iter().map(read).collect()
    }
}

impl Connection {
    /// Its part of an event, with the client id of its key.
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
    /// What is asked; nothing of a request that is faulty.
    pub fn asked_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        self.scopes.as_deref().map_or(Ok(ScopeSet::default()), |stored| scopes(&self.id, stored))
    }
}

fn selection(of: &impl Display, stored: &str) -> Result<Selection, UnreadableRow> {
    Selection::stored(stored).map_err(|why| UnreadableRow::of("events", of, why))
}

impl Endpoint {
    /// The events that it wants.
    pub fn selection(&self) -> Result<Selection, UnreadableRow> {
        selection(&self.id, &self.events)
    }
}

impl LaggingFeed {
    /// The events that its endpoint wants.
    pub fn selection(&self) -> Result<Selection, UnreadableRow> {
        selection(&self.feed.endpoint_id, &self.events)
    }

    /// What the connection may be told of, where its endpoint is told through one.
    pub fn connection_access(&self) -> Result<Option<ConnectionAccess>, UnreadableRow> {
        let connected = self.feed.connection_id.zip(self.connection.as_ref());
        let access = connected.map(|(id, (account, stored))| {
            let scopes = scopes(&id, stored)?;
            Ok(ConnectionAccess { connection: id, account: *account, scopes })
        });
        access.transpose()
    }
}
