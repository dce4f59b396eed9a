//! Hands accepted messages to the channel: in order within a conversation, each at least once.

use super::line::{self, Line};
use super::{GATHER, report, rest};
use crate::deps::{Deps, Stopwatch};
use crate::wire::content::{rendered, restore};
use crate::wire::template::definition;
use channel::{Handed, Handover, Refusal, cloud_api};
use domain::content::Content;
use domain::id::OrganizationId;
use domain::message::{DeliveryError, Failure};
use domain::retry::next_attempt;
use domain::template;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::rows::{Claimed, Outgoing, Settlement, Verdict};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinSet;

/// Conversations claimed at a time.
const CONVERSATIONS: usize = 64;
/// Conversations worked on at a time: those that the channel lets wait do not hold up the others.
const AT_WORK_MOST: usize = 512;
/// How long a claim holds; a server that dies leaves its conversations for this long.
const LEASE: Duration = Duration::from_secs(30);
/// No message is begun later than this after the claim, so that the claim outlasts it.
const BEGIN_WITHIN: Duration = Duration::from_secs(15);

/// Works until the server stops, and then ends what it has begun.
pub async fn run(deps: &Arc<Deps>) {
    let mut at_work = JoinSet::new();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = at_work.try_join_next() {
            note(ended);
        }
        if at_work.len() + CONVERSATIONS > AT_WORK_MOST {
            if let Some(ended) = at_work.join_next().await {
                note(ended);
            }
            continue;
        }
        let claimed = claim_due(deps).await.unwrap_or_else(|error| {
            tracing::error!(%error, worker = "send", "a step failed; it is tried again");
            Vec::new()
        });
        let found = claimed.len();
        for conversation in claimed {
            let deps = deps.clone();
            at_work.spawn(async move { work_on(&deps, conversation).await });
        }
        match found {
            0 => rest(deps, &deps.accepted).await,
            CONVERSATIONS => {}
            _ => tokio::time::sleep(GATHER).await,
        }
    }
    while let Some(ended) = at_work.join_next().await {
        note(ended);
    }
}

/// A conversation that could not be settled is claimed again when its claim has run out.
fn note(ended: Result<Result<()>, tokio::task::JoinError>) {
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "a conversation was not settled"),
        Err(error) => tracing::error!(%error, "the work on a conversation was broken off"),
    }
}

/// Hands over what is due; gives how many conversations it worked on.
pub async fn step(deps: &Deps) -> Result<usize> {
    let claimed = claim_due(deps).await?;
    let worked = claimed.len();
    let settled = futures_util::stream::iter(claimed)
        .map(|conversation| work_on(deps, conversation))
        .buffer_unordered(CONVERSATIONS);
    let outcomes: Vec<Result<()>> = settled.collect().await;
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(worked)
}

async fn claim_due(deps: &Deps) -> Result<Vec<Claimed>> {
    let now = deps.clock.now();
    if deps.db.next_due().await?.is_none_or(|due| due > now) {
        return Ok(Vec::new());
    }
    deps.db.claim(i64::try_from(CONVERSATIONS).unwrap_or(1), now, now.plus(LEASE)).await
}

async fn work_on(deps: &Deps, conversation: Claimed) -> Result<()> {
    let settlement = hand_over_all(deps, conversation).await;
    let reports = !settlement.callbacks.is_empty();
    deps.db.settle(settlement).await?;
    if reports {
        deps.reported.notify_one();
    }
    Ok(())
}

