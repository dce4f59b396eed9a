//! `switchboard admin plan …` and `switchboard admin subscription …`

use super::Output;
use super::confirmation::Confirmation;
use super::list::{ListArguments, Show, list, show};
use crate::cli::values::keyword;
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
    #[command(
        after_help = "Example: switchboard admin plan set --name Pro --api-access true --api-calls-per-day none --messages-per-month 10000"
    )]
    Set(SetPlan),
    /// List the plans, oldest first.
    #[command(after_help = "Example: switchboard admin plan list")]
    List(ListArguments),
    /// Show a plan.
    #[command(after_help = "Example: switchboard admin plan show Pro")]
    Show(Show),
    /// Give a plan another name.
    #[command(after_help = "Example: switchboard admin plan rename Pro --name Premium")]
    Rename {
        /// The plan's id or name.
        plan: String,
        /// The new name.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Delete a plan that no organization has.
    #[command(after_help = "Example: switchboard admin plan remove Pro")]
    Remove {
        /// The plan's id or name.
        plan: String,
        #[command(flatten)]
        confirmation: Confirmation,
        #[command(flatten)]
        output: Output,
    },
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
    #[command(
        after_help = "Example: switchboard admin subscription set --organization Bakery --plan Pro --status active"
    )]
    Set(SetSubscription),
    /// List the organizations' subscriptions, the oldest organization first.
    #[command(after_help = "Example: switchboard admin subscription list")]
    List(ListArguments),
    /// Show an organization's subscription, by the organization's id or name.
    #[command(after_help = "Example: switchboard admin subscription show Bakery")]
    Show(Show),
    /// End an organization's subscription, so that it has no plan. `set` gives it one again.
    #[command(after_help = "Example: switchboard admin subscription remove Bakery")]
    Remove {
        /// The organization's id or name.
        organization: String,
        #[command(flatten)]
        output: Output,
    },
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
    /// The status. Only `active` gives access.
    #[arg(long, value_parser = keyword::<SubscriptionStatus>())]
    status: SubscriptionStatus,
    #[command(flatten)]
    output: Output,
}

pub async fn run(admin: &Admin<'_>, command: PlanCommand) -> Result<()> {
    match command {
        PlanCommand::Set(plan) => set(admin, plan).await,
        PlanCommand::List(page) => list::<PlanEntry>(admin, page).await,
        PlanCommand::Show(one) => show::<PlanEntry>(admin, one).await,
        PlanCommand::Rename { plan, name, output } => {
            let found: PlanEntry = admin.one(&plan).await?;
            let renamed = admin.rename_plan(&found, &name).await?;
            output.object(&json!(renamed), "The plan has its new name.")
        }
        PlanCommand::Remove { plan, confirmation, output } => {
            let found: PlanEntry = admin.one(&plan).await?;
            let PlanEntry { id, name, .. } = &found;
            confirmation.ask(&format!("Delete the plan {name}?"))?;
            admin.remove_plan(&found).await?;
            let value = json!({"id": id, "name": name, "removed": true});
            output.object(&value, "The plan is deleted.")
        }
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
    plan.output.object(&value, "The plan is set.")
}

pub async fn run_subscription(admin: &Admin<'_>, command: SubscriptionCommand) -> Result<()> {
    let SetSubscription { organization, plan, status, output } = match command {
        SubscriptionCommand::Set(change) => change,
        SubscriptionCommand::List(page) => return list::<SubscriptionEntry>(admin, page).await,
        SubscriptionCommand::Show(one) => return show::<SubscriptionEntry>(admin, one).await,
        SubscriptionCommand::Remove { organization, output } => {
            let id = admin.organization(&organization).await?;
            admin.remove_subscription(id).await?;
            let (id, status) = (id.to_string(), SubscriptionStatus::None.as_str());
            let value = json!({"organization_id": id, "status": status, "plan": null});
            return output.object(&value, "The organization has no subscription.");
        }
    };
    let id = admin.organization(&organization).await?;
    admin.set_subscription(id, plan.as_deref(), status).await?;
    let value = json!({"organization_id": id.to_string(), "status": status.as_str(), "plan": plan});
    output.object(&value, "The subscription is changed.")
}
