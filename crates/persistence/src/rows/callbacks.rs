//! Deferred callbacks and dead letters.
use crate::schema::dead_callbacks;
use crate::types::{Attempts, Col};
use diesel::prelude::*;
use domain::account::ChannelKind;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::id::CallbackId;
use domain::time::Timestamp;

/// A part of a callback that could not be processed, as a callback of its own.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = dead_callbacks)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct DeadCallback {
    pub id: Col<CallbackId>,
    pub digest: Vec<u8>,
    pub channel: Col<ChannelKind>,
    pub kind: Col<CallbackKind>,
    pub reason: Col<DeadLetterReason>,
    pub detail: String,
    pub payload: String,
    pub attempts: Attempts,
    pub received_at: Col<Timestamp>,
    pub kept_at: Col<Timestamp>,
}

/// Which dead letters are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeadCallbackFilter {
    /// Those of a kind.
    pub kind: Option<CallbackKind>,
    /// Those that were kept after this one.
    pub after: Option<CallbackId>,
}

/// A claimed callback that is put off.
#[derive(Clone, Copy, Debug)]
pub struct Deferral {
    /// Which callback.
    pub callback: CallbackId,
    /// Until when.
    pub due_at: Timestamp,
    /// Whether it was not even begun, so that the claim was no attempt.
    pub untried: bool,
    /// Whether a message was looked up and not found.
    pub looked_up: bool,
}

impl Deferral {
    /// It was not begun.
    #[must_use]
    pub const fn untried(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: true, looked_up: false }
    }

    /// Something stood in its way.
    #[must_use]
    pub const fn failed(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: false, looked_up: false }
    }

    /// It is about a message that is not known, or not yet.
    #[must_use]
    pub const fn looked_up(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: false, looked_up: true }
    }
}
