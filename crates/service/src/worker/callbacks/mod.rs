//! Works on what the channel reported: the status of messages, what people wrote, what the reviewer said.
//!
//! A callback leaves the queue when each of its parts has been processed, is about what this service does not do,
//! or is not understood; what is not understood becomes a dead letter. Whatever else goes wrong, it waits.

mod account;
mod identity;
mod inbound;
mod progress;
mod settle;
mod template_update;
mod verdict;
pub mod watch;

use crate::clock::Stopwatch;
use crate::{Deps, account_health};
use channel::callback::{
    CallbackEvent, CallbackEventKind, ChannelRef, Content, NumbersRef, UnsupportedPart,
};
use channel::registry::{account_fault, parse};
use domain::account::{ChannelKind, HealthReport};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::message::Report;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use persistence::Result;
use persistence::records::{Account, Callback, MessageOnChannel, Template};
use progress::StatusReports;
use settle::CallbackWork;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// Callbacks processed at a time: on SQLite fewer, for requests wait for each write, and there a step costs no trip.
const CALLBACKS: i64 = 256;
const CALLBACKS_OF_ONE_WRITER: i64 = 64;
/// Callbacks that have been due for longer are behind: so much may a burst of sends put them off.
const BEHIND: Duration = Duration::from_secs(5);
/// How many times as many are processed then: a large step is less work for each, and has more reports of the same message.
const BEHIND_FACTOR: i64 = 4;
/// How long a claim holds, should nobody see that its server is gone.
const LEASE: Duration = Duration::from_secs(10);
/// No callback is begun later than this after the claim: where each waits for a lock, few are tried at a time.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Works on what is due; returns how many callbacks that were.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let (from, due) = next_due(deps).await?;
    let Some(due) = due.filter(|due| *due <= now) else { return Ok(0) };
    let server = deps.lease.instance();
    let most = most_of_a_step(deps.db.is_shared(), now.since(due));
    let until = now.plus(LEASE);
    let claimed = deps.db.operator().claim_callbacks(server, most, from..=now, until).await?;
    let claimed_now = claimed.len();
    let (watch, status_reports, numbers) =
        (Stopwatch::start(), StatusReports::default(), BTreeMap::new());
    let mut round = Round { deps, now, watch, status_reports, numbers };
    let mut works = Vec::with_capacity(claimed_now);
    for callback in claimed {
        let parts = if watch.elapsed() > BEGIN_TIMEOUT {
            None
        } else {
            // One that makes us panic must not stop the others.
            let work = AssertUnwindSafe(round.work_on(&callback)).catch_unwind().await;
            Some(work.unwrap_or_else(|_| {
                tracing::error!(callback = %callback.id, "a callback caused a panic");
                vec![(CallbackKind::Unreadable, PartOutcome::Later)]
            }))
        };
        works.push(CallbackWork { callback, parts });
    }
    settle::settle(deps, works, round.status_reports).await?;
    Ok(claimed_now)
}

/// How many callbacks a step takes when the first of them has been due for `lag`.
fn most_of_a_step(is_shared: bool, lag: Duration) -> i64 {
    let usual = if is_shared { CALLBACKS } else { CALLBACKS_OF_ONE_WRITER };
    if lag > BEHIND { usual * BEHIND_FACTOR } else { usual }
}

/// When the next report is due, and from which time on that was looked for.
pub async fn next_due(deps: &Deps) -> Result<(Timestamp, Option<Timestamp>)> {
    let (from, now) = (deps.report_queue.begin(), deps.clock.now());
    let due = deps.db.operator().next_report_due(from).await?;
    deps.report_queue.found(due, now);
    Ok((from, due))
}

/// The result of a part of a callback.
enum PartOutcome {
    /// Nothing is left to do.
    Done,
    /// It is about what this service does not do.
    OutOfScope,
    /// It is about this message, and is processed together with others.
    About(MessageOnChannel),
    /// It changes a message that is not known, or not known yet.
    BeforeItsMessage,
    /// It cannot be processed yet.
    Later,
    /// It is to be kept for the operator.
    Keep(UnsupportedPart),
}

impl PartOutcome {
    fn keep(reason: DeadLetterReason, detail: String) -> Self {
        Self::Keep(UnsupportedPart::new(reason, detail))
    }
}

/// One round of work.
struct Round<'a> {
    deps: &'a Deps,
    now: Timestamp,
    /// Since when it lasts.
    watch: Stopwatch,
    status_reports: StatusReports,
    /// The numbers that were asked for, as the channel calls them.
    numbers: BTreeMap<(ChannelKind, ChannelRef), Option<Account>>,
}

