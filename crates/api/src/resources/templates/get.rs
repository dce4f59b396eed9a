//! `GET /api/v1/templates/{id}`.

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::IdOf;
use api_types::template::TemplateRecord;
use domain::id::{self, TemplateId};
use domain::scope::Scope;
use domain::template::TemplateStatus;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::templates;

/// Returns one template.
pub struct GetTemplate;

/// The template.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TemplatePath {
    /// The id of the template.
    #[schemars(with = "IdOf<id::Template>")]
    id: String,
}

impl TemplatePath {
    /// Returns a path for an example.
    #[must_use]
    pub fn of(id: TemplateId) -> Self {
        Self { id: id.to_string() }
    }

    /// Returns the id.
    pub fn parse(&self) -> Result<TemplateId, Problem> {
        self.id.parse().map_err(|_| Problem::not_found("template"))
    }
}

impl Operation for GetTemplate {
    const ID: &'static str = "get_template";
    const SUMMARY: &'static str = "Get a template.";
    const DESCRIPTION: &'static str = "\
Returns a template with its components and its review status.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = TemplatePath;
    type Input = Nothing;
    type Reply = TemplateRecord;

    fn example() -> ExampleOf<Self> {
        Example {
            path: TemplatePath::of(sample::TEMPLATE),
            input: None,
            reply: TemplateRecord::from(&sample::template(TemplateStatus::Draft)),
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplateRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let id = call.path.parse()?;
        let found = templates::find(&call.deps, call.caller.reader(), id).await?;
        let found = found.ok_or_else(|| Problem::not_found("template"))?;
        Answer::new(Self::SUCCESS, &TemplateRecord::from(&found))
    }
}
