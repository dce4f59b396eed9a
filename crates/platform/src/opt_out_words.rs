//! The words with which people opt out of an organization's marketing. They seldom change, so each
//! instance keeps them in memory for a few seconds.

use domain::id::OrganizationId;
use domain::opt_out::OptOutWords;
use domain::time::Timestamp;
use parking_lot::Mutex;
use persistence::{Db, Result};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The time after which words are read again. A change that another instance makes takes effect on
/// this one within this time.
const MAX_AGE: Duration = Duration::from_secs(10);
/// Maximum number of organizations whose words are in memory.
const MAX_ORGANIZATIONS: usize = 10_000;

#[derive(Debug, Default)]
pub struct OptOutWordsCache(Mutex<HashMap<OrganizationId, (Timestamp, Arc<OptOutWords>)>>);

impl OptOutWordsCache {
    /// Returns an organization's words.
    pub async fn find(
        &self,
        db: &Db,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<Arc<OptOutWords>> {
        let cached = self.0.lock().get(&organization).cloned();
        if let Some((read_at, words)) = cached
            && (read_at..read_at.plus(MAX_AGE)).contains(&now)
        {
            return Ok(words);
        }
        let words = Arc::new(read(db, organization).await?);
        let mut all = self.0.lock();
        if all.len() >= MAX_ORGANIZATIONS {
            all.clear();
        }
        all.insert(organization, (now, Arc::clone(&words)));
        Ok(words)
    }
}

/// Reads an organization's words from the database.
pub async fn read(db: &Db, organization: OrganizationId) -> Result<OptOutWords> {
    let Some(stored) = db.organization(organization).opt_out_words().await? else {
        return Ok(OptOutWords::default());
    };
    let words: Vec<String> = serde_json::from_str(&stored).unwrap_or_else(|error| {
        tracing::error!(%error, %organization, "the words for opting out cannot be read");
        Vec::new()
    });
    OptOutWords::parse(words.iter().map(String::as_str)).or_else(|error| {
        tracing::error!(%error, %organization, "the words for opting out are not valid");
        Ok(OptOutWords::default())
    })
}
