//! What the reviewer said.

use super::PartOutcome;
use crate::Deps;
use crate::worker::review::changes;
use domain::callback::DeadLetterReason;
use domain::id::AccountId;
use domain::template::{TemplateStatus, Verdict};
use domain::time::Timestamp;
use persistence::Result;

/// A template that was judged.
pub struct ReviewedTemplate {
    /// The reviewer's id of it.
    pub external_id: String,
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// What was said.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
}

/// Records what was said of a template, and moves it on where the machine leads there.
pub async fn take(
    deps: &Deps,
    within: Vec<AccountId>,
    judged: ReviewedTemplate,
) -> Result<PartOutcome> {
    let ReviewedTemplate { external_id, name, language, verdict, at } = judged;
    let asked = (external_id.clone(), name, language);
    let found = deps.db.operator().template_on_channel(within, asked.0, asked.1, asked.2).await?;
    let Some(template) = found else {
        let detail = format!("no template {external_id} is known");
        return Ok(PartOutcome::keep(DeadLetterReason::UnknownTemplate, detail));
    };
    if *template.status == TemplateStatus::Draft && template.submission_due_at.is_some() {
        // It is just being submitted, and the reviewer was quicker than the answer to that.
        return Ok(PartOutcome::Later);
    }
    let word = verdict.status();
    let known = template.external_id.is_none().then_some(external_id);
    let changes = changes(deps, &template, known, std::iter::once(verdict), at);
    if changes.iter().any(|change| change.to.is_none()) {
        let (id, stands) = (*template.id, *template.status);
        tracing::info!(template = %id, %stands, verdict = %word, "a verdict that changes nothing");
    }
    let organization = *template.organization_id;
    let written = deps.db.organization(organization).change_template(changes, None).await?;
    Ok(if written { PartOutcome::Done } else { PartOutcome::Later })
}
