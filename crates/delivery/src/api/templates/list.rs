//! `GET /api/v1/templates` (`service.md` 4.3).

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::pagination::{Pagination, Window};
use crate::wire::template::TemplateRecord;
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use domain::template::{Category, TemplateStatus};
use domain::violation::{Field, Violations};
use persistence::rows::TemplateFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists the organization's templates.
pub struct ListTemplates;

/// Which templates, and which part of the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct ListTemplatesInput {
    /// Only those that stand so.
    status: Option<String>,
    /// Only those of this category.
    category: Option<String>,
    /// Only those in this language.
    language: Option<String>,
    /// Only those of this name.
    name: Option<String>,
    /// 1 to 100; 50 if left out.
    limit: Option<i64>,
    /// How many to pass over; 0 if left out.
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
    const SUMMARY: &'static str = "List the organization's templates, the newest first.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates";
    const ACCESS: Access = Access::Key(Scope::TemplatesRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListTemplatesInput;
    type Reply = TemplatePage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplatePage>, Problem> {
        let (filter, window) = call.parse(ListTemplatesInput::parse)?;
        let (limit, offset) = (window.limit, window.offset);
        let page = call.deps.db.templates_page(call.organization(), filter, limit, offset);
        let (found, total) = page.await?;
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
