//! Processes callbacks of the channel: message statuses, inbound messages, verdicts of the
//! reviewer.
//!
//! A callback leaves the queue when each of its parts is processed, is about a feature that this
//! service does not offer, or is not understood. A part that is not understood becomes a dead
//! letter. After any other failure the callback waits.

mod account;
mod by_person;
mod handover;
mod identity;
mod inbound;
mod progress;
mod settle;
mod template_update;
mod verdict;
pub mod watch;

use by_person::{MessagesByPerson, ReceivedPart, SenderKey};
use channel::callback::{
    CallbackEvent, CallbackEventKind, CallbackPart, ChannelRef, NumbersRef, PartContent,
    UnsupportedPart,
};
use channel::registry::{account_fault, parse};
use domain::account::{ChannelKind, HealthReport};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::id::{AccountId, OrganizationId};
use domain::message::Report;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use persistence::Result;
use persistence::records::{Account, Callback, MessageOnChannel, Template};
use platform::Deps;
use platform::clock::Stopwatch;
use progress::StatusReports;
use service::account_health;
use settle::CallbackWork;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// Number of callbacks processed at a time. On SQLite the number is smaller: requests wait while a
/// step writes, and small steps cost little, because there are no round trips.
const CALLBACKS: i64 = 256;
const CALLBACKS_OF_ONE_WRITER: i64 = 64;
/// The time after which due callbacks count as delayed. A burst of sends may delay them this long.
const BEHIND: Duration = Duration::from_secs(5);
/// The factor by which a step is larger when callbacks are delayed. A larger step takes less work
/// per callback and combines more reports on the same message.
const BEHIND_FACTOR: i64 = 4;
/// The duration of a claim. It matters only if the instance that made the claim has died and no
/// other instance notices that.
const LEASE: Duration = Duration::from_secs(10);
/// The time after the claim during which a step begins callbacks. It defers the callbacks that it
/// has not begun by then, for example because each of the earlier ones waited long for a lock.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The minimum time between two records of the last callback of an account.
const SEEN_EVERY: Duration = Duration::from_mins(10);

/// Processes the callbacks that are due. Returns their number.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let (from, due) = next_due(deps).await?;
    let Some(due) = due.filter(|due| *due <= now) else { return Ok(0) };
    let server = deps.claims.instance();
    let most = most_of_a_step(deps.db.is_shared(), now.since(due));
    let until = now.plus(LEASE);
    let claimed = deps.db.operator().claim_callbacks(server, most, from..=now, until).await?;
    let claimed_now = claimed.len();
    let (watch, status_reports, numbers) =
        (Stopwatch::start(), StatusReports::default(), BTreeMap::new());
    let seen = BTreeMap::new();
    let mut round = CallbackRound { deps, now, watch, status_reports, numbers, seen };
    let mut works = Vec::with_capacity(claimed_now);
    let mut messages = MessagesByPerson::default();
    for callback in claimed {
        if watch.elapsed() > BEGIN_TIMEOUT {
            works.push(CallbackWork { callback, parts: None });
            continue;
        }
        // A callback that causes a panic must not stop the others.
        let parsed = std::panic::catch_unwind(|| parse(callback.channel, &callback.payload));
        let Ok(parts) = parsed else {
            works.push(CallbackWork { parts: Some(panicked(&callback)), callback });
            continue;
        };
        let other = round.add_messages(&mut messages, callback, parts).await;
        let Some((callback, parts)) = other else { continue };
        // Other callbacks may depend on messages of earlier callbacks. Reports on the status of a
        // message are applied at the end of the step anyway.
        if !parts.iter().all(is_progress) {
            works.extend(messages.process(deps, watch, BEGIN_TIMEOUT).await);
        }
        let parts = if watch.elapsed() > BEGIN_TIMEOUT {
            None
        } else {
            let work = AssertUnwindSafe(round.work_on(&callback, parts)).catch_unwind().await;
            Some(work.unwrap_or_else(|_| panicked(&callback)))
        };
        works.push(CallbackWork { callback, parts });
    }
    works.extend(messages.process(deps, watch, BEGIN_TIMEOUT).await);
    let CallbackRound { status_reports, seen, .. } = round;
    settle::finish(deps, works, status_reports).await?;
    record_callbacks(deps, seen, now).await;
    Ok(claimed_now)
}

