//! `GET /api/v1/me`: the current key, and the usage of the plan.

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::account::Binding;
use domain::id;
use domain::key::{KeyKind, MAX_RATE_LIMIT};
use domain::keyword::Keyword;
use domain::plan::{Meter, SubscriptionStatus, Usage};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;
use service::{accounts, connections, usage};
use web_core::problem::{Code, Problem};
use wire::schema::{IdOf, Instant, Number, OneOf};

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
#[schemars(rename = "CurrentKey")]
struct KeyRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Key>")]
    id: String,
    /// What its maker called it.
    name: String,
    /// Its client id.
    client_id: String,
    /// Who made it: a person, or Connect.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<KeyKind>")]
    kind: &'static str,
    /// What it may do.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    scopes: Vec<&'static str>,
    /// Calls a minute; 0 is no throttling.
    #[schemars(with = "i32", range(min = 0, max = MAX_RATE_LIMIT))]
    rate_limit: u32,
    /// When it was made.
    #[schemars(with = "Instant")]
    created_at: String,
    /// This very call.
    #[schemars(with = "Option<Instant>")]
    last_used_at: Option<String>,
}

/// An organization.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentOrganization")]
struct OrganizationRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Organization>")]
    id: String,
    /// Its name.
    name: String,
}

/// A number.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentAccount")]
struct AccountRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Account>")]
    id: String,
    /// The number.
    #[schemars(with = "Number")]
    phone_number: String,
    /// What people see it called.
    display_name: String,
    /// `bound` to the key, or the organization's `default`.
    #[schemars(with = "OneOf<Binding>")]
    binding: &'static str,
}

/// A plan and what is used of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentPlan")]
struct PlanRecord {
    /// Its name; null without a plan.
    name: Option<String>,
    /// How the subscription stands.
    #[schemars(with = "OneOf<SubscriptionStatus>")]
    status: &'static str,
    /// Calls a day.
    api_calls: UsageRecord,
    /// Messages a month.
    messages: UsageRecord,
}

/// What is used of a ceiling.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
struct UsageRecord {
    /// The ceiling; null is none.
    limit: Option<u32>,
    /// What is used of it.
    used: u32,
    /// When it resets.
    #[schemars(with = "Instant")]
    resets_at: String,
}

/// An application.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentApplication")]
struct ApplicationRecord {
    /// Its client id.
    client_id: String,
    /// Its name.
    name: String,
}

/// A connection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentConnection")]
struct ConnectionRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Connection>")]
    id: String,
    /// When it was made.
    #[schemars(with = "Instant")]
    connected_at: String,
}

impl Operation for GetMe {
    const ID: &'static str = "get_me";
    const SUMMARY: &'static str = "Get the current key.";
    const DESCRIPTION: &'static str = "\
Tells whose key is calling, what it may do, the number it sends from, and how much of the plan is used. Made
for the moment after a connection: a plan that does not allow API access shows here as a 403.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: "",
        reply: r#"{
  "key": {
    "id": "key_01jd7pz5j4ekrv0q8a6d1w9h3b",
    "name": "Integration",
    "client_id": "swk_4mJ7cQ2xWvT9nRb1LzKd8E",
    "type": "manual",
    "scopes": ["messages.send", "templates.read"],
    "rate_limit": 100,
    "created_at": "2026-11-20T09:30:00.000Z",
    "last_used_at": "2026-11-21T12:00:00.000Z"
  },
  "organization": { "id": "org_01jd7pyw6hfb1s9t3x5m7c2nze", "name": "Acme" },
  "account": {
    "id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
    "phone_number": "+12025550190",
    "display_name": "Acme Shop",
    "binding": "default"
  },
  "plan": {
    "name": "Growth",
    "status": "active",
    "api_calls": { "limit": 10000, "used": 128, "resets_at": "2026-11-22T00:00:00.000Z" },
    "messages": { "limit": null, "used": 3012, "resets_at": "2026-12-01T00:00:00.000Z" }
  },
  "application": null,
  "connection": null
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/me";
    const ACCESS: Required<KeyHolder> = KeyHolder::any();
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
                rate_limit: key.rate_limit.number(),
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
    let found = accounts::find(&call.deps, call.organization(), id).await?;
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
    let found = connections::of_key(&call.deps, call.organization(), call.key()).await?;
    let Some((found, application)) = found else {
        return Ok(nothing);
    };
    let application =
        ApplicationRecord { client_id: application.client_id, name: application.name };
    let connection =
        ConnectionRecord { id: found.id.to_string(), connected_at: found.connected_at.to_string() };
    Ok((Some(application), Some(connection)))
}

async fn plan(call: &Call<GetMe>) -> Result<PlanRecord, Problem> {
    let plan = call.caller.plan.as_ref();
    let messages = usage::messages(&call.deps, call.organization(), plan, call.now).await?;
    let api_calls = Usage {
        limit: usage::calls_limit(plan),
        used: call.caller.calls_today,
        resets_at: Meter::ApiCalls.period(call.now).ends_at,
    };
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
