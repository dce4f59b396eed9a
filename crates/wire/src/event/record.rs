//! What events tell, where no endpoint answers with the same.

use crate::json::write;
use crate::schema::{IdOf, Instant, Number, OneOf};
use crate::template::TemplateRecord;
use domain::connection::EndReason;
use domain::conversation::Agent;
use domain::id;
use domain::id::WebhookEndpointId;
use domain::keyword::Keyword as _;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use persistence::Document;
use persistence::rows::{Application, Connection, Conversation, Template};
use schemars::JsonSchema;
use serde::Serialize;

/// A conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationData {
    /// Its id.
    #[schemars(with = "IdOf<id::Conversation>")]
    id: String,
    /// The number of the business.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The person.
    #[schemars(with = "IdOf<id::Contact>")]
    contact_id: String,
    /// The person's number.
    #[schemars(with = "Number")]
    phone_number: String,
    /// Whether the AI agent answers from then on: running or paused.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// When it began.
    #[schemars(with = "Instant")]
    created_at: String,
}

impl ConversationData {
    /// The conversation, in which the agent stood so.
    pub fn of(row: &Conversation, agent: Agent) -> Self {
        Self {
            id: row.id.to_string(),
            account_id: row.account_id.to_string(),
            contact_id: row.contact_id.to_string(),
            phone_number: row.phone_number.clone(),
            ai_agent: agent.as_str(),
            created_at: row.created_at.to_string(),
        }
    }
}

/// A person, as one of the business's numbers knows them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContactData {
    /// Their id.
    #[schemars(with = "IdOf<id::Contact>")]
    id: String,
    /// The number of the business.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// Their number.
    #[schemars(with = "Number")]
    phone_number: String,
    /// Since when they are known.
    #[schemars(with = "Instant")]
    created_at: String,
}

impl ContactData {
    /// The person in a conversation: it began when they became known.
    pub fn of(row: &Conversation) -> Self {
        Self {
            id: row.contact_id.to_string(),
            account_id: row.account_id.to_string(),
            phone_number: row.phone_number.clone(),
            created_at: row.created_at.to_string(),
        }
    }
}

/// The connection of an application.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionData {
    /// Its id.
    #[schemars(with = "IdOf<id::Connection>")]
    id: String,
    /// The application.
    application: ApplicationData,
    /// The client id of the connection's key.
    client_id: String,
    /// The number that it is for; null if it is for any.
    #[schemars(with = "Option<IdOf<id::Account>>")]
    account_id: Option<String>,
    /// What it may do.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    scopes: Vec<String>,
    /// Since when it is connected.
    #[schemars(with = "Instant")]
    connected_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Instant>")]
    disconnected_at: Option<String>,
    /// Who or what ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<EndReason>>")]
    reason: Option<&'static str>,
}

/// The application of a connection.
#[derive(Debug, Serialize, JsonSchema)]
struct ApplicationData {
    /// Its client id.
    client_id: String,
    /// Its name.
    name: String,
}

/// A limit of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LimitData {
    /// Calls a day, or messages a month.
    #[schemars(with = "OneOf<Meter>")]
    resource: &'static str,
    /// The limit.
    limit: Option<u32>,
    /// What is used of it.
    used: u32,
    /// When nothing of it is used again.
    #[schemars(with = "Instant")]
    resets_at: String,
}

/// The endpoint that is tried out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndpointData {
    /// The endpoint's id.
    endpoint_id: String,
    /// A sentence for people.
    message: &'static str,
}

impl EndpointData {
    /// A test of that endpoint.
    pub fn of(id: WebhookEndpointId) -> Self {
        let message = "Sent from the dashboard to test this endpoint.";
        Self { endpoint_id: id.to_string(), message }
    }
}

/// The event data of a reached limit.
#[must_use]
pub fn limit_event(meter: Meter, usage: &Usage) -> Document {
    let Usage { limit, used, resets_at } = *usage;
    let resource = meter.as_str();
    document(&LimitData { resource, limit, used, resets_at: resets_at.to_string() })
}

/// The event data of a connection that was created or has ended.
#[must_use]
pub fn connection_event(
    connection: &Connection,
    client_id: &str,
    application: &Application,
) -> Document {
    document(&ConnectionData {
        id: connection.id.to_string(),
        application: ApplicationData {
            client_id: application.client_id.clone(),
            name: application.name.clone(),
        },
        client_id: client_id.to_owned(),
        account_id: connection.account_id.map(|id| id.to_string()),
        scopes: connection.scopes.split(' ').map(str::to_owned).collect(),
        connected_at: connection.connected_at.to_string(),
        disconnected_at: connection.ended_at.map(|at| at.to_string()),
        reason: connection.ending.map(|ending| ending.as_str()),
    })
}

/// The event data of a template.
#[must_use]
pub fn template_event(template: &Template) -> Document {
    document(&TemplateRecord::from(template))
}

/// Texts and numbers only: writing them cannot fail.
fn document(value: &impl Serialize) -> Document {
    Document(write(value).unwrap_or_else(|_| "null".to_owned()))
}
