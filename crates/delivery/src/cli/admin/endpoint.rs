//! `switchboard admin endpoint …`

use super::list::{ListOf, Show, list_in_organization, show};
use anyhow::Result;
use clap::Subcommand;
use service::admin::{Admin, EndpointEntry};

/// Webhook endpoints, which members manage on the pages.
#[derive(Debug, Subcommand)]
pub enum EndpointCommand {
    /// List the webhook endpoints, oldest first; with --organization including those of its
    /// applications.
    List(ListOf),
    /// Show a webhook endpoint, by its id or URL.
    Show(Show),
}

pub async fn run(admin: &Admin<'_>, command: EndpointCommand) -> Result<()> {
    match command {
        EndpointCommand::List(page) => list_in_organization::<EndpointEntry>(admin, page).await,
        EndpointCommand::Show(one) => show::<EndpointEntry>(admin, one).await,
    }
}
