//! Operations that may detect that two contacts are the same person, and then merge their
//! conversations. Most merges fit into the time limit of an operation. A larger merge fails before
//! it has changed anything, and the operation is repeated with the limit of a long operation.
use super::{DbFuture, OperatorDb, OrganizationDb, run, run_for_tenant, tenant_query};
use crate::records::{
    AnsweredRecipient, ConversationWithContact, Identification, Inbound, InboundOutcome,
    ManualMerge, Merges, RecipientReport, ThreadHandover,
};
use crate::{Db, Error};
use domain::id::{AccountId, ContactId};
use domain::time::Timestamp;

impl Db {
    /// Stores a message from a contact, once.
    pub fn receive(&self, new: Inbound) -> DbFuture<'_, InboundOutcome> {
        Box::pin(async move {
            let again = new.clone();
            let organization = new.organization;
            match run_for_tenant!(
                self,
                organization,
                write_after,
                inbound::receive(new, Merges::Short)
            ) {
                Err(Error::LargeMerge) => {
                    run!(self, long_write, inbound::receive(again, Merges::All))
                }
                received => received,
            }
        })
    }

    /// Stores which responder has control of a conversation from now on.
    pub fn hand_over(&self, new: ThreadHandover) -> DbFuture<'_, ()> {
        Box::pin(async move {
            let again = new.clone();
            let organization = new.organization;
            match run_for_tenant!(
                self,
                organization,
                write_after,
                channel_agents::hand_over(new, Merges::Short)
            ) {
                Err(Error::LargeMerge) => {
                    run!(self, long_write, channel_agents::hand_over(again, Merges::All))
                }
                applied => applied,
            }
        })
    }

    /// Records that a contact has changed its number or user id. Returns the number of changes.
    pub fn identify(&self, said: Identification) -> DbFuture<'_, usize> {
        Box::pin(async move {
            let again = said.clone();
            match run!(self, write, contacts::identify(said, Merges::Short)) {
                Err(Error::LargeMerge) => {
                    run!(self, long_write, contacts::identify(again, Merges::All))
                }
                identified => identified,
            }
        })
    }
}

impl<'a> OrganizationDb<'a> {
    /// Changes the name of a contact. Returns the contact, or `None` if there is no such contact.
    pub fn update_contact_name(
        self,
        account: Option<AccountId>,
        id: ContactId,
        name: Option<String>,
        now: Timestamp,
    ) -> DbFuture<'a, Option<ConversationWithContact>> {
        tenant_query!(
            self.organization,
            write,
            contact_changes::update_contact_name(account, id, name, now)
        )
    }

    /// Merges a contact into another, because a member has stated that both are the same person.
    pub fn merge_contacts(
        self,
        kept: ContactId,
        merged: ContactId,
        now: Timestamp,
    ) -> DbFuture<'a, ManualMerge> {
        Box::pin(async move {
            let (db, organization) = (self.db, self.organization);
            let short = run!(
                db,
                write,
                contact_changes::merge_contacts(organization, kept, merged, now, Merges::Short)
            );
            match short {
                Err(Error::LargeMerge) => {
                    run!(
                        db,
                        long_write,
                        contact_changes::merge_contacts(
                            organization,
                            kept,
                            merged,
                            now,
                            Merges::All
                        )
                    )
                }
                merged => merged,
            }
        })
    }
}

impl<'a> OperatorDb<'a> {
    /// Records how the channel named the recipient of a message that it accepted. Returns the
    /// number of changes.
    pub fn learn_recipient(
        self,
        answered: AnsweredRecipient,
        now: Timestamp,
    ) -> DbFuture<'a, usize> {
        Box::pin(async move {
            let again = answered.clone();
            match run!(
                self.db,
                write_after,
                recipient_reports::learn_recipient(answered, now, Merges::Short)
            ) {
                Err(Error::LargeMerge) => {
                    run!(
                        self.db,
                        long_write,
                        recipient_reports::learn_recipient(again, now, Merges::All)
                    )
                }
                learned => learned,
            }
        })
    }

    /// Records the information about contacts in reports, all of it or none. Returns the number of
    /// changes.
    pub fn apply_reports(
        self,
        reports: Vec<RecipientReport>,
        now: Timestamp,
    ) -> DbFuture<'a, usize> {
        Box::pin(async move {
            let again = reports.clone();
            match run!(
                self.db,
                write_after,
                recipient_reports::apply_reports(reports, now, Merges::Short)
            ) {
                // Only a single report is repeated as a long operation. The caller splits a larger
                // batch into single reports, so that one long merge does not delay the other
                // reports.
                Err(Error::LargeMerge) if again.len() == 1 => {
                    run!(
                        self.db,
                        long_write,
                        recipient_reports::apply_reports(again, now, Merges::All)
                    )
                }
                learned => learned,
            }
        })
    }
}
