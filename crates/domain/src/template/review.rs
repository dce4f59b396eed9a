//! Applies the reviewer's verdicts to the review of a template (`docs/contract.md#templates`).

use super::{RejectionReason, TemplateStatus};
use crate::time::Timestamp;
use std::time::Duration;

/// The first interval at which the service asks the channel for the verdict on a pending template.
const WHILE_PENDING: Duration = Duration::from_mins(1);
/// The interval grows with each request for the verdict on a pending template, up to this multiple
/// of the first interval.
const MAX_STRETCH: u32 = 60;
/// The interval at which the service asks the channel for a new verdict on an approved or paused
/// template.
const WHILE_APPROVED: Duration = Duration::from_hours(24);

/// Returns how long to wait before the service asks for a verdict again, for a channel that does
/// not report verdicts by itself. `asked` is how often the service has asked since the template got
/// this status. Returns `None` if no new verdict is expected.
#[must_use]
pub fn ask_again_after(status: TemplateStatus, asked: u32) -> Option<Duration> {
    match status {
        TemplateStatus::Pending => Some(WHILE_PENDING * asked.saturating_add(1).min(MAX_STRETCH)),
        TemplateStatus::Approved | TemplateStatus::Paused => Some(WHILE_APPROVED),
        TemplateStatus::Draft
        | TemplateStatus::Rejected
        | TemplateStatus::Disabled
        | TemplateStatus::Archived
        | TemplateStatus::Deleted => None,
    }
}

/// Returns all verdicts that must have been given since the status `from`, up to the verdict
/// `last`. The reviewer's answer contains only the last verdict. A pending template that is now
/// paused or disabled must have been approved in between.
#[must_use]
pub fn verdicts_up_to(from: TemplateStatus, last: Verdict) -> Vec<Verdict> {
    let was_approved = matches!(last, Verdict::Paused | Verdict::Disabled);
    if from == TemplateStatus::Pending && was_approved {
        return vec![Verdict::Approved, last];
    }
    vec![last]
}

/// A verdict on a template: a change of its status that the reviewer or the channel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The template was submitted, for the first time or again.
    Pending,
    /// The reviewer approved the template, for the first time, after a pause or after an appeal.
    Approved,
    /// The reviewer rejected the template.
    Rejected {
        /// The reason for the rejection, if the reviewer gave a reason that this version of
        /// Switchboard knows.
        reason: Option<RejectionReason>,
        /// The reviewer's explanation of the rejection.
        detail: Option<String>,
    },
    /// The channel paused the template. Messages may not use it until the pause ends.
    Paused,
    /// The channel disabled the template. Messages may not use it unless the channel reinstates it.
    Disabled,
    /// The channel archived the template. Messages may not use it unless the channel unarchives it.
    Archived,
    /// The channel unarchived the template, which gets its previous status again.
    /// [`ReviewLog::resolve`] finds that status.
    Unarchived,
    /// The template was deleted at the channel.
    Deleted,
}

impl Verdict {
    /// Returns the status to which the verdict leads. For [`Verdict::Unarchived`] that is
    /// `Approved`, because only approved and rejected templates can be archived. If the template
    /// was rejected before it was archived, [`ReviewLog::resolve`] returns the right verdict.
    #[must_use]
    pub const fn status(&self) -> TemplateStatus {
        match self {
            Self::Pending => TemplateStatus::Pending,
            Self::Approved | Self::Unarchived => TemplateStatus::Approved,
            Self::Rejected { .. } => TemplateStatus::Rejected,
            Self::Paused => TemplateStatus::Paused,
            Self::Disabled => TemplateStatus::Disabled,
            Self::Archived => TemplateStatus::Archived,
            Self::Deleted => TemplateStatus::Deleted,
        }
    }
}

/// A verdict in the log of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedVerdict {
    /// The status to which the verdict leads.
    pub status: TemplateStatus,
    /// The reason why the template was rejected. `None` for any other verdict, and if no reason is
    /// known.
    pub reason: Option<RejectionReason>,
    /// The reviewer's explanation of a rejection.
    pub detail: Option<String>,
    /// Whether the verdict changed the review of the template. A late or repeated verdict did not.
    pub took_effect: bool,
    /// The time of the verdict, as the reviewer states it.
    pub at: Timestamp,
}

