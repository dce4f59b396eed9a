//! Applies status reports to messages.

use super::identity;
use domain::contact::Identity;
use domain::id::{MessageId, OrganizationId};
use domain::message::{Failure, MessageProgress, Report};
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{MessageOnChannel, MessageState, StatusMove, erased_channel_id};
use platform::Deps;
use platform::counters;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The status reports on one message.
#[derive(Default)]
struct MessageReports {
    /// Our own id of the message, if the report contains it.
    ours: Option<MessageId>,
    /// The reports with their times.
    all: Vec<(Report, Timestamp)>,
    /// The identity of the recipient in the last report.
    recipient: Identity,
}

/// The reports on messages, by message.
#[derive(Default)]
pub struct StatusReports(BTreeMap<MessageOnChannel, MessageReports>);

impl StatusReports {
    /// Adds a report.
    pub fn add(
        &mut self,
        about: MessageOnChannel,
        ours: Option<MessageId>,
        report: (Report, Timestamp),
        recipient: Identity,
    ) {
        let reports = self.0.entry(about).or_default();
        reports.ours = reports.ours.or(ours);
        reports.all.push(report);
        reports.recipient = recipient;
    }
}

/// A change of status that several messages share, and the channel's ids of these messages.
type StatusGroup = (StatusMove, Vec<MessageOnChannel>);

/// The result of applying status reports.
#[derive(Default)]
pub struct Advanced {
    /// Messages that are unknown, or whose channel id is not recorded yet.
    pub unknown: BTreeSet<MessageOnChannel>,
    /// Messages whose status was changed by somebody else in the meantime.
    pub moved: BTreeSet<MessageOnChannel>,
    /// The organizations whose messages have changed.
    pub organizations: BTreeSet<OrganizationId>,
}

/// Applies status reports, with one statement for many messages. Returns the messages whose reports
/// must be applied again later.
pub async fn advance(deps: &Deps, status_reports: StatusReports) -> Result<Advanced> {
    let mut again = Advanced::default();
    if status_reports.0.is_empty() {
        return Ok(again);
    }
    let states = states(deps, &status_reports).await?;
    let (mut together, mut reports): (Vec<StatusGroup>, _) = (Vec::new(), Vec::new());
    let mut moving = BTreeSet::new();
    for (about, MessageReports { all, recipient, .. }) in status_reports.0 {
        let Some(state) = states.get(&about) else {
            again.unknown.insert(about);
            continue;
        };
        if let Some((_, at)) = all.last() {
            reports.extend(identity::recipient_report(about.account, state, recipient, *at));
        }
        let Some(step) = combine_reports(about.organization, state, all) else { continue };
        // The channel knows the message by two ids, and this step already applies a report for the
        // other id. The report for this id is applied in a later step.
        if !moving.insert(state.id) {
            again.moved.insert(about);
            continue;
        }
        again.organizations.insert(about.organization);
        let same = together.iter_mut().find(|(other, _)| {
            other.organization == step.organization
                && other.from == step.from
                && other.to == step.to
                && other.reported == step.reported
        });
        match same {
            Some((other, known)) => {
                other.messages.push(state.id);
                other.contacts.extend(step.contacts);
                known.push(about);
            }
            None => together.push((step, vec![about])),
        }
    }
    if !together.is_empty() {
        again.moved.extend(advance_messages(deps, together).await?);
    }
    identity::apply_reports(deps, reports).await;
    Ok(again)
}

/// Changes the status of messages. Returns those whose status changed in the meantime.
async fn advance_messages(
    deps: &Deps,
    together: Vec<StatusGroup>,
) -> Result<BTreeSet<MessageOnChannel>> {
    let (moves, known): (Vec<StatusMove>, Vec<_>) = together.into_iter().unzip();
    let ids: Vec<MessageId> = moves.iter().flat_map(|it| it.messages.iter().copied()).collect();
    let failing: Vec<(MessageId, Failure)> = moves
        .iter()
        .filter_map(|it| Some((&it.messages, it.to.error.as_ref()?.failure)))
        .flat_map(|(messages, why)| messages.iter().map(move |message| (*message, why)))
        .collect();
    let done = deps.db.operator().advance(moves, deps.clock.now()).await?;
    let done: BTreeSet<_> = done.into_iter().collect();
    for (message, why) in failing {
        if done.contains(&message) {
            counters::failed(why, 1);
        }
    }
    let asked = ids.into_iter().zip(known.into_iter().flatten());
    Ok(asked.filter(|(id, _)| !done.contains(id)).map(|(_, about)| about).collect())
}

