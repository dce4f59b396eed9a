//! Deferred callbacks and dead letters.
use crate::schema::dead_callbacks;
use crate::types::Attempts;
use domain::account::ChannelKind;
use domain::callback::DeadLetterReason;
use domain::id::CallbackId;
use domain::time::Timestamp;

record! {
    /// A part of a callback that could not be processed, as a callback of its own.
    pub struct DeadCallback of dead_callbacks {
        pub id: CallbackId,
        pub digest: Vec<u8>,
        pub channel: ChannelKind,
        /// One of our words, or the channel's name of a field that was not known.
        pub kind: String,
        pub reason: DeadLetterReason,
        pub detail: String,
        pub payload: String,
        pub attempts: Attempts,
        pub received_at: Timestamp,
        pub kept_at: Timestamp,
    }
}

/// Which dead letters are wanted.
#[derive(Clone, Debug, Default)]
pub struct DeadCallbackFilter {
    /// Those of a kind; of `unknown`, all whose kind is none of our words.
    pub kind: Option<String>,
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