/// The log of all verdicts on one template so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewLog(Vec<ReportedVerdict>);

impl ReviewLog {
    /// Creates the log from the verdicts on a template, the oldest first.
    #[must_use]
    pub const fn new(verdicts: Vec<ReportedVerdict>) -> Self {
        Self(verdicts)
    }

    /// Returns the time of the reviewer's last report. The first entry with the status pending is
    /// not a report, but the service's own submission. The time of that entry is from the service's
    /// clock, which may be ahead of the reviewer's clock. A later pending entry counts as a report
    /// if it changed the review.
    #[must_use]
    pub fn last_report(&self) -> Option<Timestamp> {
        let is_pending = |it: &&ReportedVerdict| it.status == TemplateStatus::Pending;
        let reports = self.0.iter().filter(|it| !is_pending(it)).map(|it| it.at).max();
        let again = self.0.iter().filter(is_pending).filter(|it| it.took_effect).skip(1);
        reports.max(again.map(|it| it.at).max())
    }

    /// Returns the time to record for a report whose time is `at`. If the log has reports of the
    /// same second, the returned time is later than the times of those reports.
    #[must_use]
    pub fn place(&self, at: Timestamp) -> Timestamp {
        let same = self.0.iter().map(|it| it.at).filter(|it| it.second() == at.second());
        same.max().map_or(at, |last| at.max(last.plus(Duration::from_micros(1))))
    }

    /// Replaces [`Verdict::Unarchived`] with the verdict that was in effect before the template was
    /// archived. Returns any other verdict as it is.
    #[must_use]
    pub fn resolve(&self, verdict: Verdict) -> Verdict {
        if verdict != Verdict::Unarchived {
            return verdict;
        }
        let is_before =
            |it: &&ReportedVerdict| it.took_effect && it.status != TemplateStatus::Archived;
        let before = self.0.iter().rev().find(is_before);
        match before.map(|it| it.status) {
            Some(TemplateStatus::Rejected) => Verdict::Rejected {
                reason: before.and_then(|it| it.reason),
                detail: before.and_then(|it| it.detail.clone()),
            },
            Some(TemplateStatus::Pending) => Verdict::Pending,
            Some(TemplateStatus::Paused) => Verdict::Paused,
            Some(TemplateStatus::Disabled) => Verdict::Disabled,
            _ => Verdict::Approved,
        }
    }
}

/// The state of the review of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub status: TemplateStatus,
    pub rejection_reason: Option<RejectionReason>,
    /// The reviewer's explanation of a rejection.
    pub rejection_detail: Option<String>,
    /// The time of the last submission to the reviewer.
    pub submitted_at: Option<Timestamp>,
    /// The time of the reviewer's last verdict.
    pub reviewed_at: Option<Timestamp>,
}

impl Review {
    /// Returns the review of a template that was never submitted.
    #[must_use]
    pub const fn draft() -> Self {
        Self {
            status: TemplateStatus::Draft,
            rejection_reason: None,
            rejection_detail: None,
            submitted_at: None,
            reviewed_at: None,
        }
    }

    /// Returns the review of a template that was changed, and was submitted again at `at`.
    #[must_use]
    pub const fn resubmitted(&self, at: Timestamp) -> Self {
        Self {
            status: TemplateStatus::Pending,
            rejection_reason: None,
            rejection_detail: None,
            submitted_at: Some(at),
            reviewed_at: self.reviewed_at,
        }
    }

