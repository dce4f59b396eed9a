//! `switchboard admin agent …`

use super::confirmation::Confirmation;
use super::list::{ListOf, Show, list_in_organization, show};
use super::{Output, standard_input};
use crate::cli::error::ErrorCode;
use crate::cli::terminal;
use crate::cli::values::keyword;
use anyhow::Result;
use auth::webhook::WebhookSecret;
use clap::{Args, Subcommand};
use domain::agent::{AgentKind, AgentMode, AnswerTime, MicroDollars};
use domain::id::{AccountId, OrganizationId};
use domain::keyword::Keyword as _;
use platform::outbound::Outbound;
use platform::settings::ChannelSettings;
use serde_json::json;
use service::admin::{AccountEntry, Admin, AgentEntry};
use service::agents::{self, AgentInput, ModelOptions, NewConnection};
use service::asking::{AskingDeps, ConnectionCheck};
use service::rehearsals::test_agent;

/// AI agents.
#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// Create an agent. The signing secret of a webhook is printed once and cannot be shown again.
    #[command(
        after_help = "Example: switchboard admin agent create --organization Bakery --kind webhook --name Helper --url https://bakery.example/agent"
    )]
    Create(Box<CreateAgent>),
    /// List the agents, oldest first.
    #[command(after_help = "Example: switchboard admin agent list --organization Bakery")]
    List(ListOf),
    /// Show an agent, by its id or name.
    #[command(after_help = "Example: switchboard admin agent show Helper")]
    Show(Show),
    /// Change an agent. What is not named stays as it is.
    #[command(after_help = "Example: switchboard admin agent set Helper --mode auto")]
    Set(Box<SetAgent>),
    /// Delete an agent permanently. Its waiting turns are not answered.
    #[command(after_help = "Example: switchboard admin agent remove Helper")]
    Remove(RemoveAgent),
    /// Test what the server of an agent can do. Nothing is sent to customers.
    #[command(after_help = "Example: switchboard admin agent test Helper")]
    Test(AgentTestArguments),
    /// Show what the agents of an organization have cost in this month, or set the limit of a month.
    #[command(
        after_help = "Example: switchboard admin agent costs --organization Bakery --limit 50"
    )]
    Costs(AgentCosts),
}

