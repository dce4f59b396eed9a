//! `switchboard admin key …`

use super::confirmation::Confirmation;
use super::list::{ListOf, Show, list_in_organization, show};
use super::{Output, scopes};
use crate::cli::values::Offered;
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::key::{KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::Scope;
use serde_json::json;
use service::admin::{AccountEntry, Admin, KeyEntry};
use service::keys::NewKey;

/// API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key. Its secret is printed once and cannot be shown again.
    #[command(
        after_help = "Example: switchboard admin key create --organization Bakery --name Shop --scopes messages.send,media.write"
    )]
    Create(CreateKey),
    /// List the keys, oldest first. Secrets are not stored and cannot be shown.
    #[command(after_help = "Example: switchboard admin key list --organization Bakery")]
    List(ListOf),
    /// Show a key, by its id, client id or name.
    #[command(after_help = "Example: switchboard admin key show Shop")]
    Show(Show),
    /// Disable a key: its requests fail with 401 immediately.
    #[command(after_help = "Example: switchboard admin key disable Shop")]
    Disable(KeyRef),
    /// Enable a key again.
    #[command(after_help = "Example: switchboard admin key enable Shop")]
    Enable(KeyRef),
    /// Delete a key permanently. For the key of a connection, this disconnects the
    /// application.
    #[command(visible_alias = "remove", after_help = "Example: switchboard admin key delete Shop")]
    Delete(DeleteKey),
}

#[derive(Debug, Args)]
pub struct CreateKey {
    /// The organization's id or name.
    #[arg(long)]
    organization: String,
    /// The key's name; use one key per integration.
    #[arg(long)]
    name: String,
    /// The key's scopes, separated by commas.
    #[arg(long, value_delimiter = ',', required = true, value_parser = Offered::keywords::<Scope>())]
    scopes: Vec<String>,
    /// The number that the key is bound to, by its id, phone number or display name.
    #[arg(long)]
    account: Option<String>,
    /// Requests per minute; 0 means unlimited.
    #[arg(long, default_value_t = 100)]
    rate_limit: i64,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
pub struct DeleteKey {
    #[command(flatten)]
    one: KeyRef,
    #[command(flatten)]
    confirmation: Confirmation,
}

#[derive(Debug, Args)]
pub struct KeyRef {
    /// The key's client id or id, or a name that no other key has.
    key: String,
    #[command(flatten)]
    output: Output,
}

pub async fn run(admin: &Admin<'_>, command: KeyCommand) -> Result<()> {
    let (one, state, sentence) = match command {
        KeyCommand::Create(new) => return create(admin, new).await,
        KeyCommand::List(page) => return list_in_organization::<KeyEntry>(admin, page).await,
        KeyCommand::Show(one) => return show::<KeyEntry>(admin, one).await,
        KeyCommand::Disable(one) => (one, KeyState::Inactive, "The key is disabled."),
        KeyCommand::Enable(one) => (one, KeyState::Active, "The key is enabled."),
        KeyCommand::Delete(DeleteKey { one, confirmation }) => {
            let KeyEntry { client_id, name, .. } = admin.one(&one.key).await?;
            confirmation.ask(&format!("Delete the key {name} ({client_id})?"))?;
            admin.delete_key(&client_id).await?;
            let value = json!({"client_id": client_id, "state": "removed", "removed": true});
            return one.output.object(&value, "The key is deleted.");
        }
    };
    let KeyEntry { client_id, .. } = admin.one(&one.key).await?;
    admin.set_key_state(&client_id, state).await?;
    one.output.object(&json!({"client_id": client_id, "state": state.as_str()}), sentence)
}

async fn create(admin: &Admin<'_>, new: CreateKey) -> Result<()> {
    let id = admin.organization(&new.organization).await?;
    let account = match new.account {
        Some(account) => {
            let found: AccountEntry = admin.find(&account, Some(id)).await?;
            Some(found.id.parse()?)
        }
        None => None,
    };
    let key = NewKey {
        name: Name::parse(&new.name)?,
        scopes: scopes(&new.scopes)?,
        account,
        rate_limit: RateLimit::parse(new.rate_limit)?,
    };
    let made = admin.create_key(id, key).await?;
    new.output.object(&json!(made), "The key is created. Save the secret: it is not shown again.")
}
