//! `GET /api/v1/templates/{id}`.

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::id::{self, TemplateId};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use service::templates;
use web_core::problem::{Code, Problem};
use wire::schema::IdOf;
use wire::template::TemplateRecord;

/// Reads one template.
pub struct GetTemplate;

/// Which template.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TemplatePath {
    /// The template's id.
    #[schemars(with = "IdOf<id::Template>")]
    id: String,
}

impl Operation for GetTemplate {
    const ID: &'static str = "get_template";
    const SUMMARY: &'static str = "Get a template.";
    const DESCRIPTION: &'static str = "\
Reads one template, its parts and the reviewer's verdict.";
    const EXAMPLE: Example = Example {
        path: &[("id", "tpl_01jd7qm4x8f0ta5b9c2e7h6jkr")],
        input: "",
        reply: r#"{
  "id": "tpl_01jd7qm4x8f0ta5b9c2e7h6jkr",
  "name": "order_shipped",
  "language": "en_US",
  "category": "utility",
  "status": "draft",
  "rejection_reason": null,
  "rejection_detail": null,
  "parameter_format": "positional",
  "components": [
    {
      "type": "BODY",
      "text": "Hello {{1}}, your order {{2}} is on its way.",
      "example": { "body_text": [["Ada", "1042"]] }
    },
    { "type": "FOOTER", "text": "Thank you for shopping with us" }
  ],
  "message_send_ttl_seconds": null,
  "quality": null,
  "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
  "external_id": null,
  "submitted_at": null,
  "reviewed_at": null,
  "created_at": "2026-11-21T12:00:00.000Z",
  "updated_at": "2026-11-21T12:00:00.000Z"
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesRead);
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
        let found = templates::find(&call.deps, call.organization(), id).await?;
        Answer::new(Self::SUCCESS, &TemplateRecord::from(&found.ok_or_else(nothing)?))
    }
}
