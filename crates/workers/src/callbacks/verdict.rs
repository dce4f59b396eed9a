//! Processes the reviewer's verdicts.

use super::PartOutcome;
use domain::template::{ReviewLog, Verdict};
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{StoredVerdict, Template};
use platform::Deps;
use service::templates::changes::changes;

/// Records a verdict of the reviewer on a template. `external_id` is the reviewer's id of the
/// template. The verdict changes the template's status unless the reviewer has reported a later
/// verdict.
pub async fn record(
    deps: &Deps,
    template: Template,
    external_id: String,
    verdict: Verdict,
    at: Timestamp,
) -> Result<PartOutcome> {
    if template.submission_due_at.is_some() {
        // The template is being submitted, changed or deleted. The callback arrived before the
        // answer to that request.
        return Ok(PartOutcome::Later);
    }
    let organization_db = deps.db.organization(template.organization_id);
    let log = organization_db.list_verdicts(template.id).await?;
    let log = ReviewLog::new(log.into_iter().map(StoredVerdict::reported).collect());
    let (verdict, at) = (log.resolve(verdict), log.place(at));
    // Entries of the log are deleted after 13 months, so the time in the template's row is
    // considered, too.
    let last_report = log.last_report().max(template.reviewed_at);
    let word = verdict.status();
    let new_external_id = template.external_id.is_none().then_some(external_id);
    let verdicts = std::iter::once(verdict);
    let changes = changes(deps, &template, new_external_id, verdicts, at, last_report);
    if changes.iter().any(|change| change.to.is_none()) {
        let (id, stands) = (template.id, template.status);
        tracing::info!(template = %id, %stands, verdict = %word, "ignored a verdict that does not change the status");
    }
    let written = organization_db.change_template(changes, None).await?;
    Ok(if written { PartOutcome::Done } else { PartOutcome::Later })
}
