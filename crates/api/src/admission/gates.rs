//! Checks after authentication: billing, rate limit, scope and daily ceiling, in that order.

use super::Access;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use auth::rate::{self, WINDOW};
use domain::id::KeyId;
use domain::key::RateLimit;
use domain::plan::{BillingRefusal, Meter, Usage};
use domain::scope::ScopeSet;
use domain::time::{Timestamp, whole_seconds};
use futures_util::future::{TryFutureExt as _, try_join_all};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Caller;
use service::usage;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// The state of the rate limit and the plan, for the `RateLimit` headers of every authenticated
/// response.
#[derive(Debug, Default)]
pub struct LimitStatus {
    key: Option<RateLimitMember>,
    plan: Option<RateLimitMember>,
}

#[derive(Debug)]
struct RateLimitMember {
    quota: u32,
    window: u64,
    remaining: u32,
    resets_in: Duration,
}

/// Runs the checks, and counts the call. Returns the number of calls that were counted today.
pub async fn pass(
    deps: &ServerDeps,
    caller: &Caller,
    granted: ScopeSet,
    access: Access,
    now: Timestamp,
    limit_status: &mut LimitStatus,
) -> Result<u32, Problem> {
    let limit = caller.key.rate_limit.per_minute();
    let upgrade_url = deps.config.upgrade_url.as_str();
    let refused = billing(caller, upgrade_url).err();
    if let Some(limit) = limit {
        let refused_already = refused.is_some();
        let rate =
            deps.rate_limiter.check(caller.key.id, limit, &deps.clock, !refused_already).await?;
        limit_status.key = Some(member_of_key(limit, &rate));
        if !rate.admitted && !refused_already {
            limit_status.plan = plan_status(deps, caller, now).await?;
            return Err(Problem::rate_limited(limit, WINDOW, rate.retry_in));
        }
    }
    if let Some(refused) = refused {
        limit_status.plan = plan_status(deps, caller, now).await?;
        return Err(refused);
    }
    if let Some(required) = access.scope()
        && !access.admits(granted)
    {
        limit_status.plan = plan_status(deps, caller, now).await?;
        return Err(Problem::insufficient_scope(required, granted));
    }
    count(deps, caller, now, limit_status).await
}

/// The result of counting the further calls that one request stands for.
#[derive(Debug)]
pub struct FurtherCalls {
    /// One entry per call: the refusal, or `None` if the call is admitted. The admitted calls come
    /// first.
    pub refusals: Vec<Option<Problem>>,
    /// The state of the limits after the last call.
    pub limit_status: LimitStatus,
}

/// Counts further calls of a request that passed all checks. Each call is admitted or refused by
/// itself.
pub async fn pass_further(
    deps: &ServerDeps,
    caller: &Caller,
    calls: usize,
    now: Timestamp,
) -> Result<FurtherCalls, Problem> {
    let mut limit_status = LimitStatus::default();
    let mut refusals: Vec<Option<Problem>> = vec![None; calls];
    let mut left = calls;
    if let Some(limit) = caller.key.rate_limit.per_minute() {
        let check = |_| {
            deps.rate_limiter.check(caller.key.id, limit, &deps.clock, true).map_err(Problem::from)
        };
        let rates = try_join_all((0..calls).map(check)).await?;
        left = rates.iter().filter(|rate| rate.admitted).count();
        let refused = rates.iter().filter(|rate| !rate.admitted);
        for (place, rate) in refusals.iter_mut().skip(left).zip(refused) {
            *place = Some(Problem::rate_limited(limit, WINDOW, rate.retry_in));
        }
        let last = rates.iter().min_by_key(|rate| rate.remaining);
        limit_status.key = last.map(|rate| member_of_key(limit, rate));
    }
    let (organization, plan) = (caller.organization.id, caller.plan.as_ref());
    let count = |_| usage::count_call(deps, organization, plan, now).map_err(Problem::from);
    let counts = try_join_all((0..left).map(count)).await?;
    let admitted = counts.iter().filter(|(_, admitted)| *admitted).count();
    let upgrade_url = deps.config.upgrade_url.as_str();
    let refused = counts.iter().filter(|(_, admitted)| !*admitted);
    for (place, (usage, _)) in refusals.iter_mut().skip(admitted).zip(refused) {
        *place = Some(Problem::plan_limit_exceeded(Meter::ApiCalls, usage, upgrade_url));
    }
    let last = counts.iter().max_by_key(|(usage, _)| usage.used);
    limit_status.plan = last.and_then(|(usage, _)| member_of_plan(usage, now));
    Ok(FurtherCalls { refusals, limit_status })
}

