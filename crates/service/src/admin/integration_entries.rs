//! Keys, applications and webhook endpoints in the lists of the command line.

use super::listing::ListedEntry;
use domain::agent::AgentConnection;
use domain::id::{self, KeyId};
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::records::{Key, ListFilter, Organization};
use persistence::{Db, Result};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct KeyEntry {
    pub id: String,
    pub client_id: String,
    pub name: String,
    pub kind: &'static str,
    pub state: &'static str,
    pub organization_id: String,
    pub organization: String,
    pub account_id: Option<String>,
    pub scopes: Vec<String>,
    pub rate_limit: u32,
    pub created_at: String,
    pub last_used_at: Option<String>,
}

/// Returns when keys of several organizations were last used.
async fn last_uses(db: &Db, keys: &[(Key, Organization)]) -> Result<BTreeMap<KeyId, Timestamp>> {
    let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (key, organization) in keys {
        by_organization.entry(organization.id).or_default().push(key.id);
    }
    let mut uses = BTreeMap::new();
    for (organization, keys) in by_organization {
        uses.extend(db.organization(organization).last_uses(keys).await?);
    }
    Ok(uses)
}

impl ListedEntry for KeyEntry {
    type Kind = id::Key;
    const NOUN: (&'static str, &'static str) = ("key", "keys");
    const KNOWN_BY: &'static str = "id, client id or name";
    const COLUMNS: &'static [&'static str] =
        &["client_id", "name", "state", "organization", "last_used_at", "id"];

    async fn load(db: &Db, list_filter: ListFilter<id::Key>) -> Result<Vec<Self>> {
        let found = db.operator().list_keys(list_filter).await?;
        let uses = last_uses(db, &found).await?;
        let entries = found.into_iter().map(|(it, organization)| Self {
            last_used_at: uses.get(&it.id).map(Timestamp::to_string),
            id: it.id.to_string(),
            client_id: it.client_id,
            name: it.name,
            kind: it.kind.as_str(),
            state: it.state.as_str(),
            organization_id: organization.id.to_string(),
            organization: organization.name,
            account_id: it.account_id.map(|id| id.to_string()),
            scopes: words(&it.scopes),
            rate_limit: it.rate_limit.number(),
            created_at: it.created_at.to_string(),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        format!("{} of {} ({})", self.client_id, self.organization, self.organization_id)
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct ApplicationEntry {
    pub id: String,
    pub client_id: String,
    pub name: String,
    pub organization_id: Option<String>,
    pub organization: Option<String>,
    pub published: bool,
    pub verified: bool,
    pub scopes: Vec<String>,
    pub redirect_uris: Vec<String>,
    pub description: Option<String>,
    pub start_url: Option<String>,
    pub created_at: String,
}

impl ListedEntry for ApplicationEntry {
    type Kind = id::Application;
    const NOUN: (&'static str, &'static str) = ("application", "applications");
    const KNOWN_BY: &'static str = "id, client id or name";
    const COLUMNS: &'static [&'static str] =
        &["client_id", "name", "organization", "published", "verified", "id"];

    async fn load(db: &Db, list_filter: ListFilter<id::Application>) -> Result<Vec<Self>> {
        let found = db.operator().list_applications(list_filter).await?;
        let entries = found.into_iter().map(|(it, organization)| {
            Ok(Self {
                redirect_uris: it
                    .registered_redirect_uris()?
                    .iter()
                    .map(|uri| uri.as_str().to_owned())
                    .collect(),
                id: it.id.to_string(),
                client_id: it.client_id,
                name: it.name,
                organization_id: it.organization_id.map(|id| id.to_string()),
                organization: organization.map(|organization| organization.name),
                published: it.published,
                verified: it.verified,
                scopes: words(&it.scopes),
                description: it.description,
                start_url: it.start_url,
                created_at: it.created_at.to_string(),
            })
        });
        entries.collect()
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        let publisher = self.organization.as_deref().unwrap_or("the platform");
        format!("{} of {publisher}", self.client_id)
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct EndpointEntry {
    pub id: String,
    pub url: String,
    pub description: Option<String>,
    pub organization_id: Option<String>,
    pub application_id: Option<String>,
    pub events: Vec<String>,
    pub state: &'static str,
    pub disabled_reason: Option<&'static str>,
    pub disabled_at: Option<String>,
    pub failing_since: Option<String>,
    pub created_at: String,
}

impl ListedEntry for EndpointEntry {
    type Kind = id::WebhookEndpoint;
    const NOUN: (&'static str, &'static str) = ("webhook endpoint", "webhook endpoints");
    const KNOWN_BY: &'static str = "id or URL";
    const COLUMNS: &'static [&'static str] =
        &["id", "url", "state", "failing_since", "organization_id", "application_id"];

    async fn load(db: &Db, list_filter: ListFilter<id::WebhookEndpoint>) -> Result<Vec<Self>> {
        let entries = db.operator().list_endpoints(list_filter).await?.into_iter().map(|it| Self {
            id: it.id.to_string(),
            url: it.url,
            description: it.description,
            organization_id: it.organization_id.map(|id| id.to_string()),
            application_id: it.application_id.map(|id| id.to_string()),
            events: words(&it.events),
            state: it.state.as_str(),
            disabled_reason: it.disabled_reason.map(domain::keyword::Keyword::as_str),
            disabled_at: it.disabled_at.map(|at| at.to_string()),
            failing_since: it.failing_since.map(|at| at.to_string()),
            created_at: it.created_at.to_string(),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        let owner = self.organization_id.as_deref().or(self.application_id.as_deref());
        format!("of {}", owner.unwrap_or("nobody"))
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct AgentEntry {
    pub id: String,
    pub name: String,
    pub kind: &'static str,
    pub mode: &'static str,
    pub organization_id: String,
    pub organization: String,
    pub url: Option<String>,
    pub base_url: Option<String>,
    pub model: Option<String>,
    pub quiet_seconds: u64,
    pub longest_seconds: u64,
    pub answers_per_hour: u32,
    pub account_ids: Vec<String>,
    pub created_at: String,
}

impl ListedEntry for AgentEntry {
    type Kind = id::AiAgent;
    const NOUN: (&'static str, &'static str) = ("AI agent", "AI agents");
    const KNOWN_BY: &'static str = "id or name";
    const COLUMNS: &'static [&'static str] = &["id", "name", "kind", "mode", "organization"];

    async fn load(db: &Db, list_filter: ListFilter<id::AiAgent>) -> Result<Vec<Self>> {
        let found = db.operator().list_all_agents(list_filter).await?;
        let mut entries = Vec::with_capacity(found.len());
        for (agent, organization) in found {
            let own = db.organization(organization.id).list_agents().await?;
            let accounts = own.into_iter().find(|(it, _)| it.id == agent.id);
            let accounts = accounts.map(|(_, accounts)| accounts).unwrap_or_default();
            let settings = agent.settings()?;
            let (url, base_url, model) = match settings.connection {
                AgentConnection::Webhook { url } => (Some(url), None, None),
                AgentConnection::Model(it) => (None, Some(it.base_url), Some(it.model)),
                AgentConnection::Api => (None, None, None),
            };
            entries.push(Self {
                id: agent.id.to_string(),
                name: agent.name,
                kind: agent.kind.as_str(),
                mode: agent.mode.as_str(),
                organization_id: organization.id.to_string(),
                organization: organization.name,
                url,
                base_url,
                model,
                quiet_seconds: settings.delay.quiet().as_secs(),
                longest_seconds: settings.delay.longest().as_secs(),
                answers_per_hour: settings.limits.per_hour,
                account_ids: accounts.iter().map(ToString::to_string).collect(),
                created_at: agent.created_at.to_string(),
            });
        }
        Ok(entries)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        format!("of {} ({})", self.organization, self.organization_id)
    }
}

fn words(listed: &str) -> Vec<String> {
    listed.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
