//! `/templates/{id}/edit`: changing a template and submitting it again.

use super::form_page::{PREVIEW, SUBMIT, checked};
use super::remove::why;
use super::values::{ProposedComponents, TemplateFormValues};
use super::{named, path_of};
use crate::browser::{FieldErrors, PageError, PagePolicy, permitted};
use crate::dashboard::frame::{MemberContext, refused};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::role::MemberAction;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::Document;
use persistence::records::{Account, Template};
use service::accounts;
use service::actor::MemberTemplateChangeError;
use service::templates::change;
use std::sync::Arc;

/// Returns the fields of the form for a template, or `None` if it cannot be changed now or has
/// components that the form cannot describe.
pub fn values_of(template: &Template, accounts: &[Account]) -> Option<TemplateFormValues> {
    let account = accounts.iter().find(|it| it.id == template.account_id)?;
    if !change::is_editable(template, account.channel) {
        return None;
    }
    TemplateFormValues::of_template(template)
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let mut member_context = MemberContext::of(&request, &deps).await?;
    let check = member_context.authority.check(MemberAction::TemplateUpdated);
    check.map_err(PageError::Forbidden)?;
    let template = named(&deps, &member_context, &request).await?;
    let accounts = member_context.take_accounts();
    let Some(values) = values_of(&template, &accounts) else {
        return refuse(&deps, &member_context, &template).await;
    };
    let typed = member_context.form_values().map(TemplateFormValues::of);
    let values = typed.map_or(values, |typed| typed.changing(&template));
    let page = checked(&deps, &member_context, values, None, Some(&template)).await?;
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let check = member_context.authority.check(MemberAction::TemplateUpdated);
        check.map_err(PageError::Forbidden)?;
        let template = named(&deps, &member_context, &request).await?;
        let values = || TemplateFormValues::of(&form).changing(&template);
        match form.value("action") {
            PREVIEW => {
                let page = checked(&deps, &member_context, values(), None, Some(&template)).await?;
                return Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page));
            }
            SUBMIT => {}
            _ => return Err(PageError::UnknownAction),
        }
        let submitted = values();
        let work = change(&deps, &member_context, &template, &submitted);
        let refused = async |errors: FieldErrors| {
            let errors = Some(errors);
            let page = checked(&deps, &member_context, values(), errors, Some(&template)).await?;
            Ok(PagePolicy::Dashboard.page(StatusCode::UNPROCESSABLE_ENTITY, &page))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

/// Leads back to the template, because the form cannot change it.
async fn refuse(
    deps: &ServerDeps,
    member_context: &MemberContext,
    template: &Template,
) -> Result<HttpResponse, PageError> {
    let sentence = "Only rejected, paused and approved templates can be changed, and ones with cards, codes or \
                    offers only through the API.";
    let notice = Notice::saying("This template can’t be changed here now", sentence).warning();
    member_context.redirect_with_flash(deps, &path_of(template), &notice).await
}

/// Changes a template as a form says, or returns all faults of the form.
async fn change(
    deps: &ServerDeps,
    member_context: &MemberContext,
    template: &Template,
    values: &TemplateFormValues,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let own_accounts = accounts::list(deps, member_context.reader()).await?;
    if values_of(template, &own_accounts).is_none() {
        let sentence = "The template can’t be changed here now. It may be in review: see its page.";
        return Ok(Err(FieldErrors::one("", sentence)));
    }
    let proposed = ProposedComponents::of(values).map_err(|error| Problem::internal(&error))?;
    let new = match proposed.parse(values) {
        Ok(new) => new,
        Err(errors) => return Ok(Err(errors)),
    };
    let components = proposed.stored().map_err(|error| Problem::internal(&error))?;
    let own = member_context.actor(deps).templates();
    let organization = &member_context.organization;
    let components = Document(components);
    let changed = Box::pin(own.update(organization, template.clone(), &new, components)).await;
    match permitted(changed)? {
        Ok(template) => {
            let sentence =
                "The reviewer decides within minutes to a day. Until then it can’t be sent.";
            let notice = Notice::saying("Template submitted again", sentence);
            Ok(Ok(ActionResult { location: path_of(&template), notice }))
        }
        Err(MemberTemplateChangeError::Billing(why)) => Ok(Err(FieldErrors::one("", refused(why)))),
        Err(MemberTemplateChangeError::Change(error)) => Ok(Err(FieldErrors::one("", why(error)?))),
    }
}
