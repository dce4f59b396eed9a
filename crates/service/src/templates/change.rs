//! Changing and deleting a template. The reviewer is asked before the caller gets an answer, so
//! that the answer can report a refusal of the reviewer (`docs/contract.md#manage-templates`).

use super::changes::{changes, review_event};
use crate::callbacks::simulated;
use channel::adapter::Adapter;
use channel::capabilities::Unsupported;
use channel::registry::capabilities;
use channel::{SubmitError, TemplateDeletion, TemplateEdit, TemplateSubmission};
use domain::account::{ChannelKind, HealthState};
use domain::id::{AccountId, OrganizationId, TemplateId};
use domain::template::{NewTemplate, TemplateStatus, Verdict};
use domain::time::Timestamp;
use persistence::Document;
use persistence::records::{ChannelAccess, Template, TemplateResubmission};
use platform::Deps;
use platform::channel_client::{adapter, run};
use std::time::Duration;

/// How long a template is reserved for the request that changes it. This is longer than the
/// requests to the reviewer may take.
const LEASE: Duration = Duration::from_mins(1);

/// The reason why a template is not changed or deleted.
#[derive(Debug, thiserror::Error)]
pub enum TemplateChangeError {
    /// There is no such template, or the caller may not change it.
    #[error("there is no such template")]
    NotFound,
    /// The template has a status in which it cannot be changed, or a submission or another change
    /// of it is in progress.
    #[error("the template {name} is {status} and cannot be changed now")]
    Locked { name: String, status: TemplateStatus },
    /// The reviewer refused.
    #[error("the reviewer refused the change of {name}: {why}")]
    Refused { name: String, status: TemplateStatus, why: String },
    /// The channel does not support this.
    #[error("{0} is not supported by {1}")]
    NotSupported(Unsupported, ChannelKind),
    /// The channel cannot be reached.
    #[error("the channel cannot be reached: {0}")]
    Away(String),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Finds a template to change. A caller that is bound to an account changes the templates of that
/// account only.
pub async fn find_own(
    deps: &Deps,
    organization: OrganizationId,
    bound_to: Option<AccountId>,
    id: TemplateId,
) -> Result<Template, TemplateChangeError> {
    let found = deps.db.organization(organization).template(id).await?;
    let own = found.filter(|it| bound_to.is_none_or(|account| it.account_id == account));
    own.ok_or(TemplateChangeError::NotFound)
}

/// Whether a template of an account on this channel can be changed now.
#[must_use]
pub fn is_editable(template: &Template, channel: ChannelKind) -> bool {
    template.status.is_editable()
        && template.external_id.is_some()
        && capabilities(channel).templates.edits
}

/// Changes the category and the components of a template, and submits it again. `template` is the
/// template before the change, and `new` the whole template after it. `components` are the new
/// components in their stored form.
pub async fn update(
    deps: &Deps,
    template: Template,
    new: &NewTemplate,
    components: Document,
) -> Result<Template, TemplateChangeError> {
    let external_id = template.external_id.clone().filter(|_| template.status.is_editable());
    let external_id = external_id.ok_or_else(|| locked(&template))?;
    let access = access(deps, &template).await?;
    let channel = access.channel;
    let can = capabilities(channel);
    if !can.templates.edits {
        let what = Unsupported::entirely("changes of a template that was submitted");
        return Err(TemplateChangeError::NotSupported(what, channel));
    }
    let supported = can.check_template(new, &components.0);
    supported.map_err(|what| TemplateChangeError::NotSupported(what, channel))?;
    let reserved = Reservation::take(deps, &template).await?;
    let line = reserved.adapter(&access).await?;
    let edit = TemplateEdit {
        submission: TemplateSubmission {
            template: template.id,
            account: template.account_id,
            name: &template.name,
            language: &template.language,
            category: new.category,
            parameter_format: template.parameter_format,
            components: &components.0,
            message_send_ttl_seconds: template.message_send_ttl_seconds,
        },
        external_id: &external_id,
        status: template.status,
        changes_category: new.category != template.category,
        changes_components: components != template.components,
    };
    let now = deps.clock.now();
    let edited = run(deps, |answers| line.edit_template(&edit, now, answers)).await;
    let callbacks = match edited {
        Ok(callbacks) => callbacks,
        Err(error) => return Err(reserved.fail(error).await?),
    };
    // The callbacks are stored first. If the template were changed first and this process then
    // stopped, the template would stay pending without a report.
    let reports =
        callbacks.into_iter().map(|(after, payload)| simulated(deps, channel, after, payload, now));
    deps.db.operator().insert_callbacks(reports.collect()).await?;
    let at = now.max(template.updated_at.plus(Duration::from_micros(1)));
    let mut changed = template.clone();
    changed.category = new.category;
    changed.components = components;
    changed.submission_due_at = None;
    changed.apply_review(&template.review().resubmitted(at), at);
    let resubmission = TemplateResubmission {
        id: changed.id,
        reserved_until: reserved.until,
        category: changed.category,
        components: changed.components.clone(),
        review: changed.review(),
        event: review_event(&changed, at),
        at,
    };
    let owner = deps.db.organization(template.organization_id);
    if !owner.resubmit_template(resubmission).await? {
        // The reviewer has the change and will report on it. This request took longer than its
        // reservation, and another request has changed the template in the meantime.
        return Err(TemplateChangeError::Away("the change took too long".to_owned()));
    }
    deps.wakeups.reported.notify_one();
    deps.events_recorded_of([template.organization_id]);
    Ok(changed)
}

/// Deletes a template at the reviewer and here. A template that is already deleted stays as it is.
pub async fn delete(
    deps: &Deps,
    organization: OrganizationId,
    bound_to: Option<AccountId>,
    id: TemplateId,
) -> Result<Template, TemplateChangeError> {
    let template = find_own(deps, organization, bound_to, id).await?;
    if template.status == TemplateStatus::Deleted {
        return Ok(template);
    }
    let reserved = Reservation::take(deps, &template).await?;
    let was_submitted = template.external_id.is_some() || *template.submission_attempts > 0;
    if was_submitted {
        let access = access(deps, &template).await;
        let access = match access {
            Ok(access) => access,
            Err(error) => return Err(reserved.release(error).await?),
        };
        let line = reserved.adapter(&access).await?;
        let deletion = TemplateDeletion {
            template: template.id,
            name: &template.name,
            language: &template.language,
            external_id: template.external_id.as_deref(),
        };
        let deleted = run(deps, |answers| line.delete_template(&deletion, answers)).await;
        if let Err(error) = deleted {
            return Err(reserved.fail(error).await?);
        }
    }
    let at = deps.clock.now().max(template.updated_at.plus(Duration::from_micros(1)));
    let transitions = changes(deps, &template, None, std::iter::once(Verdict::Deleted), at, None);
    let mut deleted = template.clone();
    if let Some(review) = transitions.first().and_then(|it| it.to.as_ref()) {
        deleted.apply_review(review, at);
    }
    deleted.submission_due_at = None;
    let owner = deps.db.organization(organization);
    if !owner.change_template(transitions, None).await? {
        return Err(TemplateChangeError::Away("the deletion took too long".to_owned()));
    }
    deps.events_recorded_of([organization]);
    Ok(deleted)
}

fn locked(template: &Template) -> TemplateChangeError {
    TemplateChangeError::Locked { name: template.name.clone(), status: template.status }
}

/// Returns the access to the channel of a template's account. A held account gives an error.
async fn access(deps: &Deps, template: &Template) -> Result<ChannelAccess, TemplateChangeError> {
    let owner = deps.db.organization(template.organization_id);
    let account = owner.account(template.account_id).await?;
    let account = account.ok_or(TemplateChangeError::NotFound)?;
    if account.health == HealthState::Held {
        return Err(TemplateChangeError::Away("the number is held".to_owned()));
    }
    Ok(account.into())
}

/// The exclusive right to change a template until a time. While it lasts, the worker does not
/// submit the template, and reports on the template are not processed.
struct Reservation<'a> {
    deps: &'a Deps,
    template: &'a Template,
    until: Timestamp,
}

