//! Works on what the channel reported: how messages fared, what people wrote, what the reviewer said.

mod inbound;
mod progress;
mod verdict;

use crate::deps::Deps;
use channel::callback::{Heard, News, What, parse};
use domain::account::ChannelKind;
use domain::id::AccountId;
use domain::time::Timestamp;
use persistence::Result;
use persistence::rows::{Account, Callback};
use progress::{Fared, OnChannel};
use std::collections::BTreeMap;
use std::time::Duration;

/// Reports worked on at a time.
const CALLBACKS: i64 = 256;
/// When a report is tried again that could not be worked on.
const AGAIN_AFTER: Duration = Duration::from_secs(10);
/// A report about something that stays unknown is dropped after so many attempts.
const ATTEMPTS_MOST: i32 = 6;

/// Works on what is due; gives how many reports that were.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    if deps.db.next_due().await?.is_none_or(|due| due > now) {
        return Ok(0);
    }
    let claimed = deps.db.claim_callbacks(CALLBACKS, now, now.plus(AGAIN_AFTER)).await?;
    let worked = claimed.len();
    let mut round = Round { deps, now, fared: Fared::default(), numbers: BTreeMap::new() };
    let mut done = Vec::with_capacity(worked);
    for callback in claimed {
        let (about, complete) = round.work_on(&callback).await;
        if complete || callback.attempts >= ATTEMPTS_MOST {
            done.push((callback, about));
        }
    }
    let unknown = progress::advance(deps, round.fared).await?;
    // A report about a message whose id on the channel is not known yet waits for that.
    let complete = |(callback, about): &(Callback, Vec<OnChannel>)| {
        callback.attempts >= ATTEMPTS_MOST || !about.iter().any(|it| unknown.contains(it))
    };
    let done: Vec<_> = done.iter().filter(|it| complete(it)).map(|it| *it.0.id).collect();
    metrics::counter!("callbacks_worked_total").increment(done.len() as u64);
    if !done.is_empty() {
        deps.db.finish_callbacks(done).await?;
        deps.told.notify_one();
    }
    Ok(worked)
}

/// What has become of one item of news.
enum Taken {
    /// Nothing is left to do.
    Done,
    /// It is about this message, and is worked on together with others.
    About(OnChannel),
    /// It cannot be worked on yet.
    Later,
}

/// One round of work.
struct Round<'a> {
    deps: &'a Deps,
    now: Timestamp,
    fared: Fared,
    /// The numbers that were asked for, as the channel calls them.
    numbers: BTreeMap<(ChannelKind, String), Option<Account>>,
}

impl Round<'_> {
    /// Takes in one report; gives the messages that it is about, and whether all of it could be taken in.
    async fn work_on(&mut self, callback: &Callback) -> (Vec<OnChannel>, bool) {
        let Heard { news, unread } = read(callback);
        for why in unread {
            tracing::warn!(why, callback = %*callback.id, "a part of a report cannot be read");
        }
        let (mut about, mut complete) = (Vec::new(), true);
        for news in news {
            match self.take(*callback.channel, news).await {
                Ok(Taken::Done) => {}
                Ok(Taken::About(message)) => about.push(message),
                Ok(Taken::Later) => complete = false,
                Err(error) => {
                    // This report waits for another attempt; the others do not wait for it.
                    tracing::error!(%error, callback = %*callback.id, "a report was not taken in");
                    complete = false;
                }
            }
        }
        (about, complete)
    }

    async fn take(&mut self, channel: ChannelKind, news: News) -> Result<Taken> {
        let at = news.second.map_or(self.now, |second| within_second(second, self.now));
        match news.what {
            What::Progress { number, channel_id, ours, report } => {
                let Some(account) = self.account_id(channel, &number).await? else {
                    return Ok(Taken::Done);
                };
                let about = (account, channel_id);
                self.fared.note(about.clone(), ours, report, at);
                Ok(Taken::About(about))
            }
            What::Message { number, channel_id, from, said, answers } => {
                let Some(account) = self.account(channel, number).await? else {
                    return Ok(Taken::Done);
                };
                let heard = inbound::Heard { account, channel_id, from, answers, at };
                inbound::receive(self.deps, heard, said).await?;
                Ok(Taken::Done)
            }
            What::Template { business, external_id, name, language, verdict } => {
                let within = self.accounts_of(channel, business).await?;
                let judged = verdict::Judged { external_id, name, language, verdict, at };
                verdict::take(self.deps, within, judged).await
            }
        }
    }

    /// The number that a report is about. The sandbox names it by our own id, and there only we report.
    async fn account_id(
        &mut self,
        channel: ChannelKind,
        number: &str,
    ) -> Result<Option<AccountId>> {
        if channel == ChannelKind::Sandbox {
            return Ok(number.parse().ok());
        }
        Ok(self.account(channel, number.to_owned()).await?.map(|account| *account.id))
    }

    async fn account(&mut self, channel: ChannelKind, number: String) -> Result<Option<Account>> {
        let asked = (channel, number.clone());
        if let Some(known) = self.numbers.get(&asked) {
            return Ok(known.clone());
        }
        let found = match (channel, number.parse()) {
            (ChannelKind::Sandbox, Ok(id)) => self.deps.db.account_on_sandbox(id).await?,
            (ChannelKind::Sandbox, Err(_)) => None,
            (ChannelKind::CloudApi, _) => self.deps.db.account_on_cloud(number.clone()).await?,
        };
        if found.is_none() {
            tracing::warn!(number, "a report for a number that is not connected");
        }
        self.numbers.insert(asked, found.clone());
        Ok(found)
    }

    async fn accounts_of(&self, channel: ChannelKind, business: String) -> Result<Vec<AccountId>> {
        match channel {
            ChannelKind::Sandbox => Ok(business.parse().into_iter().collect()),
            ChannelKind::CloudApi => self.deps.db.accounts_of_business(business).await,
        }
    }
}

fn read(callback: &Callback) -> Heard {
    parse(&callback.payload.0).unwrap_or_else(|error| {
        tracing::error!(%error, callback = %*callback.id, "a report cannot be read and is dropped");
        Heard::default()
    })
}

/// The channel tells whole seconds: the best guess is the end of that second, or now.
fn within_second(second: i64, now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(second).plus(Duration::from_millis(999)).min(now)
}
