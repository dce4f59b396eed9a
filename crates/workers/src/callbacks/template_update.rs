//! Changes that the channel makes to templates by itself.

use super::PartOutcome;
use api_types::json::write;
use api_types::template::updated;
use domain::callback::DeadLetterReason;
use domain::event::{EventKind, EventPayload, NewEvent, TemplateChange};
use domain::keyword::Keyword as _;
use domain::template::{ComponentTexts, TemplateUpdate};
use persistence::records::{Template, TemplateRevision};
use persistence::{Document, Result};
use platform::Deps;
use std::time::Duration;

/// Records a change of a template. A report without a difference is ignored.
pub async fn record(
    deps: &Deps,
    template: Template,
    update: TemplateUpdate,
) -> Result<PartOutcome> {
    let Ok(change) = change(&template, &update) else {
        let detail = format!("the template {} cannot be read", template.id);
        return Ok(PartOutcome::dead_letter(DeadLetterReason::NotUnderstood, detail));
    };
    let Some(change) = change else { return Ok(PartOutcome::Done) };
    let components = Document(change.current.clone());
    let (organization, account) = (template.organization_id, template.account_id);
    let (kind, payload) =
        (EventKind::TemplateUpdated, EventPayload::TemplateChange(Box::new(change)));
    // The time must be later than the template's last change, even if the clock has not advanced
    // since.
    let at = deps.clock.now().max(template.updated_at.plus(Duration::from_micros(1)));
    let event = NewEvent::for_account(organization, account, kind, payload, at);
    let (id, changed_at) = (template.id, template.updated_at);
    let mut revision =
        TemplateRevision { id, changed_at, quality: None, category: None, components: None, event };
    match update {
        TemplateUpdate::Quality { current, .. } => revision.quality = Some(current),
        TemplateUpdate::Category(category) => revision.category = Some(category),
        TemplateUpdate::Components(_) => revision.components = Some(components),
    }
    let written = deps.db.organization(organization).revise_template(revision).await?;
    if written {
        deps.events_recorded_of([organization]);
    }
    Ok(if written { PartOutcome::Done } else { PartOutcome::Later })
}

/// Returns the change for the event, or `None` if the report changes nothing.
fn change(
    template: &Template,
    update: &TemplateUpdate,
) -> serde_json::Result<Option<TemplateChange>> {
    let (previous, current) = match update {
        TemplateUpdate::Quality { previous, current } => {
            if template.quality == Some(*current) {
                return Ok(None);
            }
            // The first report of a template's quality also contains the previous quality.
            let reported = previous.filter(|previous| previous != current);
            let previous = template.quality.or(reported);
            let previous = previous.map(|it| write(&it.as_str())).transpose()?;
            (previous, write(&current.as_str())?)
        }
        TemplateUpdate::Category(category) => {
            (Some(write(&template.category.as_str())?), write(&category.as_str())?)
        }
        TemplateUpdate::Components(texts) => {
            let stored = &template.components.0;
            (Some(updated(stored, &ComponentTexts::default())?), updated(stored, texts)?)
        }
    };
    let is_other = previous.as_ref() != Some(&current);
    Ok(is_other.then(|| TemplateChange {
        id: template.id,
        account: template.account_id,
        name: template.name.clone(),
        language: template.language.clone(),
        part: update.part(),
        previous,
        current,
    }))
}
