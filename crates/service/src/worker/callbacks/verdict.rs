//! Verdicts of the reviewer.

use super::PartOutcome;
use crate::Deps;
use crate::worker::review::changes;
use domain::template::{TemplateStatus, Verdict};
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::Template;

/// Records a verdict on a template, which the reviewer knows by `external_id`, and changes its
/// status if that is allowed.
pub async fn take(
    deps: &Deps,
    template: Template,
    external_id: String,
    verdict: Verdict,
    at: Timestamp,
) -> Result<PartOutcome> {
    if template.status == TemplateStatus::Draft && template.submission_due_at.is_some() {
        // The submission is still under way. Its answer is recorded first.
        return Ok(PartOutcome::Later);
    }
    let word = verdict.status();
    let known = template.external_id.is_none().then_some(external_id);
    let changes = changes(deps, &template, known, std::iter::once(verdict), at);
    if changes.iter().any(|change| change.to.is_none()) {
        let (id, stands) = (template.id, template.status);
        tracing::info!(template = %id, %stands, verdict = %word, "ignored a verdict that does not change the status");
    }
    let organization = template.organization_id;
    let written = deps.db.organization(organization).change_template(changes, None).await?;
    Ok(if written { PartOutcome::Done } else { PartOutcome::Later })
}
