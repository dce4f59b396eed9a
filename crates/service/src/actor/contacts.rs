//! Contacts, as members manage them. A contact whose conversation the member may not see is not found
//! (`docs/contract.md#roles`).

use super::{ActionError, Actor, AuditObject};
use crate::contact_export::{self, ContactExport, ExportError};
use crate::contacts::{self, MergeError};
use crate::visibility;
use domain::id::ContactId;
use domain::role::MemberAction;
use persistence::Reader;
use persistence::records::{ConversationWithContact, DELETED_CONTACT, PersonKey};
use platform::Deps;
use std::sync::Arc;

pub struct MemberContacts<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn contacts(self) -> MemberContacts<'a> {
        MemberContacts(self)
    }
}

impl MemberContacts<'_> {
    /// Finds a contact, or the one that it was merged into.
    pub async fn find(
        &self,
        reader: Reader,
        id: ContactId,
    ) -> persistence::Result<Option<ConversationWithContact>> {
        let Actor { deps, .. } = self.0;
        let Some(found) = contacts::find(deps, reader, None, id).await? else { return Ok(None) };
        let (visible, conversation) = (self.0.visible(), found.conversation.id);
        let is_visible = visibility::is_visible(deps, reader, visible, conversation).await?;
        Ok(is_visible.then_some(found))
    }

    /// Changes the name of a contact. The audit log contains the contact's id but not the name.
    /// Returns `None` if there is no such contact.
    pub async fn rename(
        &self,
        id: ContactId,
        name: Option<String>,
    ) -> Result<Option<ConversationWithContact>, ActionError<persistence::Error>> {
        let Actor { deps, organization, .. } = self.0;
        let work = async {
            if !self.0.sees(PersonKey::Contact(id)).await? {
                return Ok(None);
            }
            contacts::rename(deps, organization, None, id, name).await
        };
        self.0.perform(MemberAction::ContactRenamed, work, |done| done.as_ref().map(object)).await
    }

    /// Records whether a contact wants marketing messages. Returns `None` if there is no such
    /// contact.
    pub async fn set_marketing(
        &self,
        id: ContactId,
        wants: bool,
    ) -> Result<Option<ConversationWithContact>, ActionError<persistence::Error>> {
        let action =
            if wants { MemberAction::ContactOptedIn } else { MemberAction::ContactOptedOut };
        let work = self.set_preference(id, wants);
        self.0.perform(action, work, |done| done.as_ref().map(object)).await
    }

    async fn set_preference(
        &self,
        id: ContactId,
        wants: bool,
    ) -> persistence::Result<Option<ConversationWithContact>> {
        let Actor { deps, organization, .. } = self.0;
        let found = self.find(Reader::from_primary(organization), id).await?;
        if let Some(found) = &found {
            contacts::set_marketing(deps, organization, &found.contact, wants).await?;
        }
        Ok(found)
    }

    /// Merges a contact into another.
    pub async fn merge(
        &self,
        kept: ContactId,
        merged: ContactId,
    ) -> Result<(), ActionError<MergeError>> {
        let Actor { deps, organization, .. } = self.0;
        let work = async {
            for id in [kept, merged] {
                if !self.0.sees(PersonKey::Contact(id)).await? {
                    return Err(MergeError::NotFound);
                }
            }
            contacts::merge(deps, organization, kept, merged).await
        };
        let done = |(): &()| Some(AuditObject::new(kept, merged.to_string()));
        self.0.perform(MemberAction::ContactsMerged, work, done).await
    }

    /// Begins an export of a contact.
    pub async fn export(
        &self,
        deps: &Arc<Deps>,
        reader: Reader,
        id: ContactId,
    ) -> Result<ContactExport, ActionError<ExportError>> {
        self.0.authority.check(MemberAction::ContactExported)?;
        let found = self.find(reader, id).await.map_err(ExportError::from);
        let export = found.and_then(|found| contact_export::start(deps, reader, found));
        let export = export.map_err(ActionError::Failed)?;
        // The audit log contains only the contact's id, as for a deletion.
        let object = AuditObject::new(export.contact, export.contact.to_string());
        self.0.record(MemberAction::ContactExported, object).await;
        Ok(export)
    }

    /// Deletes a contact. The audit log contains only the contact's id. Returns `None` if there is
    /// no such contact.
    pub async fn delete(
        &self,
        id: ContactId,
    ) -> Result<Option<ConversationWithContact>, ActionError<persistence::Error>> {
        let Actor { deps, organization, .. } = self.0;
        let work = async {
            if !self.0.sees(PersonKey::Contact(id)).await? {
                return Ok(None);
            }
            contacts::delete(deps, organization, None, id).await
        };
        let deleted = |done: &Option<ConversationWithContact>| {
            done.as_ref().map(|it| AuditObject::new(it.contact.id, DELETED_CONTACT))
        };
        self.0.perform(MemberAction::ContactDeleted, work, deleted).await
    }
}

fn object(done: &ConversationWithContact) -> AuditObject {
    AuditObject::new(done.contact.id, done.contact.id.to_string())
}
