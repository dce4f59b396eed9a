//! Operations on organizations and plans.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{ListFilter, Organization, Plan};
use domain::id::{self, PlanId};
use domain::plan::SubscriptionStatus;

operations! {
    Db;
    write organizations::insert_organization(new: Organization) -> ();
}

operations! {
    OrganizationDb<organization>;
    read organizations::find() -> Option<Organization>;
    read organizations::find_with_plan() -> Option<(Organization, Option<Plan>)>;
    /// Changes an organization's subscription. Returns `false` if there is no such organization.
    write organizations::set_subscription(plan: Option<PlanId>, status: SubscriptionStatus) -> bool;
}

operations! {
    OperatorDb;
    read organizations::organizations_named(name: String) -> Vec<Organization>;
    read organizations::has_organizations() -> bool;
    /// Creates a plan, or changes the plan with the same name.
    write organizations::set_plan(plan: Plan) -> Plan;
    read organizations::plan_named(name: String) -> Option<Plan>;
    /// Returns a page of the organizations, with their plans.
    read listing::list_organizations(list_filter: ListFilter<id::Organization>) -> Vec<(Organization, Option<Plan>)>;
    read listing::list_plans(list_filter: ListFilter<id::Plan>) -> Vec<Plan>;
}