impl Round<'_> {
    /// Takes in one callback; returns the result of each of its parts.
    async fn work_on(&mut self, callback: &Callback) -> Vec<(CallbackKind, PartOutcome)> {
        let (mut parts, mut failed) = (Vec::new(), false);
        for part in parse(callback.channel, &callback.payload) {
            let taken = match part.content {
                Content::Nothing => PartOutcome::Done,
                Content::OutOfScope => PartOutcome::OutOfScope,
                Content::NotUnderstood(why) => PartOutcome::Keep(why),
                Content::Event(callback_event) => {
                    match self.take(callback, callback_event).await {
                        Ok(taken) => taken,
                        Err(error) => {
                            // This callback waits for another attempt; the others do not wait for it.
                            tracing::error!(%error, callback = %callback.id, "a callback was not processed");
                            failed = true;
                            PartOutcome::Later
                        }
                    }
                }
            };
            parts.push((part.kind, taken));
            if failed && self.watch.elapsed() > BEGIN_TIMEOUT {
                // All of it is retried, and what was taken in by then is known to be a repeat.
                break;
            }
        }
        parts
    }

    async fn take(
        &mut self,
        callback: &Callback,
        callback_event: CallbackEvent,
    ) -> Result<PartOutcome> {
        let (channel, received_at) = (callback.channel, callback.received_at);
        // A network that does not say when has called soon after.
        let at =
            callback_event.second.map_or(received_at, |second| within_second(second, self.now));
        match callback_event.what {
            CallbackEventKind::Progress { number, channel_id, ours, report, recipient } => {
                let Some(account) = self.account(channel, &number).await? else {
                    return Ok(unknown_account("number", &number));
                };
                self.judge_number(channel, &number, &report, at).await?;
                let about = on_channel(&account, channel_id);
                self.status_reports.note(about.clone(), ours, (report, at), *recipient);
                Ok(PartOutcome::About(about))
            }
            CallbackEventKind::Message { number, message } => {
                match self.account(channel, &number).await? {
                    Some(account) => inbound::receive(self.deps, &account, *message, at).await,
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
                match self.template(channel, &business, (external_id, name, language)).await? {
                    Ok(template) => verdict::take(self.deps, template, known, verdict, at).await,
                    Err(unknown) => Ok(unknown),
                }
            }
            CallbackEventKind::TemplateUpdated {
                business,
                external_id,
                name,
                language,
                update,
            } => match self.template(channel, &business, (external_id, name, language)).await? {
                Ok(template) => template_update::take(self.deps, template, update).await,
                Err(unknown) => Ok(unknown),
            },
        }
    }

    /// Takes in what the channel reports of numbers.
    async fn report_on(
        &self,
        channel: ChannelKind,
        NumbersRef { business, phone_number }: NumbersRef,
        report: &HealthReport,
    ) -> Result<PartOutcome> {
        let mut within = self.numbers_of(channel, &business).await?;
        within.retain(|it| {
            phone_number.as_ref().is_none_or(|wanted| wanted.as_str() == it.phone_number)
        });
        if within.is_empty() {
            return Ok(unknown_account("business or number of the business", &business));
        }
        account::take(self.deps, &within, report).await
    }

    /// What the status of a message says of the number that it left from.
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
        let of = (account.organization_id, account.id);
        account_health::report(self.deps, of, report, at).await
    }

    /// The template that a report is about, by what the reviewer calls it.
    async fn template(
        &self,
        channel: ChannelKind,
        business: &ChannelRef,
        (external_id, name, language): (String, String, String),
    ) -> Result<std::result::Result<Template, PartOutcome>> {
        let mut within: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for account in self.numbers_of(channel, business).await? {
            within.entry(account.organization_id).or_default().push(account.id);
        }
        if within.is_empty() {
            return Ok(Err(unknown_account("business", business)));
        }
        let detail = format!("no template {external_id} is known");
        let db = self.deps.db.operator();
        let found = db.template_on_channel(within, external_id, name, language).await?;
        let unknown = || PartOutcome::keep(DeadLetterReason::UnknownTemplate, detail);
        Ok(found.ok_or_else(unknown))
    }

    /// The number that a report is about.
    async fn account(
        &mut self,
        channel: ChannelKind,
        number: &ChannelRef,
    ) -> Result<Option<Account>> {
        let asked = (channel, number.clone());
        if let Some(known) = self.numbers.get(&asked) {
            return Ok(known.clone());
        }
        let db = self.deps.db.operator();
        let found = match number {
            ChannelRef::Ours(id) => db.account_on_sandbox(*id).await?,
            ChannelRef::Theirs(id) => db.account_on_channel(channel, id.clone()).await?,
        };
        self.numbers.insert(asked, found.clone());
        Ok(found)
    }

    async fn numbers_of(
        &self,
        channel: ChannelKind,
        business: &ChannelRef,
    ) -> Result<Vec<Account>> {
        let db = self.deps.db.operator();
        match business {
            ChannelRef::Ours(id) => Ok(db.account_on_sandbox(*id).await?.into_iter().collect()),
            ChannelRef::Theirs(id) => db.numbers_of_business(channel, id.clone()).await,
        }
    }
}

const fn on_channel(account: &Account, channel_id: String) -> MessageOnChannel {
    MessageOnChannel { organization: account.organization_id, account: account.id, channel_id }
}

/// It may be connected later: then the operator replays what is kept.
fn unknown_account(what: &str, id: &ChannelRef) -> PartOutcome {
    let id = match id {
        ChannelRef::Ours(id) => id.to_string(),
        ChannelRef::Theirs(id) => id.clone(),
    };
    PartOutcome::keep(DeadLetterReason::UnknownAccount, format!("the {what} {id} is not connected"))
}

/// The channel tells whole seconds: the best guess is the end of that second, or now.
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
