//! Works on what the channel reported: how messages fared, and what people wrote.

use crate::deps::Deps;
use crate::operation::write;
use crate::wire::content::{ChoiceDocument, Chosen, MediaDocument, TextDocument};
use channel::callback::{News, Said, What, parse};
use domain::content::ContentType;
use domain::id::AccountId;
use domain::message::Report;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::rows::{Callback, Inbound};
use persistence::{Document, Result};
use std::collections::BTreeMap;
use std::time::Duration;

/// Reports worked on at a time.
const CALLBACKS: i64 = 256;
/// Of those, side by side.
const SIDE_BY_SIDE: usize = 32;
/// When a report is tried again that could not be worked on.
const AGAIN_AFTER: Duration = Duration::from_secs(10);
/// A report about a message that stays unknown is dropped after so many attempts.
const ATTEMPTS_MOST: i32 = 6;

/// Works on what is due; gives how many reports that were.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    if deps.db.next_due().await?.is_none_or(|due| due > now) {
        return Ok(0);
    }
    let claimed = deps.db.claim_callbacks(CALLBACKS, now, now.plus(AGAIN_AFTER)).await?;
    let worked = claimed.len();
    let mut done = Vec::with_capacity(worked);
    let (statuses, messages): (Vec<_>, Vec<_>) =
        claimed.into_iter().map(read).partition(|(_, news)| news.iter().all(is_progress));
    // How messages fared may be told in any order; what people wrote has one.
    let outcomes: Vec<_> = futures_util::stream::iter(statuses)
        .map(|(callback, news)| async move { (callback.id, work(deps, &callback, news).await) })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect()
        .await;
    for (id, outcome) in outcomes {
        done.extend(outcome?.then_some(*id));
    }
    for (callback, news) in messages {
        done.extend(work(deps, &callback, news).await?.then_some(*callback.id));
    }
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

const fn is_progress(news: &News) -> bool {
    matches!(news.what, What::Progress { .. })
}

/// Works on one report; `false` if it has to wait for the message that it is about.
async fn work(deps: &Deps, callback: &Callback, news: Vec<News>) -> Result<bool> {
    let now = deps.clock.now();
    let mut fared: BTreeMap<(AccountId, String), Vec<(Report, Timestamp)>> = BTreeMap::new();
    for news in news {
        let Ok(account) = news.number.parse::<AccountId>() else {
            tracing::warn!(number = news.number, "a report for a number that is not connected");
            continue;
        };
        let at = within_second(news.second, now);
        match news.what {
            What::Progress { channel_id, report } => {
                fared.entry((account, channel_id)).or_default().push((report, at));
            }
            What::Message { channel_id, from, said, answers } => {
                let heard = Heard { account, channel_id, from, answers, now };
                receive(deps, heard, said).await?;
            }
        }
    }
    let mut complete = true;
    for ((account, channel_id), reports) in fared {
        complete &= advance(deps, account, channel_id, &reports).await?;
    }
    Ok(complete || callback.attempts >= ATTEMPTS_MOST)
}

/// The channel tells whole seconds: the best guess is the end of that second, or now.
fn within_second(second: i64, now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(second).plus(Duration::from_millis(999)).min(now)
}

/// Moves a message on; `false` if the channel knows it before we know its id there.
async fn advance(
    deps: &Deps,
    account: AccountId,
    channel_id: String,
    reports: &[(Report, Timestamp)],
) -> Result<bool> {
    loop {
        let mut states = deps.db.message_states(account, vec![channel_id.clone()]).await?;
        let Some(state) = states.remove(&channel_id) else { return Ok(false) };
        let mut progress = state.progress.clone();
        for (report, at) in reports {
            progress = progress.after(report.clone(), *at).unwrap_or(progress);
        }
        if progress == state.progress {
            return Ok(true);
        }
        // It may have moved in the meantime: then what the reports mean is to be judged anew.
        if deps.db.advance(state.id, state.progress.status, progress).await? {
            return Ok(true);
        }
    }
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