/// Checks the rate limit of an application's own credentials, which is the default limit of keys.
pub async fn pass_application(
    deps: &ServerDeps,
    application: KeyId,
    limit_status: &mut LimitStatus,
) -> Result<(), Problem> {
    let Some(limit) = RateLimit::default().per_minute() else { return Ok(()) };
    let rate = deps.rate_limiter.check(application, limit, &deps.clock, true).await?;
    limit_status.key = Some(member_of_key(limit, &rate));
    if rate.admitted { Ok(()) } else { Err(Problem::rate_limited(limit, WINDOW, rate.retry_in)) }
}

fn billing(caller: &Caller, upgrade_url: &str) -> Result<(), Problem> {
    let refusal = usage::refusal(caller.organization.subscription_status, caller.plan.as_ref());
    match refusal {
        None => Ok(()),
        Some(BillingRefusal::SubscriptionRequired) => {
            Err(Problem::subscription_required(upgrade_url))
        }
        Some(BillingRefusal::PlanUpgradeRequired) => {
            Err(Problem::plan_upgrade_required(upgrade_url))
        }
    }
}

async fn count(
    deps: &ServerDeps,
    caller: &Caller,
    now: Timestamp,
    limit_status: &mut LimitStatus,
) -> Result<u32, Problem> {
    let (organization, plan) = (caller.organization.id, caller.plan.as_ref());
    let (usage, admitted) = usage::count_call(deps, organization, plan, now).await?;
    limit_status.plan = member_of_plan(&usage, now);
    if admitted {
        return Ok(usage.used);
    }
    let upgrade_url = deps.config.upgrade_url.as_str();
    Err(Problem::plan_limit_exceeded(Meter::ApiCalls, &usage, upgrade_url))
}

async fn plan_status(
    deps: &ServerDeps,
    caller: &Caller,
    now: Timestamp,
) -> Result<Option<RateLimitMember>, Problem> {
    let (organization, plan) = (caller.organization.id, caller.plan.as_ref());
    if usage::calls_limit(plan).is_none() {
        return Ok(None);
    }
    Ok(member_of_plan(&usage::calls(deps, organization, plan, now).await?, now))
}

fn member_of_key(limit: u32, rate: &rate::RateLimitStatus) -> RateLimitMember {
    RateLimitMember {
        quota: limit,
        window: WINDOW.as_secs(),
        remaining: rate.remaining,
        resets_in: rate.resets_in,
    }
}

fn member_of_plan(usage: &Usage, now: Timestamp) -> Option<RateLimitMember> {
    Some(RateLimitMember {
        quota: usage.limit?,
        window: 24 * 60 * 60,
        remaining: usage.remaining()?,
        resets_in: usage.resets_at.since(now),
    })
}

impl LimitStatus {
    /// Replaces the limits that `later` contains. The other limit stays as it is.
    pub fn advance(&mut self, later: Option<Self>) {
        let Some(later) = later else { return };
        self.key = later.key.or(self.key.take());
        self.plan = later.plan.or(self.plan.take());
    }

    /// Writes the headers of the IETF draft `draft-ietf-httpapi-ratelimit-headers`.
    pub fn show(&self, headers: &mut HeaderMap) {
        let members = [("key", &self.key), ("plan", &self.plan)];
        let members = members.map(|(name, member)| member.as_ref().map(|it| (name, it)));
        let policy = listed(&members, |out, name, it| {
            write!(out, "\"{name}\";q={};w={}", it.quota, it.window)
        });
        let now = listed(&members, |out, name, it| {
            write!(out, "\"{name}\";r={};t={}", it.remaining, whole_seconds(it.resets_in))
        });
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", now)] {
            if let Some(value) = value {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// Returns the limits as a comma-separated list, or `None` if there are none.
fn listed(
    members: &[Option<(&str, &RateLimitMember)>],
    write_member: impl Fn(&mut String, &str, &RateLimitMember) -> fmt::Result,
) -> Option<HeaderValue> {
    let mut list = String::with_capacity(64);
    for (name, member) in members.iter().flatten() {
        if !list.is_empty() {
            list.push_str(", ");
        }
        write_member(&mut list, name, member).ok()?;
    }
    if list.is_empty() { None } else { HeaderValue::from_maybe_shared(list).ok() }
}
