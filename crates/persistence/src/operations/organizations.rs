//! Operations on organizations and plans.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, tenant_query, unscoped_query,
};
use crate::Db;
use crate::records::{ListFilter, Organization, Plan};
use domain::id::{self, PlanId};
use domain::plan::SubscriptionStatus;

impl Db {
    pub fn insert_organization(&self, new: Organization) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, organizations::insert_organization(new))
    }
}

impl<'a> OrganizationDb<'a> {
    pub fn find(self) -> DbFuture<'a, Option<Organization>> {
        tenant_query!(self.organization, read, organizations::find())
    }

    pub fn find_with_plan(self) -> DbFuture<'a, Option<(Organization, Option<Plan>)>> {
        tenant_query!(self.organization, read, organizations::find_with_plan())
    }

    /// Returns the words for opting out, as they are stored. Returns `None` if the default words
    /// apply.
    pub fn opt_out_words(self) -> DbFuture<'a, Option<String>> {
        tenant_query!(self.organization, read, organizations::opt_out_words())
    }

    /// Gives the organization another name. Returns `false` if there is no such organization.
    pub fn rename(self, name: String) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, organizations::rename(name))
    }

    /// Gives the organization a name that differs from its own. Returns `false` if it has this name
    /// already, or if there is no such organization.
    pub fn change_name(self, name: String) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, organizations::change_name(name))
    }

    /// Deletes the organization if it has no events and no AI agents. Returns `false` otherwise.
    /// Fails with a foreign key violation if it still has members, accounts, keys or applications.
    pub fn delete_unused(self) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, organizations::delete_unused())
    }

    /// Sets the words for opting out. Returns `false` if there is no such organization.
    pub fn set_opt_out_words(self, words: Option<String>) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, organizations::set_opt_out_words(words))
    }

    /// Changes an organization's subscription. Returns `false` if there is no such organization.
    pub fn set_subscription(
        self,
        plan: Option<PlanId>,
        status: SubscriptionStatus,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, organizations::set_subscription(plan, status))
    }
}

impl<'a> OperatorDb<'a> {
    pub fn organizations_named(self, name: String) -> DbFuture<'a, Vec<Organization>> {
        all_tenants_query!(self, read, organizations::organizations_named(name))
    }

    pub fn has_organizations(self) -> DbFuture<'a, bool> {
        all_tenants_query!(self, read, organizations::has_organizations())
    }

    /// Creates a plan, or changes the plan with the same name.
    pub fn set_plan(self, plan: Plan) -> DbFuture<'a, Plan> {
        all_tenants_query!(self, write, organizations::set_plan(plan))
    }

    /// Gives a plan another name. Returns `false` if there is no such plan.
    pub fn rename_plan(self, id: PlanId, name: String) -> DbFuture<'a, bool> {
        all_tenants_query!(self, write, organizations::rename_plan(id, name))
    }

    /// Deletes a plan. Fails with a foreign key violation if an organization has the plan. Returns
    /// `false` if there is no such plan.
    pub fn delete_plan(self, id: PlanId) -> DbFuture<'a, bool> {
        all_tenants_query!(self, write, organizations::delete_plan(id))
    }

    pub fn plan_named(self, name: String) -> DbFuture<'a, Option<Plan>> {
        all_tenants_query!(self, read, organizations::plan_named(name))
    }

    /// Returns a page of the organizations, with their plans.
    pub fn list_organizations(
        self,
        list_filter: ListFilter<id::Organization>,
    ) -> DbFuture<'a, Vec<(Organization, Option<Plan>)>> {
        all_tenants_query!(self, read, listing::list_organizations(list_filter))
    }

    pub fn list_plans(self, list_filter: ListFilter<id::Plan>) -> DbFuture<'a, Vec<Plan>> {
        all_tenants_query!(self, read, listing::list_plans(list_filter))
    }
}
