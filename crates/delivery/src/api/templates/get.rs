//! `GET /api/v1/templates/{id}`.

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::template::TemplateRecord;
use actix_web::http::{Method, StatusCode};
use domain::id::TemplateId;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

/// Reads one template.
pub struct GetTemplate;

/// Which template.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TemplatePath {
    /// The template's id.
    id: String,
}

impl Operation for GetTemplate {
    const ID: &'static str = "get_template";
    const SUMMARY: &'static str = "Read a template and how it stands with the reviewer.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates/{id}";
    const ACCESS: Access = Access::Key(Scope::TemplatesRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = TemplatePath;
    type Input = Nothing;
    type Reply = TemplateRecord;

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplateRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let nothing = || Problem::not_found("template");
        let id: TemplateId = call.path.id.parse().map_err(|_| nothing())?;
        let found = call.deps.db.template(call.organization(), id).await?;
        Answer::new(Self::SUCCESS, &TemplateRecord::from(&found.ok_or_else(nothing)?))
    }
}
