//! Applies the reviewer's verdicts to a template (`docs/contract.md#templates`).

use super::{RejectionReason, TemplateStatus};
use crate::time::Timestamp;
use std::time::Duration;

/// The first interval at which the reviewer is asked about a template under review.
const WHILE_PENDING: Duration = Duration::from_mins(1);
/// The interval grows with each question, up to this multiple of the first.
const MAX_STRETCH: u32 = 60;
/// The interval for a template that is approved or paused.
const WHILE_APPROVED: Duration = Duration::from_hours(24);

/// Returns the time until the reviewer is asked again about a template, for a reviewer that does
/// not report changes. `asked` is the number of questions since the template reached its state.
/// Returns nothing for a state that the reviewer does not change.
#[must_use]
pub fn ask_again_after(status: TemplateStatus, asked: u32) -> Option<Duration> {
    match status {
        TemplateStatus::Pending => Some(WHILE_PENDING * asked.saturating_add(1).min(MAX_STRETCH)),
        TemplateStatus::Approved | TemplateStatus::Paused => Some(WHILE_APPROVED),
        TemplateStatus::Draft | TemplateStatus::Rejected | TemplateStatus::Disabled => None,
    }
}

/// Returns the verdicts that led to `last`, which is the only one that a query shows. A pending
/// template that turns out paused or disabled was approved in between.
#[must_use]
pub fn verdicts_up_to(from: TemplateStatus, last: Verdict) -> Vec<Verdict> {
    let was_approved = matches!(last, Verdict::Paused | Verdict::Disabled);
    if from == TemplateStatus::Pending && was_approved {
        return vec![Verdict::Approved, last];
    }
    vec![last]
}

/// The reviewer's verdict on a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The template was submitted, possibly again.
    Pending,
    /// Messages may use the template, possibly after a pause.
    Approved,
    /// Messages may not use the template.
    Rejected {
        /// The reason, if the reviewer gave one that this version knows.
        reason: Option<RejectionReason>,
        /// The reviewer's explanation.
        detail: Option<String>,
    },
    /// Messages may not use the template for now.
    Paused,
    /// Messages may never use the template again.
    Disabled,
}

impl Verdict {
    /// Returns the state to which the verdict leads.
    #[must_use]
    pub const fn status(&self) -> TemplateStatus {
        match self {
            Self::Pending => TemplateStatus::Pending,
            Self::Approved => TemplateStatus::Approved,
            Self::Rejected { .. } => TemplateStatus::Rejected,
            Self::Paused => TemplateStatus::Paused,
            Self::Disabled => TemplateStatus::Disabled,
        }
    }
}

/// The state of a template's review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub status: TemplateStatus,
    pub rejection_reason: Option<RejectionReason>,
    /// The reviewer's explanation.
    pub rejection_detail: Option<String>,
    /// The time of the last submission.
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

    /// Applies a verdict. Returns nothing if it is not allowed in the current state, as with a
    /// repeated or late verdict.
    #[must_use]
    pub fn after(&self, verdict: &Verdict, at: Timestamp) -> Option<Self> {
        let status = verdict.status();
        if !self.status.leads_to(status) {
            return None;
        }
        let (rejection_reason, rejection_detail) = match verdict {
            Verdict::Rejected { reason, detail } => (*reason, detail.clone()),
            _ => (None, None),
        };
        let handed_in = status == TemplateStatus::Pending;
        Some(Self {
            status,
            rejection_reason,
            rejection_detail,
            submitted_at: if handed_in { Some(at) } else { self.submitted_at },
            reviewed_at: if handed_in { self.reviewed_at } else { Some(at) },
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
        ];
        proptest::collection::vec(any, 0..40)
    }

    /// The steps allowed by the contract: `draft → pending → approved | rejected`; `approved →
    /// paused | disabled`; `paused → approved | disabled`; `rejected → pending`.
    const STEPS: [(&str, &str); 8] = [
        ("draft", "pending"),
        ("pending", "approved"),
        ("pending", "rejected"),
        ("approved", "paused"),
        ("approved", "disabled"),
        ("paused", "approved"),
        ("paused", "disabled"),
        ("rejected", "pending"),
    ];

    proptest! {
        /// No sequence of verdicts, including repeated and late ones, takes a step that is not
        /// allowed, and the fields always match the state.
        #[test]
        fn no_sequence_leaves_the_machine(verdicts in verdicts()) {
            let mut review = Review::draft();
            for (second, verdict) in (1_i64..).zip(&verdicts) {
                let at = Timestamp::from_seconds(second);
                let Some(next) = review.after(verdict, at) else { continue };
                let step = (review.status.as_str(), next.status.as_str());
                prop_assert!(STEPS.contains(&step), "{step:?}");
                prop_assert!(next.submitted_at.is_some());
                prop_assert_eq!(next.after(verdict, at), None, "a repeat changed something");
                let rejected = next.status == TemplateStatus::Rejected;
                prop_assert!(rejected || next.rejection_reason.is_none());
                prop_assert!(rejected || next.rejection_detail.is_none());
                review = next;
            }
        }

        /// A disabled template stays disabled.
        #[test]
        fn disabled_is_the_end(verdicts in verdicts()) {
            let disabled = Review { status: TemplateStatus::Disabled, ..Review::draft() };
            for verdict in &verdicts {
                prop_assert_eq!(disabled.after(verdict, Timestamp::from_seconds(1)), None);
            }
        }
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
            let mut review = Review { status: TemplateStatus::Pending, ..Review::draft() };
            for verdict in verdicts_up_to(review.status, last.clone()) {
                review = review.after(&verdict, Timestamp::from_seconds(1)).unwrap();
            }
            assert_eq!(review.status, last.status());
        }
        let approved = verdicts_up_to(TemplateStatus::Approved, Verdict::Paused);
        assert_eq!(approved, [Verdict::Paused]);
    }

    #[test]
    fn every_step_of_the_contract_is_taken() {
        for (from, to) in STEPS {
            let from = TemplateStatus::from_keyword(from).unwrap();
            assert!(from.leads_to(TemplateStatus::from_keyword(to).unwrap()), "{from} → {to}");
        }
    }
}