/// One conversation's messages, one after the other until one has to wait.
async fn hand_over_all(deps: &Deps, claimed: Claimed) -> Settlement {
    let watch = Stopwatch::start();
    let account = *claimed.access.id;
    let mut settlement = Settlement {
        conversation: claimed.conversation,
        line: (claimed.organization, account, claimed.phone_number.clone()),
        until: claimed.until,
        verdicts: Vec::new(),
        retry: None,
        at: deps.clock.now(),
        callbacks: Vec::new(),
    };
    let line = Line::of(deps, &claimed.access);
    for message in &claimed.messages {
        if watch.elapsed() > BEGIN_WITHIN {
            break;
        }
        let now = deps.clock.now();
        let handed = match &line {
            Ok(line) => {
                let answers = answered(message, &settlement.verdicts);
                hand_over(deps, line, &claimed, message, answers, now).await
            }
            Err(why) => Err(line::missing(why)),
        };
        let outcome = match handed {
            Ok(handed) => {
                metrics::counter!("messages_handed_over_total").increment(1);
                let channel = *claimed.access.channel;
                let reports = handed.callbacks.into_iter().map(|it| report(deps, channel, it, now));
                settlement.callbacks.extend(reports);
                Ok(handed.channel_id)
            }
            Err(Refusal::Definite(error)) => Err(error),
            Err(Refusal::Later { after, error }) => {
                let failed = u32::try_from(message.attempts).unwrap_or_default();
                let [jitter] = deps.entropy.bytes();
                // The refusal may have been long in coming: the wait begins with it.
                let now = deps.clock.now();
                let next = next_attempt(message.accepted_at, failed, after, jitter, now);
                if let Some(next) = next {
                    metrics::counter!("messages_retried_total").increment(1);
                    settlement.retry = Some((message.position, next));
                    break;
                }
                Err(given_up(error))
            }
        };
        if outcome.is_err() {
            metrics::counter!("messages_refused_total").increment(1);
        }
        let Outgoing { message, position, .. } = message;
        settlement.verdicts.push(Verdict { message: *message, position: *position, outcome });
    }
    settlement
}

fn given_up(last: DeliveryError) -> DeliveryError {
    let DeliveryError { failure, message, channel_code } = last;
    let message = format!("Given up after 24 hours: {message}");
    DeliveryError { failure, message, channel_code }
}

/// The channel's id of the message that this one answers, which the channel may have told just now.
fn answered<'a>(message: &'a Outgoing, handed: &'a [Verdict]) -> Option<&'a str> {
    let just_now = || {
        let answered = handed.iter().find(|it| Some(it.message) == message.reply_to)?;
        answered.outcome.as_ref().ok()?.as_deref()
    };
    message.answers.as_deref().or_else(just_now)
}

async fn hand_over(
    deps: &Deps,
    line: &Line,
    claimed: &Claimed,
    message: &Outgoing,
    answers: Option<&str>,
    now: Timestamp,
) -> Result<Handed, Refusal> {
    let content = restore(message.kind, &message.content.0).map_err(|error| {
        tracing::error!(%error, message = %message.message, "a message cannot be handed over");
        Refusal::Definite(DeliveryError {
            failure: Failure::ChannelError,
            message: "The message could not be read.".to_owned(),
            channel_code: None,
        })
    })?;
    // Only the sandbox's people need to be told what they read.
    let text = match line {
        Line::Sandbox => text_of(deps, claimed.organization, &content).await?,
        Line::CloudApi(_) => None,
    };
    let handover = Handover {
        message: message.message,
        account: *claimed.access.id,
        to: &claimed.phone_number,
        content: &content,
        rendered: text.as_deref(),
        answers,
        attempts: u32::try_from(message.attempts).unwrap_or_default(),
    };
    line.hand_over(deps, &handover, now).await
}

/// What a person would read; nothing of a template that nobody has made.
async fn text_of(
    deps: &Deps,
    organization: OrganizationId,
    content: &Content,
) -> Result<Option<String>, Refusal> {
    let Content::Template(named) = content else { return Ok(Some(rendered(content))) };
    let (name, language) = (named.name.to_string(), named.language.to_string());
    let found = deps.db.template_named(organization, name, language).await;
    let found = found.map_err(|error| {
        tracing::error!(%error, "a template could not be looked up");
        cloud_api::unreachable("the template could not be looked up".to_owned())
    })?;
    Ok(found.map(|found| match definition(&found.components.0) {
        Ok(definition) => template::render(&definition, named),
        Err(_) => rendered(content),
    }))
}
