//! `switchboard admin organization …`

use super::Output;
use super::list::{ListArguments, Show, list, show};
use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use service::admin::{Admin, OrganizationEntry};

/// Organizations.
#[derive(Debug, Subcommand)]
pub enum OrganizationCommand {
    /// Create an organization.
    Create {
        /// The organization's name.
        #[arg(long)]
        name: String,
        /// The plan that the organization subscribes to.
        #[arg(long)]
        plan: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// List the organizations, oldest first.
    List(ListArguments),
    /// Show an organization.
    Show(Show),
}

pub async fn run(admin: &Admin<'_>, command: OrganizationCommand) -> Result<()> {
    match command {
        OrganizationCommand::Create { name, plan, output } => {
            let made = admin.create_organization(&name, plan.as_deref()).await?;
            output.print(&json!(made), "The organization is created.")
        }
        OrganizationCommand::List(page) => list::<OrganizationEntry>(admin, page).await,
        OrganizationCommand::Show(one) => show::<OrganizationEntry>(admin, one).await,
    }
}
