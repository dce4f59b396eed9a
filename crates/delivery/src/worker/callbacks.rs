//! Works on what the channel reported: how messages fared, and what people wrote.

use crate::deps::Deps;
use crate::operation::write;
use crate::wire::content::{ChoiceDocument, Chosen, MediaDocument, TextDocument};
use channel::callback::{News, Said, What, parse};
use domain::content::ContentType;
use domain::id::{AccountId, MessageId};
use domain::message::{Progress, Report, Status};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use persistence::rows::{Callback, Inbound};
use persistence::{Document, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Reports worked on at a time.
const CALLBACKS: i64 = 256;
/// When a report is tried again that could not be worked on.
const AGAIN_AFTER: Duration = Duration::from_secs(10);
/// A report about a message that stays unknown is dropped after so many attempts.
const ATTEMPTS_MOST: i32 = 6;

/// A message by its account and the channel's id of it.
type OnChannel = (AccountId, String);
/// How messages fared, each report with its time.
type Fared = BTreeMap<OnChannel, Vec<(Report, Timestamp)>>;

/// From where, to where, and which messages.
type Move = (Status, Progress, Vec<(MessageId, OnChannel)>);

/// Works on what is due; gives how many reports that were.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    if deps.db.next_due().await?.is_none_or(|due| due > now) {
        return Ok(0);
    }
    let claimed = deps.db.claim_callbacks(CALLBACKS, now, now.plus(AGAIN_AFTER)).await?;
    let worked = claimed.len();
    let mut fared = Fared::new();
    let mut done = Vec::with_capacity(worked);
    for (callback, news) in claimed.into_iter().map(read) {
        let mut about = Vec::new();
        let mut failed = false;
        for news in news {
            match take(deps, news, now, &mut fared).await {
                Ok(found) => about.extend(found),
                Err(error) => {
                    // This report waits for another attempt; the others do not wait for it.
                    tracing::error!(%error, callback = %*callback.id, "a report was not taken in");
                    failed = true;
                }
            }
        }
        if !failed || callback.attempts >= ATTEMPTS_MOST {
            done.push((callback, about));
        }
    }
    let unknown = advance(deps, fared).await?;
    // A report about a message whose id on the channel is not known yet waits for that.
    let complete = |(callback, about): &(Callback, Vec<OnChannel>)| {
        callback.attempts >= ATTEMPTS_MOST || !about.iter().any(|it| unknown.contains(it))
    };
    let done: Vec<_> = done.iter().filter(|it| complete(it)).map(|it| *it.0.id).collect();
    metrics::counter!("callbacks_worked_total").increment(done.len() as u64);
    if !done.is_empty() {
        deps.db.finish_callbacks(done).await?;
    }
    Ok(worked)
}

fn read(callback: Callback) -> (Callback, Vec<News>) {
    let news = parse(&callback.payload.0).unwrap_or_else(|error| {
        tracing::error!(%error, callback = %*callback.id, "a report cannot be read and is dropped");
        Vec::new()
    });
    (callback, news)
}

/// Takes in what a person wrote, and notes how a message fared; gives the message that it is about.
async fn take(
    deps: &Deps,
    news: News,
    now: Timestamp,
    fared: &mut Fared,
) -> Result<Option<OnChannel>> {
    let Ok(account) = news.number.parse::<AccountId>() else {
        tracing::warn!(number = news.number, "a report for a number that is not connected");
        return Ok(None);
    };
    match news.what {
        What::Progress { channel_id, report } => {
            let (about, at) = ((account, channel_id), within_second(news.second, now));
            fared.entry(about.clone()).or_default().push((report, at));
            Ok(Some(about))
        }
        What::Message { channel_id, from, said, answers } => {
            let heard = Heard { account, channel_id, from, answers, now };
            receive(deps, heard, said).await?;
            Ok(None)
        }
    }
}

/// The channel tells whole seconds: the best guess is the end of that second, or now.
fn within_second(second: i64, now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(second).plus(Duration::from_millis(999)).min(now)
}

/// Moves messages on, many with one statement; gives those that have to be judged again: the
/// channel knows them before we know their ids there, or they moved in the meantime.
async fn advance(deps: &Deps, fared: Fared) -> Result<BTreeSet<OnChannel>> {
    if fared.is_empty() {
        return Ok(BTreeSet::new());
    }
    let states = deps.db.message_states(fared.keys().cloned().collect()).await?;
    let mut again = BTreeSet::new();
    let mut moves: Vec<Move> = Vec::new();
    for (about, reports) in fared {
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

struct Heard {
    account: AccountId,
    channel_id: String,
    from: String,
    answers: Option<String>,
    now: Timestamp,
}

async fn receive(deps: &Deps, heard: Heard, said: Said) -> Result<()> {
    let Some(account) = deps.db.account_of_channel(heard.account).await? else {
        tracing::warn!(account = %heard.account, "a message for a number that is not connected");
        return Ok(());
    };
    let (Ok(from), Some((kind, content))) = (PhoneNumber::parse(&heard.from), document(said))
    else {
        tracing::warn!(from = heard.from, "a message that cannot be kept");
        return Ok(());
    };
    let Heard { channel_id, answers, now, .. } = heard;
    let inbound = Inbound {
        message: deps.id(now),
        account: heard.account,
        organization: *account.organization_id,
        phone_number: from.to_string(),
        new_contact: deps.id(now),
        new_conversation: deps.id(now),
        kind,
        content: Document(content),
        answers,
        channel_message_id: channel_id,
        at: now,
    };
    deps.db.receive(inbound).await.map(drop)
}

/// What was said, as history shows it.
fn document(said: Said) -> Option<(ContentType, String)> {
    match said {
        Said::Text(text) => {
            let document = TextDocument { text: Some(text), preview_url: None };
            Some((ContentType::Text, write(&document).ok()?))
        }
        Said::Media { kind, content_type, caption, filename, .. } => {
            let document = MediaDocument {
                url: None,
                media_type: Some(kind),
                content_type: Some(content_type),
                caption,
                filename,
            };
            Some((ContentType::Media, write(&document).ok()?))
        }
        Said::Choice { kind, id, title, description } => {
            let chosen = Some(Chosen { id, title, description });
            let (button_reply, list_reply) =
                if kind == "button_reply" { (chosen, None) } else { (None, chosen) };
            let document = ChoiceDocument { kind, button_reply, list_reply };
            Some((ContentType::Interactive, write(&document).ok()?))
        }
    }
}
