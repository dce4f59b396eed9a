//! The operator's commands: plans, organizations with accounts, keys, members.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use bench::client::Client;
use bench::fill::{Binary, text};
use bench::load::{Credentials, Database};
use domain::agent::{AgentKind, AgentMode};
use domain::keyword::Keyword as _;

/// The name of the plan without limits.
pub const UNLIMITED: &str = "unlimited";
/// The phone number of the sandbox account that each organization has.
const SANDBOX_NUMBER: &str = "+12025550199";

/// The operator of a server, who runs its commands.
pub struct Operator {
    pub binary: PathBuf,
    pub folder: PathBuf,
    pub database: Database,
}

/// An organization with one account and one key.
#[derive(Clone)]
pub struct Organization {
    pub id: String,
    /// A key without a rate limit.
    pub key: Credentials,
}

impl Operator {
    /// Creates a plan, or changes it.
    pub fn plan(&self, name: &str, calls: Option<u64>, messages: Option<u64>) -> Result<()> {
        let word = |limit: Option<u64>| limit.map_or("none".to_owned(), |it| it.to_string());
        let (calls, messages) = (word(calls), word(messages));
        let limits = ["--api-calls-per-day", &calls, "--messages-per-month", &messages];
        let plan = ["plan", "set", "--name", name, "--api-access", "true"];
        self.admin(&[&plan[..], &limits].concat()).map(drop)
    }

    /// Creates an organization on a plan, with a sandbox account.
    pub fn organization(&self, name: &str, plan: &str) -> Result<Organization> {
        let id = self.bare_organization(name, plan)?;
        let of = ["account", "connect", "--organization", &id, "--channel", "sandbox"];
        let number = ["--phone-number", SANDBOX_NUMBER, "--display-name", name];
        self.admin(&[&of[..], &number].concat())?;
        let key = self.key(&id, "0")?;
        Ok(Organization { id, key })
    }

    /// Creates an organization with an account on the Cloud API's stand-in.
    pub fn organization_at_meta(&self, name: &str) -> Result<Organization> {
        self.one_of_many_at_meta(name, 0)
    }

    /// Creates one of several organizations on the stand-in, each with its own account.
    pub fn one_of_many_at_meta(&self, name: &str, number: u16) -> Result<Organization> {
        let phone_number_id = (106_540_352_242_922 + u64::from(number)).to_string();
        let there = ["--phone-number-id", &phone_number_id, "--waba-id", "102290129340398"];
        self.organization_with(name, "+12025550198", there)
    }

    /// Creates a second organization on the stand-in, with another number.
    pub fn other_at_meta(&self, name: &str) -> Result<Organization> {
        let there = ["--phone-number-id", "106540352242923", "--waba-id", "102290129340399"];
        self.organization_with(name, "+12025550197", there)
    }

    fn organization_with(
        &self,
        name: &str,
        number: &str,
        there: [&str; 4],
    ) -> Result<Organization> {
        let id = self.bare_organization(name, UNLIMITED)?;
        let of = ["account", "connect", "--organization", &id, "--channel", "cloud-api"];
        let number = ["--phone-number", number, "--display-name", name];
        let all = [&of[..], &number, &there, &["--access-token-stdin"]].concat();
        self.with_program(|it| it.admin_given("stand-in-token", &all))?;
        let key = self.key(&id, "0")?;
        Ok(Organization { id, key })
    }

    fn bare_organization(&self, name: &str, plan: &str) -> Result<String> {
        text(&self.admin(&["organization", "create", "--name", name, "--plan", plan])?, "id")
    }

    /// Creates an AI agent on the organization's sandbox number. The agent answers without waiting
    /// for further messages. `base_url` is the URL of its model's server.
    pub fn agent(&self, organization: &str, base_url: &str) -> Result<()> {
        let (kind, mode) = (AgentKind::Model.as_str(), AgentMode::Auto.as_str());
        let new = ["agent", "create", "--organization", organization, "--name", "Helper"];
        let model = ["--kind", kind, "--base-url", base_url, "--model", "stand-in"];
        let asked = ["--mode", mode, "--tools", "false", "--quiet", "0", "--longest", "0"];
        let number = ["--account", SANDBOX_NUMBER];
        self.admin(&[&new[..], &model, &asked, &number].concat()).map(drop)
    }

    /// Creates a key of an organization with this limit of calls per minute.
    pub fn key(&self, organization: &str, limit: &str) -> Result<Credentials> {
        let key = ["key", "create", "--organization", organization, "--name", "cluster"];
        let may = ["--scopes", "messages.send,conversations.read", "--rate-limit", limit];
        Credentials::of(&self.admin(&[&key[..], &may].concat())?)
    }

    /// Creates a member of an organization.
    pub fn member(&self, organization: &str, email: &str, password: &str) -> Result<()> {
        let new = ["member", "create", "--organization", organization, "--email", email];
        let all = [&new[..], &["--name", "Ada", "--password-stdin"]].concat();
        self.with_program(|it| it.admin_given(password, &all)).map(drop)
    }

    pub fn admin(&self, arguments: &[&str]) -> Result<Value> {
        self.with_program(|it| it.admin(arguments))
    }

    fn with_program<T>(&self, work: impl FnOnce(&Binary<'_>) -> Result<T>) -> Result<T> {
        let url = self.database.url();
        let file: &Path = &self.binary;
        work(&Binary { file, url: &url, folder: self.folder.clone() })
    }
}

/// Returns a client with a key for the server on this port.
pub fn client(port: u16, key: &Credentials) -> Client {
    let [id, secret] = key.headers();
    Client::new(port, &[id, secret, ("content-type", "application/json")])
}
