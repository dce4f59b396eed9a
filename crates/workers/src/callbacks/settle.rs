//! Records the results of claimed callbacks. Each callback is finished, perhaps with dead letters,
//! or deferred.

use super::PartOutcome;
use super::progress::{Advanced, StatusReports, advance};
use auth::digest::Digest;
use channel::callback::UnsupportedPart;
use channel::registry::parts_of;
use domain::callback::{
    CallbackKind, CallbackOutcome, DeadLetterReason, LOOKUP_DELAY, MAX_LOOKUPS, next_attempt,
    next_lookup_of_changed,
};
use domain::id::CallbackId;
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Callback, CallbackDeferral, DeadCallback};
use platform::Deps;
use platform::counters;
use std::collections::BTreeMap;

/// Maximum number of characters in the detail of a dead letter.
const MAX_DETAIL_LENGTH: usize = 500;
/// Maximum length of an unknown field's name that becomes the kind of a dead letter.
const MAX_FIELD_LENGTH: usize = 100;
/// Number of dead letters written at a time.
const LETTERS: usize = 500;

/// A claimed callback, with the results of its parts. They are `None` if the callback was not
/// begun.
pub struct CallbackWork {
    pub callback: Callback,
    pub parts: Option<Vec<(CallbackKind, PartOutcome)>>,
}

/// Applies the status reports and records the results of the callbacks.
pub async fn finish(
    deps: &Deps,
    works: Vec<CallbackWork>,
    status_reports: StatusReports,
) -> Result<()> {
    let now = deps.clock.now();
    let advanced = advance(deps, status_reports).await;
    if let Err(error) = &advanced {
        tracing::error!(%error, "message statuses were not updated; the callbacks are retried");
    }
    let advanced = advanced.as_ref().ok();
    let (mut done, mut deferred) = (FinishedCallbacks::default(), Vec::new());
    for CallbackWork { callback, parts } in works {
        let Some(parts) = parts else {
            deferred.push(CallbackDeferral::untried(callback.id, now));
            continue;
        };
        let parts = parts
            .into_iter()
            .map(|(kind, taken)| (kind, PartResult::from_outcome(taken, advanced)));
        let parts: Vec<(CallbackKind, PartResult)> = parts.collect();
        if parts.iter().any(|(_, fate)| matches!(fate, PartResult::Later)) {
            let [jitter] = deps.entropy.id_bytes();
            deferred.push(CallbackDeferral::failed(
                callback.id,
                next_attempt(*callback.attempts, jitter, now),
            ));
        } else if let Some(due_at) = next_lookup(&callback, &parts, now) {
            deferred.push(CallbackDeferral::looked_up(callback.id, due_at));
        } else {
            done.add(deps, &callback, parts, now);
        }
    }
    if !deferred.is_empty() {
        deps.db.operator().defer_callbacks(deferred).await?;
    }
    if !done.callbacks.is_empty() {
        metrics::counter!("switchboard_callbacks_processed_total")
            .increment(done.callbacks.len() as u64);
        // Dead letters are written first, in batches that fit the time limit of a write. If this
        // step is interrupted and repeated, each letter is still stored only once.
        for letters in done.dead_letters.chunks(LETTERS) {
            deps.db.operator().insert_dead_callbacks(letters.to_vec()).await?;
        }
        deps.db.operator().finish_callbacks(done.callbacks).await?;
        for (kind, outcome) in done.outcomes {
            counters::callback_parts(kind, outcome, 1);
        }
        if done.has_others {
            deps.events_recorded();
        }
        let moved = advanced.map(|it| it.organizations.iter().copied());
        deps.events_recorded_of(moved.into_iter().flatten());
    }
    Ok(())
}

/// Returns the time of the next lookup of messages that a callback refers to and that are not
/// stored yet. Returns `None` after the last lookup.
fn next_lookup(
    callback: &Callback,
    parts: &[(CallbackKind, PartResult)],
    now: Timestamp,
) -> Option<Timestamp> {
    let lookups = *callback.lookups;
    let has = |wanted: fn(&PartResult) -> bool| parts.iter().any(|(_, result)| wanted(result));
    if lookups + 1 < MAX_LOOKUPS && has(|it| matches!(it, PartResult::UnknownMessage)) {
        return Some(now.plus(LOOKUP_DELAY));
    }
    has(|it| matches!(it, PartResult::BeforeItsMessage))
        .then(|| next_lookup_of_changed(callback.received_at, lookups, now))
        .flatten()
}

/// The result of a part of a callback after the status reports were applied.
enum PartResult {
    Worked,
    Ignored,
    Keep(UnsupportedPart),
    /// The part is retried.
    Later,
    /// The part is a status report on a message that is not stored. The message may still arrive.
    UnknownMessage,
    /// The part changes a message that is not stored. The message may still arrive.
    BeforeItsMessage,
}

