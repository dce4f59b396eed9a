//! Operations that delete contacts.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, tenant_query,
};
use crate::records::{
    AnswerKey, ContactDeletion, ConversationWithContact, ErasedAnswer, ErasedEvent, ErasedMessages,
};
use crate::{Db, Result};
use domain::contact::DeletionStage;
use domain::id::{
    AccountId, ContactId, ConversationId, MediaId, MessageId, OrganizationId, OwnerId, SubjectId,
};
use domain::time::Timestamp;

impl Db {
    /// Overwrites the remains of deleted rows in a SQLite file and its write-ahead log. On
    /// PostgreSQL nothing is done, because PostgreSQL reuses the space of deleted rows after a
    /// vacuum.
    pub async fn erase_remains(&self) -> Result<()> {
        match self {
            Self::Postgres(_) => Ok(()),
            Self::Sqlite(db) => db.erase_remains().await,
        }
    }
}

impl<'a> OrganizationDb<'a> {
    /// Deletes a contact: removes the person's name, numbers and user ids, so that nobody can write
    /// to the person any more. A worker erases the rest later.
    pub fn delete_contact(
        self,
        account: Option<AccountId>,
        id: ContactId,
        now: Timestamp,
    ) -> DbFuture<'a, Option<ConversationWithContact>> {
        tenant_query!(self.organization, write, contact_deletions::delete_contact(account, id, now))
    }

    /// Claims a due deletion until `until`.
    pub fn claim_contact_deletion(
        self,
        contact: ContactId,
        now: Timestamp,
        until: Timestamp,
    ) -> DbFuture<'a, Option<ContactDeletion>> {
        tenant_query!(
            self.organization,
            write_after,
            contact_deletions::claim_contact_deletion(contact, now, until)
        )
    }

    /// Stores the progress of a deletion: the next stage, and the time at which it is due.
    pub fn advance_contact_deletion(
        self,
        contact: ContactId,
        stage: DeletionStage,
        round: u32,
        due: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write_after,
            contact_deletions::advance_contact_deletion(contact, stage, round, due)
        )
    }

    /// Deletes the record of a contact's deletion after its last stage.
    pub fn finish_contact_deletion(self, contact: ContactId) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write_after,
            contact_deletions::finish_contact_deletion(contact)
        )
    }

    /// Erases the next messages of a deleted contact.
    pub fn erase_contact_messages(
        self,
        contact: ContactId,
        after: i64,
        limit: i64,
        now: Timestamp,
    ) -> DbFuture<'a, ErasedMessages> {
        tenant_query!(
            self.organization,
            write_after,
            contact_deletions::erase_contact_messages(contact, after, limit, now)
        )
    }

    /// Deletes the notes about a deleted contact, the drafts of members and the inbox entry.
    /// Returns the subjects of the events about them.
    pub fn erase_conversation(
        self,
        contact: ContactId,
        conversation: ConversationId,
    ) -> DbFuture<'a, Vec<SubjectId>> {
        tenant_query!(
            self.organization,
            write_after,
            contact_deletions::erase_conversation(contact, conversation)
        )
    }

    /// Returns the ids of a deleted contact, of the contacts that were merged into it, and of their
    /// conversations.
    pub fn deleted_ids(
        self,
        contact: ContactId,
        conversation: ConversationId,
    ) -> DbFuture<'a, Vec<String>> {
        tenant_query!(
            self.organization,
            read,
            contact_deletions::deleted_ids(contact, conversation)
        )
    }

    /// Reads events that contain one of these texts. Returns them with the personal data removed.
    pub fn personal_events(
        self,
        named: Vec<String>,
        after: i64,
        most: i64,
    ) -> DbFuture<'a, (Vec<ErasedEvent>, Option<i64>)> {
        tenant_query!(
            self.organization,
            long_read,
            contact_deletions::personal_events(named, after, most)
        )
    }

    /// Replaces the stored data of events with the given data.
    pub fn erase_events(self, erased: Vec<ErasedEvent>) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, contact_deletions::erase_events(erased))
    }

    /// Reads stored answers that contain a text. Returns them with the personal data removed.
    pub fn personal_answers(
        self,
        named: String,
        after: Option<AnswerKey>,
        limit: i64,
    ) -> DbFuture<'a, Vec<ErasedAnswer>> {
        tenant_query!(
            self.organization,
            long_read,
            contact_deletions::personal_answers(named, after, limit)
        )
    }

    /// Replaces stored answers with the given ones.
    pub fn erase_answers(self, erased: Vec<ErasedAnswer>) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, contact_deletions::erase_answers(erased))
    }

    /// Reads the next `limit` messages after `after`. Returns which of these files are used by
    /// messages of other contacts, and the message after which the next call continues.
    pub fn files_of_others(
        self,
        files: Vec<MediaId>,
        conversation: ConversationId,
        after: MessageId,
        limit: i64,
    ) -> DbFuture<'a, (Vec<MediaId>, Option<MessageId>)> {
        tenant_query!(
            self.organization,
            long_read,
            contact_deletions::files_of_others(files, conversation, after, limit)
        )
    }

    /// Reads the next `limit` scheduled messages after `after`. Returns which of these files the
    /// messages use, and the message after which the next call continues.
    pub fn files_of_scheduled(
        self,
        files: Vec<MediaId>,
        after: Option<MessageId>,
        limit: i64,
    ) -> DbFuture<'a, (Vec<MediaId>, Option<MessageId>)> {
        tenant_query!(
            self.organization,
            long_read,
            contact_deletions::files_of_scheduled(files, after, limit)
        )
    }

    /// Returns which of these files are used by messages of other conversations, according to the
    /// search index. Returns `None` if the index does not have all messages up to the event `known`
    /// yet.
    pub fn indexed_files_of_others(
        self,
        files: Vec<MediaId>,
        conversation: ConversationId,
        known: i64,
    ) -> DbFuture<'a, Option<Vec<MediaId>>> {
        tenant_query!(
            self.organization,
            read,
            conversation_words::indexed_files_of_others(files, conversation, known)
        )
    }

    /// Returns which of these files are used as examples in templates.
    pub fn files_of_templates(self, files: Vec<MediaId>) -> DbFuture<'a, Vec<MediaId>> {
        tenant_query!(self.organization, long_read, contact_deletions::files_of_templates(files))
    }

    /// Deletes the record of a file that was removed.
    pub fn delete_erased_media(self, id: MediaId) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, contact_deletions::delete_erased_media(id))
    }

    /// Returns the owners of endpoints that receive the organization's events.
    pub fn owners_of_endpoints(self) -> DbFuture<'a, Vec<OwnerId>> {
        tenant_query!(self.organization, read, contact_deletions::owners_of_endpoints())
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns deletions that have a stage due.
    pub fn due_contact_deletions(
        self,
        now: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, ContactId)>> {
        any_node_query!(self, read, contact_deletions::due_contact_deletions(now, limit))
    }

    /// Erases the answers of an owner's endpoints to deliveries of events about these subjects.
    pub fn erase_delivery_answers(
        self,
        owner: OwnerId,
        subjects: Vec<SubjectId>,
    ) -> DbFuture<'a, ()> {
        all_tenants_query!(
            self,
            write_after,
            contact_deletions::erase_delivery_answers(owner, subjects)
        )
    }

    /// Deletes dead letters of an account that contain a person's number or user id.
    pub fn delete_letters_about(
        self,
        account: AccountId,
        identifiers: Vec<String>,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            contact_deletions::delete_letters_about(account, identifiers)
        )
    }
}
