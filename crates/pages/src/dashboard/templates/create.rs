//! `/templates/new`: a form for a template, with a preview and the known reasons why the reviewer
//! may reject it.

use super::checks::{ReviewerCheck, checks};
use super::values::{ACCOUNT, BUTTON_TYPES, NAME, ProposedComponents, TemplateFormValues};
use super::{NEW, TEMPLATES};
use crate::browser::{FieldErrors, PageError, PagePolicy, permitted};
use crate::dashboard::frame::{Frame, MemberContext, named, refused};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::keyword::Keyword as _;
use domain::role::MemberAction;
use domain::template::parts::{MAX_BODY_LENGTH, MAX_BUTTON_TEXT_LENGTH, MAX_LINE_LENGTH};
use domain::template::{ButtonType, MAX_NAME_LENGTH};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::Document;
use persistence::records::Account;
use service::accounts;
use service::actor::MemberTemplateError;
use service::templates::TemplateError;
use service::templates::sent::{FilledTemplate, with_examples};
use std::sync::Arc;

/// The value of the button that shows the template without creating it.
const PREVIEW: &str = "preview";

#[derive(askama::Template)]
#[template(path = "templates/new.html")]
struct NewTemplatePage {
    frame: Frame,
    token: String,
    path: &'static str,
    values: TemplateFormValues,
    errors: FieldErrors,
    header_formats: Vec<(String, String)>,
    button_types: Vec<(String, String)>,
    numbers: Vec<(String, String)>,
    /// The template as the customer sees it, if it has a text.
    preview: Option<FilledTemplate>,
    /// The known reasons why the reviewer may reject the template, if the form has no errors.
    checks: Option<Vec<ReviewerCheck>>,
    name_attributes: String,
    line_attributes: String,
    body_attributes: String,
    button_attributes: String,
}

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
    let page = page(&member_context, &accounts, values);
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
        if form.value("action") == PREVIEW {
            let page = checked(&deps, &member_context, values, None).await?;
            return Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page));
        }
        let work = create(&deps, &member_context, &values);
        let refused = async |errors: FieldErrors| {
            let values = TemplateFormValues::of(&form);
            let page = checked(&deps, &member_context, values, Some(errors)).await?;
            Ok(PagePolicy::Dashboard.page(StatusCode::UNPROCESSABLE_ENTITY, &page))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

/// Returns the page with the fields, but without errors and results of checks.
fn page(
    member_context: &MemberContext,
    accounts: &[Account],
    values: TemplateFormValues,
) -> NewTemplatePage {
    let default = member_context.organization.default_account_id;
    // The default number is the first choice.
    let (first, others): (Vec<&Account>, Vec<&Account>) =
        accounts.iter().partition(|it| Some(it.id) == default);
    let numbers = first.into_iter().chain(others);
    let button_type =
        |(kind, name): (ButtonType, &str)| (kind.as_str().to_owned(), name.to_owned());
    let limited = |most: usize| format!("maxlength=\"{most}\" autocomplete=\"off\"");
    NewTemplatePage {
        frame: member_context.frame(TEMPLATES),
        token: member_context.token(),
        path: NEW,
        values,
        errors: FieldErrors::default(),
        header_formats: TemplateFormValues::header_formats(),
        button_types: BUTTON_TYPES.into_iter().map(button_type).collect(),
        numbers: numbers.map(|it| (it.id.to_string(), named(it))).collect(),
        preview: None,
        checks: None,
        name_attributes: format!("required {}", limited(MAX_NAME_LENGTH)),
        line_attributes: limited(MAX_LINE_LENGTH),
        body_attributes: format!("rows=\"5\" required {}", limited(MAX_BODY_LENGTH)),
        button_attributes: limited(MAX_BUTTON_TEXT_LENGTH),
    }
}

/// Returns the page with a preview and all errors of the fields. `errors` are the errors because of
/// which the template was not created.
async fn checked(
    deps: &ServerDeps,
    member_context: &MemberContext,
    values: TemplateFormValues,
    errors: Option<FieldErrors>,
) -> Result<NewTemplatePage, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let proposed = ProposedComponents::of(&values).map_err(|error| Problem::internal(&error))?;
    let (known, faults) = match proposed.parse(&values) {
        Ok(new) => (Some(checks(&new, &proposed.inputs())), FieldErrors::default()),
        Err(faults) => (None, faults),
    };
    let preview = if values.has_components() {
        let stored = proposed.stored().map_err(|error| Problem::internal(&error))?;
        Some(with_examples(&stored).map_err(|error| Problem::internal(&error))?)
    } else {
        None
    };
    let errors = errors.unwrap_or(faults);
    let page = page(member_context, &accounts, values);
    Ok(NewTemplatePage { errors, preview, checks: known, ..page })
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
