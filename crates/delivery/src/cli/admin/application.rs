//! `switchboard admin application …`

use super::Output;
use super::confirmation::Confirmation;
use super::list::{ListOf, Show, list_in_organization, show};
use crate::cli::values::Offered;
use anyhow::Result;
use clap::Subcommand;
use domain::application::{Terms, TermsInput};
use domain::scope::Scope;
use serde_json::json;
use service::admin::{Admin, ApplicationEntry};

/// Third-party applications.
#[derive(Debug, Subcommand)]
pub enum ApplicationCommand {
    /// Register an application. Its secret is printed once and cannot be shown again.
    #[command(
        after_help = "Example: switchboard admin application create --organization Bakery --name Desk --redirect-uri https://desk.example/callback --scopes messages.send"
    )]
    Create {
        /// The id or name of the organization that publishes it. Without one it is a platform
        /// application, which has to be verified before it can be connected.
        #[arg(long)]
        organization: Option<String>,
        /// The application's name, as members see it.
        #[arg(long)]
        name: String,
        /// A redirect URI, which must match exactly. Repeat the option for several.
        #[arg(long, required = true)]
        redirect_uri: Vec<String>,
        /// The scopes that the application may request, separated by commas.
        #[arg(long, value_delimiter = ',', required = true, value_parser = Offered::keywords::<Scope>())]
        scopes: Vec<String>,
        /// A description of one line.
        #[arg(long, default_value = "")]
        description: String,
        /// The URL of the page that starts a handshake.
        #[arg(long)]
        start_url: Option<String>,
        /// List the application for every organization.
        #[arg(long)]
        published: bool,
        #[command(flatten)]
        output: Output,
    },
    /// List the applications, oldest first; with --organization only those that it publishes.
    #[command(after_help = "Example: switchboard admin application list --organization Bakery")]
    List(ListOf),
    /// Show an application, by its id, client id or name.
    #[command(after_help = "Example: switchboard admin application show Desk")]
    Show(Show),
    /// Delete an application and its webhook endpoints permanently. It cannot be connected any more.
    /// Its connections stay.
    #[command(after_help = "Example: switchboard admin application remove Desk")]
    Remove {
        /// The application's client id or id, or a name that no other application has.
        application: String,
        #[command(flatten)]
        confirmation: Confirmation,
        #[command(flatten)]
        output: Output,
    },
    /// Take the Verified badge from an application. Its connections stay.
    #[command(after_help = "Example: switchboard admin application unverify Desk")]
    Unverify {
        /// The application's client id or id, or a name that no other application has.
        application: String,
        #[command(flatten)]
        output: Output,
    },
    /// Give an application the Verified badge.
    #[command(after_help = "Example: switchboard admin application verify Desk")]
    Verify {
        /// The application's client id or id, or a name that no other application has.
        application: String,
        #[command(flatten)]
        output: Output,
    },
}

/// Says who can connect a new application, and what has to happen before others can
/// (`docs/contract.md#applications`).
fn next_step(has_organization: bool, published: bool, client_id: &str) -> String {
    let verify = format!("switchboard admin application verify {client_id}");
    match (has_organization, published) {
        (false, _) => {
            format!("Nobody can connect it yet, because it belongs to no organization. Verify it with: {verify}")
        }
        (true, false) => {
            "Only its own organization can connect it. An owner or developer publishes it in the dashboard, on its page \
             under Developer apps; then every organization can."
                .to_owned()
        }
        (true, true) => {
            format!("Every organization can connect it. The Verified badge is given with: {verify}")
        }
    }
}

pub async fn run(admin: &Admin<'_>, command: ApplicationCommand) -> Result<()> {
    match command {
        ApplicationCommand::Create {
            organization,
            name,
            redirect_uri,
            scopes,
            description,
            start_url,
            published,
            output,
        } => {
            let owner = match organization {
                Some(organization) => Some(admin.organization(&organization).await?),
                None => None,
            };
            let terms = Terms::parse(TermsInput {
                name: &name,
                redirect_uris: &redirect_uri,
                scopes: super::scopes(&scopes)?,
                description: &description,
                start_url: start_url.as_deref().unwrap_or_default(),
            })?;
            let made = admin.create_application(owner, &terms, published).await?;
            let next = next_step(owner.is_some(), published, &made.client_id);
            let sentence = format!(
                "The application is registered. Save the secret: it is not shown again.\n{next}"
            );
            output.object(&json!(made), &sentence)
        }
        ApplicationCommand::List(page) => {
            list_in_organization::<ApplicationEntry>(admin, page).await
        }
        ApplicationCommand::Show(one) => show::<ApplicationEntry>(admin, one).await,
        ApplicationCommand::Remove { application, confirmation, output } => {
            let found: ApplicationEntry = admin.one(&application).await?;
            let ApplicationEntry { id, client_id, name, .. } = &found;
            confirmation.ask(&format!("Delete the application {name} ({client_id})?"))?;
            admin.remove_application(&found).await?;
            let value = json!({"id": id, "client_id": client_id, "name": name, "removed": true});
            output.object(&value, "The application is deleted.")
        }
        ApplicationCommand::Unverify { application, output } => {
            let ApplicationEntry { client_id, .. } = admin.one(&application).await?;
            admin.unverify_application(&client_id).await?;
            let value = json!({"client_id": client_id, "verified": false});
            output.object(&value, "The application is no longer verified.")
        }
        ApplicationCommand::Verify { application, output } => {
            let ApplicationEntry { client_id, .. } = admin.one(&application).await?;
            admin.verify_application(&client_id).await?;
            let value = json!({"client_id": client_id, "verified": true});
            output.object(&value, "The application is verified.")
        }
    }
}
