//! Organizations and plans.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{ListFilter, Organization, Plan};
use domain::id::{self, PlanId};
use domain::plan::SubscriptionStatus;

operations! {
    Db;
    /// Makes an organization.
    write organizations::insert_organization(new: Organization) -> ();
}

operations! {
    OrganizationDb<organization>;
    /// An organization by its id.
    read organizations::find() -> Option<Organization>;
    /// An organization with its plan.
    read organizations::find_with_plan() -> Option<(Organization, Option<Plan>)>;
    /// Changes an organization's subscription; `false` if there is no such organization.
    write organizations::set_subscription(plan: Option<PlanId>, status: SubscriptionStatus) -> bool;
}

operations! {
    OperatorDb;
    /// The organizations with that name.
    read organizations::organizations_named(name: String) -> Vec<Organization>;
    /// Whether there is any organization at all.
    read organizations::has_organizations() -> bool;
    /// Makes a plan, or changes the one of that name.
    write organizations::set_plan(plan: Plan) -> Plan;
    /// A plan by its name.
    read organizations::plan_named(name: String) -> Option<Plan>;
    /// A page of the organizations, with their plans.
    read listing::list_organizations(list_filter: ListFilter<id::Organization>) -> Vec<(Organization, Option<Plan>)>;
    /// A page of the plans.
    read listing::list_plans(list_filter: ListFilter<id::Plan>) -> Vec<Plan>;
}
