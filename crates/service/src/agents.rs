//! AI agents, as members and operators manage them (`docs/contract.md#ai-agents`).

use auth::webhook::WebhookSecret;
use domain::agent::{
    AgentConnection, AgentMode, AgentSettings, AgentTemplate, AnswerDelay, AnswerLimits,
    AnswerSchedule, AnswerTime, InvalidHours, InvalidTemperature, MAX_AGENT_TEMPLATES, MAX_AGENTS,
    MAX_ALLOWED_CONTACTS, MAX_INSTRUCTIONS_BYTES, MicroDollars, ModelConnection, Spending,
    Temperature, TokenPrices, parse_host,
};
use domain::contact::ChannelUserId;
use domain::id::{AccountId, AiAgentId, ContactId, Id, OrganizationId};
use domain::media::MAX_URL_LENGTH;
use domain::name::{InvalidName, Name};
use domain::number::saturating;
use domain::phone::PhoneNumber;
use domain::webhook::{EndpointUrl, InvalidEndpointUrl};
use persistence::Document;
use persistence::content::agent_settings;
use persistence::records::{AgentCost, AgentWrite, AiAgent, AiAgentChange};
use platform::BaseDeps;
use platform::sealing::{Sealing, SealingError};
use platform::time_zone;

/// Maximum number of characters in the name of a model.
const MAX_MODEL_LENGTH: usize = 200;
/// Maximum number of hours after which a pause ends by itself.
const MAX_RESUME_AFTER_HOURS: u32 = 365 * 24;
/// The path of the operation that asks a model, which is added to the address of its server.
const COMPLETIONS: &str = "/chat/completions";
/// The form field for the limit of costs.
pub const COST_PER_MONTH: &str = "cost_per_month";
/// Maximum number of characters in the key of a model's server.
const MAX_API_KEY_LENGTH: usize = 1000;

/// The settings of an agent, as a person enters them. `None` keeps the present value, or the
/// default for a new agent.
#[derive(Clone, Debug, Default)]
pub struct AgentInput<'a> {
    pub name: Option<&'a str>,
    pub mode: Option<AgentMode>,
    /// The address of a webhook.
    pub url: Option<&'a str>,
    /// The address of a model's server, before `/chat/completions`.
    pub base_url: Option<&'a str>,
    pub model: Option<&'a str>,
    pub fallback_model: Option<&'a str>,
    /// The key of the model's server.
    pub api_key: Option<&'a str>,
    /// Maximum number of tokens in an answer; 0 for no limit.
    pub max_tokens: Option<u32>,
    pub quiet_seconds: Option<u32>,
    pub longest_seconds: Option<u32>,
    pub instructions: Option<&'a str>,
    pub answers_per_hour: Option<u32>,
    /// Maximum number of tokens per day; 0 for no limit.
    pub tokens_per_day: Option<u64>,
    /// The hours after which a pause ends by itself; 0 for never.
    pub resume_after_hours: Option<u32>,
    pub resume_on_close: Option<bool>,
    /// The times at which the agent answers, with the time zone and the business hours.
    pub answer_time: Option<AnswerTime>,
    pub zone: Option<&'a str>,
    pub hours: Option<&'a str>,
    /// The only contacts whom the agent answers. If the list is empty, the agent answers all
    /// contacts.
    pub allowed_contacts: Option<Vec<String>>,
    pub failure_text: Option<&'a str>,
    pub person_phrases: Option<Vec<String>>,
    /// The numbers on which the agent answers.
    pub accounts: Option<Vec<AccountId>>,
    /// Whether an operator enters the input. The address of a model that an operator enters may
    /// lead to any network.
    pub is_operator: bool,
    pub model_options: ModelOptions<'a>,
    /// The templates that a model may send.
    pub templates: Option<Vec<AgentTemplate>>,
    /// The hosts to which links in answers may lead.
    pub link_hosts: Option<Vec<String>>,
}

