//! Templates, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::templates::change::{self, TemplateChangeError};
use crate::templates::{self, CreatedTemplate, TemplateError};
use crate::usage;
use domain::id::AccountId;
use domain::plan::BillingRefusal;
use domain::role::MemberAction;
use domain::template::{NewTemplate, TemplateStatus};
use persistence::Document;
use persistence::records::{Organization, Template};

pub struct MemberTemplates<'a>(Actor<'a>);

/// The reason why a member's template is not created.
#[derive(Debug, thiserror::Error)]
pub enum MemberTemplateError {
    /// All calls of the organization are refused, and so are templates of its members.
    #[error("billing refuses the organization's templates: {0:?}")]
    Billing(BillingRefusal),
    #[error(transparent)]
    Template(#[from] TemplateError),
}

/// The reason why a member's template is not changed.
#[derive(Debug, thiserror::Error)]
pub enum MemberTemplateChangeError {
    /// All calls of the organization are refused, and so are changes of its members.
    #[error("billing refuses the organization's templates: {0:?}")]
    Billing(BillingRefusal),
    #[error(transparent)]
    Change(#[from] TemplateChangeError),
}

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn templates(self) -> MemberTemplates<'a> {
        MemberTemplates(self)
    }
}

impl MemberTemplates<'_> {
    /// Creates a template of an account, which is then submitted to the reviewer. `components` are in
    /// their stored form.
    pub async fn create(
        &self,
        of: &Organization,
        account: AccountId,
        new: &NewTemplate,
        components: Document,
    ) -> Result<Template, ActionError<MemberTemplateError>> {
        let work = self.submit(of, account, new, components);
        self.0.perform(MemberAction::TemplateCreated, work, |it| Some(object(it))).await
    }

    async fn submit(
        &self,
        of: &Organization,
        account: AccountId,
        new: &NewTemplate,
        components: Document,
    ) -> Result<Template, MemberTemplateError> {
        let Actor { deps, organization, .. } = self.0;
        let refusal = usage::find_refusal(deps, of).await.map_err(TemplateError::from)?;
        if let Some(why) = refusal {
            return Err(MemberTemplateError::Billing(why));
        }
        let answer = |_: &Template| Ok(String::new());
        let created =
            templates::create(deps, organization, account, new, components, None, answer).await?;
        match created {
            CreatedTemplate::Created(template) => Ok(*template),
            CreatedTemplate::Answered(_) => {
                let why = "a stored answer was found for a template of a member".to_owned();
                Err(TemplateError::from(persistence::Error::Internal(why)).into())
            }
        }
    }

    /// Changes the category and the components of a template, and submits it again. `new` is the
    /// whole template after the change, and `components` are its components in their stored form.
    pub async fn update(
        &self,
        of: &Organization,
        template: Template,
        new: &NewTemplate,
        components: Document,
    ) -> Result<Template, ActionError<MemberTemplateChangeError>> {
        let Actor { deps, .. } = self.0;
        let work = async {
            let refusal = usage::find_refusal(deps, of).await.map_err(TemplateChangeError::from)?;
            if let Some(why) = refusal {
                return Err(MemberTemplateChangeError::Billing(why));
            }
            Ok(change::update(deps, template, new, components).await?)
        };
        self.0.perform(MemberAction::TemplateUpdated, work, |it| Some(object(it))).await
    }

    /// Deletes a template at the reviewer and here. A template that is already deleted stays as it
    /// is.
    pub async fn delete(
        &self,
        template: &Template,
    ) -> Result<Template, ActionError<TemplateChangeError>> {
        let Actor { deps, organization, .. } = self.0;
        let was_deleted = template.status == TemplateStatus::Deleted;
        let work = change::delete(deps, organization, None, template.id);
        let deleted = |it: &Template| (!was_deleted).then(|| object(it));
        self.0.perform(MemberAction::TemplateDeleted, work, deleted).await
    }
}

fn object(template: &Template) -> AuditObject {
    AuditObject::new(template.id, format!("{} ({})", template.name, template.language))
}
