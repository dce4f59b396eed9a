//! The data of each endpoint for the Markdown template.

use super::fields::{Table, Tables};
use super::openapi::{self, Schemas, group};
use super::samples::{self, Sample};
use actix_web::http::Method;
use api::admission::Access;
use api::operation::EXAMPLE_BASE_URL;
use api::registry::{Registry, Specification};
use api_types::json;
use http_layer::problem::Code;
use pages::connect::token_answer::Connected;
use schemars::Schema;

/// The path prefix of all endpoints.
const API: &str = "/api/v1";

/// The endpoints of one group.
pub struct Group {
    pub title: String,
    pub endpoints: Vec<DocumentedEndpoint>,
}

pub struct DocumentedEndpoint {
    pub summary: &'static str,
    pub description: &'static str,
    pub method: String,
    pub path: &'static str,
    pub access: Access,
    /// The parameters in the path.
    pub parameters: Vec<Table>,
    /// The fields of the request, the outermost object first.
    pub input: Vec<Table>,
    /// Whether the input is in the query string.
    pub in_query: bool,
    /// The success responses: status, and type in words.
    pub replies: Vec<(u16, String)>,
    /// The objects of the responses that were not shown before.
    pub objects: Vec<Table>,
    /// The errors that the endpoint itself returns.
    pub problems: Vec<Code>,
    /// The errors of the checks that run before the endpoint.
    pub checks: Vec<Code>,
    /// The samples of the main example.
    pub samples: Vec<Sample>,
    /// Further examples: title and samples.
    pub variants: Vec<(&'static str, Vec<Sample>)>,
    /// The status of the main example's response.
    pub success: u16,
    /// The body of the main example's response; empty if it is a file.
    pub reply: String,
}

/// The lists of the API, such as `GET /messages`, by their kind of paging.
#[derive(Default)]
pub struct Lists {
    pub offset: Vec<String>,
    pub position: Vec<String>,
}

/// The request and the responses of the code exchange.
pub struct ExchangeView {
    pub input: Vec<Table>,
    /// The fields of the answer on success.
    pub answer: Vec<Table>,
    /// The fields of the answer on failure.
    pub refusal: Vec<Table>,
    pub answer_example: String,
    pub failure_example: String,
}

/// Builds the documentation of the code exchange, whose schemas are in `schemas`.
pub fn exchange(schemas: &Schemas, exchange: &openapi::ExchangeSchemas) -> ExchangeView {
    let mut tables = Tables::new(schemas);
    ExchangeView {
        input: tables.input_tables(exchange.asked.as_value()),
        answer: tables.reply_tables(exchange.connected.as_value()).1,
        refusal: tables.reply_tables(exchange.refused.as_value()).1,
        answer_example: format!("{:#}", json::value(&Connected::sample())),
        failure_example: format!("{:#}", openapi::exchange_failure()),
    }
}

/// Builds the documentation of all endpoints, by group.
pub fn groups(registry: &Registry, schemas: &Schemas, base_url: &str) -> Vec<Group> {
    let inputs: Vec<(Schema, Schema)> = registry
        .specifications()
        .iter()
        .map(|it| (schemas.input(&it.parameters), schemas.input(&it.input)))
        .collect();
    let mut tables = Tables::new(schemas);
    let mut groups: Vec<Group> = Vec::new();
    for (specification, (path, input)) in registry.specifications().iter().zip(&inputs) {
        let title = title(group(specification));
        let endpoint = DocumentedEndpoint {
            parameters: tables.input_tables(path.as_value()),
            input: tables.input_tables(input.as_value()),
            ..documented_endpoint(specification, base_url)
        };
        let endpoint = answered(endpoint, specification, &mut tables);
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.endpoints.push(endpoint),
            None => groups.push(Group { title, endpoints: vec![endpoint] }),
        }
    }
    groups
}

/// Returns the endpoints that return lists, by the paging parameters that they declare.
pub fn lists(groups: &[Group]) -> Lists {
    let mut lists = Lists::default();
    for endpoint in groups.iter().flat_map(|group| &group.endpoints) {
        let outermost = endpoint.input.first().map(|table| table.rows.as_slice());
        let rows = outermost.unwrap_or_default();
        let field = |name: &str| rows.iter().find(|row| row.name == name);
        let list = match (field("offset"), field("after")) {
            (Some(_), _) => &mut lists.offset,
            (None, Some(_)) => &mut lists.position,
            (None, None) => continue,
        };
        let path = endpoint.path.strip_prefix(API).unwrap_or(endpoint.path);
        list.push(format!("`{} {path}`", endpoint.method));
    }
    lists
}

fn title(group: &str) -> String {
    match group {
        "me" => "Current key".to_owned(),
        other => {
            let (first, rest) = other.split_at(1);
            first.to_ascii_uppercase() + rest
        }
    }
}

fn documented_endpoint(specification: &Specification, base_url: &str) -> DocumentedEndpoint {
    let own = |code: &Code| specification.problems.contains(code);
    let (problems, checks) = specification.all_problems().into_iter().partition(own);
    DocumentedEndpoint {
        summary: specification.summary.trim_end_matches('.'),
        description: specification.description,
        method: specification.method.to_string(),
        path: specification.path,
        access: specification.access,
        parameters: Vec::new(),
        input: Vec::new(),
        in_query: specification.method == Method::GET,
        replies: Vec::new(),
        objects: Vec::new(),
        problems,
        checks,
        samples: samples::render(specification, &specification.example.input, base_url),
        variants: specification
            .variants
            .iter()
            .map(|it| (it.title, samples::render(specification, &it.input, base_url)))
            .collect(),
        success: specification.success.as_u16(),
        reply: if specification.answers_with_file() {
            String::new()
        } else {
            specification.example.reply.replace(EXAMPLE_BASE_URL, base_url)
        },
    }
}

fn answered<'a>(
    mut endpoint: DocumentedEndpoint,
    specification: &'a Specification,
    tables: &mut Tables<'a>,
) -> DocumentedEndpoint {
    for (status, schema) in &specification.replies {
        let (kind, objects) = tables.reply_tables(schema.as_value());
        endpoint.replies.push((status.as_u16(), kind));
        endpoint.objects.extend(objects);
    }
    endpoint
}
