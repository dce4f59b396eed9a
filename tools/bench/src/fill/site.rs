//! The rows that the command line creates: an organization with a key and a member that can be
//! used.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use domain::id::{AccountId, ApplicationId, Id, Kind, OrganizationId};
use serde_json::Value;

use servers::process;

pub const PLAN: &str = "fill";
/// Meta's id of the number on the Cloud API.
pub const PHONE_NUMBER_ID: &str = "106540352242922";
/// Meta's id of the business account.
pub const BUSINESS_ID: &str = "102290129340398";
pub const PASSWORD: &str = "fill-password";

/// The ids and credentials of the created rows.
#[derive(Clone)]
pub struct Site {
    /// The organization that is filled.
    pub organization: OrganizationId,
    /// The organization's default account.
    pub sandbox: AccountId,
    /// The organization's account on the Cloud API.
    pub meta: AccountId,
    /// The organization's application. Many other organizations are connected with it.
    pub hub: ApplicationId,
    /// The organization that publishes the applications to which the filled organization is
    /// connected.
    pub partner: OrganizationId,
    /// The email address of the organization's member.
    pub email: String,
    /// Client id and secret of the organization's key, which has all scopes.
    pub key: (String, String),
    /// Client id and secret of a key of an organization that has a number but no messages.
    pub empty_key: (String, String),
    /// Client id and secret of the organization's application.
    pub application: (String, String),
}

/// The server's binary with its database and folder.
pub struct Binary<'a> {
    /// The path of the binary.
    pub file: &'a Path,
    pub url: &'a str,
    /// The folder of the server's files.
    pub folder: PathBuf,
}

impl Binary<'_> {
    /// Returns a command in the folder, without the shell's `SWITCHBOARD_*` variables.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.file);
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("SWITCHBOARD_") {
                command.env_remove(&name);
            }
        }
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("SWITCHBOARD_DATABASE_URL", self.url)
            .env("SWITCHBOARD_MEDIA_URL", format!("file:{}", self.folder.join("media").display()))
            .env("SWITCHBOARD_LOG", "warn");
        command
    }

    pub fn migrate(&self) -> Result<()> {
        process::stdout(&mut self.command(&["migrate", "run"])).map(drop)
    }

    /// Creates the organization and its accounts, keys and application.
    pub fn make(&self) -> Result<Site> {
        let limits = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
        let plan = ["plan", "set", "--name", PLAN, "--api-access", "true"];
        self.admin(&[&plan[..], &limits].concat())?;
        let (organization, partner) = (self.organization("Fill")?, self.organization("Partner")?);
        let of = ["--organization", organization.as_str()];
        let sandbox = ["--phone-number", "+12025550199", "--display-name", "Fill"];
        let sandbox = [&of, &sandbox[..], &["--channel", "sandbox", "--default"]].concat();
        let sandbox = self.admin(&[&["account", "connect"], &sandbox[..]].concat())?;
        let meta = self.meta(&of)?;
        let email = format!("fill-{}@fill.example", organization.to_lowercase());
        self.member(&of, &email)?;
        let scopes = "messages.send,templates.read,templates.write,conversations.read,media.write,\
                      webhooks.manage";
        let key = ["--name", "Fill", "--scopes", scopes, "--rate-limit", "0"];
        let empty = self.organization("Empty")?;
        let of_empty = ["--organization", empty.as_str()];
        let number = ["--phone-number", "+12025550197", "--display-name", "Empty"];
        let number = [&of_empty, &number[..], &["--channel", "sandbox", "--default"]].concat();
        self.admin(&[&["account", "connect"], &number[..]].concat())?;
        let empty_key = self.admin(&[&["key", "create"], &of_empty[..], &key].concat())?;
        let key = self.admin(&[&["key", "create"], &of[..], &key].concat())?;
        let hub = ["--name", "Hub", "--redirect-uri", "https://hub.example/callback", "--scopes"];
        let hub = [&of, &hub[..], &["messages.send,conversations.read", "--published"]].concat();
        let hub = self.admin(&[&["application", "create"], &hub[..]].concat())?;
        Ok(Site {
            organization: parsed(&organization)?,
            sandbox: parsed(&text(&sandbox, "id")?)?,
            meta: parsed(&text(&meta, "id")?)?,
            hub: parsed(&text(&hub, "id")?)?,
            partner: parsed(&partner)?,
            email,
            key: credentials(&key)?,
            empty_key: credentials(&empty_key)?,
            application: credentials(&hub)?,
        })
    }

    fn organization(&self, name: &str) -> Result<String> {
        let made = self.admin(&["organization", "create", "--name", name])?;
        let id = text(&made, "id")?;
        let subscribed = ["--organization", &id, "--plan", PLAN, "--status", "active"];
        self.admin(&[&["subscription", "set"], &subscribed[..]].concat())?;
        Ok(id)
    }

    fn meta(&self, of: &[&str]) -> Result<Value> {
        let number = ["--phone-number", "+12025550198", "--display-name", "Fill at Meta"];
        let channel = ["--channel", "cloud-api", "--phone-number-id", PHONE_NUMBER_ID];
        let token = ["--waba-id", BUSINESS_ID, "--access-token-stdin"];
        let all = [&["account", "connect"], of, &number, &channel, &token].concat();
        self.admin_given("fill-token", &all)
    }

    fn member(&self, of: &[&str], email: &str) -> Result<()> {
        let member = ["--email", email, "--name", "Fill", "--password-stdin"];
        let all = [&["member", "create"], of, &member].concat();
        self.admin_given(PASSWORD, &all).map(drop)
    }

    /// Runs an admin command and returns its output.
    pub fn admin(&self, arguments: &[&str]) -> Result<Value> {
        self.admin_given("", arguments)
    }

    /// Runs an admin command with `given` on its standard input.
    pub fn admin_given(&self, given: &str, arguments: &[&str]) -> Result<Value> {
        let file = self.folder.join("given");
        fs::write(&file, given).with_context(|| format!("cannot write {}", file.display()))?;
        let mut command = self.command(&[&["admin"], arguments, &["--json"]].concat());
        let output = command.stdin(File::open(&file)?).output();
        let output = output.with_context(|| format!("cannot start {}", self.file.display()))?;
        fs::remove_file(&file)?;
        let name = arguments.join(" ");
        if !output.status.success() {
            bail!("`admin {name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("`admin {name}` printed no JSON"))
    }
}

/// Returns the client id and the secret that a command printed.
fn credentials(made: &Value) -> Result<(String, String)> {
    Ok((text(made, "client_id")?, text(made, "client_secret")?))
}

fn parsed<K: Kind>(id: &str) -> Result<Id<K>> {
    id.parse().with_context(|| format!("`{id}` is no id"))
}

/// Returns a text of an output of `--json`.
pub fn text(value: &Value, name: &str) -> Result<String> {
    let found = value.get(name).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("`--json` printed no `{name}`"))
}
