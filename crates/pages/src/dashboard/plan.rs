//! `/plan`: the usage of the organization's plan and how to change the plan. Billing errors link
//! here.

use super::frame::{Frame, MemberContext};
use crate::browser::{ObjectState, PageError, PagePolicy, ShownTime, StateLabel, SupportContact};
use crate::dashboard::PLAN;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::OrganizationId;
use domain::number::with_commas;
use domain::plan::{SubscriptionStatus, Usage};
use http_layer::deps::ServerDeps;
use persistence::records::Plan;
use service::setup::FIRST_PLAN;
use service::usage;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "plan.html")]
struct PlanPage {
    frame: Frame,
    plan: Option<String>,
    status: StateLabel,
    api_access: bool,
    /// A sentence for each limit of the plan that is reached.
    reached: Vec<String>,
    meters: Vec<PlanRow>,
    /// The URL where the plan is changed, if it is not this page.
    upgrade: Option<String>,
    contact: Option<SupportContact>,
    /// The commands with which the operator gives the organization a plan. `None` if `upgrade_url`
    /// leads to another site, where plans are changed.
    commands: Option<PlanCommands>,
}

/// Commands of `switchboard admin` that give an organization an active subscription.
struct PlanCommands {
    /// The name of the plan.
    plan: String,
    /// Whether the first command creates the plan, because it does not exist yet.
    creates_plan: bool,
    /// The commands, one on each line.
    lines: String,
}

impl PlanCommands {
    /// Returns the commands for the organization's plan, or for the plan of a new server if the
    /// organization has none with API access. That plan is created if it does not exist: `plan set`
    /// would otherwise change it for all organizations.
    async fn of(
        deps: &ServerDeps,
        organization: OrganizationId,
        plan: Option<&Plan>,
    ) -> Result<Self, PageError> {
        let own = plan.filter(|plan| plan.api_access).map(|plan| plan.name.as_str());
        let creates_plan = own.is_none() && !usage::plan_exists(deps, FIRST_PLAN).await?;
        let plan = own.unwrap_or(FIRST_PLAN);
        let name = shell_word(plan);
        let mut lines = format!(
            "switchboard admin subscription set --organization {organization} --plan {name} --status active"
        );
        if creates_plan {
            lines = format!(
                "switchboard admin plan set --name {name} --api-access true --api-calls-per-day none --messages-per-month none\n{lines}"
            );
        }
        Ok(Self { plan: plan.to_owned(), creates_plan, lines })
    }
}

/// Returns a text as one word of a shell, in quotes if they are needed.
fn shell_word(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

struct PlanRow {
    id: &'static str,
    name: &'static str,
    used: u32,
    limit: Option<u32>,
    /// The usage and the limit as text.
    used_text: String,
    of_text: String,
    /// The maximum of the meter, at least 1, and the value from which it warns.
    scale: u32,
    high: u32,
    resets: ShownTime,
    /// The time of the reset as text.
    resets_on: String,
}

impl PlanRow {
    fn of(id: &'static str, name: &'static str, usage: &Usage) -> Self {
        let Usage { limit, used, resets_at } = *usage;
        let scale = limit.unwrap_or_default().max(1);
        let of_text = limit.map(|limit| format!("of {}", with_commas(limit.into())));
        Self {
            id,
            name,
            used,
            limit,
            used_text: with_commas(used.into()),
            of_text: of_text.unwrap_or_default(),
            scale,
            high: scale - scale / 5,
            resets: ShownTime::exact(resets_at),
            resets_on: ShownTime::in_words(resets_at),
        }
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let found = usage::plan(&deps, member_context.id()).await?;
    let (organization, plan) = found.ok_or(PageError::NotFound)?;
    let (now, id) = (deps.clock.now(), member_context.id());
    let calls = usage::calls(&deps, id, plan.as_ref(), now).await?;
    let messages = usage::messages(&deps, id, plan.as_ref(), now).await?;
    let meters = vec![
        PlanRow::of("api-calls", "API calls today", &calls),
        PlanRow::of("messages", "Messages this month", &messages),
    ];
    let status = match plan {
        Some(_) => organization.subscription_status,
        None => SubscriptionStatus::None,
    };
    let api_access = plan.as_ref().is_some_and(|plan| plan.api_access);
    let upgrade = &deps.config.upgrade_url;
    let own = format!("{}{PLAN}", deps.config.base_url);
    let upgrade = (*upgrade != own).then(|| upgrade.clone());
    let commands = match upgrade {
        None => Some(PlanCommands::of(&deps, id, plan.as_ref()).await?),
        Some(_) => None,
    };
    let page = PlanPage {
        frame: member_context.frame(PLAN),
        plan: plan.map(|plan| plan.name),
        status: state_of(status),
        api_access,
        reached: reached(&meters),
        meters,
        upgrade,
        contact: SupportContact::of(&deps.config.support_contact),
        commands,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn state_of(status: SubscriptionStatus) -> StateLabel {
    match status {
        SubscriptionStatus::Active => ObjectState::Active.label(),
        SubscriptionStatus::PastDue => ObjectState::Failing.saying("Payment overdue"),
        SubscriptionStatus::Canceled => ObjectState::Canceled.label(),
        SubscriptionStatus::None => ObjectState::Disabled.saying("No subscription"),
    }
}

fn reached(meters: &[PlanRow]) -> Vec<String> {
    let full = meters.iter().filter(|it| it.limit.is_some_and(|limit| it.used >= limit));
    let full = full.map(|it| match it.id {
        "messages" => {
            format!("This month’s messages are used up. More can be sent from {} on.", it.resets_on)
        }
        _ => format!("Today’s API calls are used up. Calls are refused until {}.", it.resets_on),
    });
    full.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_name_is_one_word_of_a_shell() {
        for (name, word) in [
            ("Pro", "Pro"),
            ("Self-hosted", "Self-hosted"),
            ("Pro 2", "'Pro 2'"),
            ("Bob's", r"'Bob'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("Größer", "'Größer'"),
        ] {
            assert_eq!(shell_word(name), word);
        }
    }
}
