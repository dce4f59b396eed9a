//! Contacts, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::contacts::{self, MergeError};
use domain::id::ContactId;
use domain::role::MemberAction;
use persistence::records::{Contact, ConversationWithContact, DELETED_CONTACT};

pub struct MemberContacts<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn contacts(self) -> MemberContacts<'a> {
        MemberContacts(self)
    }
}

impl MemberContacts<'_> {
    /// Changes the name of a contact. The audit log has the id alone.
    pub async fn rename(
        &self,
        id: ContactId,
        name: Option<String>,
    ) -> Result<Option<ConversationWithContact>, ActionError<persistence::Error>> {
        let Actor { deps, organization, .. } = self.0;
        let work = contacts::rename(deps, organization, None, id, name);
        self.0.perform(MemberAction::ContactRenamed, work, |done| done.as_ref().map(object)).await
    }

    /// Records whether a contact wants marketing messages.
    pub async fn set_marketing(
        &self,
        contact: &Contact,
        wants: bool,
    ) -> Result<(), ActionError<persistence::Error>> {
        let Actor { deps, organization, .. } = self.0;
        let action =
            if wants { MemberAction::ContactOptedIn } else { MemberAction::ContactOptedOut };
        let work = contacts::set_marketing(deps, organization, contact, wants);
        let changed = |(): &()| Some(AuditObject::new(contact.id, contact.id.to_string()));
        self.0.perform(action, work, changed).await
    }

    /// Merges a contact into another.
    pub async fn merge(
        &self,
        kept: ContactId,
        merged: ContactId,
    ) -> Result<(), ActionError<MergeError>> {
        let Actor { deps, organization, .. } = self.0;
        let work = contacts::merge(deps, organization, kept, merged);
        let done = |(): &()| Some(AuditObject::new(kept, merged.to_string()));
        self.0.perform(MemberAction::ContactsMerged, work, done).await
    }

    /// Deletes a contact. The audit log has the id alone. Returns nothing if there is none.
    pub async fn delete(
        &self,
        id: ContactId,
    ) -> Result<Option<ConversationWithContact>, ActionError<persistence::Error>> {
        let Actor { deps, organization, .. } = self.0;
        let work = contacts::delete(deps, organization, None, id);
        let deleted = |done: &Option<ConversationWithContact>| {
            done.as_ref().map(|it| AuditObject::new(it.contact.id, DELETED_CONTACT))
        };
        self.0.perform(MemberAction::ContactDeleted, work, deleted).await
    }
}

fn object(done: &ConversationWithContact) -> AuditObject {
    AuditObject::new(done.contact.id, done.contact.id.to_string())
}
