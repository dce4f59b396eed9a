//! `POST /api/v1/templates` (`docs/contract.md#manage-templates`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation, write};
use actix_web::http::{Method, StatusCode};
use api_types::json;
use api_types::object::Object;
use api_types::sample;
use api_types::schema::{LanguageText, OneOf, TemplateNameText, exactly_one};
use api_types::template::{LintRecord, PartWire, TemplateRecord, WarningRecord};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::template::parts::MAX_PARTS;
use domain::template::{Category, NewTemplate, ParameterFormat, TemplateInput, TemplateStatus};
use domain::violation::Violations;
use http_layer::problem::{Code, Problem};
use persistence::Document;
use persistence::records::Template;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use service::templates::{self, CreatedTemplate, TemplateError};

/// Creates a template and submits it for review.
pub struct CreateTemplate;

/// A template to create.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CreateTemplate")]
pub struct CreateTemplateBody {
    /// The name, of the characters `a-z`, `0-9` and `_`. The name and the language together
    /// identify the template.
    #[schemars(required, with = "TemplateNameText")]
    name: Option<String>,
    /// The language, such as `en` or `en_US`.
    #[schemars(required, with = "LanguageText")]
    language: Option<String>,
    /// The category.
    #[schemars(required, with = "OneOf<Category>")]
    category: Option<String>,
    /// The format of the variables: `positional` for `{{1}}`, which is the default, or `named` for
    /// `{{first_name}}`.
    #[schemars(with = "Option<OneOf<ParameterFormat>>")]
    parameter_format: Option<String>,
    /// The components: one BODY, and at most one of each other type.
    #[schemars(required, length(min = 1, max = MAX_PARTS))]
    components: Option<Vec<Object<PartWire>>>,
    /// The time to live of a message with this template, in seconds: 30 to 900 for
    /// `authentication`, 30 to 43200 for `utility`, 43200 to 2592000 for `marketing`. For the first
    /// two, -1 is allowed too and means 30 days.
    message_send_ttl_seconds: Option<i64>,
    /// Whether to only validate the template: nothing is stored or submitted.
    dry_run: Option<bool>,
}

/// The created template, and the parts of it that were not checked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedTemplate")]
pub struct CreatedTemplateReply {
    #[serde(flatten)]
    template: TemplateRecord,
    /// Types and fields that were passed to the reviewer without a check, because this version does not know them.
    warnings: Vec<WarningRecord>,
    /// What the reviewer is known to reject. It never refuses a template.
    lint: Vec<LintRecord>,
}

/// A template that was only validated.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedTemplate")]
pub struct CheckedTemplateReply {
    /// Always `true`.
    valid: bool,
    /// Types and fields that would be passed to the reviewer without a check, because this version does not know them.
    warnings: Vec<WarningRecord>,
    /// What the reviewer is known to reject.
    lint: Vec<LintRecord>,
}

/// The answer to a new template: the created template, or with `dry_run` one that was only
/// validated.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "CreateTemplateResult", transform = exactly_one)]
pub enum CreateTemplateReply {
    /// 201: the template is created and will be submitted to the reviewer.
    Created(Box<CreatedTemplateReply>),
    /// 200: the template is valid; nothing was stored or submitted (`dry_run`).
    Checked(CheckedTemplateReply),
}

impl Operation for CreateTemplate {
    const ID: &'static str = "create_template";
    const SUMMARY: &'static str = "Create a template.";
    const DESCRIPTION: &'static str = "\
Creates a template and submits it for review. Its `status` is first `draft`, then `pending`, then `approved` or
`rejected`. Only an approved template can be sent. The events `template.approved` and `template.rejected` report the
outcome.

A template has one BODY, and at most one component of each other type. Variables are written `{{1}}`, `{{2}}` without
gaps (or by name, with `parameter_format` `named`). A text cannot begin or end with a variable, and each variable needs
an example.

A template with a button of type `OTP` carries a one-time code: its category is `authentication`, and the channel
writes its BODY and FOOTER. A `CAROUSEL` has 2 to 10 cards with the same components; a `LIMITED_TIME_OFFER` has no FOOTER.

`lint` lists what the reviewer is known to reject, such as variables in a row or a promotional word in a utility
template; it never refuses a template. With `dry_run` the template is only validated: the response is a 200 with
`warnings` and `lint`, and nothing is stored.

Types and fields of components that this version does not know are passed to the reviewer unchanged, and
`warnings` lists them.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/templates";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesWrite);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] =
        &[Code::TemplateExists, Code::NotSupportedByChannel, Code::NoMessagingAccount];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = CreateTemplateBody;
    type Reply = CreateTemplateReply;

