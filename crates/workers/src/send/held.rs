//! Conversations of a held account: one message per minute is sent to test the account, the others
//! wait.

use channel::SpeedLimit;
use domain::account::pace::SendSlot;
use domain::account::{ChannelKind, HealthReason, HealthReport, HealthState};
use domain::message::{Failure, MessageError};
use domain::retry::GIVE_UP_AFTER;
use domain::time::Timestamp;
use persistence::records::{Claimed, OutgoingMessage};
use platform::Deps;
use platform::send_rate::Paced;
use service::account_health;

/// The state of an account while one of its conversations is processed.
pub struct NumberState<'a> {
    deps: &'a Deps,
    claimed: &'a Claimed,
    /// Whether the account was held when the conversation was claimed, or has become held since.
    held: bool,
    /// Whether the database could not record that the account is held.
    unrecorded: bool,
    probe: Probe,
}

/// The role of this conversation in testing a held account with one message per minute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probe {
    /// This conversation does not test the account, or has done so already.
    No,
    /// The next message of this conversation tests the account.
    Mine,
    /// A message of this conversation is being sent to test the held account.
    UnderWay,
}

/// The decision about a message.
pub enum HoldDecision {
    /// Send the message.
    Send,
    /// The message and all after it wait.
    Wait,
    /// The message and all after it wait until this time, because the channel limits the rate.
    Later(Timestamp),
    /// The message has waited for a day and is given up.
    GiveUp(MessageError),
}

impl<'a> NumberState<'a> {
    /// Takes the account's state from the claimed conversation.
    pub fn new(deps: &'a Deps, claimed: &'a Claimed) -> Self {
        let held = claimed.access.health == HealthState::Held;
        Self { deps, claimed, held, unrecorded: false, probe: Probe::No }
    }

    /// Decides whether a message is sent. While the account is held, one message per minute is sent
    /// as a test, and the others wait.
    pub async fn turn(&mut self, message: &OutgoingMessage) -> HoldDecision {
        let (deps, claimed) = (self.deps, self.claimed);
        let known_since = deps.held_accounts.holds(claimed.access.id, claimed.look);
        if !self.held && !known_since {
            return self.at_pace(message);
        }
        self.held = true;
        let now = deps.clock.now();
        let end = give_up_at(message);
        if self.probe == Probe::No && !known_since {
            self.claim_probe(end, now).await;
        }
        if end <= now {
            // The conversation for the next test was chosen all the same, because the other
            // conversations wait for the result of that test.
            return HoldDecision::GiveUp(self.reason());
        }
        if self.probe == Probe::Mine {
            self.probe = Probe::UnderWay;
            return HoldDecision::Send;
        }
        HoldDecision::Wait
    }

    /// Checks the send rate of the account and of the conversation.
    fn at_pace(&self, message: &OutgoingMessage) -> HoldDecision {
        let Claimed { access, conversation, .. } = self.claimed;
        let (now, end) = (self.deps.clock.now(), give_up_at(message));
        let pace = access.known_pace();
        match self.deps.send_rates.reserve(access.id, pace, *conversation, now) {
            SendSlot::Free => HoldDecision::Send,
            SendSlot::At(at) if end > now => HoldDecision::Later(at.min(end)),
            SendSlot::At(_) => HoldDecision::GiveUp(MessageError {
                failure: Failure::ChannelRateLimited,
                message: "The channel wanted fewer messages.".to_owned(),
                channel_code: None,
            }),
        }
    }

    /// Reduces the send rate after the channel reported that messages come too fast.
    pub async fn slow_down(&self, limit: SpeedLimit) {
        let (deps, claimed, now) = (self.deps, self.claimed, self.deps.clock.now());
        let account = claimed.access.id;
        match limit {
            SpeedLimit::Pair => drop(deps.send_rates.slow(Paced::Pair(claimed.conversation), now)),
            SpeedLimit::Number => {
                let Some(pace) = deps.send_rates.slow(Paced::Number(account), now) else { return };
                let (rate, theirs) =
                    (pace.rate.per_second(), deps.db.organization(claimed.organization));
                tracing::warn!(%account, rate, "the channel reduced the send rate of a number");
                if let Err(error) = theirs.set_pace(account, pace).await {
                    tracing::error!(%error, %account, "the send rate of a number was not recorded");
                }
            }
        }
    }

    async fn claim_probe(&mut self, place: Timestamp, now: Timestamp) {
        let Claimed { access, organization, conversation, .. } = self.claimed;
        if access.probe_due_at.is_none_or(|due| due > now) {
            return;
        }
        let account = access.id;
        let organization_db = self.deps.db.organization(*organization);
        match organization_db.claim_probe(account, *conversation, place, now).await {
            Ok(true) => self.probe = Probe::Mine,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, %account, "a held number was not tested"),
        }
    }

    /// Records that the channel's answer concerned the message and not the account, so the account
    /// works again.
    pub async fn got_through(&mut self) {
        // If the account is held because accepted messages failed later, another accepted message
        // does not prove that the account works.
        if self.probe != Probe::UnderWay || self.claimed.access.held_by_status {
            return;
        }
        self.probe = Probe::No;
        self.held = !self.report(HealthReport::Answered).await;
    }

    /// Records that the channel refuses the account.
    pub async fn refused(&mut self, reason: HealthReason, error: &MessageError) {
        self.held = true;
        let report = HealthReport::Refused(reason, account_health::sentence(error));
        self.unrecorded = !self.report(report).await;
    }

    /// Whether a refusal for this reason concerns only this message. Only a country restriction may
    /// do so, because it blocks only contacts in certain countries.
    pub fn is_of_the_message(&self, reason: HealthReason, message: &OutgoingMessage) -> bool {
        let is_known = self.claimed.access.bars_a_country(self.deps.clock.now());
        let may_be = !self.held && (message.attempts > 0 || is_known);
        reason == HealthReason::CountryRestricted && may_be
    }

    pub fn channel(&self) -> ChannelKind {
        self.claimed.access.channel
    }

    /// Whether messages wait for the account. If the database could not record that the account is
    /// held, the messages are retried as after any other failure.
    pub const fn is_held(&self) -> bool {
        self.held && !self.unrecorded
    }

    /// Records a report. Returns whether that succeeded. After a failure the next message leads to
    /// the same report.
    async fn report(&self, report: HealthReport) -> bool {
        let (deps, claimed) = (self.deps, self.claimed);
        let (organization, account) = (claimed.organization, claimed.access.id);
        let now = deps.clock.now();
        let recorded = account_health::report(deps, organization, account, report, now).await;
        if let Err(error) = &recorded {
            tracing::error!(%error, %account, "the health of a number was not recorded");
        }
        recorded.is_ok()
    }

    fn reason(&self) -> MessageError {
        let access = &self.claimed.access;
        let failure = match access.health_reason {
            Some(HealthReason::AccountLocked | HealthReason::AccountDisabled) => {
                Failure::AccountLocked
            }
            _ => Failure::ChannelError,
        };
        let message = access.health_message.clone();
        let message = message.unwrap_or_else(|| "The channel refused the number.".to_owned());
        MessageError { failure, message, channel_code: None }
    }
}

/// Returns the time at which the attempts to send a message end.
pub fn give_up_at(message: &OutgoingMessage) -> Timestamp {
    message.accepted_at.plus(GIVE_UP_AFTER)
}
