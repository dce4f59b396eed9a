//! Hands accepted messages to the channel: in order within a conversation, each at least once.

use crate::deps::{Deps, Stopwatch};
use crate::wire::components;
use crate::wire::content::{rendered, restore};
use channel::{Handed, Handover, Refusal, sandbox};
use domain::account::ChannelKind;
use domain::content::Content;
use domain::id::OrganizationId;
use domain::message::{DeliveryError, Failure};
use domain::retry::next_attempt;
use domain::template;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::rows::{Callback, Claimed, Outgoing, Settlement, Verdict};
use persistence::{Document, Result};
use std::time::Duration;

/// Conversations worked on at a time.
const CONVERSATIONS: i64 = 64;
/// How long a claim holds; a server that dies leaves its conversations for this long.
const LEASE: Duration = Duration::from_secs(30);
/// No message is begun later than this after the claim, so that the claim outlasts it.
const BEGIN_WITHIN: Duration = Duration::from_secs(15);

/// Hands over what is due; gives how many conversations it worked on.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    if deps.db.next_due().await?.is_none_or(|due| due > now) {
        return Ok(0);
    }
    let claimed = deps.db.claim(CONVERSATIONS, now, now.plus(LEASE)).await?;
    let worked = claimed.len();
    let settled = futures_util::stream::iter(claimed)
        .map(|conversation| async move {
            let settlement = hand_over_all(deps, conversation).await;
            let reports = !settlement.callbacks.is_empty();
            deps.db.settle(settlement).await?;
            if reports {
                deps.reported.notify_one();
            }
            Ok(())
        })
        .buffer_unordered(usize::try_from(CONVERSATIONS).unwrap_or(1));
    let outcomes: Vec<Result<()>> = settled.collect().await;
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(worked)
}

/// One conversation's messages, one after the other until one has to wait.
async fn hand_over_all(deps: &Deps, claimed: Claimed) -> Settlement {
    let watch = Stopwatch::start();
    let mut settlement = Settlement {
        conversation: claimed.conversation,
        line: (claimed.organization, claimed.account, claimed.phone_number.clone()),
        until: claimed.until,
        verdicts: Vec::new(),
        retry: None,
        at: deps.clock.now(),
        callbacks: Vec::new(),
    };
    for message in &claimed.messages {
        if watch.elapsed() > BEGIN_WITHIN {
            break;
        }
        let now = deps.clock.now();
        let outcome = match hand_over(deps, &claimed, message, now).await {
            Ok(handed) => {
                metrics::counter!("messages_handed_over_total").increment(1);
                settlement.callbacks.extend(reports(deps, claimed.channel, &handed, now));
                Ok(handed.channel_id)
            }
            Err(Refusal::Definite(error)) => Err(error),
            Err(Refusal::Later { after, why }) => {
                let failed = u32::try_from(message.attempts).unwrap_or_default();
                let [jitter] = deps.entropy.bytes();
                let next = next_attempt(message.accepted_at, failed, after, jitter, now);
                if let Some(next) = next {
                    metrics::counter!("messages_retried_total").increment(1);
                    settlement.retry = Some((message.position, next));
                    break;
                }
                Err(given_up(&why))
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

fn given_up(why: &str) -> DeliveryError {
    let message = format!("Given up after 24 hours: {why}");
    DeliveryError { failure: Failure::ChannelError, message, channel_code: None }
}

async fn hand_over(
    deps: &Deps,
    claimed: &Claimed,
    message: &Outgoing,
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
    let text = text_of(deps, claimed.organization, &content).await;
    let handover = Handover {
        message: message.message,
        account: claimed.account,
        to: &claimed.phone_number,
        content: &content,
        rendered: &text,
        attempts: u32::try_from(message.attempts).unwrap_or_default(),
    };
    match claimed.channel {
        ChannelKind::Sandbox => sandbox::hand_over(&handover, now),
        ChannelKind::CloudApi => Err(Refusal::Definite(DeliveryError {
            failure: Failure::ChannelError,
            message: "This release cannot reach the Cloud API yet.".to_owned(),
            channel_code: None,
        })),
    }
}

/// What a person would read; a template that is not known here is shown by its name.
async fn text_of(deps: &Deps, organization: OrganizationId, content: &Content) -> String {
    if let Content::Template(named) = content {
        let (name, language) = (named.name.to_string(), named.language.to_string());
        let found = deps.db.template_named(organization, name, language).await;
        let definition =
            found.ok().flatten().and_then(|it| components::definition(&it.components.0).ok());
        if let Some(definition) = definition {
            return template::render(&definition, named);
        }
    }
    rendered(content)
}

fn reports(deps: &Deps, channel: ChannelKind, handed: &Handed, now: Timestamp) -> Vec<Callback> {
    let report = |(after, payload): &(Duration, String)| Callback {
        id: deps.id::<domain::id::Callback>(now).into(),
        channel: channel.into(),
        payload: Document(payload.clone()),
        attempts: 0,
        due_at: now.plus(*after).into(),
        received_at: now.plus(*after).into(),
    };
    handed.callbacks.iter().map(report).collect()
}
