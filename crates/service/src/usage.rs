//! The usage of organizations' plans.

use domain::id::OrganizationId;
use domain::plan::{BillingRefusal, Meter, SubscriptionStatus, Usage, admit};
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{CountQuestion, Organization, Plan};
use platform::Deps;

/// Returns the plan's daily ceiling of calls.
#[must_use]
pub fn calls_limit(plan: Option<&Plan>) -> Option<u32> {
    plan?.api_calls_per_day
}

/// Returns the plan's monthly allowance of messages.
#[must_use]
pub fn messages_limit(plan: Option<&Plan>) -> Option<u32> {
    plan?.messages_per_month
}

/// Loads an organization with its plan.
pub async fn plan(
    deps: &Deps,
    organization: OrganizationId,
) -> Result<Option<(Organization, Option<Plan>)>> {
    deps.db.organization(organization).find_with_plan().await
}

/// Whether the operator has a plan with this name.
pub async fn plan_exists(deps: &Deps, name: &str) -> Result<bool> {
    Ok(deps.db.operator().plan_named(name.to_owned()).await?.is_some())
}

/// Returns the reason why all calls of an organization are refused at present, or `None` if they
/// are not. An organization without a plan has no subscription.
#[must_use]
pub fn refusal(status: SubscriptionStatus, plan: Option<&Plan>) -> Option<BillingRefusal> {
    let (status, api_access) =
        plan.map_or((SubscriptionStatus::None, false), |plan| (status, plan.api_access));
    admit(status, api_access).err()
}

/// Returns what [`refusal`] returns, for an organization whose plan is not loaded.
pub async fn find_refusal(
    deps: &Deps,
    organization: &Organization,
) -> Result<Option<BillingRefusal>> {
    if organization.subscription_status != SubscriptionStatus::Active {
        return Ok(Some(BillingRefusal::SubscriptionRequired));
    }
    let found = plan(deps, organization.id).await?;
    Ok(found.and_then(|(it, plan)| refusal(it.subscription_status, plan.as_ref())))
}

/// Returns the usage of calls today.
pub async fn calls(
    deps: &Deps,
    organization: OrganizationId,
    plan: Option<&Plan>,
    now: Timestamp,
) -> Result<Usage> {
    let day = Meter::ApiCalls.period(now);
    let used = deps.usage_counter.calls(&deps.db, organization, day.number).await?;
    Ok(Usage { limit: calls_limit(plan), used, resets_at: day.ends_at })
}

/// Returns the usage of messages this month.
pub async fn messages(
    deps: &Deps,
    organization: OrganizationId,
    plan: Option<&Plan>,
    now: Timestamp,
) -> Result<Usage> {
    let month = Meter::Messages.period(now);
    let used = deps.db.organization(organization).used(Meter::Messages, month.number).await?;
    Ok(Usage { limit: messages_limit(plan), used, resets_at: month.ends_at })
}

/// Counts a call. Once a day, records the event that the organization has reached its ceiling.
/// Returns the usage, and whether the call is admitted.
pub async fn count_call(
    deps: &Deps,
    organization: OrganizationId,
    plan: Option<&Plan>,
    now: Timestamp,
) -> Result<(Usage, bool)> {
    let (day, limit) = (Meter::ApiCalls.period(now), calls_limit(plan));
    let call = CountQuestion { organization, period: day.number, limit };
    let counted = deps.usage_counter.count(&deps.db, call).await?;
    let usage = Usage { limit, used: counted.used, resets_at: day.ends_at };
    if usage.remaining() == Some(0) {
        deps.usage_counter.reached(&deps.db, &call, &usage, now).await;
    }
    Ok((usage, counted.admitted))
}