/// Combines the reports on a message in order. Each report that changes the status becomes an
/// event. A late or repeated report does not change the status, and a status that was skipped gets
/// no event.
fn combine_reports(
    organization: OrganizationId,
    state: &MessageState,
    reports: Vec<(Report, Timestamp)>,
) -> Option<StatusMove> {
    let from = &state.progress;
    let (mut to, mut reported) = (from.clone(), Vec::new());
    for (report, at) in reports {
        if let Some(next) = to.after(report, at) {
            reported.push(next.status);
            to = next;
        }
    }
    if reported.is_empty() {
        return None;
    }
    let to = MessageProgress {
        sent_at: to.sent_at.filter(|_| from.sent_at.is_none()),
        delivered_at: to.delivered_at.filter(|_| from.delivered_at.is_none()),
        read_at: to.read_at.filter(|_| from.read_at.is_none()),
        ..to
    };
    let person = state.contact.snapshot().inspect_err(|error| {
        tracing::error!(%error, message = %state.id, "a contact cannot be read; events do not show it");
    });
    let contacts = person.ok().map(|it| (state.id, Arc::new(it))).into_iter().collect();
    let (from, messages) = (from.status, vec![state.id]);
    Some(StatusMove { organization, from, reported, to, messages, contacts })
}

/// Loads the status of messages by the channel's id or, if no message has that id, by our own id. A
/// message that was submitted twice, because the first answer was lost, has two ids at the channel
/// and one here.
async fn states(
    deps: &Deps,
    status_reports: &StatusReports,
) -> Result<BTreeMap<MessageOnChannel, MessageState>> {
    let mut states =
        deps.db.operator().message_states(status_reports.0.keys().cloned().collect()).await?;
    let missing = |states: &BTreeMap<MessageOnChannel, MessageState>| -> Vec<MessageOnChannel> {
        status_reports.0.keys().filter(|about| !states.contains_key(*about)).cloned().collect()
    };
    let unknown = missing(&states);
    if !unknown.is_empty() {
        states.extend(deleted_states(deps, unknown).await?);
    }
    let unknown: Vec<_> = status_reports
        .0
        .iter()
        .filter(|(about, _)| !states.contains_key(*about))
        .filter_map(|(about, reports)| Some((about, (about.organization, reports.ours?))))
        .collect();
    if unknown.is_empty() {
        return Ok(states);
    }
    let ids = unknown.iter().map(|(_, ours)| *ours).collect();
    let found = deps.db.operator().own_message_states(ids).await?;
    for (about, (organization, ours)) in unknown {
        let Some(state) = found.get(&ours) else { continue };
        if !state.has_channel_id {
            record_missing_channel_id(deps, organization, state.id, &about.channel_id).await;
        }
        states.insert(about.clone(), state.clone());
    }
    Ok(states)
}

/// Loads the status of messages whose contacts were deleted.
async fn deleted_states(
    deps: &Deps,
    unknown: Vec<MessageOnChannel>,
) -> Result<Vec<(MessageOnChannel, MessageState)>> {
    let erased = unknown.iter().map(|about| MessageOnChannel {
        channel_id: erased_channel_id(&about.channel_id),
        ..about.clone()
    });
    let erased: Vec<MessageOnChannel> = erased.collect();
    let mut found = deps.db.operator().message_states(erased.clone()).await?;
    let states = unknown.into_iter().zip(erased);
    Ok(states.filter_map(|(about, erased)| Some((about, found.remove(&erased)?))).collect())
}

/// Records the channel's id of a message if the answer to the send could not be read or is not
/// recorded yet. A failure is only logged, and the report is applied anyway. Without the channel's
/// id, a reply to the message cannot be linked to it.
async fn record_missing_channel_id(
    deps: &Deps,
    organization: OrganizationId,
    message: MessageId,
    channel_id: &str,
) {
    let channel_id = channel_id.to_owned();
    let adopted =
        deps.db.operator().record_missing_channel_id(organization, message, channel_id).await;
    if let Err(error) = adopted {
        tracing::warn!(%error, %message, "the channel's id of a message was not recorded");
    }
}