    /// Returns the review after a verdict whose time is `at`. `last_report` is the time of the
    /// reviewer's last report. The reviewer decides, so any status can follow any other. Returns
    /// `None` for a repeated verdict, and for a verdict that is older than the last report.
    #[must_use]
    pub fn after(
        &self,
        verdict: &Verdict,
        at: Timestamp,
        last_report: Option<Timestamp>,
    ) -> Option<Self> {
        let status = verdict.status();
        let (rejection_reason, rejection_detail) = match verdict {
            Verdict::Rejected { reason, detail } => (*reason, detail.clone()),
            _ => (None, None),
        };
        let is_said = status == self.status
            && (rejection_reason == self.rejection_reason
                && rejection_detail == self.rejection_detail
                || self.reviewed_at.is_none_or(|it| at.second() <= it.second()));
        // Times are compared in whole seconds, because the reviewer states only whole seconds.
        if is_said || last_report.is_some_and(|last| at.second() < last.second()) {
            return None;
        }
        let submitted = status == TemplateStatus::Pending;
        Some(Self {
            status,
            rejection_reason,
            rejection_detail,
            submitted_at: if submitted { Some(at) } else { self.submitted_at },
            reviewed_at: if submitted { self.reviewed_at } else { Some(at) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use proptest::prelude::*;

    fn verdicts() -> impl Strategy<Value = Vec<Verdict>> {
        let reason = proptest::option::of(proptest::sample::select(RejectionReason::ALL));
        let rejected = (reason, proptest::option::of("[a-z]{1,5}"))
            .prop_map(|(reason, detail)| Verdict::Rejected { reason, detail });
        let any = prop_oneof![
            Just(Verdict::Pending),
            Just(Verdict::Approved),
            rejected,
            Just(Verdict::Paused),
            Just(Verdict::Disabled),
            Just(Verdict::Archived),
            Just(Verdict::Deleted),
        ];
        proptest::collection::vec(any, 1..40)
    }

    fn at(second: usize) -> Timestamp {
        Timestamp::from_seconds(i64::try_from(second).unwrap())
    }

    fn said(status: TemplateStatus, took_effect: bool, second: usize) -> ReportedVerdict {
        let (reason, detail) = (None, None);
        ReportedVerdict { status, reason, detail, took_effect, at: at(second) }
    }

    /// Applies verdicts one after the other, as the service does. The number in front of each
    /// verdict is its time in seconds.
    fn take(verdicts: &[(usize, Verdict)]) -> Review {
        let (mut review, mut last) = (Review::draft(), None);
        for (second, verdict) in verdicts {
            let at = at(*second);
            if let Some(next) = review.after(verdict, at, last) {
                review = next;
            }
            last = last.max(Some(at));
        }
        review
    }

    proptest! {
        /// Only the last verdict counts, whatever verdicts came before it. Status, reason and
        /// detail are those of the last verdict.
        #[test]
        fn the_last_verdict_counts(verdicts in verdicts()) {
            let mut review = Review::draft();
            for (second, verdict) in verdicts.iter().enumerate() {
                let at = at(second);
                review = review.after(verdict, at, None).unwrap_or(review);
                prop_assert_eq!(review.status, verdict.status());
                prop_assert_eq!(review.after(verdict, at, Some(at)), None, "a repeat changed something");
                let rejected = review.status == TemplateStatus::Rejected;
                prop_assert!(rejected || review.rejection_reason.is_none());
                prop_assert!(rejected || review.rejection_detail.is_none());
            }
        }

        /// The verdict with the latest time counts, in whatever order the verdicts arrive.
        #[test]
        fn the_order_of_arrival_does_not_matter(verdicts in verdicts(), seed: u64) {
            let in_order: Vec<_> = verdicts.into_iter().enumerate().collect();
            let mut shuffled = in_order.clone();
            let count = shuffled.len();
            for place in 0..count {
                shuffled.swap(place, (usize::try_from(seed % 1_009).unwrap() * (place + 7)) % count);
            }
            let (one, other) = (take(&in_order), take(&shuffled));
            prop_assert_eq!(one.status, other.status);
            prop_assert_eq!(one.rejection_reason, other.rejection_reason);
        }
    }

    #[test]
    fn an_appeal_and_a_reinstatement_are_granted() {
        let rejected = Verdict::Rejected { reason: Some(RejectionReason::Scam), detail: None };
        for before in [rejected, Verdict::Disabled, Verdict::Paused, Verdict::Deleted] {
            let review =
                take(&[(1, Verdict::Pending), (2, before.clone()), (3, Verdict::Approved)]);
            assert_eq!(review.status, TemplateStatus::Approved);
            assert_eq!(review.rejection_reason, None);
            let late = take(&[(1, Verdict::Pending), (3, Verdict::Approved), (2, before)]);
            assert_eq!(late.status, TemplateStatus::Approved);
        }
    }

    #[test]
    fn another_reason_is_told_later() {
        let rejected = |reason| Verdict::Rejected { reason: Some(reason), detail: None };
        let first = rejected(RejectionReason::Scam);
        let second = rejected(RejectionReason::Promotional);
        let review = take(&[(1, first.clone()), (1, second.clone())]);
        assert_eq!(review.rejection_reason, Some(RejectionReason::Scam));
        let review = take(&[(1, first), (2, second)]);
        assert_eq!(review.rejection_reason, Some(RejectionReason::Promotional));
    }

    #[test]
    fn the_submission_is_no_report() {
        assert_eq!(ReviewLog::default().last_report(), None);
        let mut verdicts = vec![said(TemplateStatus::Pending, true, 9)];
        verdicts.push(said(TemplateStatus::Pending, false, 9));
        assert_eq!(ReviewLog::new(verdicts.clone()).last_report(), None);
        verdicts.insert(0, said(TemplateStatus::Approved, true, 8));
        assert_eq!(ReviewLog::new(verdicts.clone()).last_report(), Some(at(8)));
        verdicts.push(said(TemplateStatus::Approved, false, 10));
        assert_eq!(ReviewLog::new(verdicts.clone()).last_report(), Some(at(10)));
        verdicts.push(said(TemplateStatus::Pending, true, 11));
        assert_eq!(ReviewLog::new(verdicts).last_report(), Some(at(11)));
    }

    #[test]
    fn reports_of_one_second_have_their_order() {
        let verdicts = vec![said(TemplateStatus::Approved, true, 8)];
        let log = ReviewLog::new(verdicts);
        assert_eq!(log.place(at(8)), at(8).plus(Duration::from_micros(1)));
        let later = at(8).plus(Duration::from_millis(999));
        assert_eq!(log.place(later), later);
        assert_eq!(log.place(at(9)), at(9));
    }

    #[test]
    fn a_template_out_of_the_archive_is_what_it_was() {
        let resolve = |verdicts: &[TemplateStatus]| {
            let verdicts = verdicts.iter().enumerate().map(|(second, it)| said(*it, true, second));
            ReviewLog::new(verdicts.collect()).resolve(Verdict::Unarchived)
        };
        let (pending, archived) = (TemplateStatus::Pending, TemplateStatus::Archived);
        let rejected = Verdict::Rejected { reason: None, detail: None };
        assert_eq!(resolve(&[pending, TemplateStatus::Rejected, archived]), rejected);
        assert_eq!(resolve(&[pending, TemplateStatus::Approved, archived]), Verdict::Approved);
        assert_eq!(resolve(&[pending, TemplateStatus::Disabled, archived]), Verdict::Disabled);
        assert_eq!(resolve(&[archived]), Verdict::Approved);
        assert_eq!(ReviewLog::default().resolve(Verdict::Paused), Verdict::Paused);
    }

    #[test]
    fn the_reviewer_is_asked_by_where_the_template_stands() {
        let minutes = |status, asked| ask_again_after(status, asked).map(|it| it.as_secs() / 60);
        assert_eq!([0, 1, 9].map(|it| minutes(TemplateStatus::Pending, it)), [1, 2, 10].map(Some));
        assert_eq!(minutes(TemplateStatus::Pending, u32::MAX), Some(60));
        for status in [TemplateStatus::Approved, TemplateStatus::Paused] {
            assert_eq!(minutes(status, 100), Some(24 * 60));
        }
        for status in [TemplateStatus::Draft, TemplateStatus::Rejected, TemplateStatus::Disabled] {
            assert_eq!(minutes(status, 0), None);
        }
    }

    #[test]
    fn a_verdict_that_was_missed_is_made_up_for() {
        for last in [Verdict::Paused, Verdict::Disabled] {
            let verdicts = verdicts_up_to(TemplateStatus::Pending, last.clone());
            assert_eq!(verdicts, [Verdict::Approved, last]);
        }
        let approved = verdicts_up_to(TemplateStatus::Approved, Verdict::Paused);
        assert_eq!(approved, [Verdict::Paused]);
    }
}
