//! `GET /api/v1/me`: who am I, and what is left of the plan.

use crate::api::messages::accept::allowance;
use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use actix_web::http::{Method, StatusCode};
use domain::account::Binding;
use domain::key::KeyKind;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::word::Word;
use schemars::JsonSchema;
use serde::Serialize;

/// Reads what the service knows of the caller.
pub struct GetMe;

/// The caller.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Me {
    /// The key that calls.
    key: KeyRecord,
    /// Whose it is.
    organization: OrganizationRecord,
    /// The number it sends from; null while the organization has none.
    account: Option<AccountRecord>,
    /// What the organization pays for, and what is used of it.
    plan: PlanRecord,
    /// The application, of a key that Connect made.
    application: Option<ApplicationRecord>,
    /// The connection, of a key that Connect made.
    connection: Option<ConnectionRecord>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
struct KeyRecord {
    id: String,
    name: String,
    client_id: String,
    /// `manual` or `connection`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What it may do.
    scopes: Vec<&'static str>,
    /// Calls a minute; 0 is no throttling.
    rate_limit: i32,
    created_at: String,
    /// This very call.
    last_used_at: Option<String>,
}

/// An organization.
#[derive(Debug, Serialize, JsonSchema)]
struct OrganizationRecord {
    id: String,
    name: String,
}

/// A number.
#[derive(Debug, Serialize, JsonSchema)]
struct AccountRecord {
    id: String,
    phone_number: String,
    display_name: String,
    /// `bound` to the key, or the organization's `default`.
    binding: &'static str,
}

/// A plan and what is used of it.
#[derive(Debug, Serialize, JsonSchema)]
struct PlanRecord {
    name: Option<String>,
    /// How the subscription stands.
    status: &'static str,
    /// Calls a day.
    api_calls: UsageRecord,
    /// Messages a month.
    messages: UsageRecord,
}

/// What is used of a ceiling.
#[derive(Debug, Serialize, JsonSchema)]
struct UsageRecord {
    /// The ceiling; null is none.
    limit: Option<u32>,
    used: u32,
    /// When it starts anew.
    resets_at: String,
}

/// An application.
#[derive(Debug, Serialize, JsonSchema)]
struct ApplicationRecord {
    client_id: String,
    name: String,
}

/// A connection.
#[derive(Debug, Serialize, JsonSchema)]
struct ConnectionRecord {
    id: String,
    connected_at: String,
}

impl Operation for GetMe {
    const ID: &'static str = "get_me";
    const SUMMARY: &'static str = "Read who is calling, and what is left of the plan.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/me";
    const ACCESS: Access = Access::AnyKey;
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = Nothing;
    type Reply = Me;

    async fn handle(mut call: Call<Self>) -> Result<Answer<Me>, Problem> {
        call.parse(|_, _| Some(()))?;
        let account = account(&call).await?;
        let (application, connection) = connection(&call).await?;
        let plan = plan(&call).await?;
        let (key, organization) = (&call.caller.key, &call.caller.organization);
        let me = Me {
            key: KeyRecord {
                id: key.id.to_string(),
                name: key.name.clone(),
                client_id: key.client_id.clone(),
                kind: key.kind.as_str(),
                scopes: call.scopes().iter().map(Scope::as_str).collect(),
                rate_limit: key.rate_limit,
                created_at: key.created_at.to_string(),
                last_used_at: Some(call.now.to_string()),
            },
            organization: OrganizationRecord {
                id: organization.id.to_string(),
                name: organization.name.clone(),
            },
            account,
            plan,
            application,
            connection,
        };
        Answer::new(Self::SUCCESS, &me)
    }
}

async fn account(call: &Call<GetMe>) -> Result<Option<AccountRecord>, Problem> {
    let Ok(id) = call.sending_account() else { return Ok(None) };
    let found = call.deps.db.account(call.organization(), id).await?;
    let binding = if call.bound_account().is_some() { Binding::Bound } else { Binding::Default };
    Ok(found.map(|account| AccountRecord {
        id: account.id.to_string(),
        phone_number: account.phone_number,
        display_name: account.display_name,
        binding: binding.as_str(),
    }))
}

/// The application behind the key, and the connection, where Connect made it.
async fn connection(
    call: &Call<GetMe>,
) -> Result<(Option<ApplicationRecord>, Option<ConnectionRecord>), Problem> {
    let nothing = (None, None);
    if *call.caller.key.kind == KeyKind::Manual {
        return Ok(nothing);
    }
    let Some(found) = call.deps.db.connection_of_key(call.key()).await? else { return Ok(nothing) };
    let application = call.deps.db.application_of_connection(*found.application_id).await?;
    let application =
        application.map(|it| ApplicationRecord { client_id: it.client_id, name: it.name });
    let connection =
        ConnectionRecord { id: found.id.to_string(), connected_at: found.connected_at.to_string() };
    Ok((application, Some(connection)))
}

async fn plan(call: &Call<GetMe>) -> Result<PlanRecord, Problem> {
    let month = Meter::Messages.period(call.now);
    let sent = call.deps.db.used(call.organization(), Meter::Messages, month.number).await?;
    let plan = call.caller.plan.as_ref();
    let ceiling = plan.and_then(|plan| plan.api_calls_per_day);
    let api_calls = Usage {
        limit: ceiling.map(|limit| u32::try_from(limit).unwrap_or_default()),
        used: call.caller.calls_today,
        resets_at: Meter::ApiCalls.period(call.now).ends_at,
    };
    let messages = Usage { limit: allowance(call), used: sent, resets_at: month.ends_at };
    Ok(PlanRecord {
        name: plan.map(|plan| plan.name.clone()),
        status: call.caller.organization.subscription_status.as_str(),
        api_calls: record(&api_calls),
        messages: record(&messages),
    })
}

fn record(usage: &Usage) -> UsageRecord {
    UsageRecord { limit: usage.limit, used: usage.used, resets_at: usage.resets_at.to_string() }
}
