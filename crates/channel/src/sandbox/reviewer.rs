//! The sandbox's reviewer. The end of a template's name decides the verdict
//! (`docs/contract.md#channel`).

use super::wrap;
use crate::{Callbacks, SubmitError, SubmittedTemplate, TemplateEdit, TemplateSubmission};
use domain::keyword::Keyword as _;
use domain::template::{RejectionReason, TemplateStatus};
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::time::Duration;

/// The delay after which the verdict is reported.
const REVIEW_DELAY: Duration = Duration::from_secs(1);

/// Accepts a template for review, and returns the callback with the verdicts.
#[must_use]
pub fn review(submission: &TemplateSubmission<'_>, now: Timestamp) -> SubmittedTemplate {
    let said: Vec<(&str, Option<RejectionReason>)> = match ending(submission.name) {
        ReviewOutcome::Rejected(reason) => vec![("REJECTED", Some(reason))],
        ReviewOutcome::Pending => Vec::new(),
        ReviewOutcome::Paused => vec![("APPROVED", None), ("PAUSED", None)],
        ReviewOutcome::Disabled => vec![("APPROVED", None), ("DISABLED", None)],
        ReviewOutcome::Other => vec![("APPROVED", None)],
    };
    let external_id = external_id(submission);
    let changes = said.into_iter().map(|(event, reason)| {
        let callback_event = callback_event(submission, &external_id, event, reason);
        json!({ "field": "message_template_status_update", "value": callback_event })
    });
    // All changes are in one callback, which is processed in order.
    let report = wrap(submission.account, now.plus(REVIEW_DELAY), &changes.collect::<Vec<_>>());
    let callbacks = vec![(REVIEW_DELAY, report)];
    SubmittedTemplate { external_id, callbacks, verdict: None, reported: true }
}

/// Accepts a changed template for review. The rules are Meta's.
pub fn review_again(edit: &TemplateEdit<'_>, now: Timestamp) -> Result<Callbacks, SubmitError> {
    if edit.changes_category && edit.status == TemplateStatus::Approved {
        let why = "The category of an approved template cannot be changed.".to_owned();
        return Err(SubmitError::Definite(why));
    }
    Ok(review(&edit.submission, now).callbacks)
}

/// Returns the reviewer's id of a template. It is derived from our id, so a template that is
/// submitted twice has the same id.
fn external_id(submission: &TemplateSubmission<'_>) -> String {
    let (_, low) = submission.template.uuid().as_u64_pair();
    low.to_string()
}

enum ReviewOutcome {
    Rejected(RejectionReason),
    Pending,
    Paused,
    Disabled,
    Other,
}

fn ending(name: &str) -> ReviewOutcome {
    let rejected = RejectionReason::ALL.iter().copied();
    let mut rejected = rejected.filter(|it| name.ends_with(&format!("_rejected_{it}")));
    if let Some(reason) = rejected.next() {
        return ReviewOutcome::Rejected(reason);
    }
    match name {
        _ if name.ends_with("_pending") => ReviewOutcome::Pending,
        _ if name.ends_with("_paused") => ReviewOutcome::Paused,
        _ if name.ends_with("_disabled") => ReviewOutcome::Disabled,
        _ => ReviewOutcome::Other,
    }
}

fn callback_event(
    submission: &TemplateSubmission<'_>,
    external_id: &str,
    event: &str,
    reason: Option<RejectionReason>,
) -> Value {
    let mut callback_event = json!({
        "event": event,
        "message_template_id": external_id,
        "message_template_name": submission.name,
        "message_template_language": submission.language,
        "reason": reason.map_or("NONE".to_owned(), |it| it.as_str().to_ascii_uppercase()),
    });
    if let (Value::Object(callback_event), Some(reason)) = (&mut callback_event, reason) {
        let detail =
            format!("The sandbox's reviewer rejects a name that ends in _rejected_{reason}.");
        callback_event.insert("rejection_info".to_owned(), json!({ "reason": detail }));
    }
    callback_event
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback::{CallbackEvent, CallbackEventKind, PartContent};
    use crate::sandbox::parse;
    use domain::id::{AccountId, TemplateId};
    use domain::template::{Category, ParameterFormat, Review, TemplateStatus, Verdict};

    /// Returns the review of a template with this name after all verdicts.
    fn judged(name: &str) -> Review {
        let now = Timestamp::from_seconds(1_800_000_000);
        let submission = TemplateSubmission {
            template: TemplateId::new(now, [1; 10]),
            account: AccountId::new(now, [2; 10]),
            name,
            language: "en",
            category: Category::Utility,
            parameter_format: ParameterFormat::Positional,
            components: "[]",
            message_send_ttl_seconds: None,
        };
        let mut review = Review::draft().after(&Verdict::Pending, now, None).unwrap();
        for (after, payload) in review_of(&submission, now).callbacks {
            for part in parse(&payload) {
                let PartContent::Event(CallbackEvent {
                    what: CallbackEventKind::Template { verdict, .. },
                    ..
                }) = part.content
                else {
                    panic!()
                };
                review = review.after(&verdict, now.plus(after), None).unwrap();
            }
        }
        review
    }

    use super::review as review_of;

    #[test]
    fn the_ending_of_the_name_decides() {
        for (name, status) in [
            ("order", TemplateStatus::Approved),
            ("order_pending", TemplateStatus::Pending),
            ("order_paused", TemplateStatus::Paused),
            ("order_disabled", TemplateStatus::Disabled),
            ("order_rejected_scam", TemplateStatus::Rejected),
            ("order_rejected", TemplateStatus::Approved),
        ] {
            assert_eq!(judged(name).status, status, "{name}");
        }
        for reason in RejectionReason::ALL {
            let review = judged(&format!("order_rejected_{reason}"));
            assert_eq!(review.rejection_reason, Some(*reason));
            assert!(review.rejection_detail.is_some());
        }
    }
}
