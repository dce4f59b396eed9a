//! How messages fared.

use crate::deps::Deps;
use domain::id::{AccountId, MessageId};
use domain::message::{Progress, Report, Status};
use domain::time::Timestamp;
use persistence::Result;
use persistence::rows::MessageState;
use std::collections::{BTreeMap, BTreeSet};

/// A message by its account and the channel's id of it.
pub type OnChannel = (AccountId, String);

/// What was reported of a message, with our id where the channel gave it back.
type Reports = (Option<MessageId>, Vec<(Report, Timestamp)>);

/// What was reported of messages.
#[derive(Default)]
pub struct Fared(BTreeMap<OnChannel, Reports>);

impl Fared {
    /// One more report.
    pub fn note(
        &mut self,
        about: OnChannel,
        ours: Option<MessageId>,
        report: Report,
        at: Timestamp,
    ) {
        let (known, reports) = self.0.entry(about).or_default();
        *known = known.or(ours);
        reports.push((report, at));
    }
}

/// From where, to where, and which messages.
type Move = (Status, Progress, Vec<(MessageId, OnChannel)>);

/// Moves messages on, many with one statement; gives those that have to be judged again: the
/// channel knows them before we know their ids there, or they moved in the meantime.
pub async fn advance(deps: &Deps, fared: Fared) -> Result<BTreeSet<OnChannel>> {
    if fared.0.is_empty() {
        return Ok(BTreeSet::new());
    }
    let states = states(deps, &fared).await?;
    let mut again = BTreeSet::new();
    let mut moves: Vec<Move> = Vec::new();
    for (about, (_, reports)) in fared.0 {
        let Some(state) = states.get(&about) else {
            again.insert(about);
            continue;
        };
        let from = &state.progress;
        let to = reports.into_iter().fold(from.clone(), |progress, (report, at)| {
            progress.after(report, at).unwrap_or(progress)
        });
        if to == *from {
            continue;
        }
        let change = Progress {
            sent_at: to.sent_at.filter(|_| from.sent_at.is_none()),
            delivered_at: to.delivered_at.filter(|_| from.delivered_at.is_none()),
            read_at: to.read_at.filter(|_| from.read_at.is_none()),
            ..to
        };
        let same = moves.iter_mut().find(|it| it.0 == from.status && it.1 == change);
        match same {
            Some((_, _, messages)) => messages.push((state.id, about)),
            None => moves.push((from.status, change, vec![(state.id, about)])),
        }
    }
    for (from, change, messages) in moves {
        let ids = messages.iter().map(|(id, _)| *id).collect();
        let done: BTreeSet<_> = deps.db.advance(ids, from, change).await?.into_iter().collect();
        again.extend(messages.into_iter().filter(|it| !done.contains(&it.0)).map(|it| it.1));
    }
    Ok(again)
}

/// Where the messages stand: by the channel's id, or else by ours. A message that was handed over twice,
/// because the first answer got lost, is known to the channel by two ids and to us by one.
async fn states(deps: &Deps, fared: &Fared) -> Result<BTreeMap<OnChannel, MessageState>> {
    let mut states = deps.db.message_states(fared.0.keys().cloned().collect()).await?;
    let unknown: Vec<_> = fared
        .0
        .iter()
        .filter(|(about, _)| !states.contains_key(*about))
        .filter_map(|(about, (ours, _))| Some((about, (about.0, (*ours)?))))
        .collect();
    if unknown.is_empty() {
        return Ok(states);
    }
    let ids = unknown.iter().map(|(_, ours)| *ours).collect();
    let found = deps.db.own_message_states(ids).await?;
    for (about, ours) in unknown {
        if let Some(state) = found.get(&ours) {
            states.insert(about.clone(), state.clone());
        }
    }
    Ok(states)
}
