//! A filled database and the facts about it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use domain::id::{Id, Kind};
use serde_json::{Value, json};

use super::counts::{Counts, LONG};
use super::database::Database;
use super::shape::Shape;
use super::site::{Binary, Site};
use super::world::World;

/// The file in the server's folder that describes the contents.
const FILE: &str = "fill.json";

pub struct Filled {
    pub database: Database,
    pub folder: PathBuf,
    /// The ids and counts of the database's rows.
    pub world: World,
}

impl Filled {
    /// Writes the description of the contents into the server's folder.
    pub fn keep(&self) -> Result<()> {
        let (site, counts) = (&self.world.site, self.counts());
        let kept = json!({
            "database": self.database.url(),
            "now": self.world.shape.now,
            "plan": self.world.plan.to_string(),
            "organization": site.organization.to_string(),
            "sandbox": site.sandbox.to_string(),
            "meta": site.meta.to_string(),
            "hub": site.hub.to_string(),
            "partner": site.partner.to_string(),
            "email": site.email,
            "key": [site.key.0, site.key.1],
            "empty_key": [site.empty_key.0, site.empty_key.1],
            "application": [site.application.0, site.application.1],
            "counts": {
                "messages": counts.messages,
                "conversations": counts.conversations,
                "events": counts.events,
                "endpoints": counts.endpoints,
                "templates": counts.templates,
                "keys": counts.keys,
                "organizations": counts.organizations,
            },
        });
        let file = self.folder.join(FILE);
        fs::write(&file, format!("{kept:#}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// Reads the description of a filled database whose server has its files in `folder`.
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join(FILE);
        let kept = fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}; was it filled?", file.display()))?;
        let kept: Value = serde_json::from_str(&kept)?;
        let text = |path: &str| {
            let found = kept.pointer(path).and_then(Value::as_str).map(str::to_owned);
            found.with_context(|| format!("{}: no {path}", file.display()))
        };
        let number = |path: &str| {
            kept.pointer(path).and_then(Value::as_i64).with_context(|| format!("no {path}"))
        };
        let counts = Counts {
            messages: number("/counts/messages")?,
            conversations: number("/counts/conversations")?,
            events: number("/counts/events")?,
            endpoints: number("/counts/endpoints")?,
            templates: number("/counts/templates")?,
            keys: number("/counts/keys")?,
            organizations: number("/counts/organizations")?,
        };
        let site = Site {
            organization: id(&text("/organization")?)?,
            sandbox: id(&text("/sandbox")?)?,
            meta: id(&text("/meta")?)?,
            hub: id(&text("/hub")?)?,
            partner: id(&text("/partner")?)?,
            email: text("/email")?,
            key: (text("/key/0")?, text("/key/1")?),
            empty_key: (text("/empty_key/0")?, text("/empty_key/1")?),
            application: (text("/application/0")?, text("/application/1")?),
        };
        let shape = Shape { counts, now: number("/now")? };
        Ok(Self {
            database: Database::of(&text("/database")?)?,
            folder: std::path::absolute(folder)?,
            world: World { shape, site, plan: id(&text("/plan")?)? },
        })
    }

    /// Returns the server's binary for this database.
    pub fn binary<'a>(&'a self, file: &'a Path, url: &'a str) -> Binary<'a> {
        Binary { file, url, folder: self.folder.clone() }
    }

    /// Returns the number of rows of each kind.
    pub fn counts(&self) -> Counts {
        self.world.shape.counts
    }

    /// Returns the number of messages in the long conversation.
    pub fn long(&self) -> i64 {
        self.counts().messages / LONG
    }

    /// Returns the sequence of the newest event.
    pub fn last_sequence(&self) -> i64 {
        self.world.shape.last_sequence()
    }

    /// Returns the newest inbound message of a conversation.
    pub fn received_in(&self, conversation: i64) -> Option<i64> {
        self.world.shape.turns(conversation).0
    }

    /// Returns the oldest outbound message of a conversation.
    pub fn sent_in(&self, conversation: i64) -> Option<i64> {
        self.world.shape.turns(conversation).1
    }

    /// Returns the channel's id of a message.
    pub fn channel_name(&self, message: i64) -> String {
        self.world.channel_name(message)
    }

    /// Returns the email address of the organization's member.
    pub fn email(&self) -> &str {
        &self.world.site.email
    }

    /// Returns the id of the organization.
    pub fn organization(&self) -> String {
        self.world.site.organization.to_string()
    }

    /// Returns the id of the organization's default account.
    pub fn account(&self) -> String {
        self.world.site.sandbox.to_string()
    }
}

fn id<K: Kind>(text: &str) -> Result<Id<K>> {
    text.parse().with_context(|| format!("`{text}` is no id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let pair = |name: &str| (format!("{name}-id"), format!("{name}-secret"));
        let site = Site {
            organization: Id::from_bytes([1; 16]),
            sandbox: Id::from_bytes([2; 16]),
            meta: Id::from_bytes([3; 16]),
            hub: Id::from_bytes([4; 16]),
            partner: Id::from_bytes([5; 16]),
            email: "a@b.example".to_owned(),
            key: pair("key"),
            empty_key: pair("empty_key"),
            application: pair("application"),
        };
        let shape = Shape { counts: Counts::of(10_000), now: 1_795_439_372_929_000 };
        let database = Database::of("postgres://a@b/c").unwrap();
        let world = World { shape, site, plan: Id::from_bytes([6; 16]) };
        let filled = Filled { database, folder: folder.path().to_owned(), world };
        filled.keep().unwrap();
        let read = Filled::read(folder.path()).unwrap();
        assert_eq!(read.counts(), filled.counts());
        assert_eq!(read.world.message(77), filled.world.message(77));
        assert_eq!(read.world.plan, Id::from_bytes([6; 16]));
        assert_eq!(read.world.site.key, pair("key"));
    }
}
