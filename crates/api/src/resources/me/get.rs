//! `GET /api/v1/me`: the current key, and the usage of the plan.

use crate::admission::{KeyOverview, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf, PhoneNumberText};
use domain::account::{AccountHealth, Binding};
use domain::id;
use domain::key::{KeyKind, MAX_RATE_LIMIT};
use domain::keyword::Keyword;
use domain::plan::{Meter, SubscriptionStatus, Usage};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::AccountHealthData;
use schemars::JsonSchema;
use serde::Serialize;
use service::{connections, usage};

/// Returns the key that authenticated the request.
pub struct GetMe;

/// The current key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Me {
    /// The key that authenticated the request.
    key: KeyRecord,
    /// The organization that the key belongs to.
    organization: OrganizationRecord,
    /// The account that the key sends from; null if the organization has none.
    account: Option<CurrentAccountRecord>,
    /// The organization's plan and its usage.
    plan: PlanRecord,
    /// The application; null unless the key was created by Connect.
    application: Option<ApplicationRecord>,
    /// The connection; null unless the key was created by Connect.
    connection: Option<ConnectionRecord>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentKey")]
struct KeyRecord {
    /// The id of the key.
    #[schemars(with = "IdOf<id::Key>")]
    id: String,
    /// The name of the key.
    name: String,
    /// The client id of the key.
    client_id: String,
    /// How the key was created: `manual` by a member, `connection` by Connect.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<KeyKind>")]
    kind: &'static str,
    /// The permissions (scopes) that the key was granted.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    scopes: Vec<&'static str>,
    /// The rate limit in requests per minute; 0 means unlimited.
    #[schemars(with = "i32", range(min = 0, max = MAX_RATE_LIMIT))]
    rate_limit: u32,
    /// When the key was created.
    #[schemars(with = "Instant")]
    created_at: String,
    /// When the key was last used, which is the time of this request.
    #[schemars(with = "Option<Instant>")]
    last_used_at: Option<String>,
}

/// An organization.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentOrganization")]
struct OrganizationRecord {
    /// The id of the organization.
    #[schemars(with = "IdOf<id::Organization>")]
    id: String,
    /// The name of the organization.
    name: String,
}

/// An account: a number of the business that is connected to a channel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentAccount")]
struct CurrentAccountRecord {
    /// The id of the account.
    #[schemars(with = "IdOf<id::Account>")]
    id: String,
    /// The phone number.
    #[schemars(with = "PhoneNumberText")]
    phone_number: String,
    /// The name that recipients see.
    display_name: String,
    /// Whether the account is `bound` to the key, or the organization's `default`.
    #[schemars(with = "OneOf<Binding>")]
    binding: &'static str,
    /// Whether the account can send messages.
    health: AccountHealthData,
}

/// A plan and its usage.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentPlan")]
struct PlanRecord {
    /// The name of the plan; null without a plan.
    name: Option<String>,
    /// The status of the subscription.
    #[schemars(with = "OneOf<SubscriptionStatus>")]
    status: &'static str,
    /// The usage of API requests per day.
    api_calls: UsageRecord,
    /// The usage of messages per month.
    messages: UsageRecord,
}

/// The usage of a limit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
struct UsageRecord {
    /// The limit; null means unlimited.
    limit: Option<u32>,
    /// The amount that has been used.
    used: u32,
    /// When the usage is reset.
    #[schemars(with = "Instant")]
    resets_at: String,
}

/// An application.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentApplication")]
struct ApplicationRecord {
    /// The client id of the application.
    client_id: String,
    /// The name of the application.
    name: String,
}

/// A connection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CurrentConnection")]
struct ConnectionRecord {
    /// The id of the connection.
    #[schemars(with = "IdOf<id::Connection>")]
    id: String,
    /// When the connection was created.
    #[schemars(with = "Instant")]
    connected_at: String,
    /// When the key ends, as the business decided; null if it has no end.
    #[schemars(with = "Option<Instant>")]
    expires_at: Option<String>,
    /// The messages that the business allows this connection per month. They are counted only if
    /// there is a limit.
    messages: UsageRecord,
}

impl Operation for GetMe {
    const ID: &'static str = "get_me";
    const SUMMARY: &'static str = "Get the current key.";
    const DESCRIPTION: &'static str = "\
Returns the current key with its organization, its scopes, the number it sends from, and the usage of the plan. Call it
right after connecting: if the plan does not include API access, it returns 403.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/me";
    const ACCESS: Required<KeyOverview> = KeyOverview::any();
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyOverview;
    type Path = Nothing;
    type Input = Nothing;
    type Reply = Me;

