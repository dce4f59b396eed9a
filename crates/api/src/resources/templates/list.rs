//! `GET /api/v1/templates` (`docs/contract.md#manage-templates`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::pagination::{LIMIT_DEFAULT, MAX_LIMIT, MAX_OFFSET, MIN_LIMIT, Pagination, Window};
use api_types::sample;
use api_types::schema::OneOf;
use api_types::template::TemplateRecord;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::template::{Category, TemplateStatus};
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::records::TemplateFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::templates;

/// Lists the organization's templates.
pub struct ListTemplates;

/// The filters, and the page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListTemplatesInput {
    /// Return only templates with this status.
    #[schemars(with = "Option<OneOf<TemplateStatus>>")]
    status: Option<String>,
    /// Return only templates of this category.
    #[schemars(with = "Option<OneOf<Category>>")]
    category: Option<String>,
    /// Return only templates in this language.
    language: Option<String>,
    /// Return only templates with this name.
    name: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
    /// Number of entries to skip.
    #[schemars(range(min = 0, max = MAX_OFFSET), extend("default" = 0))]
    offset: Option<i64>,
}

/// A page of templates, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplatePage {
    /// The templates.
    data: Vec<TemplateRecord>,
    /// The position of this page in the list.
    pagination: Pagination,
}

impl Operation for ListTemplates {
    const ID: &'static str = "list_templates";
    const SUMMARY: &'static str = "List templates.";
    const DESCRIPTION: &'static str = "\
Returns the templates of the organization, of all its numbers, the newest first. A rejected template has the reason in
`rejection_reason` and `rejection_detail`.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/templates";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListTemplatesInput;
    type Reply = TemplatePage;

    fn example() -> ExampleOf<Self> {
        let input = ListTemplatesInput {
            category: Some(Category::Utility.as_str().to_owned()),
            limit: Some(LIMIT_DEFAULT),
            ..ListTemplatesInput::default()
        };
        let data = vec![TemplateRecord::from(&sample::template(TemplateStatus::Draft))];
        let pagination = Pagination::new(Window { limit: LIMIT_DEFAULT, offset: 0 }, 1);
        Example { path: Nothing {}, input: Some(input), reply: TemplatePage { data, pagination } }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplatePage>, Problem> {
        let (filter, window) = call.parse(ListTemplatesInput::parse)?;
        let (reader, Window { limit, offset }) = (call.caller.reader(), window);
        let (found, total) = templates::list(&call.deps, reader, filter, limit, offset).await?;
        let data = found.iter().map(TemplateRecord::from).collect();
        let pagination = Pagination::new(window, total);
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
