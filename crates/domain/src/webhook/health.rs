//! The health of a webhook endpoint. The results of delivery attempts change the health, and the
//! health decides whether the endpoint receives events.

use crate::endpoint::{DisabledReason, EndpointHealth, EndpointState};
use crate::event::EventKind;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

/// How long all attempts to an endpoint must fail before the endpoint is disabled.
pub const MAX_FAILING_TIME: Duration = Duration::from_hours(5 * 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptResult {
    /// The endpoint accepted the event: it answered with a 2xx status.
    Taken,
    /// The endpoint answered 410 Gone, which means that it wants no more events.
    Gone,
    /// The endpoint gave any other answer, or did not answer.
    Refused,
    /// The attempt was not made, for a reason that is not the endpoint's.
    NotSent,
}

impl AttemptResult {
    /// Returns the result of an attempt, given the HTTP status of the answer, or `None` if there
    /// was no answer. The event was accepted only if the status is 2xx. Redirects are not followed.
    #[must_use]
    pub const fn from_status(status: Option<u16>) -> Self {
        match status {
            Some(200..=299) => Self::Taken,
            Some(410) => Self::Gone,
            _ => Self::Refused,
        }
    }
}

/// How long an endpoint must fail before an event reports that it fails. A short restart of the
/// receiver is thus not reported. If two failing endpoints each receive the events about the
/// other's failures, these events occur at most once a minute.
const REPORTED_AFTER: Duration = Duration::from_mins(1);

keywords! {
    /// The state of an endpoint's health that the last event reported.
    pub enum ReportedHealth {
        /// An event has reported that the endpoint fails.
        Failing = "failing",
        /// An event has reported that the endpoint is disabled.
        Disabled = "disabled",
    }
}

/// A change in what is reported about the health of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthChange {
    /// The event to record, or `None` if no event is recorded and only `reported` changes.
    pub kind: Option<EventKind>,
    /// The reported state after the change, or `None` if the endpoint is reported as healthy.
    pub reported: Option<ReportedHealth>,
}

impl EndpointHealth {
    /// Whether the endpoint receives events.
    #[must_use]
    pub const fn state(self) -> EndpointState {
        match self.disabled {
            None => EndpointState::Enabled,
            Some(_) => EndpointState::Disabled,
        }
    }

    /// Returns the time at which the endpoint will be disabled if no attempt succeeds before.
    /// Returns `None` if the endpoint does not fail, or is disabled already.
    #[must_use]
    pub fn ends_at(self) -> Option<Timestamp> {
        let since = self.failing_since.filter(|_| self.disabled.is_none())?;
        Some(since.plus(MAX_FAILING_TIME))
    }

    /// Applies the result of an attempt that was made at `at`. If the endpoint is disabled, nothing
    /// changes, because only a member can enable an endpoint.
    #[must_use]
    pub fn after(self, answer: AttemptResult, at: Timestamp) -> Self {
        if self.disabled.is_some() {
            return self;
        }
        match answer {
            AttemptResult::Taken => Self::default(),
            AttemptResult::NotSent => self.at(at),
            AttemptResult::Gone => Self { disabled: Some((DisabledReason::Gone, at)), ..self },
            AttemptResult::Refused => {
                Self { failing_since: Some(self.failing_since.unwrap_or(at)), ..self }.at(at)
            }
        }
    }