/// Returns the outcome of a part of a callback. After an error the callback is tried again later, and
/// the other callbacks do not wait for it.
fn outcome_of(callback: &Callback, taken: Result<PartOutcome>) -> PartOutcome {
    match taken {
        Ok(taken) => taken,
        // The account was disconnected after it was looked up.
        Err(error @ persistence::Error::AccountGone) => {
            PartOutcome::dead_letter(DeadLetterReason::UnknownAccount, error.to_string())
        }
        Err(error) => {
            tracing::error!(%error, callback = %callback.id, "a callback was not processed");
            PartOutcome::Later
        }
    }
}

/// Records for each of these accounts that the channel reported a message or a status.
async fn record_callbacks(deps: &Deps, seen: BTreeMap<AccountId, OrganizationId>, now: Timestamp) {
    for (account, organization) in seen {
        let recorded = deps.db.organization(organization).record_callback(account, now).await;
        if let Err(error) = recorded {
            tracing::warn!(%error, %account, "the time of a callback was not recorded");
        }
    }
}

/// Returns the results of a callback that caused a panic.
fn panicked(callback: &Callback) -> Vec<(CallbackKind, PartOutcome)> {
    tracing::error!(callback = %callback.id, "a callback caused a panic");
    vec![(CallbackKind::Unreadable, PartOutcome::Later)]
}

/// Whether a part is a report on the status of a message.
const fn is_progress(part: &CallbackPart) -> bool {
    matches!(
        part.content,
        PartContent::Event(CallbackEvent { what: CallbackEventKind::Progress { .. }, .. })
    )
}

/// Returns the maximum number of callbacks that a step processes. `lag` is the time since the first
/// of them was due.
fn most_of_a_step(is_shared: bool, lag: Duration) -> i64 {
    let usual = if is_shared { CALLBACKS } else { CALLBACKS_OF_ONE_WRITER };
    if lag > BEHIND { usual * BEHIND_FACTOR } else { usual }
}

/// Searches the queue for the callback that is due first. Returns the due time from which the queue
/// was searched, and the due time of that callback, if there is one.
pub async fn next_due(deps: &Deps) -> Result<(Timestamp, Option<Timestamp>)> {
    let (from, now) = (deps.callback_queue.begin(), deps.clock.now());
    let due = deps.db.operator().next_report_due(from).await?;
    deps.callback_queue.found(due, now);
    Ok((from, due))
}

/// The result of a part of a callback.
enum PartOutcome {
    Done,
    /// The part is about a feature that this service does not offer.
    OutOfScope,
    /// The part is a status report on this message. It is applied together with other status
    /// reports.
    About(MessageOnChannel),
    /// The part changes a message that is not stored. The message may still arrive.
    BeforeItsMessage,
    /// The part cannot be processed yet.
    Later,
    /// The part is kept as a dead letter for the operator.
    Keep(UnsupportedPart),
}

impl PartOutcome {
    fn dead_letter(reason: DeadLetterReason, detail: String) -> Self {
        Self::Keep(UnsupportedPart::new(reason, detail))
    }
}

/// One step of the worker.
struct CallbackRound<'a> {
    deps: &'a Deps,
    now: Timestamp,
    /// The start of the step.
    watch: Stopwatch,
    status_reports: StatusReports,
    /// The accounts looked up so far, by channel and the channel's id.
    numbers: BTreeMap<(ChannelKind, ChannelRef), Option<Account>>,
    /// The accounts of the step whose last callback was recorded more than [`SEEN_EVERY`] ago.
    seen: BTreeMap<AccountId, OrganizationId>,
}