/// The capabilities and prices of a model, as a person enters them. An empty text removes a value.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions<'a> {
    /// The price in dollars of a million tokens of input.
    pub input_price: Option<&'a str>,
    pub output_price: Option<&'a str>,
    pub fallback_input_price: Option<&'a str>,
    pub fallback_output_price: Option<&'a str>,
    /// The temperature of the model, a number from 0 to 2.
    pub temperature: Option<&'a str>,
    pub has_tools: Option<bool>,
    pub sees_images: Option<bool>,
    pub transcription_model: Option<&'a str>,
}

/// The kind of connection of a new agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewConnection {
    Model,
    Webhook,
    Api,
}

/// A new agent, with the secret that is shown once.
#[derive(Clone, Debug)]
pub struct CreatedAgent {
    pub agent: AiAgent,
    /// The signing secret of a webhook.
    pub secret: Option<WebhookSecret>,
}

/// The reason why an agent is not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error("{field} is required for this kind of agent")]
    Missing { field: &'static str },
    #[error("{field}: {why}")]
    Invalid { field: &'static str, why: String },
    #[error("an organization has at most {MAX_AGENTS} agents")]
    TooMany,
    #[error("at most {most} of these are allowed")]
    TooManyEntries { most: usize },
    #[error("there is no such agent")]
    NotFound,
    #[error("there is no such number: {0}")]
    NoSuchNumber(AccountId),
    /// Another agent answers on the number.
    #[error("{number} is answered by {agent}. Take it away there first.")]
    NumberTaken { number: String, agent: String },
    /// The stored settings cannot be read.
    #[error("the settings of the agent cannot be read: {0}")]
    Unreadable(#[from] persistence::records::UnreadableRow),
    #[error("the settings of the agent cannot be written: {0}")]
    Unwritable(#[from] serde_json::Error),
    #[error(transparent)]
    Sealing(#[from] SealingError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Creates an agent. A new agent only writes drafts until its mode is changed.
pub async fn create(
    deps: &BaseDeps,
    organization: OrganizationId,
    kind: NewConnection,
    input: AgentInput<'_>,
) -> Result<CreatedAgent, AgentError> {
    let name = Name::parse(input.name.unwrap_or_default())?;
    let connection = match kind {
        NewConnection::Webhook => AgentConnection::Webhook { url: String::new() },
        NewConnection::Model => AgentConnection::Model(ModelConnection::empty()),
        NewConnection::Api => AgentConnection::Api,
    };
    let settings = AgentSettings {
        connection,
        delay: AnswerDelay::default(),
        instructions: String::new(),
        limits: AnswerLimits::default(),
        resume_after_hours: None,
        resume_on_close: false,
        schedule: AnswerSchedule::default(),
        allowed_contacts: Vec::new(),
        failure_text: None,
        person_phrases: Vec::new(),
        templates: Vec::new(),
        link_hosts: Vec::new(),
    };
    let settings = merged(settings, &input)?;
    let accounts = input.accounts.clone().unwrap_or_default();
    check_accounts(deps, organization, &accounts).await?;
    let now = deps.clock.now();
    let id: AiAgentId = Id::new(now, deps.entropy.id_bytes());
    let signing_secret =
        (kind == NewConnection::Webhook).then(|| WebhookSecret::new(deps.entropy.bytes()));
    let secret = match (&signing_secret, input.api_key) {
        (Some(secret), _) => Some(seal(deps, id, &secret.reveal())?),
        (None, Some(api_key)) if kind == NewConnection::Model => {
            Some(seal(deps, id, &api_key_of(api_key)?)?)
        }
        (None, _) => None,
    };
    let agent = AiAgent {
        organization_id: organization,
        id,
        name: name.to_string(),
        kind: settings.connection.kind(),
        mode: input.mode.unwrap_or(AgentMode::Draft),
        settings: Document(agent_settings::encode(&settings)?),
        secret,
        created_at: now,
        updated_at: now,
    };
    let organization_db = deps.db.organization(organization);
    let inserted = organization_db.insert_agent(agent, accounts.clone(), MAX_AGENTS).await;
    let agent = written(deps, organization, inserted, &accounts).await?;
    Ok(CreatedAgent { agent, secret: signing_secret })
}

/// Changes an agent. Fields that the input leaves out stay as they are.
pub async fn update(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: AiAgentId,
    input: AgentInput<'_>,
) -> Result<AiAgent, AgentError> {
    let found = find(deps, organization, id).await?.ok_or(AgentError::NotFound)?;
    let before = found.settings()?;
    let settings = merged(before.clone(), &input)?;
    if let Some(accounts) = &input.accounts {
        check_accounts(deps, organization, accounts).await?;
    }
    let secret = match (&before.connection, &settings.connection, input.api_key) {
        (_, AgentConnection::Model(_), Some(api_key)) => {
            Some(Some(seal(deps, id, &api_key_of(api_key)?)?))
        }
        // The stored key was entered for the server at the old address. A member who changes
        // the address must not be able to receive the key.
        (AgentConnection::Model(old), AgentConnection::Model(new), None)
            if old.base_url != new.base_url =>
        {
            Some(None)
        }
        _ => None,
    };
    let change = AiAgentChange {
        name: input.name.map(Name::parse).transpose()?.map(|name| name.to_string()),
        mode: input.mode,
        settings: Some(Document(agent_settings::encode(&settings)?)),
        secret,
        accounts: input.accounts.clone(),
    };
    let organization_db = deps.db.organization(organization);
    let changed = organization_db.update_agent(id, change, deps.clock.now()).await;
    written(deps, organization, changed, &input.accounts.unwrap_or_default()).await
}

/// Gives a webhook agent a new signing secret. The previous secret is no longer used.
pub async fn rotate_secret(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: AiAgentId,
) -> Result<WebhookSecret, AgentError> {
    let found = find(deps, organization, id).await?.ok_or(AgentError::NotFound)?;
    if found.kind != domain::agent::AgentKind::Webhook {
        return Err(AgentError::Missing { field: "url" });
    }
    let secret = WebhookSecret::new(deps.entropy.bytes());
    let sealed = seal(deps, id, &secret.reveal())?;
    let change = AiAgentChange { secret: Some(Some(sealed)), ..AiAgentChange::default() };
    let organization_db = deps.db.organization(organization);
    let changed = organization_db.update_agent(id, change, deps.clock.now()).await;
    written(deps, organization, changed, &[]).await.map(|_| secret)
}

/// Deletes an agent. Returns `false` if there is none.
pub async fn delete(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: AiAgentId,
) -> persistence::Result<bool> {
    deps.db.organization(organization).delete_agent(id).await
}

pub async fn find(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: AiAgentId,
) -> persistence::Result<Option<AiAgent>> {
    deps.db.organization(organization).agent(id).await
}

/// Lists the agents, each with the numbers on which it answers.
pub async fn list(
    deps: &BaseDeps,
    organization: OrganizationId,
) -> persistence::Result<Vec<(AiAgent, Vec<AccountId>)>> {
    deps.db.organization(organization).list_agents().await
}

/// Returns the cost of the agents in this month.
pub async fn cost_this_month(
    deps: &BaseDeps,
    organization: OrganizationId,
) -> persistence::Result<Spending> {
    let rows = deps.db.organization(organization).list_agent_costs(deps.clock.now()).await?;
    let of_agent = |row: &AgentCost| {
        let count = |it: i64| saturating(it.max(0), u64::MAX);
        let unpriced_requests = saturating(count(row.unpriced_requests), u32::MAX);
        // A cost of zero counts as unknown if some requests had no price.
        let is_priced = row.cost > 0 || unpriced_requests == 0;
        Spending {
            tokens: Some(count(row.tokens)),
            cost: is_priced.then(|| MicroDollars(count(row.cost))),
            unpriced_requests,
            ..Spending::default()
        }
    };
    Ok(rows.iter().map(of_agent).fold(Spending::default(), Spending::plus))
}

/// Returns the most that the agents together may cost in a calendar month, if there is a limit.
pub async fn cost_limit(
    deps: &BaseDeps,
    organization: OrganizationId,
) -> persistence::Result<Option<MicroDollars>> {
    deps.db.organization(organization).agent_cost_limit().await
}

/// Sets the most that the agents together may cost in a calendar month, in dollars. An empty text
/// removes the limit.
pub async fn set_cost_limit(
    deps: &BaseDeps,
    organization: OrganizationId,
    dollars: &str,
) -> Result<Option<MicroDollars>, AgentError> {
    let limit = amount(COST_PER_MONTH, None, Some(dollars))?;
    deps.db.organization(organization).set_agent_cost_limit(limit).await?;
    Ok(limit)
}

/// Returns the names of the agents whose cost is unknown, because a model has no price.
pub async fn list_unpriced(
    deps: &BaseDeps,
    organization: OrganizationId,
) -> Result<Vec<String>, AgentError> {
    let mut unpriced = Vec::new();
    for (agent, _) in list(deps, organization).await? {
        if has_unpriced_model(&agent.settings()?) {
            unpriced.push(agent.name);
        }
    }
    Ok(unpriced)
}

async fn check_accounts(
    deps: &BaseDeps,
    organization: OrganizationId,
    accounts: &[AccountId],
) -> Result<(), AgentError> {
    for account in accounts {
        let found = deps.db.organization(organization).account(*account).await?;
        found.ok_or(AgentError::NoSuchNumber(*account))?;
    }
    Ok(())
}

/// Returns the agent that was created or changed.
async fn written(
    deps: &BaseDeps,
    organization: OrganizationId,
    outcome: persistence::Result<AgentWrite>,
    accounts: &[AccountId],
) -> Result<AiAgent, AgentError> {
    match outcome {
        Ok(AgentWrite::Written(agent)) => Ok(*agent),
        Ok(AgentWrite::TooMany) => Err(AgentError::TooMany),
        Ok(AgentWrite::NotFound) => Err(AgentError::NotFound),
        Ok(AgentWrite::NumberTaken { account, agent }) => {
            let found = deps.db.organization(organization).account(account).await?;
            let number = found.map(|it| it.phone_number);
            let number = number.unwrap_or_else(|| account.to_string());
            Err(AgentError::NumberTaken { number, agent })
        }
        Err(error) => Err(write_error(deps, organization, error, accounts).await),
    }
}

/// Returns the error of a failed write. If a number was disconnected after it was checked, the
/// error names that number.
async fn write_error(
    deps: &BaseDeps,
    organization: OrganizationId,
    error: persistence::Error,
    accounts: &[AccountId],
) -> AgentError {
    if !matches!(error, persistence::Error::AccountGone) {
        return error.into();
    }
    check_accounts(deps, organization, accounts).await.err().unwrap_or_else(|| error.into())
}

fn seal(deps: &BaseDeps, id: AiAgentId, secret: &str) -> Result<Vec<u8>, SealingError> {
    let (nonce, new_key) = (deps.entropy.bytes(), deps.entropy.bytes());
    deps.sealing.seal(secret, &id.to_string(), nonce, new_key)
}

/// Whether a model of these settings has no prices, so that its cost cannot be counted.
#[must_use]
pub const fn has_unpriced_model(settings: &AgentSettings) -> bool {
    match &settings.connection {
        AgentConnection::Model(it) => {
            let is_fallback_priced = it.fallback_model.is_none() || it.fallback_prices.is_some();
            it.prices.is_none() || !is_fallback_priced
        }
        AgentConnection::Webhook { .. } | AgentConnection::Api => false,
    }
}

/// Opens the secret of an agent, if it has one.
pub fn open_secret(sealing: &Sealing, agent: &AiAgent) -> Result<Option<String>, SealingError> {
    let sealed = agent.secret.as_deref();
    sealed.map(|sealed| sealing.open(sealed, &agent.id.to_string())).transpose()
}

/// Returns the settings with a draft of changes. The changes are checked as if they were saved.
pub fn draft_of(
    settings: AgentSettings,
    draft: &AgentInput<'_>,
) -> Result<AgentSettings, AgentError> {
    merged(settings, draft)
}

/// Applies the input to settings.
fn merged(settings: AgentSettings, input: &AgentInput<'_>) -> Result<AgentSettings, AgentError> {
    let seconds = |it: std::time::Duration| saturating(it.as_secs(), u32::MAX);
    let quiet = input.quiet_seconds.unwrap_or_else(|| seconds(settings.delay.quiet()));
    let longest = input.longest_seconds.unwrap_or_else(|| seconds(settings.delay.longest()));
    let delay = AnswerDelay::parse(quiet, longest)
        .map_err(|why| AgentError::Invalid { field: "quiet", why: why.to_string() })?;
    let instructions = input.instructions.map_or(settings.instructions, str::to_owned);
    if instructions.len() > MAX_INSTRUCTIONS_BYTES {
        let why = format!("at most {MAX_INSTRUCTIONS_BYTES} bytes are allowed");
        return Err(AgentError::Invalid { field: "instructions", why });
    }
    let limits = AnswerLimits {
        per_hour: input.answers_per_hour.unwrap_or(settings.limits.per_hour),
        // 0 removes the limit.
        tokens_per_day: input
            .tokens_per_day
            .or(settings.limits.tokens_per_day)
            .filter(|tokens| *tokens > 0),
    };
    let connection = connection(settings.connection, input)?;
    let resume_after_hours = input.resume_after_hours.or(settings.resume_after_hours);
    if resume_after_hours.is_some_and(|hours| hours > MAX_RESUME_AFTER_HOURS) {
        let why = format!("at most {MAX_RESUME_AFTER_HOURS} hours are allowed");
        return Err(AgentError::Invalid { field: "resume_after_hours", why });
    }
    let failure_text = input.failure_text.map(str::to_owned).or(settings.failure_text);
    Ok(AgentSettings {
        connection,
        delay,
        instructions,
        limits,
        resume_after_hours: resume_after_hours.filter(|hours| *hours > 0),
        resume_on_close: input.resume_on_close.unwrap_or(settings.resume_on_close),
        schedule: schedule(settings.schedule, input)?,
        allowed_contacts: match &input.allowed_contacts {
            Some(contacts) => allowed_contacts(contacts)?,
            None => settings.allowed_contacts,
        },
        failure_text: failure_text.filter(|it| !it.trim().is_empty()),
        person_phrases: input.person_phrases.clone().unwrap_or(settings.person_phrases),
        templates: templates(input.templates.clone().unwrap_or(settings.templates))?,
        link_hosts: match &input.link_hosts {
            Some(hosts) => link_hosts(hosts)?,
            None => settings.link_hosts,
        },
    })
}

/// Applies an amount that a person entered. An empty text removes the amount.
fn amount(
    field: &'static str,
    before: Option<MicroDollars>,
    text: Option<&str>,
) -> Result<Option<MicroDollars>, AgentError> {
    match text.map(str::trim) {
        None => Ok(before),
        Some("") => Ok(None),
        Some(text) => {
            let read = MicroDollars::parse(text);
            read.map(Some).map_err(|why| AgentError::Invalid { field, why: why.to_string() })
        }
    }
}

/// Applies prices that a person entered. Either both or none must be set.
fn prices(
    fields: [&'static str; 2],
    before: Option<TokenPrices>,
    input: Option<&str>,
    output: Option<&str>,
) -> Result<Option<TokenPrices>, AgentError> {
    let [input_field, output_field] = fields;
    let input = amount(input_field, before.map(|it| it.input), input)?;
    let output = amount(output_field, before.map(|it| it.output), output)?;
    match (input, output) {
        (None, None) => Ok(None),
        (Some(input), Some(output)) => Ok(Some(TokenPrices { input, output })),
        (None, Some(_)) => Err(AgentError::Missing { field: input_field }),
        (Some(_), None) => Err(AgentError::Missing { field: output_field }),
    }
}

/// Applies a temperature that a person entered. An empty text removes the temperature.
fn temperature(
    before: Option<Temperature>,
    text: Option<&str>,
) -> Result<Option<Temperature>, AgentError> {
    match text.map(str::trim) {
        None => Ok(before),
        Some("") => Ok(None),
        Some(text) => {
            let invalid = |why: InvalidTemperature| AgentError::Invalid {
                field: "temperature",
                why: why.to_string(),
            };
            Temperature::parse(text).map(Some).map_err(invalid)
        }
    }
}

fn templates(mut templates: Vec<AgentTemplate>) -> Result<Vec<AgentTemplate>, AgentError> {
    templates.dedup();
    if templates.len() > MAX_AGENT_TEMPLATES {
        let why = format!("at most {MAX_AGENT_TEMPLATES} templates are allowed");
        return Err(AgentError::Invalid { field: "template", why });
    }
    Ok(templates)
}

fn link_hosts(texts: &[String]) -> Result<Vec<String>, AgentError> {
    /// Maximum number of hosts.
    const MAX_HOSTS: usize = 50;
    let mut hosts = Vec::new();
    for text in texts.iter().filter(|it| !it.trim().is_empty()) {
        let host = parse_host(text);
        let why = || format!("{text} is not a host such as example.com");
        hosts.push(host.ok_or_else(|| AgentError::Invalid { field: "link_hosts", why: why() })?);
    }
    hosts.sort();
    hosts.dedup();
    if hosts.len() > MAX_HOSTS {
        let why = format!("at most {MAX_HOSTS} hosts are allowed");
        return Err(AgentError::Invalid { field: "link_hosts", why });
    }
    Ok(hosts)
}

/// Applies the input to the times at which the agent answers.
fn schedule(before: AnswerSchedule, input: &AgentInput<'_>) -> Result<AnswerSchedule, AgentError> {
    let invalid = |field, why: String| AgentError::Invalid { field, why };
    let zone = input.zone.map_or(before.zone, |zone| zone.trim().to_owned());
    if !time_zone::exists(&zone) {
        let why = format!("{zone:?} is not a time zone such as Europe/Berlin");
        return Err(invalid("zone", why));
    }
    let hours = match input.hours {
        Some(hours) => {
            hours.parse().map_err(|why: InvalidHours| invalid("hours", why.to_string()))?
        }
        None => before.hours,
    };
    let time = input.answer_time.unwrap_or(before.time);
    if time != AnswerTime::Always && hours.is_empty() {
        return Err(AgentError::Missing { field: "hours" });
    }
    Ok(AnswerSchedule { time, zone, hours })
}

/// Checks the contacts to whom an agent's answers are limited while it is tried out: phone numbers,
/// user ids and ids of contacts.
fn allowed_contacts(contacts: &[String]) -> Result<Vec<String>, AgentError> {
    let field = "allowed_contacts";
    if contacts.len() > MAX_ALLOWED_CONTACTS {
        let why = format!("at most {MAX_ALLOWED_CONTACTS} contacts are allowed");
        return Err(AgentError::Invalid { field, why });
    }
    let parse = |text: &String| {
        let text = text.trim();
        let number = PhoneNumber::parse(text).ok().map(|it| it.to_string());
        let user = || ChannelUserId::parse(text).ok().map(|it| it.to_string());
        let contact = || text.parse::<ContactId>().ok().map(|it| it.to_string());
        number.or_else(user).or_else(contact).ok_or_else(|| AgentError::Invalid {
            field,
            why: format!("{text:?} is no phone number, user id or id of a contact"),
        })
    };
    contacts.iter().filter(|it| !it.trim().is_empty()).map(parse).collect()
}

fn connection(
    before: AgentConnection,
    input: &AgentInput<'_>,
) -> Result<AgentConnection, AgentError> {
    match before {
        AgentConnection::Webhook { url } => {
            let url = address("url", input.url.unwrap_or(&url))?;
            Ok(AgentConnection::Webhook { url })
        }
        AgentConnection::Model(before) => {
            let base_url = match input.base_url {
                Some(text) => server_address(text)?,
                None => address("base_url", &before.base_url)?,
            };
            let model = model_name(input.model.unwrap_or(&before.model))?;
            // An address is trusted only if an operator entered it, not if a member did.
            let is_entered_here = input.is_operator && input.base_url.is_some();
            let is_trusted = is_entered_here || (base_url == before.base_url && before.is_trusted);
            let fallback_model = input.fallback_model.map(|it| it.trim().to_owned());
            let fallback_model = fallback_model.or(before.fallback_model);
            let options = &input.model_options;
            let transcription_model = options.transcription_model.map(|it| it.trim().to_owned());
            let transcription_model = transcription_model.or(before.transcription_model);
            let max_tokens = input.max_tokens.or(before.max_tokens);
            Ok(AgentConnection::Model(ModelConnection {
                base_url,
                model,
                fallback_model: fallback_model.filter(|it| !it.is_empty()),
                max_tokens: max_tokens.filter(|most| *most > 0),
                temperature: temperature(before.temperature, options.temperature)?,
                is_trusted,
                prices: prices(
                    ["input_price", "output_price"],
                    before.prices,
                    options.input_price,
                    options.output_price,
                )?,
                fallback_prices: prices(
                    ["fallback_input_price", "fallback_output_price"],
                    before.fallback_prices,
                    options.fallback_input_price,
                    options.fallback_output_price,
                )?,
                has_tools: options.has_tools.unwrap_or(before.has_tools),
                sees_images: options.sees_images.unwrap_or(before.sees_images),
                transcription_model: transcription_model.filter(|it| !it.is_empty()),
            }))
        }
        AgentConnection::Api => Ok(AgentConnection::Api),
    }
}

/// Checks the address of a model's server.
fn server_address(text: &str) -> Result<String, AgentError> {
    let field = "base_url";
    let url = address(field, text.trim().trim_end_matches('/'))?;
    match url.strip_suffix(COMPLETIONS) {
        Some(before) => {
            let why = format!("enter {before}, the address before {COMPLETIONS}");
            Err(AgentError::Invalid { field, why })
        }
        None => Ok(url),
    }
}

fn model_name(text: &str) -> Result<String, AgentError> {
    let (field, model) = ("model", text.trim().to_owned());
    if model.is_empty() {
        return Err(AgentError::Missing { field });
    }
    if model.chars().count() > MAX_MODEL_LENGTH {
        let why = format!("at most {MAX_MODEL_LENGTH} characters are allowed");
        return Err(AgentError::Invalid { field, why });
    }
    Ok(model)
}

/// Returns what is wrong with the name, the model and the addresses of the input. Creating or
/// changing an agent returns the first fault only, but a form shows all of them at once.
#[must_use]
pub fn faults(input: &AgentInput<'_>) -> Vec<AgentError> {
    let name = input.name.and_then(|it| Name::parse(it).err()).map(AgentError::from);
    let base_url = input.base_url.and_then(|it| server_address(it).err());
    let model = input.model.and_then(|it| model_name(it).err());
    let url = input.url.and_then(|it| address("url", it).err());
    [name, base_url, model, url].into_iter().flatten().collect()
}

pub(crate) fn address(field: &'static str, text: &str) -> Result<String, AgentError> {
    if text.trim().is_empty() {
        return Err(AgentError::Missing { field });
    }
    let invalid = |error: InvalidEndpointUrl| {
        let why = match error {
            InvalidEndpointUrl::NoAddress => format!(
                "an address begins with http:// or https:// and has at most {MAX_URL_LENGTH} \
                 characters"
            ),
            InvalidEndpointUrl::User | InvalidEndpointUrl::Fragment => error.to_string(),
        };
        AgentError::Invalid { field, why }
    };
    Ok(EndpointUrl::parse(text).map_err(invalid)?.to_string())
}

/// Checks the key of a model's server, which is sent as a header.
pub(crate) fn api_key_of(text: &str) -> Result<String, AgentError> {
    let text = text.trim();
    let is_header = text.bytes().all(|byte| byte.is_ascii_graphic());
    if text.is_empty() || text.len() > MAX_API_KEY_LENGTH || !is_header {
        let why = "a key has 1 to 1000 visible ASCII characters".to_owned();
        return Err(AgentError::Invalid { field: "api_key", why });
    }
    Ok(text.to_owned())
}
