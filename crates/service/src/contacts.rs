//! Use cases for contacts (`docs/contract.md#people`).

use crate::inbox::MAX_SOUGHT_WORDS;
use domain::contact::{UnmergeableContacts, is_named_by, sought_words};
use domain::id::{AccountId, ContactId, OrganizationId};
use domain::number::saturating;
use domain::opt_out::OptOutWords;
use domain::phone::PhoneNumber;
use persistence::records::{
    Contact, ContactFilter, ConversationWithContact, ManualMerge, PersonKey,
};
use persistence::{Reader, Result};
use platform::{Deps, opt_out_words};
use std::cmp::Reverse;

/// Filters and the page of a list of contacts.
#[derive(Clone, Debug)]
pub struct ContactsRequest {
    /// Account and opt-out filters.
    pub wanted: ContactFilter,
    /// Return only contacts that this number leads to.
    pub phone_number: Option<PhoneNumber>,
    /// Return only contacts after this one.
    pub after: Option<ContactId>,
    /// Maximum number of contacts.
    pub limit: i64,
}

/// Number of contacts, the newest ones, that a search compares itself. The index may not have them
/// yet.
const MAX_COMPARED_CONTACTS: i64 = 50;

/// A page of contacts, newest first, with their conversations.
#[derive(Clone, Debug)]
pub struct ContactsPart {
    pub found: Vec<ConversationWithContact>,
    /// Whether there are more after them.
    pub has_more: bool,
}

/// Returns the words with which contacts opt out of the organization's marketing.
pub async fn opt_out_words(deps: &Deps, organization: OrganizationId) -> Result<OptOutWords> {
    opt_out_words::read(&deps.db, organization).await
}

/// Finds a contact, or the one that it was merged into. Returns `None` if the caller is confined to
/// another account.
pub async fn find(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: ContactId,
) -> Result<Option<ConversationWithContact>> {
    let found = deps.db.reads(reader).list_conversations(PersonKey::Contact(id)).await?;
    let mut found = found.into_iter();
    Ok(found.find(|it| account.is_none_or(|bound| bound == it.contact.account_id)))
}

/// Changes the name of a contact. Without a name, the next name that the channel reports is used.
/// Returns `None` if there is no such contact.
pub async fn rename(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: ContactId,
    name: Option<String>,
) -> Result<Option<ConversationWithContact>> {
    let now = deps.clock.now();
    let organization_db = deps.db.organization(organization);
    let renamed = organization_db.update_contact_name(account, id, name, now).await?;
    deps.events_recorded_of([organization]);
    Ok(renamed)
}

/// The reason why two contacts are not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("one of the contacts does not exist")]
    NotFound,
    #[error(transparent)]
    Refused(#[from] UnmergeableContacts),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Merges a contact into another because a member says that they are one person.
pub async fn merge(
    deps: &Deps,
    organization: OrganizationId,
    kept: ContactId,
    merged: ContactId,
) -> Result<(), MergeError> {
    let now = deps.clock.now();
    match deps.db.organization(organization).merge_contacts(kept, merged, now).await? {
        ManualMerge::Merged => {}
        ManualMerge::NotFound => return Err(MergeError::NotFound),
        ManualMerge::Refused(why) => return Err(why.into()),
    }
    deps.events_recorded_of([organization]);
    Ok(())
}

/// Records whether a contact wants marketing messages. The choice applies to every number of the
/// organization that knows the person by the same phone number.
pub async fn set_marketing(
    deps: &Deps,
    organization: OrganizationId,
    contact: &Contact,
    wants: bool,
) -> Result<()> {
    let (who, now) = (contact.identity().map_err(persistence::Error::from)?, deps.clock.now());
    let organization_db = deps.db.organization(organization);
    organization_db.set_preference(contact.account_id, who, wants, now, now).await?;
    deps.events_recorded_of([organization]);
    Ok(())
}

/// Deletes a contact, or the one that it was merged into. No message can be sent to the contact any
/// more, and a worker erases what the contact wrote. Returns `None` if there is no such contact.
pub async fn delete(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: ContactId,
) -> Result<Option<ConversationWithContact>> {
    let now = deps.clock.now();
    let deleted = deps.db.organization(organization).delete_contact(account, id, now).await?;
    if deleted.is_some() {
        deps.events_recorded_of([organization]);
    }
    Ok(deleted)
}

/// Returns the conversations with a person, one for each account that knows the person.
pub async fn conversations(
    deps: &Deps,
    reader: Reader,
    person: PersonKey,
) -> Result<Vec<ConversationWithContact>> {
    deps.db.reads(reader).list_conversations(person).await
}

/// Lists a page of contacts.
pub async fn list(deps: &Deps, reader: Reader, request: ContactsRequest) -> Result<ContactsPart> {
    let ContactsRequest { wanted, phone_number, after, limit } = request;
    let organization_db = deps.db.reads(reader);
    let mut found = match phone_number {
        None => organization_db.list_contacts(wanted, after, limit.saturating_add(1)).await?,
        Some(number) => {
            let is_wanted = |it: &ConversationWithContact| {
                let contact = &it.contact;
                wanted.account.is_none_or(|account| contact.account_id == account)
                    && wanted.opted_out.is_none_or(|it| contact.opted_out_at.is_some() == it)
                    && after.is_none_or(|after| contact.id < after)
            };
            // Each account of the organization has at most one such contact.
            let mut found = organization_db.list_conversations(PersonKey::Number(number)).await?;
            found.retain(is_wanted);
            found.sort_by_key(|it| Reverse(it.contact.id));
            found
        }
    };
    // The conversion cannot fail, because a page has at most 100 entries.
    let limit = usize::try_from(limit).ok().unwrap_or_default();
    let has_more = found.len() > limit;
    found.truncate(limit);
    Ok(ContactsPart { found, has_more })
}

/// Finds up to `limit` contacts by the beginnings of the words of their names, or by the
/// beginning or the end of their number.
pub async fn search(
    deps: &Deps,
    reader: Reader,
    search: &str,
    limit: usize,
) -> Result<Vec<ConversationWithContact>> {
    let organization_db = deps.db.reads(reader);
    // PostgreSQL does not accept NUL characters.
    let search = &search.replace('\0', "");
    if let Ok(number) = PhoneNumber::parse(search) {
        let mut found = organization_db.list_conversations(PersonKey::Number(number)).await?;
        found.truncate(limit);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let mut sought = sought_words(search);
    sought.truncate(MAX_SOUGHT_WORDS);
    if sought.is_empty() {
        return Ok(Vec::new());
    }
    let newest = ContactFilter::default();
    let mut found = organization_db.list_contacts(newest, None, MAX_COMPARED_CONTACTS).await?;
    found.retain(|it| {
        let names = [&it.contact.name, &it.contact.username].into_iter().flatten();
        is_named_by(names.map(String::as_str), it.contact.phone_number.as_deref(), search)
    });
    let indexed =
        deps.db.organization(reader.organization).conversations_with_words(sought).await?;
    if !indexed.is_empty() {
        let limit = saturating(limit, i64::MAX);
        found.extend(organization_db.contacts_of_conversations(indexed, limit).await?);
    }
    found.sort_by_key(|it| Reverse(it.contact.id));
    found.dedup_by_key(|it| it.contact.id);
    found.truncate(limit);
    Ok(found)
}