    fn example() -> ExampleOf<Self> {
        Example { path: Nothing {}, input: None, reply: sample_reply() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<Me>, Problem> {
        call.parse(|_, _| Some(()))?;
        let (application, connection) = connection(&call).await?;
        let (key, organization) = (&call.caller.key, &call.caller.organization);
        let me = Me {
            key: KeyRecord {
                id: key.id.to_string(),
                name: key.name.clone(),
                client_id: key.client_id.clone(),
                kind: key.kind.as_str(),
                scopes: call.caller.scopes().iter().map(Scope::as_str).collect(),
                rate_limit: key.rate_limit.number(),
                created_at: key.created_at.to_string(),
                last_used_at: Some(call.now.to_string()),
            },
            organization: OrganizationRecord {
                id: organization.id.to_string(),
                name: organization.name.clone(),
            },
            account: account_record(&call),
            plan: plan_record(&call),
            application,
            connection,
        };
        Answer::new(Self::SUCCESS, &me)
    }
}

fn account_record(call: &Call<GetMe>) -> Option<CurrentAccountRecord> {
    let account = call.caller.usage.account.as_ref()?;
    let is_bound = call.caller.key.account_id.is_some();
    let binding = if is_bound { Binding::Bound } else { Binding::Default };
    Some(CurrentAccountRecord {
        id: account.id.to_string(),
        health: account.known_health().at(call.now).into(),
        phone_number: account.phone_number.clone(),
        display_name: account.display_name.clone(),
        binding: binding.as_str(),
    })
}

/// Returns the application and the connection of the key, if Connect created it.
async fn connection(
    call: &Call<GetMe>,
) -> Result<(Option<ApplicationRecord>, Option<ConnectionRecord>), Problem> {
    let nothing = (None, None);
    if call.caller.key.kind == KeyKind::Manual {
        return Ok(nothing);
    }
    let (organization, key) = (call.caller.organization.id, call.caller.key.id);
    let found = connections::find_by_key(&call.deps, organization, key).await?;
    let Some((found, application)) = found else {
        return Ok(nothing);
    };
    let application =
        ApplicationRecord { client_id: application.client_id, name: application.name };
    let messages = connections::capped_usage(&call.deps, organization, &call.caller.key).await?;
    let connection = ConnectionRecord {
        id: found.id.to_string(),
        connected_at: found.connected_at.to_string(),
        expires_at: call.caller.key.expires_at.map(|at| at.to_string()),
        messages: record(&messages),
    };
    Ok((Some(application), Some(connection)))
}

fn plan_record(call: &Call<GetMe>) -> PlanRecord {
    let plan = call.caller.plan.as_ref();
    let api_calls = Usage {
        limit: usage::calls_limit(plan),
        used: call.caller.calls_today,
        resets_at: Meter::ApiCalls.period(call.now).ends_at,
    };
    let messages = Usage {
        limit: usage::messages_limit(plan),
        used: call.caller.usage.messages,
        resets_at: Meter::Messages.period(call.now).ends_at,
    };
    PlanRecord {
        name: plan.map(|plan| plan.name.clone()),
        status: call.caller.organization.subscription_status.as_str(),
        api_calls: record(&api_calls),
        messages: record(&messages),
    }
}

fn record(usage: &Usage) -> UsageRecord {
    UsageRecord { limit: usage.limit, used: usage.used, resets_at: usage.resets_at.to_string() }
}

fn sample_reply() -> Me {
    let api_calls = Usage {
        limit: Some(10_000),
        used: 128,
        resets_at: Meter::ApiCalls.period(sample::noon()).ends_at,
    };
    let messages = Usage {
        limit: None,
        used: 3012,
        resets_at: Meter::Messages.period(sample::noon()).ends_at,
    };
    Me {
        key: KeyRecord {
            id: sample::KEY.to_string(),
            name: "Integration".to_owned(),
            client_id: sample::CLIENT_ID.to_owned(),
            kind: KeyKind::Manual.as_str(),
            scopes: vec![Scope::MessagesSend.as_str(), Scope::TemplatesRead.as_str()],
            rate_limit: 100,
            created_at: sample::earlier().to_string(),
            last_used_at: Some(sample::noon().to_string()),
        },
        organization: OrganizationRecord {
            id: sample::ORGANIZATION.to_string(),
            name: "Acme".to_owned(),
        },
        account: Some(CurrentAccountRecord {
            id: sample::ACCOUNT.to_string(),
            phone_number: sample::ACCOUNT_NUMBER.to_owned(),
            display_name: "Acme Shop".to_owned(),
            binding: Binding::Default.as_str(),
            health: AccountHealth::UNKNOWN.at(sample::noon()).into(),
        }),
        plan: PlanRecord {
            name: Some("Growth".to_owned()),
            status: SubscriptionStatus::Active.as_str(),
            api_calls: record(&api_calls),
            messages: record(&messages),
        },
        application: None,
        connection: None,
    }
}
