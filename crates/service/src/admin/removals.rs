//! Renames and removes what operators created. Only what nothing else refers to can be removed.

use super::{
    AccountEntry, Admin, AdminError, ApplicationEntry, Created, EndpointEntry, OrganizationEntry,
    PlanEntry, Result,
};
use domain::id::{AccountId, ApplicationId, OrganizationId, PlanId, WebhookEndpointId};
use domain::name::Name;
use domain::plan::SubscriptionStatus;
use persistence::records::Owner;

/// Replaces the error that other rows still refer to the deleted row with `false`.
fn unless_referenced(deleted: persistence::Result<bool>) -> persistence::Result<bool> {
    match deleted {
        Err(error) if error.is_reference() => Ok(false),
        deleted => deleted,
    }
}

impl Admin<'_> {
    /// Deletes an organization in which nothing has happened, and that has no members, numbers, keys,
    /// applications or agents.
    pub async fn remove_organization(&self, organization: &OrganizationEntry) -> Result<()> {
        let id: OrganizationId = organization.id.parse()?;
        if !unless_referenced(self.deps.db.organization(id).delete_unused().await)? {
            return Err(AdminError::OrganizationInUse(organization.name.clone()));
        }
        Ok(())
    }

    /// Gives a number another display name.
    pub async fn rename_account(&self, account: &AccountEntry, name: &str) -> Result<Created> {
        let (id, name): (AccountId, _) = (account.id.parse()?, Name::parse(name)?);
        let organization: OrganizationId = account.organization_id.parse()?;
        let renamed = self.deps.db.organization(organization).rename_account(id, name.to_string());
        if !renamed.await? {
            return Err(gone("number", &account.id));
        }
        Ok(Created { id: account.id.clone(), name: name.to_string() })
    }

    /// Disconnects a number that has no conversations, templates, keys, connections, agents or
    /// scheduled messages.
    pub async fn disconnect_account(&self, account: &AccountEntry) -> Result<()> {
        let id: AccountId = account.id.parse()?;
        let organization: OrganizationId = account.organization_id.parse()?;
        let deleted = self.deps.db.organization(organization).delete_unused_account(id).await;
        if !unless_referenced(deleted)? {
            return Err(AdminError::NumberInUse(account.phone_number.clone()));
        }
        Ok(())
    }

    /// Gives a plan another name.
    pub async fn rename_plan(&self, plan: &PlanEntry, name: &str) -> Result<Created> {
        let (id, name): (PlanId, _) = (plan.id.parse()?, Name::parse(name)?);
        match self.deps.db.operator().rename_plan(id, name.to_string()).await {
            Err(error) if error.is_duplicate() => Err(AdminError::PlanExists(name.to_string())),
            Err(error) => Err(error.into()),
            Ok(false) => Err(gone("plan", &plan.id)),
            Ok(true) => Ok(Created { id: plan.id.clone(), name: name.to_string() }),
        }
    }

    /// Deletes a plan that no organization has.
    pub async fn remove_plan(&self, plan: &PlanEntry) -> Result<()> {
        let id: PlanId = plan.id.parse()?;
        match self.deps.db.operator().delete_plan(id).await {
            Err(error) if error.is_reference() => Err(AdminError::PlanInUse(plan.name.clone())),
            Err(error) => Err(error.into()),
            Ok(false) => Err(gone("plan", &plan.id)),
            Ok(true) => Ok(()),
        }
    }

    /// Ends an organization's subscription, so that it has no plan.
    pub async fn remove_subscription(&self, organization: OrganizationId) -> Result<()> {
        let none = SubscriptionStatus::None;
        self.deps.db.organization(organization).set_subscription(None, none).await?;
        Ok(())
    }

    /// Deletes an application with its webhook endpoints. It can then not be connected, but existing
    /// connections stay.
    pub async fn remove_application(&self, application: &ApplicationEntry) -> Result<()> {
        let (id, now): (ApplicationId, _) = (application.id.parse()?, self.deps.clock.now());
        let deleted = match &application.organization_id {
            Some(organization) => {
                let organization: OrganizationId = organization.parse()?;
                self.deps.db.organization(organization).delete_application(id, now).await?
            }
            None => self.deps.db.operator().delete_platform_application(id, now).await?,
        };
        if !deleted {
            return Err(AdminError::NoApplication(application.client_id.clone()));
        }
        Ok(())
    }

    /// Deletes a webhook endpoint with its log.
    pub async fn remove_endpoint(&self, endpoint: &EndpointEntry) -> Result<()> {
        let id: WebhookEndpointId = endpoint.id.parse()?;
        let owner = match (&endpoint.organization_id, &endpoint.application_id) {
            (_, Some(application)) => Owner::Application(application.parse()?),
            (Some(organization), None) => Owner::Organization(organization.parse()?),
            (None, None) => return Err(gone("webhook endpoint", &endpoint.id)),
        };
        if !self.deps.db.owner(owner).delete_endpoint(id, self.deps.clock.now()).await? {
            return Err(gone("webhook endpoint", &endpoint.id));
        }
        Ok(())
    }
}

fn gone(noun: &'static str, id: &str) -> AdminError {
    AdminError::NotFound { noun, known_by: "id", wanted: id.to_owned() }
}