#[derive(Debug, Args)]
pub struct AgentCosts {
    /// The organization's id or name.
    #[arg(long)]
    organization: String,
    /// The most that the agents together may cost in a calendar month (UTC), in US dollars.
    #[arg(long)]
    limit: Option<String>,
    /// Remove the limit.
    #[arg(long, conflicts_with = "limit")]
    no_limit: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub struct AgentTestArguments {
    /// The agent's id, or a name that no other agent has.
    agent: String,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub struct CreateAgent {
    /// The organization's id or name.
    #[arg(long)]
    organization: String,
    /// The kind of agent.
    #[arg(long, value_parser = keyword::<AgentKind>())]
    kind: AgentKind,
    #[command(flatten)]
    settings: AgentFlags,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub struct SetAgent {
    /// The agent's id, or a name that no other agent has.
    agent: String,
    #[command(flatten)]
    settings: AgentFlags,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub struct RemoveAgent {
    /// The agent's id, or a name that no other agent has.
    agent: String,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    output: Output,
}

/// The settings of an agent.
#[derive(Debug, Args)]
struct AgentFlags {
    /// The agent's name.
    #[arg(long)]
    name: Option<String>,
    /// What happens with answers: off, draft (they wait in the inbox) or auto (they are sent).
    #[arg(long, value_parser = keyword::<AgentMode>())]
    mode: Option<AgentMode>,
    /// The address that turns are posted to, for the kind webhook.
    #[arg(long)]
    url: Option<String>,
    /// The address of an OpenAI-compatible server, before /chat/completions, for the kind model.
    #[arg(long)]
    base_url: Option<String>,
    /// The model's name.
    #[arg(long)]
    model: Option<String>,
    /// The model that is asked when the first one is down.
    #[arg(long)]
    fallback_model: Option<String>,
    /// The price of a million tokens that the model is given, in US dollars. With --output-price.
    #[arg(long)]
    input_price: Option<String>,
    /// The price of a million tokens that the model writes, in US dollars.
    #[arg(long)]
    output_price: Option<String>,
    /// The price of a million tokens that the second model is given, in US dollars.
    #[arg(long)]
    fallback_input_price: Option<String>,
    /// The price of a million tokens that the second model writes, in US dollars.
    #[arg(long)]
    fallback_output_price: Option<String>,
    /// Whether the model is offered tools: true or false.
    #[arg(long)]
    tools: Option<bool>,
    /// Whether the model is given pictures: true or false.
    #[arg(long)]
    sees_images: Option<bool>,
    /// The model that transcribes voice messages, at the same server.
    #[arg(long)]
    transcription_model: Option<String>,
    /// A host to which links in answers may lead. Repeat it for several.
    #[arg(long)]
    link_host: Vec<String>,
    /// Read the key of the model's server from standard input.
    #[arg(long)]
    api_key_stdin: bool,
    /// Maximum number of tokens in an answer of the model; 0 for no limit.
    #[arg(long)]
    max_tokens: Option<u32>,
    /// The temperature of the model, from 0 to 2; "" for the model's own.
    #[arg(long)]
    temperature: Option<String>,
    /// A number that the agent answers on, by its id, phone number or display name. Repeat it for
    /// several.
    #[arg(long)]
    account: Vec<String>,
    /// The agent answers on no number.
    #[arg(long, conflicts_with = "account")]
    no_account: bool,
    /// Seconds without a new message after which the agent is asked.
    #[arg(long)]
    quiet: Option<u32>,
    /// The longest time in seconds that the first message waits.
    #[arg(long)]
    longest: Option<u32>,
    /// What a model is told: how to answer, and facts about the business.
    #[arg(long)]
    instructions: Option<String>,
    /// Maximum number of answers in one conversation within an hour.
    #[arg(long)]
    answers_per_hour: Option<u32>,
    /// Maximum number of tokens in one conversation within a day.
    #[arg(long)]
    tokens_per_day: Option<u64>,
    /// Hours without a person's message after which a pause ends by itself; 0 for never.
    #[arg(long)]
    resume_after_hours: Option<u32>,
    /// Whether a pause ends when the conversation is closed: true or false.
    #[arg(long)]
    resume_on_close: Option<bool>,
    /// When the agent answers: always, inside or outside the business hours.
    #[arg(long, value_parser = keyword::<AnswerTime>())]
    answers: Option<AnswerTime>,
    /// The time zone of the business hours, by its IANA name such as Europe/Berlin.
    #[arg(long)]
    zone: Option<String>,
    /// A part of the business hours, such as "mon-fri 09:00-17:00". Repeat it for several.
    #[arg(long)]
    hours: Vec<String>,
    /// A contact whom the agent answers while it is tried out, by phone number, user id or contact id.
    /// Repeat it for several. "all" is everybody.
    #[arg(long)]
    only: Vec<String>,
    /// What the contact is told, at most once a day, if the agent fails.
    #[arg(long)]
    failure_text: Option<String>,
    /// A phrase with which contacts ask for a person. Repeat it for several.
    #[arg(long)]
    person_phrase: Vec<String>,
}

impl AgentCosts {
    pub const fn only_reads(&self) -> bool {
        self.limit.is_none() && !self.no_limit
    }
}

pub async fn run(
    admin: &Admin<'_>,
    settings: &ChannelSettings,
    command: AgentCommand,
) -> Result<()> {
    match command {
        AgentCommand::Create(new) => create(admin, *new).await,
        AgentCommand::List(page) => list_in_organization::<AgentEntry>(admin, page).await,
        AgentCommand::Show(one) => show::<AgentEntry>(admin, one).await,
        AgentCommand::Set(change) => set(admin, *change).await,
        AgentCommand::Remove(one) => remove(admin, one).await,
        AgentCommand::Test(one) => test(admin, settings, one).await,
        AgentCommand::Costs(wanted) => costs(admin, wanted).await,
    }
}

/// Tests the connection of an agent from this machine. Fails if the agent's server cannot be used.
async fn test(
    admin: &Admin<'_>,
    settings: &ChannelSettings,
    one: AgentTestArguments,
) -> Result<()> {
    let found: AgentEntry = admin.one(&one.agent).await?;
    let organization: OrganizationId = found.organization_id.parse()?;
    let agent = agents::find(admin.deps, organization, found.id.parse()?).await?;
    let agent = agent.ok_or_else(|| ErrorCode::NotFound.error("the agent does not exist"))?;
    let outbound = Outbound::new(settings)?;
    let deps = AskingDeps { outbound: &outbound, clock: &admin.deps.clock };
    let report = test_agent(deps, &admin.deps.sealing, &agent).await?;
    let check = |it: &ConnectionCheck| {
        json!({
            "check": it.title,
            "outcome": it.outcome.as_str(),
            "detail": it.detail,
            "took_ms": it.took_ms,
        })
    };
    let checks: Vec<_> = report.checks.iter().map(check).collect();
    let shown = json!({"id": found.id, "works": report.works(), "checks": checks});
    let line =
        |it: &ConnectionCheck| format!("{} ({}): {}", it.title, it.outcome.as_str(), it.detail);
    let lines: Vec<String> = report.checks.iter().map(line).collect();
    one.output.object(&shown, &lines.join("\n"))?;
    if !report.works() {
        return Err(ErrorCode::CheckFailed.error("the agent cannot be asked"));
    }
    Ok(())
}

async fn costs(admin: &Admin<'_>, wanted: AgentCosts) -> Result<()> {
    let organization = admin.organization(&wanted.organization).await?;
    let limit = match (&wanted.limit, wanted.no_limit) {
        (Some(dollars), _) => agents::set_cost_limit(admin.deps, organization, dollars).await?,
        (None, true) => agents::set_cost_limit(admin.deps, organization, "").await?,
        (None, false) => agents::cost_limit(admin.deps, organization).await?,
    };
    let spent = agents::cost_this_month(admin.deps, organization).await?;
    let unpriced = agents::list_unpriced(admin.deps, organization).await?;
    let dollars = |it: MicroDollars| it.to_string();
    let shown = json!({
        "organization_id": organization.to_string(),
        "cost_this_month": spent.cost.map(dollars),
        "unpriced_requests": spent.unpriced_requests,
        "unpriced_agents": unpriced,
        "cost_per_month": limit.map(dollars),
    });
    let cost = spent.cost_in_words().unwrap_or_else(|| "Nothing".to_owned());
    let limit = limit.map_or_else(|| "no limit".to_owned(), |most| format!("the limit is ${most}"));
    let mut sentence = format!("{cost} in this month; {limit}.");
    if !unpriced.is_empty() {
        let names = unpriced.join(", ");
        sentence = format!("{sentence} Not counted, because a model has no price: {names}.");
    }
    wanted.output.object(&shown, &sentence)
}

async fn create(admin: &Admin<'_>, mut new: CreateAgent) -> Result<()> {
    if new.settings.name.is_none() {
        new.settings.name = Some(terminal::required("--name", "the agent's name")?);
    }
    let organization = admin.organization(&new.organization).await?;
    let kind = match new.kind {
        AgentKind::Model => NewConnection::Model,
        AgentKind::Webhook => NewConnection::Webhook,
        AgentKind::Api => NewConnection::Api,
    };
    let accounts = accounts(admin, organization, &new.settings).await?;
    let api_key = api_key(&new.settings)?;
    let hours = new.settings.hours.join("\n");
    let input = input(&new.settings, Some(&hours), api_key.as_deref(), accounts);
    let created = agents::create(admin.deps, organization, kind, input).await?;
    let shown = json!({
        "id": created.agent.id.to_string(),
        "name": created.agent.name,
        "kind": created.agent.kind.as_str(),
        "mode": created.agent.mode.as_str(),
        "signing_secret": created.secret.as_ref().map(WebhookSecret::reveal),
    });
    let sentence = match &created.secret {
        Some(_) => "The agent is created. Save the signing secret: it is not shown again.",
        None => "The agent is created.",
    };
    new.output.object(&shown, sentence)
}

async fn set(admin: &Admin<'_>, change: SetAgent) -> Result<()> {
    let found: AgentEntry = admin.one(&change.agent).await?;
    let organization: OrganizationId = found.organization_id.parse()?;
    let accounts = accounts(admin, organization, &change.settings).await?;
    let api_key = api_key(&change.settings)?;
    let hours = change.settings.hours.join("\n");
    let input = input(&change.settings, Some(&hours), api_key.as_deref(), accounts);
    let agent = agents::update(admin.deps, organization, found.id.parse()?, input).await?;
    let shown = json!({
        "id": agent.id.to_string(),
        "name": agent.name,
        "kind": agent.kind.as_str(),
        "mode": agent.mode.as_str(),
    });
    change.output.object(&shown, "The agent is changed.")
}

async fn remove(admin: &Admin<'_>, one: RemoveAgent) -> Result<()> {
    let found: AgentEntry = admin.one(&one.agent).await?;
    let organization: OrganizationId = found.organization_id.parse()?;
    one.confirmation.ask(&format!("Delete the agent {} ({})?", found.name, found.id))?;
    agents::delete(admin.deps, organization, found.id.parse()?).await?;
    let shown = json!({"id": found.id, "name": found.name, "state": "removed", "removed": true});
    one.output.object(&shown, "The agent is removed.")
}

async fn accounts(
    admin: &Admin<'_>,
    organization: OrganizationId,
    flags: &AgentFlags,
) -> Result<Option<Vec<AccountId>>> {
    let mut accounts = Vec::new();
    for account in &flags.account {
        let found: AccountEntry = admin.find(account, Some(organization)).await?;
        accounts.push(found.id.parse()?);
    }
    let is_named = flags.no_account || !accounts.is_empty();
    Ok(is_named.then_some(accounts))
}

fn api_key(flags: &AgentFlags) -> Result<Option<String>> {
    if !flags.api_key_stdin {
        return Ok(None);
    }
    standard_input("the key of the model's server").map(Some)
}

fn input<'a>(
    flags: &'a AgentFlags,
    hours: Option<&'a str>,
    api_key: Option<&'a str>,
    accounts: Option<Vec<AccountId>>,
) -> AgentInput<'a> {
    let phrases = &flags.person_phrase;
    AgentInput {
        name: flags.name.as_deref(),
        mode: flags.mode,
        url: flags.url.as_deref(),
        base_url: flags.base_url.as_deref(),
        model: flags.model.as_deref(),
        fallback_model: flags.fallback_model.as_deref(),
        api_key,
        max_tokens: flags.max_tokens,
        quiet_seconds: flags.quiet,
        longest_seconds: flags.longest,
        instructions: flags.instructions.as_deref(),
        answers_per_hour: flags.answers_per_hour,
        tokens_per_day: flags.tokens_per_day,
        resume_after_hours: flags.resume_after_hours,
        resume_on_close: flags.resume_on_close,
        answer_time: flags.answers,
        zone: flags.zone.as_deref(),
        hours: hours.filter(|it| !it.is_empty()),
        allowed_contacts: match flags.only.as_slice() {
            [] => None,
            [all] if all == "all" => Some(Vec::new()),
            only => Some(only.to_vec()),
        },
        failure_text: flags.failure_text.as_deref(),
        person_phrases: (!phrases.is_empty()).then(|| phrases.clone()),
        accounts,
        is_operator: true,
        model_options: ModelOptions {
            input_price: flags.input_price.as_deref(),
            output_price: flags.output_price.as_deref(),
            fallback_input_price: flags.fallback_input_price.as_deref(),
            fallback_output_price: flags.fallback_output_price.as_deref(),
            temperature: flags.temperature.as_deref(),
            has_tools: flags.tools,
            sees_images: flags.sees_images,
            transcription_model: flags.transcription_model.as_deref(),
        },
        templates: None,
        link_hosts: (!flags.link_host.is_empty()).then(|| flags.link_host.clone()),
    }
}
