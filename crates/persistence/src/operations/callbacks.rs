//! Operations on callbacks and dead letters.
use super::operations;
use crate::operations::OperatorDb;
use crate::records::{Callback, CallbackDeferral, DeadCallback, DeadCallbackFilter};
use domain::id::{CallbackId, InstanceId, MessageId, OrganizationId};
use domain::time::Timestamp;
use std::ops::RangeInclusive;

operations! {
    OperatorDb;
    /// Stores callbacks until they are processed.
    write callbacks::insert_callbacks(new: Vec<Callback>) -> ();
    /// Claims callbacks that became due within a range of times.
    write_after callbacks::claim_callbacks(server: InstanceId, limit: i64, due: RangeInclusive<Timestamp>, until: Timestamp) -> Vec<Callback>;
    /// Deletes callbacks that have been processed.
    write_after callbacks::finish_callbacks(done: Vec<CallbackId>) -> ();
    /// Postpones claimed callbacks.
    write_after callbacks::defer_callbacks(deferred: Vec<CallbackDeferral>) -> ();
    /// Returns how many callbacks wait, and when the oldest of them was received.
    read callbacks::waiting_callbacks(now: Timestamp) -> (i64, Option<Timestamp>);
    /// Stores the channel's id of a message. Returns `false` if the message had one.
    write callbacks::record_missing_channel_id(organization: OrganizationId, message: MessageId, channel_id: String) -> bool;
    /// Stores dead letters, each once.
    write dead_callbacks::insert_dead_callbacks(new: Vec<DeadCallback>) -> ();
    /// Returns dead letters in the order in which they were stored.
    read dead_callbacks::dead_callbacks(wanted: DeadCallbackFilter, limit: i64) -> Vec<DeadCallback>;
    read dead_callbacks::dead_callback(id: CallbackId) -> Option<DeadCallback>;
    read dead_callbacks::last_dead_callback() -> Option<CallbackId>;
    read dead_callbacks::count_dead_callbacks() -> i64;
    /// Counts the dead letters that an operator should be told about.
    read dead_callbacks::count_alarming_dead_callbacks() -> i64;
    /// Puts dead letters back into the queue of callbacks. Returns the ids of those that existed.
    write dead_callbacks::replay_dead_callbacks(ids: Vec<CallbackId>) -> Vec<CallbackId>;
    /// Deletes dead letters, and returns how many existed.
    write dead_callbacks::delete_dead_callbacks(ids: Vec<CallbackId>) -> usize;
    /// Deletes some of the dead letters from before `cutoff`, and returns how many.
    write_after retention::delete_expired_dead_callbacks(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns when the next callback is due, of those that are not due before `from`.
    read callbacks::next_report_due(from: Timestamp) -> Option<Timestamp>;
}
