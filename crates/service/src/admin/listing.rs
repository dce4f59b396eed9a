//! Lists and look-ups for operators. No entry contains a secret or the digest of a secret.

use super::{Admin, AdminError, Result};
use domain::id::{Id, Kind, OrganizationId};
use persistence::Db;
use persistence::records::ListFilter;
use serde::Serialize;

/// Maximum number of entries on a page.
pub const MAX_LIMIT: u8 = 100;
/// Maximum number of candidates that are listed if a name is ambiguous.
const MAX_LISTED_IDS: i64 = 20;

/// A type of entry that operators list and look up.
pub trait ListedEntry: Serialize + Sized {
    /// The type of the entries' ids.
    type Kind: Kind;
    /// The singular and the plural of the entry's name.
    const NOUN: (&'static str, &'static str);
    /// The names of the fields by which an entry can be looked up, for error texts.
    const KNOWN_BY: &'static str;
    /// The fields that are shown as columns of a table.
    const COLUMNS: &'static [&'static str];

    /// Loads the selected entries in the order of their ids.
    fn load(
        db: &Db,
        list_filter: ListFilter<Self::Kind>,
    ) -> impl Future<Output = persistence::Result<Vec<Self>>>;

    fn id(&self) -> &str;

    /// Distinguishes the entry from others with the same name.
    fn hint(&self) -> String;
}

/// A page of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedPage<T> {
    /// The entries, in the order of creation.
    pub data: Vec<T>,
    /// Whether more entries follow.
    pub has_more: bool,
    /// The id to continue after, if more entries follow.
    pub next_after: Option<String>,
}

/// A request for a page of a list.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// Maximum number of entries, from 1 to [`MAX_LIMIT`].
    pub limit: u8,
    /// The id to continue after.
    pub after: Option<&'a str>,
    /// Only entries of this organization are listed, if it is given.
    pub organization: Option<OrganizationId>,
}

impl Admin<'_> {
    /// Loads a page of a list.
    pub async fn list<E: ListedEntry>(&self, wanted: PageRequest<'_>) -> Result<ListedPage<E>> {
        let after = match wanted.after {
            Some(text) => Some(text.parse::<Id<E::Kind>>().map_err(|why| {
                let (text, noun) = (text.to_owned(), E::NOUN.0);
                AdminError::After { text, noun, why }
            })?),
            None => None,
        };
        let limit = wanted.limit.clamp(1, MAX_LIMIT);
        let list_filter = ListFilter {
            id: None,
            text: None,
            organization: wanted.organization,
            after,
            limit: i64::from(limit) + 1,
        };
        let mut data = E::load(&self.deps.db, list_filter).await?;
        let has_more = data.len() > usize::from(limit);
        data.truncate(limit.into());
        let last = data.last().filter(|_| has_more);
        let next_after = last.map(|entry| entry.id().to_owned());
        Ok(ListedPage { data, has_more, next_after })
    }

    /// Finds an entry by its id, or by a unique name.
    pub async fn one<E: ListedEntry>(&self, wanted: &str) -> Result<E> {
        self.find(wanted, None).await
    }

    /// Finds an entry among those of an organization, or among all.
    pub async fn find<E: ListedEntry>(
        &self,
        wanted: &str,
        organization: Option<OrganizationId>,
    ) -> Result<E> {
        let id = wanted.parse::<Id<E::Kind>>().ok();
        let text = id.is_none().then(|| wanted.trim().to_owned());
        let list_filter = ListFilter { id, text, organization, after: None, limit: MAX_LISTED_IDS };
        let mut found = E::load(&self.deps.db, list_filter).await?;
        let (one, several) = E::NOUN;
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => {
                let (known_by, wanted) = (E::KNOWN_BY, wanted.to_owned());
                Err(AdminError::NotFound { noun: one, known_by, wanted })
            }
            (Some(last), false) => {
                found.push(last);
                let ids: Vec<String> =
                    found.iter().map(|it| format!("\n  {}  {}", it.id(), it.hint())).collect();
                let (wanted, candidates) = (wanted.to_owned(), ids.concat());
                Err(AdminError::Ambiguous { nouns: several, wanted, candidates })
            }
        }
    }
}