    fn example() -> ExampleOf<Self> {
        let made = sample::template(TemplateStatus::Draft);
        let input = CreateTemplateBody {
            name: Some(made.name.clone()),
            language: Some(made.language.clone()),
            category: Some(made.category.as_str().to_owned()),
            components: Some(api_types::template::sample::components()),
            ..CreateTemplateBody::default()
        };
        let reply = CreatedTemplateReply::unremarked(&made);
        let reply = CreateTemplateReply::Created(Box::new(reply));
        Example { path: Nothing {}, input: Some(input), reply }
    }

    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        vec![
            (StatusCode::CREATED, schemas.subschema_for::<CreatedTemplateReply>()),
            (StatusCode::OK, schemas.subschema_for::<CheckedTemplateReply>()),
        ]
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<CreateTemplateReply>, Problem> {
        let (new, components) = call.parse(CreateTemplateBody::parse)?;
        let (organization, account) = (call.organization(), call.sending_account()?);
        if call.input.dry_run == Some(true) {
            let checked = templates::check(&call.deps, organization, account, &new, &components);
            checked.await.map_err(problem)?;
            let reply =
                CheckedTemplateReply { valid: true, warnings: warnings(&new), lint: lint(&new) };
            return Answer::new(StatusCode::OK, &CreateTemplateReply::Checked(reply));
        }
        let once = call.slot.as_ref().map(|slot| slot.with(Self::SUCCESS));
        let answer = |made: &Template| json::write(&CreatedTemplateReply::new(made, &new));
        let made =
            templates::create(&call.deps, organization, account, &new, components, once, answer)
                .await;
        match (made.map_err(problem)?, &call.slot) {
            (CreatedTemplate::Created(template), slot) => {
                let reply = CreatedTemplateReply::new(&template, &new);
                let reply = CreateTemplateReply::Created(Box::new(reply));
                let answer = Answer::new(Self::SUCCESS, &reply)?;
                Ok(if slot.is_some() { answer.mark_stored() } else { answer })
            }
            (CreatedTemplate::Answered(stored), Some(slot)) => slot.replay(stored),
            (CreatedTemplate::Answered(_), None) => Err(Problem::internal(
                "a stored answer was found for a request without an Idempotency-Key",
            )),
        }
    }
}

fn problem(error: TemplateError) -> Problem {
    match error {
        TemplateError::Exists { name, language } => Problem::template_exists(&name, &language),
        TemplateError::NotSupported(what, channel) => {
            Problem::not_supported_by_channel(channel, what.feature, what.supported)
        }
        TemplateError::NoNumber => Problem::no_messaging_account(),
        TemplateError::Unwritable(error) => Problem::internal(&error),
        TemplateError::Database(error) => error.into(),
    }
}

impl CreatedTemplateReply {
    /// Returns the answer in an example, without warnings and findings.
    #[must_use]
    pub fn unremarked(made: &Template) -> Self {
        Self { template: made.into(), warnings: Vec::new(), lint: Vec::new() }
    }

    /// Returns the answer about a template, with the warnings and findings about its input.
    #[must_use]
    pub fn new(made: &Template, new: &NewTemplate) -> Self {
        Self { template: made.into(), warnings: warnings(new), lint: lint(new) }
    }
}

fn warnings(new: &NewTemplate) -> Vec<WarningRecord> {
    new.warnings.iter().cloned().map(WarningRecord::from).collect()
}

fn lint(new: &NewTemplate) -> Vec<LintRecord> {
    new.lint.iter().cloned().map(LintRecord::from).collect()
}

impl CreateTemplateBody {
    fn parse(&self, faults: &mut Violations) -> Option<(NewTemplate, Document)> {
        let parts = self.components.as_ref();
        let proposal = TemplateInput {
            name: self.name.as_deref(),
            language: self.language.as_deref(),
            category: self.category.as_deref(),
            parameter_format: self.parameter_format.as_deref(),
            components: parts.map(|all| all.iter().map(|part| part.proposal()).collect()),
            message_send_ttl_seconds: self.message_send_ttl_seconds,
        };
        let new = NewTemplate::parse(&proposal, faults)?;
        let kept: Vec<PartWire> = parts?.iter().map(|part| part.kept()).collect();
        Some((new, Document(write(&kept).ok()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_bodies::{changed, changes, is_read_or_refused};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_proposed_is_read_or_refused(changes in changes()) {
            let body = serde_json::to_value(CreateTemplate::example().input).unwrap();
            is_read_or_refused(&changed(body, &changes), CreateTemplateBody::parse)?;
        }
    }
}
