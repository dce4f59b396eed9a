//! Operations on callbacks and dead letters.
use super::{DbFuture, OperatorDb, all_tenants_query};
use crate::records::{Callback, CallbackDeferral, DeadCallback, DeadCallbackFilter};
use domain::id::{CallbackId, InstanceId, MessageId, OrganizationId};
use domain::time::Timestamp;
use std::ops::RangeInclusive;

impl<'a> OperatorDb<'a> {
    /// Stores callbacks until they are processed.
    pub fn insert_callbacks(self, new: Vec<Callback>) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write, callbacks::insert_callbacks(new))
    }

    /// Claims callbacks that became due within a range of times.
    pub fn claim_callbacks(
        self,
        server: InstanceId,
        limit: i64,
        due: RangeInclusive<Timestamp>,
        until: Timestamp,
    ) -> DbFuture<'a, Vec<Callback>> {
        all_tenants_query!(self, write_after, callbacks::claim_callbacks(server, limit, due, until))
    }

    /// Deletes callbacks that have been processed.
    pub fn finish_callbacks(self, done: Vec<CallbackId>) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write_after, callbacks::finish_callbacks(done))
    }

    /// Postpones claimed callbacks.
    pub fn defer_callbacks(self, deferred: Vec<CallbackDeferral>) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write_after, callbacks::defer_callbacks(deferred))
    }

    /// Returns how many callbacks wait, and when the oldest of them was received.
    pub fn waiting_callbacks(self, now: Timestamp) -> DbFuture<'a, (i64, Option<Timestamp>)> {
        all_tenants_query!(self, read, callbacks::waiting_callbacks(now))
    }

    /// Stores the channel's id of a message. Returns `false` if the message already has an id.
    pub fn record_missing_channel_id(
        self,
        organization: OrganizationId,
        message: MessageId,
        channel_id: String,
    ) -> DbFuture<'a, bool> {
        all_tenants_query!(
            self,
            write,
            callbacks::record_missing_channel_id(organization, message, channel_id)
        )
    }

    /// Stores dead letters. A letter that is already stored is skipped.
    pub fn insert_dead_callbacks(self, new: Vec<DeadCallback>) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write, dead_callbacks::insert_dead_callbacks(new))
    }

    /// Returns dead letters in the order in which they were stored.
    pub fn dead_callbacks(
        self,
        wanted: DeadCallbackFilter,
        limit: i64,
    ) -> DbFuture<'a, Vec<DeadCallback>> {
        all_tenants_query!(self, read, dead_callbacks::dead_callbacks(wanted, limit))
    }

    pub fn dead_callback(self, id: CallbackId) -> DbFuture<'a, Option<DeadCallback>> {
        all_tenants_query!(self, read, dead_callbacks::dead_callback(id))
    }

    pub fn last_dead_callback(self) -> DbFuture<'a, Option<CallbackId>> {
        all_tenants_query!(self, read, dead_callbacks::last_dead_callback())
    }

    pub fn count_dead_callbacks(self) -> DbFuture<'a, i64> {
        all_tenants_query!(self, read, dead_callbacks::count_dead_callbacks())
    }

    /// Counts the dead letters that an operator should be told about.
    pub fn count_alarming_dead_callbacks(self) -> DbFuture<'a, i64> {
        all_tenants_query!(self, read, dead_callbacks::count_alarming_dead_callbacks())
    }

    /// Puts dead letters back into the queue of callbacks. Returns the ids of those that existed.
    pub fn replay_dead_callbacks(self, ids: Vec<CallbackId>) -> DbFuture<'a, Vec<CallbackId>> {
        all_tenants_query!(self, write, dead_callbacks::replay_dead_callbacks(ids))
    }

    /// Deletes dead letters, and returns how many existed.
    pub fn delete_dead_callbacks(self, ids: Vec<CallbackId>) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write, dead_callbacks::delete_dead_callbacks(ids))
    }

    /// Deletes up to `portion` of the dead letters from before `cutoff`, and returns how many.
    pub fn delete_expired_dead_callbacks(
        self,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_dead_callbacks(cutoff, portion)
        )
    }

    /// Returns the earliest due time of a callback that is not before `from`.
    pub fn next_report_due(self, from: Timestamp) -> DbFuture<'a, Option<Timestamp>> {
        all_tenants_query!(self, read, callbacks::next_report_due(from))
    }
}
