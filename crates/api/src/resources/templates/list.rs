//! `GET /api/v1/templates` (`docs/contract.md#manage-templates`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use domain::template::{Category, TemplateStatus};
use domain::violation::{Field, Violations};
use persistence::rows::TemplateFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::templates;
use web_core::problem::{Code, Problem};
use wire::pagination::{LIMIT_DEFAULT, MAX_LIMIT, MAX_OFFSET, MIN_LIMIT, Pagination, Window};
use wire::schema::OneOf;
use wire::template::TemplateRecord;

/// Lists the organization's templates.
pub struct ListTemplates;

/// Which templates, and which part of the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct ListTemplatesInput {
    /// Only those that stand so.
    #[schemars(with = "Option<OneOf<TemplateStatus>>")]
    status: Option<String>,
    /// Only those of this category.
    #[schemars(with = "Option<OneOf<Category>>")]
    category: Option<String>,
    /// Only those in this language.
    language: Option<String>,
    /// Only those of this name.
    name: Option<String>,
    /// Maximum number of entries of a page.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
    /// How many to pass over.
    #[schemars(range(min = 0, max = MAX_OFFSET), extend("default" = 0))]
    offset: Option<i64>,
}

/// A page of templates, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplatePage {
    /// The templates.
    data: Vec<TemplateRecord>,
    /// Which part of the list they are.
    pagination: Pagination,
}

impl Operation for ListTemplates {
    const ID: &'static str = "list_templates";
    const SUMMARY: &'static str = "List templates.";
    const DESCRIPTION: &'static str = "\
All templates of the organization, whichever number they were made for, the newest first; narrowed by any of
the filters. A rejected one says why in `rejection_reason` and `rejection_detail`.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{ "category": "utility", "limit": 50 }"#,
        reply: r#"{
  "data": [
    {
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
    }
  ],
  "pagination": { "limit": 50, "offset": 0, "total": 1, "has_more": false, "next_offset": null }
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListTemplatesInput;
    type Reply = TemplatePage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplatePage>, Problem> {
        let (filter, window) = call.parse(ListTemplatesInput::parse)?;
        let (organization, part) = (call.organization(), (window.limit, window.offset));
        let (found, total) = templates::list(&call.deps, organization, filter, part).await?;
        let data = found.iter().map(TemplateRecord::from).collect();
        let pagination = Pagination::of(window, total);
        Answer::new(Self::SUCCESS, &TemplatePage { data, pagination })
    }
}

impl ListTemplatesInput {
    fn parse(&self, faults: &mut Violations) -> Option<(TemplateFilter, Window)> {
        let status = self.status.as_deref();
        let status = status.map(|word| faults.word::<TemplateStatus>(&Field::root("status"), word));
        let category = self.category.as_deref();
        let category = category.map(|word| faults.word::<Category>(&Field::root("category"), word));
        let window = Window::parse(self.limit, self.offset, faults)?;
        let filter = TemplateFilter {
            status: status.flatten(),
            category: category.flatten(),
            language: self.language.clone(),
            name: self.name.clone(),
        };
        Some((filter, window))
    }
}
