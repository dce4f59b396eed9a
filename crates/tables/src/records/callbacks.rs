//! Deferred callbacks and dead letters.
use crate::schema::dead_callbacks;
use crate::types::Attempts;
use domain::account::ChannelKind;
use domain::callback::DeadLetterReason;
use domain::id::CallbackId;
use domain::time::Timestamp;

record! {
    /// A dead letter: a part of a callback that could not be processed, stored as a callback of its
    /// own.
    pub struct DeadCallback of dead_callbacks {
        pub id: CallbackId,
        pub digest: Vec<u8>,
        pub channel: ChannelKind,
        /// Switchboard's name of the kind, or the channel's name of a field that this version does
        /// not know.
        pub kind: String,
        pub reason: DeadLetterReason,
        pub detail: String,
        pub payload: String,
        pub attempts: Attempts,
        pub received_at: Timestamp,
        pub kept_at: Timestamp,
    }
}

/// A filter for dead letters.
#[derive(Clone, Debug, Default)]
pub struct DeadCallbackFilter {
    /// Return only dead letters of this kind. `unknown` stands for all kinds that this version does
    /// not know.
    pub kind: Option<String>,
    /// Only dead letters stored after this one.
    pub after: Option<CallbackId>,
}

/// The postponement of a claimed callback.
#[derive(Clone, Copy, Debug)]
pub struct CallbackDeferral {
    pub callback: CallbackId,
    pub due_at: Timestamp,
    /// Whether processing did not begin, so that the claim does not count as an attempt.
    pub untried: bool,
    /// Whether a message was looked up and not found.
    pub looked_up: bool,
}

impl CallbackDeferral {
    /// Postpones a callback whose processing did not begin.
    #[must_use]
    pub const fn untried(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: true, looked_up: false }
    }

    /// Postpones a callback whose processing failed.
    #[must_use]
    pub const fn failed(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: false, looked_up: false }
    }

    /// Postpones a callback about a message that is not stored. The message may still arrive.
    #[must_use]
    pub const fn looked_up(callback: CallbackId, due_at: Timestamp) -> Self {
        Self { callback, due_at, untried: false, looked_up: true }
    }
}
