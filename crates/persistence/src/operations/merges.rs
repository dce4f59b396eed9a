//! What may find out that two contacts are one person, whose histories are joined then. Most joins take no longer than
//! an operation may; one that would has not begun, and is done with the time that it needs.
use super::{OperatorDb, query, query_of};
use crate::records::{
    AnsweredRecipient, Identification, Inbound, InboundOutcome, Merges, RecipientReport,
};
use crate::{Db, Error, Result};
use domain::time::Timestamp;
use futures_util::future::BoxFuture;

impl Db {
    /// Takes in what a person wrote, once.
    #[must_use]
    pub fn receive(&self, new: Inbound) -> BoxFuture<'_, Result<InboundOutcome>> {
        Box::pin(async move {
            let again = new.clone();
            let organization = new.organization;
            match query_of!(self, organization; write_after inbound::receive(new, Merges::Short)) {
                Err(Error::LargeMerge) => {
                    query!(self, long_write inbound::receive(again, Merges::All))
                }
                received => received,
            }
        })
    }

    /// Takes in that people go by something else now; returns how many things that changed.
    #[must_use]
    pub fn identify(&self, said: Identification) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async move {
            let again = said.clone();
            match query!(self, write contacts::identify(said, Merges::Short)) {
                Err(Error::LargeMerge) => {
                    query!(self, long_write contacts::identify(again, Merges::All))
                }
                identified => identified,
            }
        })
    }
}

impl<'a> OperatorDb<'a> {
    /// Writes down how the channel names the recipient of a message that it took; returns how many things that changed.
    #[must_use]
    pub fn learn_recipient(
        self,
        answered: AnsweredRecipient,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let again = answered.clone();
            match query!(self.db, write_after recipient_reports::learn_recipient(answered, now, Merges::Short))
            {
                Err(Error::LargeMerge) => {
                    query!(self.db, long_write recipient_reports::learn_recipient(again, now, Merges::All))
                }
                learned => learned,
            }
        })
    }

    /// Writes down what reports say of who people are, all or nothing; returns how many things that changed.
    #[must_use]
    pub fn apply_reports(
        self,
        reports: Vec<RecipientReport>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let again = reports.clone();
            match query!(self.db, write_after recipient_reports::apply_reports(reports, now, Merges::Short))
            {
                // One by one: others have nothing to do with it.
                Err(Error::LargeMerge) if again.len() == 1 => {
                    query!(self.db, long_write recipient_reports::apply_reports(again, now, Merges::All))
                }
                learned => learned,
            }
        })
    }
}
