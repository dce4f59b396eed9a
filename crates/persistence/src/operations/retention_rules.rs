//! Operations on the rules for how long organizations keep texts and files of messages.
use super::{DbFuture, OperatorDb, OrganizationDb, any_node_query, tenant_query};
use crate::records::RetentionRule;
use domain::id::{MediaId, MessageId, OrganizationId};
use domain::time::Timestamp;

impl<'a> OrganizationDb<'a> {
    /// Returns the organization's rule, if it has one.
    pub fn find_retention_rule(self) -> DbFuture<'a, Option<RetentionRule>> {
        tenant_query!(self.organization, read, retention_rules::find_retention_rule())
    }

    /// Sets how many days the organization keeps texts and received files. `None` keeps them
    /// forever.
    pub fn set_retention_rule(
        self,
        text_days: Option<u32>,
        file_days: Option<u32>,
    ) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write,
            retention_rules::set_retention_rule(text_days, file_days)
        )
    }

    /// Erases the texts of the organization's oldest messages. Returns how many messages were read.
    pub fn erase_old_texts(self, cutoff: Timestamp, limit: i64) -> DbFuture<'a, usize> {
        tenant_query!(
            self.organization,
            write_after,
            retention_rules::erase_old_texts(cutoff, limit)
        )
    }

    /// Returns the files of the oldest messages that contacts sent, and the newest message that was
    /// read.
    pub fn old_received_files(
        self,
        cutoff: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Option<(Vec<MediaId>, MessageId)>> {
        tenant_query!(
            self.organization,
            long_read,
            retention_rules::old_received_files(cutoff, limit)
        )
    }

    /// Erases the addresses of files that were removed.
    pub fn erase_received_files(
        self,
        until: MessageId,
        cutoff: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write_after,
            retention_rules::erase_received_files(until, cutoff, limit)
        )
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns the rules of the organizations that follow `after`.
    pub fn list_retention_rules(
        self,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<RetentionRule>> {
        any_node_query!(self, read, retention_rules::list_retention_rules(after, limit))
    }
}
