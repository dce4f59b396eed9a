//! `switchboard admin …`: what operators do, on the database of a server that may be running.

mod application;
mod callback;
mod member;

use crate::admin::{Admin, NewChannel, NewKey, Terms};
use crate::deps::{Clock, Entropy};
use crate::sealing::Sealing;
use anyhow::{Context as _, Result};
use application::ApplicationCommand;
use callback::CallbackCommand;
use clap::{Args, Subcommand, ValueEnum};
use domain::key::{KeyState, RateLimit};
use domain::plan::SubscriptionStatus;
use domain::scope::ScopeSet;
use domain::word::Word;
use member::MemberCommand;
use persistence::Db;
use serde_json::{Value, json};
use std::io::Read as _;

/// What an operator wants done.
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
    /// What callbacks of the channel held that could not be worked on.
    #[command(subcommand)]
    Callback(CallbackCommand),
}

/// Organizations.
#[derive(Debug, Subcommand)]
pub enum OrganizationCommand {
    /// Make an organization.
    Create {
        /// Its name.
        #[arg(long)]
        name: String,
        /// The plan that it is subscribed to.
        #[arg(long)]
        plan: Option<String>,
        #[command(flatten)]
        output: Output,
    },
}

/// Numbers.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Connect a number. The first of an organization is its default.
    Connect {
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// The number, in E.164.
        #[arg(long)]
        phone_number: String,
        /// What people see.
        #[arg(long)]
        display_name: String,
        /// The network behind it.
        #[arg(long)]
        channel: ChannelName,
        /// For the Cloud API: its id of the number.
        #[arg(long, required_if_eq("channel", "cloud-api"))]
        phone_number_id: Option<String>,
        /// For the Cloud API: its id of the business account.
        #[arg(long, required_if_eq("channel", "cloud-api"))]
        waba_id: Option<String>,
        /// For the Cloud API: read the access token from standard input. It is kept sealed.
        #[arg(long, required_if_eq("channel", "cloud-api"))]
        access_token_stdin: bool,
        /// Make it the organization's default.
        #[arg(long)]
        default: bool,
        #[command(flatten)]
        output: Output,
    },
}

/// The network behind a number.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ChannelName {
    /// Built in, for trying things out.
    Sandbox,
    /// Meta's Cloud API.
    CloudApi,
}

/// Plans.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Make a plan, or change the one of that name.
    Set {
        /// Its name.
        #[arg(long)]
        name: String,
        /// Whether it includes the REST API.
        #[arg(long, action = clap::ArgAction::Set)]
        api_access: bool,
        /// The daily ceiling of calls: a number or none.
        #[arg(long, value_parser = ceiling)]
        api_calls_per_day: Ceiling,
        /// The monthly allowance of messages: a number or none.
        #[arg(long, value_parser = ceiling)]
        messages_per_month: Ceiling,
        #[command(flatten)]
        output: Output,
    },
}

/// A number, or none.
#[derive(Clone, Copy, Debug)]
pub struct Ceiling(Option<u32>);

fn ceiling(text: &str) -> Result<Ceiling, String> {
    match text {
        "none" => Ok(Ceiling(None)),
        text => text
            .parse()
            .map(|limit| Ceiling(Some(limit)))
            .map_err(|_| "a number or none".to_owned()),
    }
}

/// Subscriptions.
#[derive(Debug, Subcommand)]
pub enum SubscriptionCommand {
    /// Change an organization's subscription.
    Set {
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// The plan; left out, it stays what it was.
        #[arg(long)]
        plan: Option<String>,
        /// active, `past_due`, canceled or none.
        #[arg(long, value_parser = status)]
        status: SubscriptionStatus,
        #[command(flatten)]
        output: Output,
    },
}

fn status(text: &str) -> Result<SubscriptionStatus, String> {
    SubscriptionStatus::from_word(text)
        .ok_or_else(|| format!("one of {}", SubscriptionStatus::listed()))
}

/// API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key. Its secret is printed once and cannot be had again.
    Create {
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// Its name; one key an integration is advised.
        #[arg(long)]
        name: String,
        /// What it may do, with commas between.
        #[arg(long, value_delimiter = ',', required = true)]
        scopes: Vec<String>,
        /// The number that it is bound to, by its id.
        #[arg(long)]
        account: Option<String>,
        /// Calls a minute; 0 is no throttling.
        #[arg(long, default_value_t = 100)]
        rate_limit: i64,
        #[command(flatten)]
        output: Output,
    },
    /// Switch a key off: its calls are answered 401 at once.
    Disable(OneKey),
    /// Switch a key on again.
    Enable(OneKey),
    /// Remove a key for good.
    Delete(OneKey),
}

/// A key that there is.
#[derive(Debug, Args)]
pub struct OneKey {
    /// The key's client id.
    client_id: String,
    #[command(flatten)]
    output: Output,
}

