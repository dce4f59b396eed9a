//! `switchboard admin account …`

use super::confirmation::Confirmation;
use super::list::{ListOf, Show, list_in_organization, show};
use super::{Output, standard_input};
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use domain::keyword::Keyword as _;
use serde_json::json;
use service::admin::{AccountEntry, Admin, NewChannel};

/// Numbers.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Connect a number. The first of an organization is its default.
    #[command(after_help = "\
Examples:
  switchboard admin account connect --organization Bakery --phone-number +12025550190 --display-name Bakery --channel sandbox
  switchboard admin account connect --organization Bakery --phone-number +15550783881 --display-name Bakery \\
    --channel cloud-api --phone-number-id 106540352242922 --waba-id 102290129340398 --access-token-stdin < token")]
    Connect(Connect),
    /// List the numbers, oldest first.
    #[command(after_help = "Example: switchboard admin account list --organization Bakery")]
    List(ListOf),
    /// Resume the sends of a number that the channel refused, once the cause is fixed.
    #[command(after_help = "Example: switchboard admin account reconnect +12025550190")]
    Reconnect(Reconnect),
    /// Show a number, by its id, phone number or display name.
    #[command(after_help = "Example: switchboard admin account show +12025550190")]
    Show(Show),
    /// Give a number another display name.
    #[command(
        after_help = "Example: switchboard admin account rename +12025550190 --name 'Bakery Berlin'"
    )]
    Rename {
        /// The number's id, phone number or display name.
        account: String,
        /// The new name.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Disconnect a number permanently. It must have no conversations, templates, keys,
    /// connections, agents or scheduled messages.
    #[command(
        visible_alias = "remove",
        after_help = "Example: switchboard admin account disconnect +12025550190"
    )]
    Disconnect {
        /// The number's id, phone number or display name.
        account: String,
        #[command(flatten)]
        confirmation: Confirmation,
        #[command(flatten)]
        output: Output,
    },
}

/// A number to be connected.
#[derive(Debug, Args)]
pub struct Connect {
    /// The organization's id or name.
    #[arg(long)]
    organization: String,
    /// The number, in E.164.
    #[arg(long)]
    phone_number: String,
    /// The name that contacts see.
    #[arg(long)]
    display_name: String,
    /// The channel behind the number.
    #[arg(long)]
    channel: ChannelName,
    /// For the Cloud API: its id of the number (phone number id).
    #[arg(long, required_if_eq("channel", "cloud-api"))]
    phone_number_id: Option<String>,
    /// For the Cloud API: its id of the business account (WABA id).
    #[arg(long, required_if_eq("channel", "cloud-api"))]
    waba_id: Option<String>,
    /// For the Cloud API: read the access token from standard input. It is stored encrypted.
    #[arg(long, required_if_eq("channel", "cloud-api"))]
    access_token_stdin: bool,
    /// Make the number the organization's default.
    #[arg(long)]
    default: bool,
    #[command(flatten)]
    output: Output,
}

/// Arguments that reconnect a number.
#[derive(Debug, Args)]
pub struct Reconnect {
    /// The number's id, phone number or display name.
    account: String,
    /// For the Cloud API: read a new access token from standard input. It is stored encrypted.
    #[arg(long)]
    access_token_stdin: bool,
    #[command(flatten)]
    output: Output,
}

/// The channel behind a number.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ChannelName {
    /// Built in, for trying things out.
    Sandbox,
    /// Meta's Cloud API.
    CloudApi,
    /// `WhatsApp` by Twilio, with the account that the settings name.
    Twilio,
}

pub async fn run(admin: &Admin<'_>, command: AccountCommand) -> Result<()> {
    match command {
        AccountCommand::Connect(number) => connect(admin, number).await,
        AccountCommand::Reconnect(number) => reconnect(admin, number).await,
        AccountCommand::List(page) => list_in_organization::<AccountEntry>(admin, page).await,
        AccountCommand::Show(one) => show::<AccountEntry>(admin, one).await,
        AccountCommand::Rename { account, name, output } => {
            let found: AccountEntry = admin.one(&account).await?;
            let renamed = admin.rename_account(&found, &name).await?;
            let value = json!({"id": renamed.id, "display_name": renamed.name});
            output.object(&value, "The number has its new name.")
        }
        AccountCommand::Disconnect { account, confirmation, output } => {
            let found: AccountEntry = admin.one(&account).await?;
            let AccountEntry { id, phone_number, .. } = &found;
            confirmation.ask(&format!("Disconnect the number {phone_number} ({id})?"))?;
            admin.disconnect_account(&found).await?;
            let value = json!({"id": id, "phone_number": phone_number, "removed": true});
            output.object(&value, "The number is disconnected.")
        }
    }
}

async fn connect(admin: &Admin<'_>, number: Connect) -> Result<()> {
    let id = admin.organization(&number.organization).await?;
    let token =
        if number.access_token_stdin { standard_input("the access token")? } else { String::new() };
    let channel = match number.channel {
        ChannelName::Sandbox => NewChannel::Sandbox,
        ChannelName::Twilio => NewChannel::Twilio,
        ChannelName::CloudApi => NewChannel::CloudApi {
            phone_number_id: number.phone_number_id.as_deref().unwrap_or_default(),
            waba_id: number.waba_id.as_deref().unwrap_or_default(),
            access_token: token.trim(),
        },
    };
    let (phone_number, name) = (&number.phone_number, &number.display_name);
    let made = admin.connect_account(id, phone_number, name, channel, number.default).await?;
    let value = json!({
        "id": made.id,
        "display_name": made.name,
        "phone_number": phone_number,
        "channel": channel.kind().as_str(),
        "organization_id": id.to_string(),
    });
    number.output.object(&value, "The number is connected.")
}

async fn reconnect(admin: &Admin<'_>, number: Reconnect) -> Result<()> {
    let token =
        number.access_token_stdin.then(|| standard_input("the access token")).transpose()?;
    let token = token.as_deref().map(str::trim);
    let reconnected = admin.reconnect_account(&number.account, token).await?;
    number.output.object(&serde_json::to_value(&reconnected)?, "The number sends again.")
}
