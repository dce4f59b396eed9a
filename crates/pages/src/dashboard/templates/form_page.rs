//! The page with the form for a template, new or changed.

use super::checks::{ReviewerCheck, checks};
use super::values::{BUTTON_TYPES, ProposedComponents, TemplateFormValues};
use super::{NEW, TEMPLATES, category, edit_path, path_of};
use crate::browser::{FieldErrors, PageError};
use crate::dashboard::frame::{Frame, MemberContext, named};
use domain::keyword::Keyword as _;
use domain::template::parts::{MAX_BODY_LENGTH, MAX_BUTTON_TEXT_LENGTH, MAX_LINE_LENGTH};
use domain::template::{ButtonType, MAX_NAME_LENGTH, TemplateStatus};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Account, Template};
use service::accounts;
use service::templates::sent::{FilledTemplate, with_examples};

/// The value of the button that shows the template without submitting it.
pub const PREVIEW: &str = "preview";
/// The value of the button that submits the template.
pub const SUBMIT: &str = "create";

#[derive(askama::Template)]
#[template(path = "templates/form.html")]
pub struct TemplateFormPage {
    frame: Frame,
    token: String,
    path: String,
    /// The template that is changed. `None` for a new one.
    changed: Option<TemplateChangeForm>,
    /// The name of the category, if the reviewer does not accept another one. Otherwise empty.
    kept_category: &'static str,
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

/// What a change of a template keeps.
struct TemplateChangeForm {
    path: String,
    language: String,
}

impl TemplateChangeForm {
    fn of(template: &Template) -> Self {
        Self { path: path_of(template), language: template.language.clone() }
    }
}

/// Returns the page with the fields, but without errors and results of checks.
pub fn page(
    member_context: &MemberContext,
    accounts: &[Account],
    values: TemplateFormValues,
    changed: Option<&Template>,
) -> TemplateFormPage {
    let default = member_context.organization.default_account_id;
    // The default number is the first choice.
    let (first, others): (Vec<&Account>, Vec<&Account>) =
        accounts.iter().partition(|it| Some(it.id) == default);
    let numbers = first.into_iter().chain(others);
    let button_type =
        |(kind, name): (ButtonType, &str)| (kind.as_str().to_owned(), name.to_owned());
    let limited = |most: usize| format!("maxlength=\"{most}\" autocomplete=\"off\"");
    TemplateFormPage {
        frame: member_context.frame(TEMPLATES),
        token: member_context.token(),
        path: changed.map_or_else(|| NEW.to_owned(), edit_path),
        changed: changed.map(TemplateChangeForm::of),
        kept_category: changed
            .filter(|it| it.status == TemplateStatus::Approved)
            .map_or("", |it| category(it.category)),
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
/// which the template was not created or changed.
pub async fn checked(
    deps: &ServerDeps,
    member_context: &MemberContext,
    values: TemplateFormValues,
    errors: Option<FieldErrors>,
    changed: Option<&Template>,
) -> Result<TemplateFormPage, PageError> {
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
    let page = page(member_context, &accounts, values, changed);
    Ok(TemplateFormPage { errors, preview, checks: known, ..page })
}
