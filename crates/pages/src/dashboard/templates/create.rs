//! `/templates/new`: a form for a template, with a preview and the known reasons why the reviewer
//! may reject it.

use super::TEMPLATES;
use super::form_page::{PREVIEW, SUBMIT, checked, page};
use super::values::{ACCOUNT, NAME, ProposedComponents, TemplateFormValues};
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
use service::accounts;
use service::actor::MemberTemplateError;
use service::templates::TemplateError;
use std::sync::Arc;

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let mut member_context = MemberContext::of(&request, &deps).await?;
    let check = member_context.authority.check(MemberAction::TemplateCreated);
    check.map_err(PageError::Forbidden)?;
    let accounts = member_context.take_accounts();
    let values =
        member_context.form_values().map_or_else(TemplateFormValues::empty, TemplateFormValues::of);
    let page = page(&member_context, &accounts, values, None);
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let check = member_context.authority.check(MemberAction::TemplateCreated);
        check.map_err(PageError::Forbidden)?;
        let values = TemplateFormValues::of(&form);
        match form.value("action") {
            PREVIEW => {
                let page = checked(&deps, &member_context, values, None, None).await?;
                return Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page));
            }
            SUBMIT => {}
            _ => return Err(PageError::UnknownAction),
        }
        let work = create(&deps, &member_context, &values);
        let refused = async |errors: FieldErrors| {
            let values = TemplateFormValues::of(&form);
            let page = checked(&deps, &member_context, values, Some(errors), None).await?;
            Ok(PagePolicy::Dashboard.page(StatusCode::UNPROCESSABLE_ENTITY, &page))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

/// Creates the template of a form, or returns all faults of the form.
async fn create(
    deps: &ServerDeps,
    member_context: &MemberContext,
    values: &TemplateFormValues,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let proposed = ProposedComponents::of(values).map_err(|error| Problem::internal(&error))?;
    let new = match proposed.parse(values) {
        Ok(new) => new,
        Err(errors) => return Ok(Err(errors)),
    };
    let components = proposed.stored().map_err(|error| Problem::internal(&error))?;
    let organization = &member_context.organization;
    let account = if values.account.is_empty() {
        organization.default_account_id
    } else {
        values.account.parse().ok()
    };
    let own_accounts = accounts::list(deps, member_context.reader()).await?;
    let account = account.filter(|id| own_accounts.iter().any(|it| it.id == *id));
    let Some(account) = account else {
        return Ok(Err(FieldErrors::one(ACCOUNT, TemplateError::NoNumber)));
    };
    let own = member_context.actor(deps).templates();
    let created = Box::pin(own.create(organization, account, &new, Document(components))).await;
    let error = match permitted(created)? {
        Ok(template) => {
            let sentence =
                "The reviewer decides within minutes to a day. Until then it can’t be sent.";
            let notice = Notice::saying("Template submitted", sentence);
            let location = format!("{TEMPLATES}/{}", template.id);
            return Ok(Ok(ActionResult { location, notice }));
        }
        Err(error) => error,
    };
    Ok(Err(match error {
        MemberTemplateError::Billing(why) => FieldErrors::one("", refused(why)),
        MemberTemplateError::Template(error) => match error {
            TemplateError::Exists { .. } => FieldErrors::one(NAME, error),
            TemplateError::NoNumber => FieldErrors::one(ACCOUNT, error),
            TemplateError::NotSupported(..) => FieldErrors::one("", error),
            TemplateError::Unwritable(error) => return Err(Problem::internal(&error).into()),
            TemplateError::Database(error) => return Err(error.into()),
        },
    }))
}
