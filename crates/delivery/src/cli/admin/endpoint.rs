//! `switchboard admin endpoint …`

use super::Output;
use super::confirmation::Confirmation;
use super::list::{ListOf, Show, list_in_organization, show};
use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use service::admin::{Admin, EndpointEntry};

/// Webhook endpoints, which members manage on the pages.
#[derive(Debug, Subcommand)]
pub enum EndpointCommand {
    /// List the webhook endpoints, oldest first; with --organization including those of its
    /// applications.
    #[command(after_help = "Example: switchboard admin endpoint list --organization Bakery")]
    List(ListOf),
    /// Show a webhook endpoint, by its id or URL.
    #[command(
        after_help = "Example: switchboard admin endpoint show https://bakery.example/webhooks"
    )]
    Show(Show),
    /// Delete a webhook endpoint and its deliveries permanently.
    #[command(
        after_help = "Example: switchboard admin endpoint remove https://bakery.example/webhooks"
    )]
    Remove {
        /// The endpoint's id, or a URL that no other endpoint has.
        endpoint: String,
        #[command(flatten)]
        confirmation: Confirmation,
        #[command(flatten)]
        output: Output,
    },
}

pub async fn run(admin: &Admin<'_>, command: EndpointCommand) -> Result<()> {
    match command {
        EndpointCommand::List(page) => list_in_organization::<EndpointEntry>(admin, page).await,
        EndpointCommand::Show(one) => show::<EndpointEntry>(admin, one).await,
        EndpointCommand::Remove { endpoint, confirmation, output } => {
            let found: EndpointEntry = admin.one(&endpoint).await?;
            let EndpointEntry { id, url, .. } = &found;
            confirmation.ask(&format!("Delete the webhook endpoint {url} ({id})?"))?;
            admin.remove_endpoint(&found).await?;
            let value = json!({"id": id, "url": url, "removed": true});
            output.object(&value, "The webhook endpoint is deleted.")
        }
    }
}
