//! Changes of a template's review status, and the events that report them.

use domain::event::{EventKind, EventPayload, NewEvent};
use domain::template::{Review, Verdict};
use domain::time::Timestamp;
use persistence::records::{StoredVerdict, Template, TemplateTransition};
use platform::Deps;
use std::time::Duration;

/// Applies verdicts to a template, one after the other. `last_report` is the time of the last
/// report by the reviewer.
pub fn changes(
    deps: &Deps,
    template: &Template,
    mut external_id: Option<String>,
    verdicts: impl Iterator<Item = Verdict>,
    at: Timestamp,
    last_report: Option<Timestamp>,
) -> Vec<TemplateTransition> {
    let mut stands: Review = template.review();
    let mut shown = template.clone();
    let change = |(place, verdict): (u64, Verdict)| {
        // The verdicts arrived together. Different microseconds keep them in order in the log.
        let at = at.plus(Duration::from_micros(place));
        let to = stands.after(&verdict, at, last_report);
        let (reason, detail) = match &verdict {
            Verdict::Rejected { reason, detail } => (*reason, detail.clone()),
            _ => (None, None),
        };
        let external_id = external_id.take();
        shown.external_id = external_id.clone().or(shown.external_id.take());
        let event = to.as_ref().and_then(|to| {
            shown.apply_review(to, at);
            review_event(&shown, at)
        });
        let change = TemplateTransition {
            from: stands.status,
            to: to.clone(),
            external_id,
            event,
            said: StoredVerdict {
                organization_id: template.organization_id,
                id: deps.id::<domain::id::Verdict>(at),
                template_id: template.id,
                verdict: verdict.status(),
                reason,
                detail,
                took_effect: to.is_some(),
                received_at: at,
            },
        };
        stands = to.unwrap_or_else(|| stands.clone());
        change
    };
    (0..).zip(verdicts).map(change).collect()
}

/// Returns the event for a template's new status.
#[must_use]
pub fn review_event(template: &Template, at: Timestamp) -> Option<NewEvent> {
    let kind = EventKind::from_template_status(template.status)?;
    let (organization, account) = (template.organization_id, template.account_id);
    let payload = EventPayload::Template(Box::new(template.snapshot()));
    Some(NewEvent::for_account(organization, account, kind, payload, at))
}
