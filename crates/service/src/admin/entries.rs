//! The entries that operators see in the lists of the command line.

use super::listing::ListedEntry;
use super::{Admin, AdminError};
use domain::account::HealthReason;
use domain::id::{self, OrganizationId};
use domain::keyword::Keyword as _;
use persistence::Db;
use persistence::records::{ListFilter, Organization};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct OrganizationEntry {
    pub id: String,
    pub name: String,
    pub subscription_status: &'static str,
    pub plan: Option<String>,
    pub default_account_id: Option<String>,
    pub created_at: String,
}

impl ListedEntry for OrganizationEntry {
    type Kind = id::Organization;
    const NOUN: (&'static str, &'static str) = ("organization", "organizations");
    const KNOWN_BY: &'static str = "id or name";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "subscription_status", "plan", "created_at"];

    async fn load(
        db: &Db,
        list_filter: ListFilter<id::Organization>,
    ) -> persistence::Result<Vec<Self>> {
        let found = db.operator().list_organizations(list_filter).await?;
        let entries = found.into_iter().map(|(it, plan)| Self {
            id: it.id.to_string(),
            name: it.name,
            subscription_status: it.subscription_status.as_str(),
            plan: plan.map(|plan| plan.name),
            default_account_id: it.default_account_id.map(|id| id.to_string()),
            created_at: it.created_at.to_string(),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        let plan = self.plan.as_deref().unwrap_or("no plan");
        format!("created {}, {plan}, {}", self.created_at, self.subscription_status)
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct SubscriptionEntry {
    pub organization_id: String,
    pub organization: String,
    pub status: &'static str,
    pub plan_id: Option<String>,
    pub plan: Option<String>,
}

impl ListedEntry for SubscriptionEntry {
    type Kind = id::Organization;
    const NOUN: (&'static str, &'static str) = ("organization", "organizations");
    const KNOWN_BY: &'static str = "id or name";
    const COLUMNS: &'static [&'static str] = &["organization_id", "organization", "status", "plan"];

    async fn load(
        db: &Db,
        list_filter: ListFilter<id::Organization>,
    ) -> persistence::Result<Vec<Self>> {
        let found = db.operator().list_organizations(list_filter).await?;
        let entries = found.into_iter().map(|(it, plan)| Self {
            organization_id: it.id.to_string(),
            organization: it.name,
            status: it.subscription_status.as_str(),
            plan_id: plan.as_ref().map(|plan| plan.id.to_string()),
            plan: plan.map(|plan| plan.name),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.organization_id
    }

    fn hint(&self) -> String {
        format!("{}, {}", self.plan.as_deref().unwrap_or("no plan"), self.status)
    }
}

/// The organization that an entry belongs to.
#[derive(Clone, Debug, Serialize)]
pub struct OwnerOrganization {
    pub id: String,
    pub name: String,
}

impl From<Organization> for OwnerOrganization {
    fn from(organization: Organization) -> Self {
        Self { id: organization.id.to_string(), name: organization.name }
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct MemberEntry {
    pub id: String,
    pub email: String,
    pub name: String,
    pub organizations: Vec<OwnerOrganization>,
    pub created_at: String,
}

impl ListedEntry for MemberEntry {
    type Kind = id::Member;
    const NOUN: (&'static str, &'static str) = ("member", "members");
    const KNOWN_BY: &'static str = "id, e-mail address or name";
    const COLUMNS: &'static [&'static str] =
        &["id", "email", "name", "organizations", "created_at"];

    async fn load(db: &Db, list_filter: ListFilter<id::Member>) -> persistence::Result<Vec<Self>> {
        let found = db.operator().list_members(list_filter).await?;
        let entries = found.into_iter().map(|(it, organizations)| Self {
            id: it.id.to_string(),
            email: it.email,
            name: it.name,
            organizations: organizations.into_iter().map(Into::into).collect(),
            created_at: it.created_at.to_string(),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        self.email.clone()
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct AccountEntry {
    pub id: String,
    pub phone_number: String,
    pub display_name: String,
    pub organization_id: String,
    pub organization: String,
    pub default: bool,
    pub channel: &'static str,
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
    pub health: &'static str,
    pub health_reason: Option<&'static str>,
    pub health_message: Option<String>,
    pub health_since: Option<String>,
    pub connected_at: String,
}

impl ListedEntry for AccountEntry {
    type Kind = id::Account;
    const NOUN: (&'static str, &'static str) = ("number", "numbers");
    const KNOWN_BY: &'static str = "id, phone number or display name";
    const COLUMNS: &'static [&'static str] =
        &["id", "phone_number", "display_name", "organization", "default", "channel", "health"];

    async fn load(db: &Db, list_filter: ListFilter<id::Account>) -> persistence::Result<Vec<Self>> {
        let found = db.operator().list_accounts(list_filter).await?;
        let entries = found.into_iter().map(|(it, organization)| {
            let health = it.known_health().recorded();
            Self {
                id: it.id.to_string(),
                phone_number: it.phone_number,
                display_name: it.display_name,
                organization_id: organization.id.to_string(),
                default: organization.default_account_id == Some(it.id),
                organization: organization.name,
                channel: it.channel.as_str(),
                phone_number_id: it.phone_number_id,
                waba_id: it.waba_id,
                health: health.state.as_str(),
                health_reason: health.reason.map(HealthReason::as_str),
                health_message: health.message,
                health_since: health.since.map(|at| at.to_string()),
                connected_at: it.connected_at.to_string(),
            }
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        format!("{} of {} ({})", self.phone_number, self.organization, self.organization_id)
    }
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct PlanEntry {
    pub id: String,
    pub name: String,
    pub api_access: bool,
    pub api_calls_per_day: Option<u32>,
    pub messages_per_month: Option<u32>,
    pub created_at: String,
}

impl ListedEntry for PlanEntry {
    type Kind = id::Plan;
    const NOUN: (&'static str, &'static str) = ("plan", "plans");
    const KNOWN_BY: &'static str = "id or name";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "api_access", "api_calls_per_day", "messages_per_month"];

    async fn load(db: &Db, list_filter: ListFilter<id::Plan>) -> persistence::Result<Vec<Self>> {
        let entries = db.operator().list_plans(list_filter).await?.into_iter().map(|it| Self {
            id: it.id.to_string(),
            name: it.name,
            api_access: it.api_access,
            api_calls_per_day: it.api_calls_per_day,
            messages_per_month: it.messages_per_month,
            created_at: it.created_at.to_string(),
        });
        Ok(entries.collect())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn hint(&self) -> String {
        format!("created {}", self.created_at)
    }
}

impl Admin<'_> {
    /// Finds an organization by its id, or by its name if the name is unique.
    pub async fn organization(&self, wanted: &str) -> Result<OrganizationId, AdminError> {
        let found: OrganizationEntry = self.one(wanted).await?;
        Ok(found.id.parse()?)
    }
}
