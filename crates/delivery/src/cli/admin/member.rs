//! `switchboard admin member …`

use super::list::{ListOf, Show, list_in_organization, show};
use super::{Output, standard_input};
use crate::cli::values::keyword;
use anyhow::Result;
use clap::Subcommand;
use domain::keyword::Keyword as _;
use domain::role::Role;
use serde_json::json;
use service::admin::{Admin, MemberEntry};

/// Members.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// Create a member of an organization.
    #[command(
        after_help = "Example: switchboard admin member create --organization Bakery --email ada@bakery.example --name Ada --password-stdin < password"
    )]
    Create {
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// The member's email address.
        #[arg(long)]
        email: String,
        /// The member's name.
        #[arg(long)]
        name: String,
        /// The member's role.
        #[arg(long, default_value = "owner", value_parser = keyword::<Role>())]
        role: Role,
        /// Read the password from standard input.
        #[arg(long, required = true)]
        password_stdin: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Add a member to another organization. After signing in, the member chooses one of them.
    #[command(
        after_help = "Example: switchboard admin member add --organization Bakery --email ada@bakery.example"
    )]
    Add {
        /// The other organization's id or name.
        #[arg(long)]
        organization: String,
        /// The member's email address.
        #[arg(long)]
        email: String,
        /// The member's role there.
        #[arg(long, default_value = "owner", value_parser = keyword::<Role>())]
        role: Role,
        #[command(flatten)]
        output: Output,
    },
    /// Give a member of an organization another role.
    #[command(
        after_help = "Example: switchboard admin member role ada@bakery.example --organization Bakery --role support"
    )]
    Role {
        /// The member's email address or id.
        member: String,
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        /// The new role.
        #[arg(long, value_parser = keyword::<Role>())]
        role: Role,
        #[command(flatten)]
        output: Output,
    },
    /// Remove a member from an organization. `admin member add` takes it back.
    #[command(
        after_help = "Example: switchboard admin member remove ada@bakery.example --organization Bakery"
    )]
    Remove {
        /// The member's email address or id.
        member: String,
        /// The organization's id or name.
        #[arg(long)]
        organization: String,
        #[command(flatten)]
        output: Output,
    },
    /// List the members, oldest first.
    #[command(after_help = "Example: switchboard admin member list --organization Bakery")]
    List(ListOf),
    /// Show a member, by id, email address or name.
    #[command(after_help = "Example: switchboard admin member show ada@bakery.example")]
    Show(Show),
    /// Print a link for a member who forgot the password. The link works once, for an hour. After a
    /// reset the member has to sign in again everywhere. Links that were printed earlier stop
    /// working.
    #[command(after_help = "Example: switchboard admin member reset ada@bakery.example")]
    Reset {
        /// The member's email address or id.
        member: String,
        #[command(flatten)]
        output: Output,
    },
}

/// Runs a member command. Printed links start with `base_url`.
pub async fn run(admin: &Admin<'_>, base_url: &str, command: MemberCommand) -> Result<()> {
    match command {
        MemberCommand::Create { organization, email, name, role, output, .. } => {
            let id = admin.organization(&organization).await?;
            let password = standard_input("the password")?;
            let made = admin.create_member_as(role, id, &email, &name, &password).await?;
            let value = json!({
                "id": made.id, "name": made.name, "email": email, "role": role.as_str(),
                "organization_id": id.to_string(),
            });
            output.object(&value, "The member is created.")
        }
        MemberCommand::Add { organization, email, role, output } => {
            let id = admin.organization(&organization).await?;
            admin.add_member_as(role, id, &email).await?;
            let value = json!({
                "email": email, "role": role.as_str(), "organization_id": id.to_string(),
            });
            output.object(&value, "The member is added to the organization.")
        }
        MemberCommand::Role { member, organization, role, output } => {
            let id = admin.organization(&organization).await?;
            let found: MemberEntry = admin.find(&member, Some(id)).await?;
            admin.change_role(id, &found, Some(role)).await?;
            let value = json!({
                "id": found.id, "email": found.email, "role": role.as_str(),
                "organization_id": id.to_string(),
            });
            output.object(&value, "The member has the new role.")
        }
        MemberCommand::Remove { member, organization, output } => {
            let id = admin.organization(&organization).await?;
            let found: MemberEntry = admin.find(&member, Some(id)).await?;
            admin.change_role(id, &found, None).await?;
            let value = json!({
                "id": found.id, "email": found.email, "organization_id": id.to_string(),
                "removed": true,
            });
            output.object(&value, "The member is removed from the organization.")
        }
        MemberCommand::List(page) => list_in_organization::<MemberEntry>(admin, page).await,
        MemberCommand::Show(one) => show::<MemberEntry>(admin, one).await,
        MemberCommand::Reset { member, output } => {
            let reset = admin.reset_member(base_url, &member).await?;
            let sentence = "Give this link to the member. It works once, for an hour.";
            output.object(&json!(reset), sentence)
        }
    }
}
