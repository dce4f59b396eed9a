//! Conversations of a number that is held: one message a minute is tried, the others wait.

use crate::{Deps, account_health};
use domain::account::{ChannelKind, HealthReason, HealthReport, HealthState};
use domain::message::{DeliveryError, Failure};
use domain::retry::GIVE_UP_AFTER;
use domain::time::Timestamp;
use persistence::rows::{Claimed, OutgoingMessage};

/// What is known of a number while a conversation of it is worked on.
pub struct NumberState<'a> {
    deps: &'a Deps,
    claimed: &'a Claimed,
    /// Whether it was held when the conversation was claimed, or has turned out to be.
    held: bool,
    /// Whether the message that is being sent shows whether it still is.
    probing: bool,
}

/// What is to be done with a message.
pub enum Turn {
    /// It is sent.
    Send,
    /// It waits, with all behind it.
    Wait,
    /// It has waited for a day.
    GiveUp(DeliveryError),
}

impl<'a> NumberState<'a> {
    /// As the claim has found it.
    pub fn of(deps: &'a Deps, claimed: &'a Claimed) -> Self {
        let held = *claimed.access.health == HealthState::Held;
        Self { deps, claimed, held, probing: false }
    }

    /// Whether the message can be sent now. One that may although the number is held is the one of this minute.
    pub async fn turn(&mut self, message: &OutgoingMessage) -> Turn {
        let (deps, claimed) = (self.deps, self.claimed);
        let account = *claimed.access.id;
        let known_since = deps.held_numbers.holds(account, claimed.claim.number);
        if !self.held && !known_since {
            return Turn::Send;
        }
        self.held = true;
        let now = deps.clock.now();
        let end = give_up_at(message);
        if end <= now {
            return Turn::GiveUp(self.reason());
        }
        let due = claimed.access.probe_due_at.is_some_and(|due| *due <= now);
        if known_since || self.probing || !due {
            return Turn::Wait;
        }
        let theirs = deps.db.organization(claimed.organization);
        match theirs.take_probe(account, claimed.conversation, end, now).await {
            Ok(taken) => self.probing = taken,
            Err(error) => tracing::error!(%error, %account, "a held number was not tried"),
        }
        if self.probing { Turn::Send } else { Turn::Wait }
    }

    /// The channel has answered about a message, and so takes the number's.
    pub async fn got_through(&mut self) {
        if !std::mem::take(&mut self.probing) {
            return;
        }
        self.held = false;
        self.report(HealthReport::Reinstated).await;
    }

    /// The channel refuses the number.
    pub async fn refused(&mut self, reason: HealthReason, error: &DeliveryError) {
        self.held = true;
        let code = error.channel_code.map_or_else(String::new, |code| format!(" ({code})"));
        let message = format!("{}{code}", error.message);
        self.report(HealthReport::Refused(reason, message)).await;
    }

    /// The network behind it.
    pub fn channel(&self) -> ChannelKind {
        *self.claimed.access.channel
    }

    /// Whether messages wait for the number.
    pub const fn is_held(&self) -> bool {
        self.held
    }

    async fn report(&self, report: HealthReport) {
        let (deps, claimed) = (self.deps, self.claimed);
        let of = (claimed.organization, *claimed.access.id);
        if let Err(error) = account_health::report(deps, of, report, deps.clock.now()).await {
            // The next message shows it again.
            tracing::error!(%error, account = %of.1, "how a number is was not recorded");
        }
    }

    fn reason(&self) -> DeliveryError {
        let access = &self.claimed.access;
        let failure = match access.health_reason.map(|it| *it) {
            Some(HealthReason::AccountLocked | HealthReason::AccountDisabled) => {
                Failure::AccountLocked
            }
            _ => Failure::ChannelError,
        };
        let message = access.health_message.clone();
        let message = message.unwrap_or_else(|| "The channel refused the number.".to_owned());
        DeliveryError { failure, message, channel_code: None }
    }
}

/// When a message is given up.
pub fn give_up_at(message: &OutgoingMessage) -> Timestamp {
    message.accepted_at.plus(GIVE_UP_AFTER)
}