impl<'a> Reservation<'a> {
    async fn take(deps: &'a Deps, template: &'a Template) -> Result<Self, TemplateChangeError> {
        let until = deps.clock.now().plus(LEASE);
        let owner = deps.db.organization(template.organization_id);
        let instance = deps.claims.instance();
        let taken = owner.reserve_template(template.id, template.updated_at, until, instance);
        if taken.await? { Ok(Self { deps, template, until }) } else { Err(locked(template)) }
    }

    /// Creates the adapter. Releases the reservation if that fails.
    async fn adapter(
        &self,
        access: &ChannelAccess,
    ) -> Result<Box<dyn Adapter>, TemplateChangeError> {
        match adapter(self.deps, access) {
            Ok(line) => Ok(line),
            Err(why) => Err(self.release(TemplateChangeError::Away(why)).await?),
        }
    }

    /// Releases the reservation. Returns the reason that was given.
    async fn release(
        &self,
        why: TemplateChangeError,
    ) -> Result<TemplateChangeError, TemplateChangeError> {
        let owner = self.deps.db.organization(self.template.organization_id);
        let due = self.template.submission_due_at;
        owner.release_template(self.template.id, self.until, due).await?;
        Ok(why)
    }

    /// Releases the reservation after an error of the reviewer. Returns the reason.
    async fn fail(&self, error: SubmitError) -> Result<TemplateChangeError, TemplateChangeError> {
        let Template { id, name, status, .. } = self.template;
        let why = match error {
            SubmitError::Definite(why) => {
                tracing::warn!(why, template = %id, "the reviewer refused a change of a template");
                TemplateChangeError::Refused { name: name.clone(), status: *status, why }
            }
            SubmitError::Later { why, .. } => {
                tracing::warn!(why, template = %id, "the reviewer cannot be reached; a template was not changed");
                TemplateChangeError::Away(why)
            }
            SubmitError::Exists => TemplateChangeError::Away(error.to_string()),
        };
        self.release(why).await
    }
}