    /// Disables the endpoint if all attempts have failed for five days at `now`.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        match self.ends_at() {
            Some(end) if end <= now => {
                Self { disabled: Some((DisabledReason::Failing, now)), ..self }
            }
            _ => self,
        }
    }

    /// Returns the change to report at `now`, or `None` if there is none. `reported` is the state
    /// that the last event reported. If a member enables an endpoint that has failed, the endpoint
    /// is reported as recovered only after an attempt succeeds.
    #[must_use]
    pub fn report(self, reported: Option<ReportedHealth>, now: Timestamp) -> Option<HealthChange> {
        let (kind, says) = match (self.disabled, self.failing_since) {
            (Some(_), _) => (EventKind::EndpointDisabled, Some(ReportedHealth::Disabled)),
            (None, None) => (EventKind::EndpointRecovered, None),
            (None, Some(since)) if reported.is_none() && since.plus(REPORTED_AFTER) <= now => {
                (EventKind::EndpointFailing, Some(ReportedHealth::Failing))
            }
            // A member enabled the endpoint, but it still counts as failing. No event is recorded.
            // If the endpoint is disabled again, an event reports that.
            (None, Some(_)) if reported == Some(ReportedHealth::Disabled) => {
                return Some(HealthChange { kind: None, reported: Some(ReportedHealth::Failing) });
            }
            (None, Some(_)) => return None,
        };
        let kind = Some(kind);
        (says != reported).then_some(HealthChange { kind, reported: says })
    }

    /// Disables the endpoint, because a member asked for it. If the endpoint is disabled already,
    /// the earlier reason stays.
    #[must_use]
    pub fn disable(self, at: Timestamp) -> Self {
        let disabled = self.disabled.unwrap_or((DisabledReason::ByMember, at));
        Self { disabled: Some(disabled), ..self }
    }

    /// Enables the endpoint, because a member asked for it. If its last attempts failed, it counts
    /// as failing until an attempt succeeds. The five days until it is disabled begin again.
    #[must_use]
    pub fn enable(self, at: Timestamp) -> Self {
        let refused =
            matches!(self.disabled, Some((DisabledReason::Gone | DisabledReason::Failing, _)));
        let failing = refused || self.failing_since.is_some();
        Self { disabled: None, failing_since: failing.then_some(at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn start() -> Timestamp {
        Timestamp::from_seconds(1_800_000_000)
    }

    #[test]
    fn only_two_hundreds_succeed() {
        for status in [200, 201, 204, 299] {
            assert_eq!(AttemptResult::from_status(Some(status)), AttemptResult::Taken);
        }
        for status in [100, 199, 300, 301, 307, 400, 404, 429, 500, 599] {
            assert_eq!(AttemptResult::from_status(Some(status)), AttemptResult::Refused);
        }
        assert_eq!(AttemptResult::from_status(Some(410)), AttemptResult::Gone);
        assert_eq!(AttemptResult::from_status(None), AttemptResult::Refused);
    }

    #[test]
    fn five_days_of_failure_disable() {
        let failing = EndpointHealth::default().after(AttemptResult::Refused, start());
        assert_eq!(failing.failing_since, Some(start()));
        let late = start().plus(MAX_FAILING_TIME);
        let micro = Duration::from_micros(1);
        assert_eq!(failing.after(AttemptResult::Refused, late.minus(micro)), failing);
        assert_eq!(failing.at(late.minus(micro)).state(), EndpointState::Enabled);
        let disabled = Some((DisabledReason::Failing, late));
        assert_eq!(failing.after(AttemptResult::Refused, late).disabled, disabled);
        assert_eq!(failing.at(late).disabled, disabled);
        assert_eq!(failing.after(AttemptResult::Taken, late), EndpointHealth::default());
        let again = failing.at(late).enable(late);
        assert_eq!(again.state(), EndpointState::Enabled);
        assert_eq!(again.failing_since, Some(late));
        assert_eq!(again.after(AttemptResult::Taken, late), EndpointHealth::default());
    }

    #[test]
    fn each_change_of_the_health_is_reported_once() {
        let minute = REPORTED_AFTER;
        let said = |health: EndpointHealth, reported, at| {
            health.report(reported, at).map(|it| (it.kind.unwrap(), it.reported))
        };
        let failing = EndpointHealth::default().after(AttemptResult::Refused, start());
        assert_eq!(said(failing, None, start()), None);
        assert_eq!(said(failing, None, start().plus(minute / 2)), None);
        let told = Some(ReportedHealth::Failing);
        let late = start().plus(minute);
        assert_eq!(said(failing, None, late), Some((EventKind::EndpointFailing, told)));
        assert_eq!(said(failing, told, late.plus(HOUR)), None);
        let well = failing.after(AttemptResult::Taken, late);
        assert_eq!(said(well, told, late), Some((EventKind::EndpointRecovered, None)));
        assert_eq!(said(well, None, late), None);
        let ended = Some(ReportedHealth::Disabled);
        let gone = failing.after(AttemptResult::Gone, late);
        assert_eq!(said(gone, told, late), Some((EventKind::EndpointDisabled, ended)));
        assert_eq!(said(gone, ended, late), None);
        // A member enables the endpoint. It counts as healthy only after an attempt succeeds.
        let again = gone.enable(late);
        let silent = HealthChange { kind: None, reported: told };
        assert_eq!(again.report(ended, late), Some(silent));
        let well = again.after(AttemptResult::Taken, late);
        assert_eq!(said(well, told, late), Some((EventKind::EndpointRecovered, None)));
        let quiet = EndpointHealth::default().disable(late).enable(late);
        assert_eq!(said(quiet, ended, late), Some((EventKind::EndpointRecovered, None)));
    }

    #[test]
    fn gone_disables_at_once_and_stays_the_reason() {
        let gone = EndpointHealth::default().after(AttemptResult::Gone, start());
        assert_eq!(gone.disabled, Some((DisabledReason::Gone, start())));
        assert_eq!(gone.disable(start().plus(HOUR)), gone);
        assert_eq!(gone.enable(start().plus(HOUR)).failing_since, Some(start().plus(HOUR)));
        let disabled = EndpointHealth::default().disable(start());
        assert_eq!(disabled.disabled, Some((DisabledReason::ByMember, start())));
        // An endpoint that did not fail before it was disabled is healthy as soon as it is enabled.
        // An endpoint that failed is not.
        assert_eq!(disabled.enable(start()), EndpointHealth::default());
        let failing = EndpointHealth::default().after(AttemptResult::Refused, start());
        let again = failing.disable(start()).enable(start().plus(HOUR));
        assert_eq!(
            again,
            EndpointHealth { disabled: None, failing_since: Some(start().plus(HOUR)) }
        );
    }

    proptest! {
        #[test]
        fn it_is_disabled_exactly_when_it_is_gone_or_has_failed_for_five_days(
            answers in proptest::collection::vec((0_u8..20, 0_u64..40), 0..60)
        ) {
            let (mut health, mut now) = (EndpointHealth::default(), start());
            let (mut first_failure, mut ended) = (None, false);
            for (kind, hours) in answers {
                now = now.plus(HOUR * u32::try_from(hours).unwrap());
                let answer = match kind { 0 => AttemptResult::Gone, 1..=3 => AttemptResult::Taken, 4 => AttemptResult::NotSent, _ => AttemptResult::Refused };
                let before = health;
                health = health.after(answer, now);
                if ended {
                    prop_assert_eq!(health, before);
                    continue;
                }
                match answer {
                    AttemptResult::Taken => first_failure = None,
                    AttemptResult::Gone => ended = true,
                    AttemptResult::NotSent => {
                        ended = first_failure.is_some_and(|since| now.since(since) >= MAX_FAILING_TIME);
                    }
                    AttemptResult::Refused => {
                        let since = *first_failure.get_or_insert(now);
                        ended = now.since(since) >= MAX_FAILING_TIME;
                    }
                }
                prop_assert_eq!(health.state() == EndpointState::Disabled, ended);
            }
        }
    }
}