impl CallbackRound<'_> {
    /// Adds a callback that consists of messages of one person to `messages`. Returns any other
    /// callback.
    async fn add_messages(
        &mut self,
        messages: &mut MessagesByPerson,
        callback: Callback,
        parts: Vec<CallbackPart>,
    ) -> Option<(Callback, Vec<CallbackPart>)> {
        let (mut accounts, mut person) = (Vec::with_capacity(parts.len()), None);
        for part in &parts {
            let PartContent::Event(CallbackEvent {
                what: CallbackEventKind::Message { number, message },
                ..
            }) = &part.content
            else {
                return Some((callback, parts));
            };
            // If the account is unknown, or cannot be looked up now, the callback is processed like
            // the others.
            let Ok(Some(account)) = self.account(callback.channel, number).await else {
                return Some((callback, parts));
            };
            let author = SenderKey::new(&account, &message.person);
            if author.is_none() || (person.is_some() && person != author) {
                return Some((callback, parts));
            }
            person = author;
            accounts.push(account);
        }
        let Some(person) = person else { return Some((callback, parts)) };
        let (received_at, now) = (callback.received_at, self.now);
        let received = parts.into_iter().zip(accounts).filter_map(|(part, account)| {
            let PartContent::Event(CallbackEvent {
                second,
                what: CallbackEventKind::Message { message, .. },
            }) = part.content
            else {
                return None;
            };
            let at = second.map_or(received_at, |second| within_second(second, now));
            Some(ReceivedPart { kind: part.kind, account, message: *message, at })
        });
        messages.add(person, callback, received.collect());
        None
    }

    /// Processes the parts of one callback. Returns the result of each.
    async fn work_on(
        &mut self,
        callback: &Callback,
        parts: Vec<CallbackPart>,
    ) -> Vec<(CallbackKind, PartOutcome)> {
        let (mut results, mut failed) = (Vec::new(), false);
        for part in parts {
            let taken = match part.content {
                PartContent::Nothing => PartOutcome::Done,
                PartContent::OutOfScope => PartOutcome::OutOfScope,
                PartContent::NotUnderstood(why) => PartOutcome::Keep(why),
                PartContent::Event(callback_event) => {
                    outcome_of(callback, self.process(callback, callback_event).await)
                }
            };
            failed |= matches!(taken, PartOutcome::Later);
            results.push((part.kind, taken));
            if failed && self.watch.elapsed() > BEGIN_TIMEOUT {
                // The whole callback is retried. The parts that are already processed are then
                // recognized as repeated.
                break;
            }
        }
        results
    }

    async fn process(
        &mut self,
        callback: &Callback,
        callback_event: CallbackEvent,
    ) -> Result<PartOutcome> {
        let (channel, received_at) = (callback.channel, callback.received_at);
        // If the channel gives no time, the time of receipt is used: such a channel sends its
        // callbacks soon after the event.
        let at =
            callback_event.second.map_or(received_at, |second| within_second(second, self.now));
        match callback_event.what {
            CallbackEventKind::Progress { number, channel_id, ours, report, recipient } => {
                let Some(account) = self.account(channel, &number).await? else {
                    return Ok(unknown_account("number", &number));
                };
                self.judge_number(channel, &number, &report, at).await?;
                let about = on_channel(&account, channel_id);
                self.status_reports.add(about.clone(), ours, (report, at), *recipient);
                Ok(PartOutcome::About(about))
            }
            CallbackEventKind::Message { number, message } => {
                match self.account(channel, &number).await? {
                    Some(account) => inbound::receive(self.deps, &account, *message, at).await,
                    None => Ok(unknown_account("number", &number)),
                }
            }
            CallbackEventKind::Handover { number, handover } => {
                match self.account(channel, &number).await? {
                    Some(account) => handover::apply(self.deps, &account, *handover, at).await,
                    None => Ok(unknown_account("number", &number)),
                }
            }
            CallbackEventKind::Revision { number, revision } => {
                match self.account(channel, &number).await? {
                    Some(account) => inbound::revise(self.deps, &account, *revision, at).await,
                    None => Ok(unknown_account("number", &number)),
                }
            }
            CallbackEventKind::Identity { number, changes } => {
                let Some(account) = self.account(channel, &number).await? else {
                    return Ok(unknown_account("number", &number));
                };
                identity::change(self.deps, &account, changes, at).await
            }
            CallbackEventKind::Preferences { number, said } => {
                let Some(account) = self.account(channel, &number).await? else {
                    return Ok(unknown_account("number", &number));
                };
                identity::prefer(self.deps, &account, said, received_at).await
            }
            CallbackEventKind::Account { numbers, report } => {
                self.report_on(channel, numbers, &report).await
            }
            CallbackEventKind::Template { business, external_id, name, language, verdict } => {
                let known = external_id.clone();
                match self.template(channel, &business, external_id, name, language).await? {
                    Ok(template) => verdict::record(self.deps, template, known, verdict, at).await,
                    Err(unknown) => Ok(unknown),
                }
            }
            CallbackEventKind::TemplateUpdated {
                business,
                external_id,
                name,
                language,
                update,
            } => match self.template(channel, &business, external_id, name, language).await? {
                Ok(template) => template_update::record(self.deps, template, update).await,
                Err(unknown) => Ok(unknown),
            },
        }
    }

    /// Applies a report about accounts.
    async fn report_on(
        &self,
        channel: ChannelKind,
        NumbersRef { business, phone_number }: NumbersRef,
        report: &HealthReport,
    ) -> Result<PartOutcome> {
        let mut accounts = self.find_accounts(channel, &business).await?;
        accounts.retain(|it| {
            phone_number.as_ref().is_none_or(|wanted| wanted.as_str() == it.phone_number)
        });
        if accounts.is_empty() {
            return Ok(unknown_account("business or number of the business", &business));
        }
        account::record(self.deps, &accounts, report).await
    }

    /// Changes the health of an account if the status of one of its messages shows that the channel
    /// refuses the account, or accepts it again.
    async fn judge_number(
        &mut self,
        channel: ChannelKind,
        number: &ChannelRef,
        report: &Report,
        at: Timestamp,
    ) -> Result<()> {
        let fault = match report {
            Report::Failed(error) => account_fault(channel, error).map(|it| (it, error)),
            Report::Sent => None,
            Report::Delivered | Report::Read => return Ok(()),
        };
        let Some(account) = self.numbers.get(&(channel, number.clone())).cloned().flatten() else {
            return Ok(());
        };
        let report = match fault {
            Some((reason, error)) => {
                HealthReport::FailedLater(reason, account_health::sentence(error))
            }
            None if account.held_by_status && *report == Report::Sent => HealthReport::Sent,
            None => return Ok(()),
        };
        self.numbers.remove(&(channel, number.clone()));
        account_health::report(self.deps, account.organization_id, account.id, report, at).await
    }

    /// Finds the template of a report by the reviewer's id, or by name and language.
    async fn template(
        &self,
        channel: ChannelKind,
        business: &ChannelRef,
        external_id: String,
        name: String,
        language: String,
    ) -> Result<std::result::Result<Template, PartOutcome>> {
        let mut accounts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for account in self.find_accounts(channel, business).await? {
            accounts.entry(account.organization_id).or_default().push(account.id);
        }
        if accounts.is_empty() {
            return Ok(Err(unknown_account("business", business)));
        }
        let detail = format!("no template {external_id} is known");
        let db = self.deps.db.operator();
        let found = db.template_on_channel(accounts, external_id, name, language).await?;
        let unknown = || PartOutcome::dead_letter(DeadLetterReason::UnknownTemplate, detail);
        Ok(found.ok_or_else(unknown))
    }

    /// Finds the account of a report.
    async fn account(
        &mut self,
        channel: ChannelKind,
        number: &ChannelRef,
    ) -> Result<Option<Account>> {
        let account_key = (channel, number.clone());
        if let Some(known) = self.numbers.get(&account_key) {
            return Ok(known.clone());
        }
        let db = self.deps.db.operator();
        let found = match number {
            ChannelRef::Ours(id) => db.find_sandbox_account(*id).await?,
            ChannelRef::Theirs(id) => db.find_channel_account(channel, id.clone()).await?,
        };
        let is_recent = |at: Timestamp| self.now.since(at) < SEEN_EVERY;
        if let Some(account) =
            found.as_ref().filter(|it| !it.last_callback_at.is_some_and(is_recent))
        {
            self.seen.insert(account.id, account.organization_id);
        }
        self.numbers.insert(account_key, found.clone());
        Ok(found)
    }

    async fn find_accounts(
        &self,
        channel: ChannelKind,
        business: &ChannelRef,
    ) -> Result<Vec<Account>> {
        let db = self.deps.db.operator();
        match business {
            ChannelRef::Ours(id) => Ok(db.find_sandbox_account(*id).await?.into_iter().collect()),
            ChannelRef::Theirs(id) => db.list_business_accounts(channel, id.clone()).await,
        }
    }
}

const fn on_channel(account: &Account, channel_id: String) -> MessageOnChannel {
    MessageOnChannel { organization: account.organization_id, account: account.id, channel_id }
}

/// Returns the outcome for a part whose account is unknown: a dead letter. If the account is
/// connected later, the operator can replay it.
fn unknown_account(what: &str, id: &ChannelRef) -> PartOutcome {
    let id = match id {
        ChannelRef::Ours(id) => id.to_string(),
        ChannelRef::Theirs(id) => id.clone(),
    };
    PartOutcome::dead_letter(
        DeadLetterReason::UnknownAccount,
        format!("the {what} {id} is not connected"),
    )
}

/// Converts a time of the channel, which is in whole seconds. Returns the end of that second, or
/// `now` if the end is in the future.
fn within_second(second: i64, now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(second).plus(Duration::from_millis(999)).min(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_behind_takes_more() {
        for (is_shared, usual) in [(true, CALLBACKS), (false, CALLBACKS_OF_ONE_WRITER)] {
            assert_eq!(most_of_a_step(is_shared, BEHIND), usual);
            let more = most_of_a_step(is_shared, BEHIND + Duration::from_micros(1));
            assert_eq!(more, usual * BEHIND_FACTOR);
        }
    }
}
