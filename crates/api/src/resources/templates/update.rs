//! `PATCH /api/v1/templates/{id}` (`docs/contract.md#manage-templates`).

use super::change_problem;
use super::create::CreatedTemplateReply;
use super::get::TemplatePath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation, write};
use actix_web::http::{Method, StatusCode};
use api_types::object::Object;
use api_types::sample;
use api_types::schema::OneOf;
use api_types::template::PartWire;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::template::parts::MAX_PARTS;
use domain::template::{Category, NewTemplate, TemplateInput, TemplateStatus};
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::Document;
use persistence::records::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::templates::change;

/// Changes a template.
pub struct UpdateTemplate;

/// The fields to change, at least one. Fields that are omitted stay as they are.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateTemplate")]
pub struct UpdateTemplateBody {
    /// The category.
    #[schemars(with = "Option<OneOf<Category>>")]
    category: Option<String>,
    /// The components, which replace all that the template has.
    #[schemars(length(min = 1, max = MAX_PARTS))]
    components: Option<Vec<Object<PartWire>>>,
}

impl Operation for UpdateTemplate {
    const ID: &'static str = "update_template";
    const SUMMARY: &'static str = "Change a template.";
    const DESCRIPTION: &'static str = "\
Changes the components or the category of a rejected, paused or approved template and submits it again. Its status is `pending`
until the reviewer decides, and until then it cannot be sent. The components are checked as in `POST /templates`, and `warnings`
and `lint` are the same. The event `template.submitted` reports the change, and another one the verdict.

The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses, with its words in
`reviewer_message`. Meta refuses another category for an approved template, and allows one change of an approved template in 24
hours and ten in 30 days. Twilio cannot change a template that was submitted (`not_supported_by_channel`).

Messages with the template that wait for the channel are handed over; the channel decides about them. A scheduled message or a
fallback template is judged when its time comes.";
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/api/v1/templates/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] =
        &[Code::NotFound, Code::TemplateLocked, Code::NotSupportedByChannel];
    type Caller = KeyHolder;
    type Path = TemplatePath;
    type Input = UpdateTemplateBody;
    type Reply = CreatedTemplateReply;

    fn example() -> ExampleOf<Self> {
        let input = UpdateTemplateBody {
            components: Some(api_types::template::sample::components()),
            ..UpdateTemplateBody::default()
        };
        let id = sample::CHANGED_TEMPLATE;
        let template = Template {
            id,
            name: "order_arrived".to_owned(),
            ..sample::template(TemplateStatus::Pending)
        };
        let reply = CreatedTemplateReply::unremarked(&template);
        Example { path: TemplatePath::of(id), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<CreatedTemplateReply>, Problem> {
        let (organization, account) = (call.organization(), call.bound_account());
        let found = match call.path.parse() {
            Ok(id) => change::find_own(&call.deps, organization, account, id)
                .await
                .map_err(change_problem),
            Err(error) => Err(error),
        };
        let parsed = call.parse(|body, faults| body.parse(found.as_ref().ok(), faults))?;
        let found = found?;
        let ChangedTemplate::Whole(new, components) = parsed else {
            return Err(Problem::internal("the components of a template are not JSON"));
        };
        let changed = change::update(&call.deps, found, &new, components).await;
        let reply = CreatedTemplateReply::new(&changed.map_err(change_problem)?, &new);
        Answer::new(Self::SUCCESS, &reply)
    }
}

/// A template with the changes of a request.
enum ChangedTemplate {
    /// The template is not known or its stored components cannot be read.
    Unreadable,
    Whole(Box<NewTemplate>, Document),
}

impl UpdateTemplateBody {
    /// Parses the change of a template, and returns the whole template with it.
    fn parse(
        &self,
        template: Option<&Template>,
        faults: &mut Violations,
    ) -> Option<ChangedTemplate> {
        if self.category.is_none() && self.components.is_none() {
            let message = "category or components is required";
            faults.add(&Field::root("components"), Fault::Required, message);
            return None;
        }
        let Some(template) = template else {
            let category = self.category.as_deref();
            faults.optional_word::<Category>(&Field::root("category"), category);
            return Some(ChangedTemplate::Unreadable);
        };
        let stored: Vec<Object<PartWire>>;
        let parts = if let Some(parts) = &self.components {
            parts
        } else {
            let Ok(parts) = serde_json::from_str(&template.components.0) else {
                return Some(ChangedTemplate::Unreadable);
            };
            stored = parts;
            &stored
        };
        let proposal = TemplateInput {
            name: Some(&template.name),
            language: Some(&template.language),
            category: Some(self.category.as_deref().unwrap_or(template.category.as_str())),
            parameter_format: Some(template.parameter_format.as_str()),
            components: Some(parts.iter().map(|part| part.proposal()).collect()),
            message_send_ttl_seconds: template.message_send_ttl_seconds.map(i64::from),
        };
        let new = NewTemplate::parse(&proposal, faults)?;
        let components = match &self.components {
            Some(parts) => {
                let kept: Vec<PartWire> = parts.iter().map(|part| part.kept()).collect();
                Document(write(&kept).ok()?)
            }
            None => template.components.clone(),
        };
        Some(ChangedTemplate::Whole(Box::new(new), components))
    }
}