impl PartResult {
    fn from_outcome(taken: PartOutcome, advanced: Option<&Advanced>) -> Self {
        match (taken, advanced) {
            (PartOutcome::Done, _) => Self::Worked,
            (PartOutcome::OutOfScope, _) => Self::Ignored,
            (PartOutcome::Keep(why), _) => Self::Keep(why),
            (PartOutcome::BeforeItsMessage, _) => Self::BeforeItsMessage,
            (PartOutcome::Later, _) | (PartOutcome::About(_), None) => Self::Later,
            (PartOutcome::About(message), Some(advanced)) => {
                if advanced.unknown.contains(&message) {
                    Self::UnknownMessage
                } else if advanced.moved.contains(&message) {
                    Self::Later
                } else {
                    Self::Worked
                }
            }
        }
    }
}

#[derive(Default)]
struct FinishedCallbacks {
    callbacks: Vec<CallbackId>,
    dead_letters: Vec<DeadCallback>,
    outcomes: Vec<(CallbackKind, CallbackOutcome)>,
    /// Whether one of the callbacks changed more than the status of messages.
    has_others: bool,
}

impl FinishedCallbacks {
    fn add(
        &mut self,
        deps: &Deps,
        callback: &Callback,
        parts: Vec<(CallbackKind, PartResult)>,
        now: Timestamp,
    ) {
        self.callbacks.push(callback.id);
        let mut kept = BTreeMap::new();
        for (place, (kind, fate)) in parts.into_iter().enumerate() {
            let outcome = match fate {
                PartResult::Worked | PartResult::Later => CallbackOutcome::Worked,
                PartResult::Ignored => CallbackOutcome::Ignored,
                PartResult::Keep(why) => {
                    kept.insert(place, (kind, why));
                    CallbackOutcome::DeadLettered
                }
                PartResult::UnknownMessage | PartResult::BeforeItsMessage => {
                    kept.insert(place, (kind, unknown_message()));
                    CallbackOutcome::DeadLettered
                }
            };
            self.has_others |= kind != CallbackKind::Status && outcome == CallbackOutcome::Worked;
            if outcome == CallbackOutcome::Ignored {
                tracing::info!(%kind, callback = %callback.id, "ignored an unsupported part of a callback");
            }
            self.outcomes.push((kind, outcome));
        }
        if kept.is_empty() {
            return;
        }
        let payloads =
            parts_of(callback.channel, &callback.payload, &kept.keys().copied().collect());
        // Dead letters are listed in the order of their ids. Ids of the same millisecond are
        // random, so they are sorted here.
        let mut ids: Vec<CallbackId> = kept.iter().map(|_| deps.id(now)).collect();
        ids.sort_unstable();
        let letters = ids.into_iter().zip(kept.into_values()).zip(payloads);
        let letters = letters.map(|((id, (kind, why)), payload)| {
            let letter = NewDeadLetter { id, kind, why, payload };
            letter.into_dead_callback(callback, now)
        });
        let letters: Vec<DeadCallback> = letters.collect();
        if let Some(first) = letters.first() {
            let (kind, reason, dead_letter) = (first.kind.as_str(), first.reason, first.id);
            tracing::warn!(
                kind, %reason, %dead_letter, parts = letters.len(),
                "parts of a callback could not be processed; see `switchboard admin callback list`"
            );
        }
        self.dead_letters.extend(letters);
    }
}

fn unknown_message() -> UnsupportedPart {
    let detail = "no message of this number is known by that id".to_owned();
    UnsupportedPart::new(DeadLetterReason::UnknownMessage, detail)
}

/// Returns the kind of a dead letter: our name of the kind, or the channel's name of a field that
/// this version does not know.
fn letter_kind(kind: CallbackKind, field: Option<String>) -> String {
    let field = field.filter(|field| {
        let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
        let fits = (1..=MAX_FIELD_LENGTH).contains(&field.len()) && field.chars().all(is_name);
        fits && CallbackKind::from_keyword(field).is_none()
    });
    field.unwrap_or_else(|| kind.as_str().to_owned())
}

/// A part of a callback to keep as a dead letter.
struct NewDeadLetter {
    id: CallbackId,
    kind: CallbackKind,
    why: UnsupportedPart,
    payload: String,
}

impl NewDeadLetter {
    fn into_dead_callback(self, callback: &Callback, now: Timestamp) -> DeadCallback {
        let (channel, payload) = (callback.channel, self.payload);
        let kept = |it| if it == '\0' { '\u{fffd}' } else { it };
        DeadCallback {
            id: self.id,
            digest: Digest::new(format!("{channel}\n{payload}").as_bytes()).as_bytes().to_vec(),
            channel,
            kind: letter_kind(self.kind, self.why.field),
            reason: self.why.reason,
            // PostgreSQL cannot store NUL.
            detail: self.why.detail.chars().take(MAX_DETAIL_LENGTH).map(kept).collect(),
            payload,
            attempts: (*callback.attempts + 1).into(),
            received_at: callback.received_at,
            kept_at: now,
        }
    }
}
