//! Processes messages of different people at the same time. The messages of one person, as the
//! channel names the person in them, are processed in the order of their callbacks.
//!
//! Each message is a transaction of its own. Several at a time wait together for the database, and
//! on SQLite they are committed together.

use super::settle::CallbackWork;
use super::{PartOutcome, inbound, outcome_of};
use channel::callback::MessageReport;
use domain::callback::CallbackKind;
use domain::contact::Identity;
use domain::id::AccountId;
use domain::time::Timestamp;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use persistence::records::{Account, Callback};
use platform::Deps;
use platform::clock::Stopwatch;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// The number of people whose messages are processed at a time.
const PEOPLE: usize = 8;

/// A message of a callback, with the account that received it.
pub struct ReceivedPart {
    pub kind: CallbackKind,
    pub account: Account,
    pub message: MessageReport,
    pub at: Timestamp,
}

/// The account and the identity by which the messages of one person are kept in order. The messages
/// of a person who is named by different identities may be processed at the same time. They still
/// come to one conversation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SenderKey(AccountId, String);

impl SenderKey {
    /// Returns `None` if the person has neither a number nor a user id.
    pub fn new(account: &Account, person: &Identity) -> Option<Self> {
        let number = person.phone_number.as_ref().map(ToString::to_string);
        let user = || person.user_id.as_ref().map(ToString::to_string);
        Some(Self(account.id, number.or_else(user)?))
    }
}

/// Callbacks that consist of messages of one person each.
#[derive(Default)]
pub struct MessagesByPerson(BTreeMap<SenderKey, Vec<(Callback, Vec<ReceivedPart>)>>);

impl MessagesByPerson {
    pub fn add(&mut self, person: SenderKey, callback: Callback, parts: Vec<ReceivedPart>) {
        self.0.entry(person).or_default().push((callback, parts));
    }

    /// Processes the messages. A callback that was not begun within `begin_within` of the start of
    /// the step has no results.
    pub async fn process(
        &mut self,
        deps: &Deps,
        watch: Stopwatch,
        begin_within: Duration,
    ) -> Vec<CallbackWork> {
        let people = std::mem::take(&mut self.0).into_values();
        let works = people.map(|callbacks| async move {
            let mut works = Vec::with_capacity(callbacks.len());
            for (callback, parts) in callbacks {
                let parts = if watch.elapsed() > begin_within {
                    None
                } else {
                    let work =
                        AssertUnwindSafe(receive(deps, &callback, parts, watch, begin_within))
                            .catch_unwind();
                    Some(work.await.unwrap_or_else(|_| super::panicked(&callback)))
                };
                works.push(CallbackWork { callback, parts });
            }
            works
        });
        let works: Vec<Vec<CallbackWork>> =
            stream::iter(works).buffer_unordered(PEOPLE).collect().await;
        works.into_iter().flatten().collect()
    }
}

/// Processes the messages of one callback. Returns the result of each.
async fn receive(
    deps: &Deps,
    callback: &Callback,
    parts: Vec<ReceivedPart>,
    watch: Stopwatch,
    begin_within: Duration,
) -> Vec<(CallbackKind, PartOutcome)> {
    let mut results = Vec::with_capacity(parts.len());
    for ReceivedPart { kind, account, message, at } in parts {
        let received = inbound::receive(deps, &account, message, at).await;
        let taken = outcome_of(callback, received);
        let is_over = matches!(taken, PartOutcome::Later) && watch.elapsed() > begin_within;
        results.push((kind, taken));
        if is_over {
            // The whole callback is retried. Messages that are already stored are then recognized as
            // repeated.
            break;
        }
    }
    results
}
