//! Reports of the channel, and those that were given up.
use super::operations;
use crate::operations::OperatorDb;
use crate::records::{Callback, DeadCallback, DeadCallbackFilter, Deferral};
use domain::id::{CallbackId, InstanceId, MessageId, OrganizationId};
use domain::time::Timestamp;
use std::ops::RangeInclusive;

operations! {
    OperatorDb;
    /// Keeps reports of the channel until they are processed.
    write callbacks::insert_callbacks(new: Vec<Callback>) -> ();
    /// Claims reports that became due within a range.
    write_after callbacks::claim_callbacks(server: InstanceId, limit: i64, due: RangeInclusive<Timestamp>, until: Timestamp) -> Vec<Callback>;
    /// Forgets callbacks that are done with.
    write_after callbacks::finish_callbacks(done: Vec<CallbackId>) -> ();
    /// Puts claimed callbacks off.
    write_after callbacks::defer_callbacks(deferred: Vec<Deferral>) -> ();
    /// How many callbacks wait, and since when the oldest does.
    read callbacks::waiting_callbacks(now: Timestamp) -> (i64, Option<Timestamp>);
    /// Notes what the channel calls a message; `false` if that was known.
    write callbacks::adopt_channel_id(organization: OrganizationId, message: MessageId, channel_id: String) -> bool;
    /// Keeps dead letters, each once.
    write dead_callbacks::insert_dead_callbacks(new: Vec<DeadCallback>) -> ();
    /// Dead letters in the order in which they were kept.
    read dead_callbacks::dead_callbacks(wanted: DeadCallbackFilter, limit: i64) -> Vec<DeadCallback>;
    /// A dead letter.
    read dead_callbacks::dead_callback(id: CallbackId) -> Option<DeadCallback>;
    /// The dead letter that was kept last.
    read dead_callbacks::last_dead_callback() -> Option<CallbackId>;
    /// How many dead letters there are.
    read dead_callbacks::count_dead_callbacks() -> i64;
    /// How many dead letters there are of which an operator is to be told.
    read dead_callbacks::count_alarming_dead_callbacks() -> i64;
    /// Puts dead letters back among the callbacks that are due; returns those that there were.
    write dead_callbacks::replay_dead_callbacks(ids: Vec<CallbackId>) -> Vec<CallbackId>;
    /// Removes dead letters; returns how many there were.
    write dead_callbacks::delete_dead_callbacks(ids: Vec<CallbackId>) -> usize;
    /// Forgets a portion of the dead letters from before `cutoff`; returns how many.
    write_after retention::forget_dead_callbacks(cutoff: Timestamp, portion: i64) -> usize;
    /// When the next report is due of those that are not due before `from`.
    read callbacks::next_report_due(from: Timestamp) -> Option<Timestamp>;
}
