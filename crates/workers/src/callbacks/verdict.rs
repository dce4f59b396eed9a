//! Processes the reviewer's verdicts.

use super::PartOutcome;
use crate::review::changes;
use domain::template::{ReviewLog, TemplateStatus, Verdict};
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Judgement, Template};
use platform::Deps;

/// Records a verdict on the template that the reviewer knows by this id. The verdict changes the
/// template unless the reviewer has reported a later one.
pub async fn take(
    deps: &Deps,
    template: Template,
    external_id: String,
    verdict: Verdict,
    at: Timestamp,
) -> Result<PartOutcome> {
    if template.status == TemplateStatus::Draft && template.submission_due_at.is_some() {
        // The template is being submitted. The report arrived before the answer to the submission.
        return Ok(PartOutcome::Later);
    }
    let theirs = deps.db.organization(template.organization_id);
    let log = theirs.judgements(template.id).await?;
    let log = ReviewLog::new(log.into_iter().map(Judgement::reported).collect());
    let (verdict, at) = (log.resolve(verdict), log.place(at));
    // Entries of the log are deleted after 13 months, so the template's own time counts too.
    let last_report = log.last_report().max(template.reviewed_at);
    let word = verdict.status();
    let known = template.external_id.is_none().then_some(external_id);
    let verdicts = std::iter::once(verdict);
    let changes = changes(deps, &template, known, verdicts, at, last_report);
    if changes.iter().any(|change| change.to.is_none()) {
        let (id, stands) = (template.id, template.status);
        tracing::info!(template = %id, %stands, verdict = %word, "ignored a verdict that does not change the status");
    }
    let written = theirs.change_template(changes, None).await?;
    Ok(if written { PartOutcome::Done } else { PartOutcome::Later })
}
