//! `switchboard admin organization …`

use super::Output;
use super::confirmation::Confirmation;
use super::list::{ListArguments, Show, list, show};
use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use service::admin::{Admin, OrganizationEntry};

/// Organizations.
#[derive(Debug, Subcommand)]
pub enum OrganizationCommand {
    /// Create an organization.
    #[command(
        after_help = "Example: switchboard admin organization create --name Bakery --plan Pro"
    )]
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
    /// Give an organization another name.
    #[command(after_help = "Example: switchboard admin organization rename Bakery --name Bäckerei")]
    Rename {
        /// The organization's id or name.
        organization: String,
        /// The new name.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Remove an organization permanently. It must have no members, numbers, keys, applications and
    /// agents, and nothing may have happened in it.
    #[command(after_help = "Example: switchboard admin organization remove Bakery")]
    Remove {
        /// The organization's id or name.
        organization: String,
        #[command(flatten)]
        confirmation: Confirmation,
        #[command(flatten)]
        output: Output,
    },
    /// Show or set the words with which people opt out of an organization's marketing.
    #[command(
        after_help = "Example: switchboard admin organization opt-out-words --organization Bakery --word STOP --word ENDE"
    )]
    OptOutWords {
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// A word that a person sends alone to opt out, in any case. Repeat it for several words;
        /// they replace all earlier ones.
        #[arg(long = "word")]
        words: Vec<String>,
        /// Use the default words again.
        #[arg(long, conflicts_with = "words")]
        default: bool,
        #[command(flatten)]
        output: Output,
    },
    /// List the organizations, oldest first.
    #[command(after_help = "Example: switchboard admin organization list --limit 10")]
    List(ListArguments),
    /// Show an organization.
    #[command(after_help = "Example: switchboard admin organization show Bakery")]
    Show(Show),
}

pub async fn run(admin: &Admin<'_>, command: OrganizationCommand) -> Result<()> {
    match command {
        OrganizationCommand::Create { name, plan, output } => {
            let made = admin.create_organization(&name, plan.as_deref()).await?;
            output.object(&json!(made), "The organization is created.")
        }
        OrganizationCommand::Rename { organization, name, output } => {
            let organization = admin.organization(&organization).await?;
            let renamed = admin.rename_organization(organization, &name).await?;
            output.object(&json!(renamed), "The organization has its new name.")
        }
        OrganizationCommand::Remove { organization, confirmation, output } => {
            let found: OrganizationEntry = admin.one(&organization).await?;
            let OrganizationEntry { id, name, .. } = &found;
            confirmation.ask(&format!("Remove the organization {name} ({id})?"))?;
            admin.remove_organization(&found).await?;
            let value = json!({"id": id, "name": name, "removed": true});
            output.object(&value, "The organization is removed.")
        }
        OrganizationCommand::OptOutWords { organization, words, default, output } => {
            let organization = admin.organization(&organization).await?;
            let words = words.iter().map(String::as_str).collect::<Vec<_>>();
            let words = match (default, words.as_slice()) {
                (true, _) => admin.set_opt_out_words(organization, None).await?,
                (false, []) => admin.opt_out_words(organization).await?,
                (false, words) => admin.set_opt_out_words(organization, Some(words)).await?,
            };
            let value =
                json!({ "organization_id": organization.to_string(), "words": words.as_written() });
            output.object(&value, "People opt out of marketing with these words.")
        }
        OrganizationCommand::List(page) => list::<OrganizationEntry>(admin, page).await,
        OrganizationCommand::Show(one) => show::<OrganizationEntry>(admin, one).await,
    }
}
