//! `switchboard admin …`: the operators' commands. They work on the database, even while a server
//! runs.

mod account;
mod agent;
mod application;
mod callback;
mod confirmation;
mod endpoint;
mod key;
mod list;
mod member;
mod organization;
mod plan;

use super::error::ErrorCode;
use super::results::Output;
use super::terminal;
use crate::output;
use account::AccountCommand;
use agent::AgentCommand;
use anyhow::{Context as _, Result};
use application::ApplicationCommand;
use callback::CallbackCommand;
use clap::Subcommand;
use config::Settings;
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use endpoint::EndpointCommand;
use key::KeyCommand;
use member::MemberCommand;
use organization::OrganizationCommand;
use persistence::DatabaseLocation;
use plan::{PlanCommand, SubscriptionCommand};
use platform::BaseDeps;
use platform::clock::Clock;
use platform::entropy::Entropy;
use platform::sealing::Sealing;
use service::admin::Admin;
use service::setup;
use std::io::Read as _;

#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Organizations.
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Members.
    #[command(subcommand)]
    Member(MemberCommand),
    /// Numbers.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Plans.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Subscriptions.
    #[command(subcommand)]
    Subscription(SubscriptionCommand),
    /// API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Third-party applications.
    #[command(subcommand)]
    Application(ApplicationCommand),
    /// Dead letters: parts of the channels' callbacks that could not be processed.
    #[command(subcommand)]
    Callback(CallbackCommand),
    /// Webhook endpoints.
    #[command(subcommand)]
    Endpoint(EndpointCommand),
    /// AI agents.
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Print a link with which the first member is created in a browser. The link works for an
    /// hour, while nobody can sign in yet.
    #[command(after_help = "Example: switchboard admin setup-link")]
    SetupLink {
        #[command(flatten)]
        output: Output,
    },
}

impl AdminCommand {
    /// Whether the command only reads. Such a command does not create a missing database.
    const fn only_reads(&self) -> bool {
        if let Self::Agent(AgentCommand::Costs(costs)) = self {
            return costs.only_reads();
        }
        matches!(
            self,
            Self::Organization(OrganizationCommand::List(_) | OrganizationCommand::Show(_))
                | Self::Member(MemberCommand::List(_) | MemberCommand::Show(_))
                | Self::Account(AccountCommand::List(_) | AccountCommand::Show(_))
                | Self::Plan(PlanCommand::List(_) | PlanCommand::Show(_))
                | Self::Subscription(SubscriptionCommand::List(_) | SubscriptionCommand::Show(_))
                | Self::Key(KeyCommand::List(_) | KeyCommand::Show(_))
                | Self::Application(ApplicationCommand::List(_) | ApplicationCommand::Show(_))
                | Self::Endpoint(EndpointCommand::List(_) | EndpointCommand::Show(_))
                | Self::Agent(
                    AgentCommand::List(_) | AgentCommand::Show(_) | AgentCommand::Test(_)
                )
                | Self::Callback(CallbackCommand::List { .. } | CallbackCommand::Show { .. })
        )
    }
}

pub async fn run(settings: &Settings, command: AdminCommand) -> Result<()> {
    if let DatabaseLocation::Sqlite(file) = &settings.database
        && command.only_reads()
        && !std::path::Path::new(file).exists()
    {
        return Err(ErrorCode::NoDatabase.error(format!(
            "there is no database at {file}; create it with `serve` or `migrate run`, or name another with --database-url"
        )));
    }
    let deps = BaseDeps {
        db: super::open(settings, &output::note).await?,
        clock: Clock::system(),
        entropy: Entropy::system(),
        sealing: Sealing::new(settings.channel.encryption_key.clone()),
    };
    let admin = Admin::new(&deps);
    match command {
        AdminCommand::Organization(command) => organization::run(&admin, command).await,
        AdminCommand::Member(command) => member::run(&admin, &settings.base_url, command).await,
        AdminCommand::Account(command) => account::run(&admin, command).await,
        AdminCommand::Plan(command) => plan::run(&admin, command).await,
        AdminCommand::Subscription(command) => plan::run_subscription(&admin, command).await,
        AdminCommand::Key(command) => key::run(&admin, command).await,
        AdminCommand::Application(command) => application::run(&admin, command).await,
        AdminCommand::Endpoint(command) => endpoint::run(&admin, command).await,
        AdminCommand::Agent(command) => agent::run(&admin, &settings.channel, command).await,
        AdminCommand::Callback(command) => callback::run(&admin, command).await,
        AdminCommand::SetupLink { output } => setup_link(&admin, &settings.base_url, output).await,
    }
}

/// Prints a setup link if nobody can sign in yet.
async fn setup_link(admin: &Admin<'_>, base_url: &str, output: Output) -> Result<()> {
    let deps = admin.deps;
    if !setup::has_no_member(&deps.db).await? {
        return Err(ErrorCode::Conflict.error(format!(
            "a member exists, so there is no setup link; members sign in at {base_url}, and `admin member reset` helps with a forgotten password"
        )));
    }
    let key = super::serve::client_state_key(&deps.db, &deps.entropy, &deps.clock).await?;
    let url = setup::link(&key, &deps.clock, &deps.entropy, base_url)?;
    let value = serde_json::json!({ "url": url });
    output
        .object(&value, "Open this link in a browser. It works for an hour, until a member exists.")
}

/// Reads a secret from standard input, because the list of processes would show an argument. On a
/// terminal, asks for the secret.
fn standard_input(what: &str) -> Result<String> {
    if terminal::is_interactive() {
        let typed = terminal::secret(&format!("Type {what}:"))?;
        let missing = || ErrorCode::InvalidValue.error(format!("{what} is empty"));
        return typed.ok_or_else(missing);
    }
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.with_context(|| format!("{what} cannot be read from standard input"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Parses scopes and rejects an empty list.
fn scopes(named: &[String]) -> Result<ScopeSet> {
    let named = named.iter().map(|scope| scope.trim()).filter(|scope| !scope.is_empty());
    let scopes = ScopeSet::parse(named)?;
    if domain::key::grant(scopes).is_err() {
        let scopes = Scope::listed();
        return Err(ErrorCode::InvalidValue
            .error(format!("--scopes names no scope; the scopes are {scopes}")));
    }
    Ok(scopes)
}