/// How the outcome is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct Output {
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

impl Output {
    fn print(self, value: &Value, sentence: &str) {
        if self.json {
            println!("{value}");
            return;
        }
        println!("{sentence}");
        for (name, value) in value.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            println!("  {name:<14} {text}");
        }
    }
}

/// Does it.
pub async fn run(db: &Db, sealing: &Sealing, command: AdminCommand) -> Result<()> {
    let (clock, entropy) = (Clock::system(), Entropy::system());
    let admin = Admin { db, clock: &clock, entropy: &entropy, sealing };
    match command {
        AdminCommand::Organization(OrganizationCommand::Create { name, plan, output }) => {
            let made = admin.create_organization(&name, plan.as_deref()).await?;
            output.print(&json!(made), "The organization is made.");
        }
        AdminCommand::Member(command) => member::run(&admin, command).await?,
        AdminCommand::Account(command) => account(&admin, command).await?,
        AdminCommand::Plan(command) => plan(&admin, command).await?,
        AdminCommand::Subscription(command) => {
            let SubscriptionCommand::Set { organization, plan, status, output } = command;
            let id = admin.organization(&organization).await?;
            admin.set_subscription(id, plan.as_deref(), status).await?;
            let value =
                json!({"organization_id": id.to_string(), "status": status.as_str(), "plan": plan});
            output.print(&value, "The subscription is changed.");
        }
        AdminCommand::Key(command) => key(&admin, command).await?,
        AdminCommand::Application(command) => application::run(&admin, command).await?,
        AdminCommand::Callback(command) => callback::run(&admin, command).await?,
    }
    Ok(())
}

/// A secret from standard input, which leaves no trace in the list of processes.
fn standard_input(what: &str) -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.with_context(|| format!("{what} cannot be read from standard input"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

async fn account(admin: &Admin<'_>, command: AccountCommand) -> Result<()> {
    let AccountCommand::Connect {
        organization,
        phone_number,
        display_name,
        channel,
        phone_number_id,
        waba_id,
        access_token_stdin,
        default,
        output,
    } = command;
    let id = admin.organization(&organization).await?;
    let token =
        if access_token_stdin { standard_input("the access token")? } else { String::new() };
    let channel = match channel {
        ChannelName::Sandbox => NewChannel::Sandbox,
        ChannelName::CloudApi => NewChannel::CloudApi {
            phone_number_id: phone_number_id.as_deref().unwrap_or_default(),
            waba_id: waba_id.as_deref().unwrap_or_default(),
            access_token: token.trim(),
        },
    };
    let made = admin.connect_account(id, &phone_number, &display_name, channel, default).await?;
    let value = json!({"id": made.id, "display_name": made.name, "phone_number": phone_number, "channel": channel.kind().as_str(), "organization_id": id.to_string()});
    output.print(&value, "The number is connected.");
    Ok(())
}

async fn plan(admin: &Admin<'_>, command: PlanCommand) -> Result<()> {
    let PlanCommand::Set { name, api_access, api_calls_per_day, messages_per_month, output } =
        command;
    let terms = Terms {
        api_access,
        api_calls_per_day: api_calls_per_day.0,
        messages_per_month: messages_per_month.0,
    };
    let made = admin.set_plan(&name, &terms).await?;
    let mut value = json!(made);
    if let (Value::Object(value), Value::Object(terms)) = (&mut value, json!(terms)) {
        value.extend(terms);
    }
    output.print(&value, "The plan is set.");
    Ok(())
}

async fn key(admin: &Admin<'_>, command: KeyCommand) -> Result<()> {
    let (one, state, sentence) = match command {
        KeyCommand::Create { organization, name, scopes, account, rate_limit, output } => {
            let id = admin.organization(&organization).await?;
            let scopes = scopes.iter().map(|scope| scope.trim()).filter(|scope| !scope.is_empty());
            let account = account.map(|id| id.parse()).transpose()?;
            let new = NewKey {
                name: &name,
                scopes: ScopeSet::parse(scopes)?,
                account,
                rate_limit: RateLimit::parse(rate_limit)?,
            };
            let made = admin.create_key(id, new).await?;
            output.print(&json!(made), "The key is made. Keep the secret: it is not shown again.");
            return Ok(());
        }
        KeyCommand::Disable(one) => (one, Some(KeyState::Inactive), "The key is switched off."),
        KeyCommand::Enable(one) => (one, Some(KeyState::Active), "The key is switched on."),
        KeyCommand::Delete(one) => (one, None, "The key is removed."),
    };
    let state_word = if let Some(state) = state {
        admin.set_key_state(&one.client_id, state).await?;
        state.as_str()
    } else {
        admin.delete_key(&one.client_id).await?;
        "removed"
    };
    one.output.print(&json!({"client_id": one.client_id, "state": state_word}), sentence);
    Ok(())
}
