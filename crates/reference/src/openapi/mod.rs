//! The `OpenAPI` document, generated from the declarations of the operations.

mod answers;
mod calls;
pub mod document;
mod public;
mod schemas;
mod webhooks;

pub use answers::error_example;
pub use calls::fields;
pub use public::{ExchangeSchemas, exchange_failure};
pub use schemas::Schemas;

use api::registry::{Registry, Specification};
use document::{Components, Info, License, OpenApiDocument, Ordered, SecurityScheme, Server, Tag};
use serde_json::Value;

/// The summary of the service, in one sentence.
pub const SUMMARY: &str =
    "Send and receive business messages, and connect to businesses in one click.";

/// The addresses that the document shows.
#[derive(Clone, Copy)]
pub struct Addresses<'a> {
    pub base_url: &'a str,
    /// The address at which an organization changes its plan.
    pub upgrade_url: &'a str,
}

/// The groups of operations, each with its description. The last two groups are outside the REST
/// API.
const GROUPS: [(&str, &str); 14] = [
    ("messages", "Send messages, alone or in a batch, now or later, and follow them."),
    ("templates", "Create, change and delete message templates, which the channel reviews."),
    ("media", "Upload files and read them."),
    ("conversations", "Read conversations, organize them, and pause or resume the AI agent."),
    ("contacts", "Read, change, export and delete contacts."),
    ("agents", "Try AI agents out."),
    ("events", "Read the events of the last 30 days, in order."),
    ("sandbox", "Let a simulated customer write to a sandbox number."),
    ("webhook-endpoints", "Manage webhook endpoints and their deliveries."),
    ("accounts", "Read the numbers of the organization."),
    ("me", "Read or revoke the key that authenticates the request."),
    ("applications", "Manage the connections of an application."),
    ("connect", "Exchange an authorization code for the key of a connection."),
    ("webhooks", "The events that the service posts to webhook endpoints."),
];

/// Returns the document of the service at `base_url` as JSON.
#[must_use]
pub fn json(registry: &Registry, base_url: &str, upgrade_url: &str) -> Value {
    let mut schemas = Schemas::new(registry);
    answers::describe_errors(&mut schemas);
    let addresses = Addresses { base_url, upgrade_url };
    let public = public::describe(&mut schemas, addresses);
    let mut document = OpenApiDocument {
        openapi: "3.1.0",
        info: Info {
            title: "Switchboard",
            version: env!("CARGO_PKG_VERSION"),
            summary: SUMMARY,
            description: format!(
                "The reference for people is at {base_url}/docs, and as Markdown at {base_url}/docs.md."
            ),
            license: License { name: "MIT", identifier: "MIT" },
        },
        servers: vec![Server { url: base_url.to_owned() }],
        tags: GROUPS.into_iter().map(|(name, description)| Tag { name, description }).collect(),
        paths: Ordered::default(),
        webhooks: webhooks::webhooks(),
        components: Components { schemas: serde_json::Map::new(), security_schemes: credentials() },
    };
    for specification in registry.specifications() {
        let operation = calls::describe(specification, &schemas, addresses);
        if let Some(path) = document.paths.entry(specification.path) {
            path.add(specification.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    for (path, method, operation) in public {
        if let Some(path) = document.paths.entry(path) {
            path.add(method, operation);
        }
    }
    let mut value = api_types::json::value(&document);
    let reached = schemas.reached_from(&value);
    if let Some(all) = value.pointer_mut("/components/schemas") {
        *all = Value::Object(reached);
    }
    value
}

/// Returns the group of an operation: the path segment after `/api/v1/`.
#[must_use]
pub fn group(specification: &Specification) -> &'static str {
    specification.path.split('/').nth(3).unwrap_or_default()
}

fn credentials() -> Ordered<SecurityScheme> {
    let header = |name, description| SecurityScheme::Header { place: "header", name, description };
    Ordered(vec![
        ("clientId".to_owned(), header("x-client-id", "The client id of a key; not secret.")),
        (
            "clientSecret".to_owned(),
            header(
                "x-client-secret",
                "The secret of the same key; shown once, when the key is created.",
            ),
        ),
        (
            "accessToken".to_owned(),
            SecurityScheme::Http {
                scheme: "bearer",
                description: "The client id and the secret of a key, joined by a dot.",
            },
        ),
        (
            "applicationPair".to_owned(),
            SecurityScheme::Http {
                scheme: "basic",
                description: "An application's own client id and secret (RFC 6749, 2.3.1).",
            },
        ),
    ])
}
