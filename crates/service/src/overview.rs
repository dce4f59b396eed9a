//! The content of Home: the first steps of an organization, and what needs attention. The number of
//! rows that are read does not grow with the number of messages.

use crate::endpoints;
use crate::keys::{self, ListedKey};
use crate::usage;
use domain::account::HealthState;
use domain::key::KeyFilter;
use domain::message::{Direction, MessageStatus};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use domain::webhook::{DeliveryStatus, DisabledReason, EndpointState};
use persistence::records::{Account, ContactFilter, Endpoint, Message, Owner};
use persistence::{Reader, Result};
use platform::Deps;

/// Number of contacts, the newest ones, in whose conversations an outbound message is looked for,
/// and the number of messages that are read of each.
const LOOKED_AT: i64 = 5;
/// The part of a limit, in percent, from which a meter needs attention.
const NEARLY_USED: u64 = 80;

/// The progress of an organization, and its usage.
pub struct Overview {
    /// The organization's accounts, in the order in which they were connected.
    pub accounts: Vec<Account>,
    /// An outbound message of the organization, if one was found.
    pub message: Option<Message>,
    /// The newest of the keys that were used. If none was used, the newest key.
    pub key: Option<ListedKey>,
    /// The organization's own webhook endpoints.
    pub endpoints: Vec<Endpoint>,
    /// Whether an endpoint has accepted a delivery.
    pub is_verified: bool,
    /// Calls of today, and yesterday's.
    pub calls: (Usage, u32),
    /// Messages of this month, and last month's.
    pub messages: (Usage, u32),
}

/// Something that a member should look at.
pub enum Attention<'a> {
    /// An endpoint whose deliveries have failed since this time.
    EndpointFails(&'a Endpoint, Timestamp),
    /// An endpoint that was disabled because its deliveries failed.
    EndpointDisabled(&'a Endpoint),
    /// An account that is held or restricted.
    Number(&'a Account, HealthState),
    /// A limit of the plan that is nearly reached, and the percentage.
    Limit(Meter, Usage, u64),
}

/// Loads the overview of an organization with these accounts, in the order in which they were
/// connected.
pub async fn load(deps: &Deps, reader: Reader, accounts: Vec<Account>) -> Result<Overview> {
    let (now, organization) = (deps.clock.now(), reader.organization);
    let keys = keys::page(deps, reader, &KeyFilter::default(), None).await?.keys;
    let used = keys.iter().position(|it| it.last_used_at.is_some());
    let key = keys.into_iter().nth(used.unwrap_or_default());
    let owner = Owner::Organization(organization);
    let endpoints = endpoints::list(deps, owner, reader.seen).await?;
    let (mut is_verified, succeeded) = (false, Some(DeliveryStatus::Succeeded));
    for endpoint in &endpoints {
        let (seen, id) = (reader.seen, endpoint.id);
        let page = endpoints::deliveries(deps, owner, seen, id, succeeded, None, 1).await?;
        is_verified |= !page.deliveries.is_empty();
        if is_verified {
            break;
        }
    }
    let found = usage::plan(deps, organization).await?;
    let plan = found.and_then(|(_, plan)| plan);
    let calls = usage::calls(deps, organization, plan.as_ref(), now).await?;
    let messages = usage::messages(deps, organization, plan.as_ref(), now).await?;
    let theirs = deps.db.organization(organization);
    Ok(Overview {
        message: outbound_message(deps, reader).await?,
        calls: (calls, theirs.used(Meter::ApiCalls, Meter::ApiCalls.number_before(now)).await?),
        messages: (
            messages,
            theirs.used(Meter::Messages, Meter::Messages.number_before(now)).await?,
        ),
        accounts,
        key,
        endpoints,
        is_verified,
    })
}

impl Overview {
    /// Whether a message was sent and a key was used. Then the first steps are done.
    #[must_use]
    pub fn has_started(&self) -> bool {
        self.message.is_some() && self.key.as_ref().is_some_and(|it| it.last_used_at.is_some())
    }

    /// Lists what needs attention.
    #[must_use]
    pub fn attention(&self, now: Timestamp) -> Vec<Attention<'_>> {
        let endpoints = self.endpoints.iter().filter_map(endpoint_attention);
        let numbers = self.accounts.iter().filter_map(|it| {
            let state = it.known_health().at(now).state;
            (state != HealthState::Ok).then_some(Attention::Number(it, state))
        });
        let meters = [(Meter::ApiCalls, self.calls.0), (Meter::Messages, self.messages.0)];
        let limits = meters.into_iter().filter_map(|(meter, usage)| {
            let percent = u64::from(usage.used) * 100 / u64::from(usage.limit?.max(1));
            (percent >= NEARLY_USED).then_some(Attention::Limit(meter, usage, percent))
        });
        endpoints.chain(numbers).chain(limits).collect()
    }
}

/// Returns the problem of an endpoint that a member should look at, if there is one.
#[must_use]
pub fn endpoint_attention(endpoint: &Endpoint) -> Option<Attention<'_>> {
    match (endpoint.state, endpoint.failing_since) {
        (EndpointState::Enabled, Some(since)) => Some(Attention::EndpointFails(endpoint, since)),
        (EndpointState::Disabled, _)
            if endpoint.disabled_reason.is_some_and(|why| why != DisabledReason::ByMember) =>
        {
            Some(Attention::EndpointDisabled(endpoint))
        }
        _ => None,
    }
}

/// Returns an outbound message from the first messages with the newest contacts, preferably one
/// that was read.
async fn outbound_message(deps: &Deps, reader: Reader) -> Result<Option<Message>> {
    let reads = deps.db.reads(reader);
    let newest = reads.list_contacts(ContactFilter::default(), None, LOOKED_AT).await?;
    for row in newest.into_iter().filter(|it| it.conversation.message_count > 0) {
        let first = reads.part(row.conversation.id, 1, LOOKED_AT, true).await?;
        let outbound = first.into_iter().filter(|it| it.direction == Direction::Outbound);
        if let Some(message) = outbound.max_by_key(|it| it.status == MessageStatus::Read) {
            return Ok(Some(message));
        }
    }
    Ok(None)
}
