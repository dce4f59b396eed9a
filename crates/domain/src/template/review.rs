//! The review machine: what the reviewer's verdicts make of a template (`docs/contract.md#templates`).

use super::{RejectionReason, TemplateStatus};
use crate::time::Timestamp;
use std::time::Duration;

/// How long after the first question the next one is asked about a template that is under review.
const WHILE_PENDING: Duration = Duration::from_mins(1);
/// The waits get longer with each question, up to so many times the first.
const MAX_STRETCH: u32 = 60;
/// How long to wait where a template may be sent, or may be again.
const WHILE_APPROVED: Duration = Duration::from_hours(24);

/// How long to wait before the reviewer is asked what became of a template, where it does not report that, after so many
/// questions since the template came to its state; none where nothing can become of it.
#[must_use]
pub fn ask_again_after(status: TemplateStatus, asked: u32) -> Option<Duration> {
    match status {
        TemplateStatus::Pending => Some(WHILE_PENDING * asked.saturating_add(1).min(MAX_STRETCH)),
        TemplateStatus::Approved | TemplateStatus::Paused => Some(WHILE_APPROVED),
        TemplateStatus::Draft | TemplateStatus::Rejected | TemplateStatus::Disabled => None,
    }
}

/// The verdicts that led to the last one, for who asks hears of that alone: what is paused or disabled was approved before.
#[must_use]
pub fn verdicts_up_to(from: TemplateStatus, last: Verdict) -> Vec<Verdict> {
    let was_approved = matches!(last, Verdict::Paused | Verdict::Disabled);
    if from == TemplateStatus::Pending && was_approved {
        return vec![Verdict::Approved, last];
    }
    vec![last]
}

/// What the reviewer says of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has been submitted, perhaps again.
    Pending,
    /// It may be sent; again, after a pause.
    Approved,
    /// It may not be sent.
    Rejected {
        /// Why, if the reviewer said so in a word that we know.
        reason: Option<RejectionReason>,
        /// Why, in the reviewer's sentence.
        detail: Option<String>,
    },
    /// It may not be sent for now.
    Paused,
    /// It may never be sent again.
    Disabled,
}

impl Verdict {
    /// The state that it asks for.
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

/// Where a template stands with the reviewer, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The state.
    pub status: TemplateStatus,
    /// Why it was rejected.
    pub rejection_reason: Option<RejectionReason>,
    /// The same in the reviewer's sentence.
    pub rejection_detail: Option<String>,
    /// When it was last submitted.
    pub submitted_at: Option<Timestamp>,
    /// When the reviewer last changed its state.
    pub reviewed_at: Option<Timestamp>,
}

impl Review {
    /// A template that nobody has submitted yet.
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

    /// What a verdict makes of it; nothing where the machine does not lead there from here, as with
    /// a repeat or an outcome that comes late.
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

    /// The contract's sentence, written out once more: `draft → pending → approved | rejected`;
    /// `approved → paused | disabled`; `paused → approved | disabled`; `rejected → pending`.
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
        /// No sequence of verdicts, repeats or late arrivals reaches a state that the machine does
        /// not allow, and what a state says of itself is always whole.
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

        /// Whatever was disabled stays so.
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
