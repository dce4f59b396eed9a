//! `switchboard admin plan …` and `switchboard admin subscription …`

use super::Output;
use super::list::{ListArguments, Show, list, show};
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::keyword::Keyword as _;
use domain::plan::SubscriptionStatus;
use serde_json::{Value, json};
use service::admin::{Admin, PlanEntry, PlanTerms, SubscriptionEntry};

/// Plans.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Create a plan, or change the plan of this name.
    Set(SetPlan),
    /// List the plans, oldest first.
    List(ListArguments),
    /// Show a plan.
    Show(Show),
}

/// A plan's terms.
#[derive(Debug, Args)]
pub struct SetPlan {
    /// The plan's name.
    #[arg(long)]
    name: String,
    /// Whether the plan includes the REST API.
    #[arg(long, action = clap::ArgAction::Set)]
    api_access: bool,
    /// The daily limit of API calls: a number or none.
    #[arg(long, value_parser = ceiling)]
    api_calls_per_day: CeilingArgument,
    /// The monthly limit of messages: a number or none.
    #[arg(long, value_parser = ceiling)]
    messages_per_month: CeilingArgument,
    #[command(flatten)]
    output: Output,
}

/// A limit; `None` means unlimited.
#[derive(Clone, Copy, Debug)]
pub struct CeilingArgument(Option<u32>);

fn ceiling(text: &str) -> Result<CeilingArgument, String> {
    match text {
        "none" => Ok(CeilingArgument(None)),
        text => text
            .parse()
            .map(|limit| CeilingArgument(Some(limit)))
            .map_err(|_| "a number or none".to_owned()),
    }
}

/// Subscriptions.
#[derive(Debug, Subcommand)]
pub enum SubscriptionCommand {
    /// Change an organization's subscription.
    Set(SetSubscription),
    /// List the organizations' subscriptions, the oldest organization first.
    List(ListArguments),
    /// Show an organization's subscription, by the organization's id or name.
    Show(Show),
}

/// Arguments that change a subscription.
#[derive(Debug, Args)]
pub struct SetSubscription {
    /// The organization's id or name.
    #[arg(long)]
    organization: String,
    /// The plan's name; if omitted, it is unchanged.
    #[arg(long)]
    plan: Option<String>,
    /// active, `past_due`, canceled or none.
    #[arg(long, value_parser = status)]
    status: SubscriptionStatus,
    #[command(flatten)]
    output: Output,
}

fn status(text: &str) -> Result<SubscriptionStatus, String> {
    SubscriptionStatus::from_keyword(text)
        .ok_or_else(|| format!("one of {}", SubscriptionStatus::listed()))
}

pub async fn run(admin: &Admin<'_>, command: PlanCommand) -> Result<()> {
    match command {
        PlanCommand::Set(plan) => set(admin, plan).await,
        PlanCommand::List(page) => list::<PlanEntry>(admin, page).await,
        PlanCommand::Show(one) => show::<PlanEntry>(admin, one).await,
    }
}

async fn set(admin: &Admin<'_>, plan: SetPlan) -> Result<()> {
    let terms = PlanTerms {
        api_access: plan.api_access,
        api_calls_per_day: plan.api_calls_per_day.0,
        messages_per_month: plan.messages_per_month.0,
    };
    let made = admin.set_plan(&plan.name, &terms).await?;
    let mut value = json!(made);
    if let (Value::Object(value), Value::Object(terms)) = (&mut value, json!(terms)) {
        value.extend(terms);
    }
    plan.output.print(&value, "The plan is set.")
}

pub async fn run_subscription(admin: &Admin<'_>, command: SubscriptionCommand) -> Result<()> {
    let SetSubscription { organization, plan, status, output } = match command {
        SubscriptionCommand::Set(change) => change,
        SubscriptionCommand::List(page) => return list::<SubscriptionEntry>(admin, page).await,
        SubscriptionCommand::Show(one) => return show::<SubscriptionEntry>(admin, one).await,
    };
    let id = admin.organization(&organization).await?;
    admin.set_subscription(id, plan.as_deref(), status).await?;
    let value = json!({"organization_id": id.to_string(), "status": status.as_str(), "plan": plan});
    output.print(&value, "The subscription is changed.")
}
