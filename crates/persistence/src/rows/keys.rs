//! Keys, their organizations and their usage.
use crate::schema::{accounts, keys, members, organizations, plans};
use crate::types::Col;
use diesel::prelude::*;
use domain::account::pace::{Pace, Rate};
use domain::account::{
    AccountQuality, ChannelKind, Health, HealthReason, HealthState, Hold, Restriction,
};
use domain::event::AccountSnapshot;
use domain::id::{AccountId, ConversationId, KeyId, MemberId, OrganizationId, PlanId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::plan::SubscriptionStatus;
use domain::time::Timestamp;

/// A plan.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = plans, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Plan {
    pub id: Col<PlanId>,
    pub name: String,
    pub api_access: bool,
    pub api_calls_per_day: Option<Col<u32>>,
    pub messages_per_month: Option<Col<u32>>,
    pub created_at: Col<Timestamp>,
}

/// An organization.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = organizations, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Organization {
    pub id: Col<OrganizationId>,
    pub name: String,
    pub subscription_status: Col<SubscriptionStatus>,
    pub plan_id: Option<Col<PlanId>>,
    pub default_account_id: Option<Col<AccountId>>,
    pub created_at: Col<Timestamp>,
}

/// A member.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = members)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Member {
    pub id: Col<MemberId>,
    pub email: String,
    pub name: String,
    pub password_hash: String,
    pub created_at: Col<Timestamp>,
}

/// A connected number.
#[derive(Clone, Debug, PartialEq, Eq, Insertable, Queryable, Selectable)]
#[diesel(table_name = accounts, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Account {
    pub id: Col<AccountId>,
    pub organization_id: Col<OrganizationId>,
    pub phone_number: String,
    pub display_name: String,
    pub channel: Col<ChannelKind>,
    pub connected_at: Col<Timestamp>,
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
    pub access_token: Option<Vec<u8>>,
    pub health: Col<HealthState>,
    pub health_reason: Option<Col<HealthReason>>,
    pub health_message: Option<String>,
    pub health_since: Option<Col<Timestamp>>,
    pub quality: Option<Col<AccountQuality>>,
    pub messaging_limit: Option<String>,
    /// While it is held: when a message is tried next.
    pub probe_due_at: Option<Col<Timestamp>>,
    /// While it is held: the conversation whose message that is.
    pub probe_conversation: Option<Col<ConversationId>>,
    pub restriction: Option<Col<HealthReason>>,
    pub restriction_message: Option<String>,
    pub restricted_at: Option<Col<Timestamp>>,
    pub restricted_until: Option<Col<Timestamp>>,
    pub held_by_status: bool,
    pub pace: Option<Col<u32>>,
    pub paced_at: Option<Col<Timestamp>>,
}

impl Account {
    /// What is known of whether it can send.
    #[must_use]
    pub fn known_health(&self) -> Health {
        let is_held = *self.health == HealthState::Held;
        let reason = self.health_reason.filter(|_| is_held);
        let hold = reason.zip(self.health_since).map(|(reason, since)| Hold {
            reason: *reason,
            message: self.health_message.clone().unwrap_or_default(),
            since: *since,
            by_status: self.held_by_status,
        });
        let restriction = self.restriction.zip(self.restricted_at).map(|(reason, since)| {
            let message = self.restriction_message.clone().unwrap_or_default();
            let until = self.restricted_until.map(|it| *it);
            Restriction { reason: *reason, message, since: *since, until }
        });
        Health {
            hold,
            restriction,
            notice: self.health_message.clone().filter(|_| !is_held),
            well_since: self.health_since.map(|it| *it).filter(|_| !is_held),
            quality: self.quality.map(|it| *it),
            limit: self.messaging_limit.clone(),
            pace: pace(self.pace, self.paced_at),
        }
    }

    /// The same, to be written down.
    pub(crate) fn set_health(&mut self, health: Health) {
        let Health { hold, restriction, notice, well_since, quality, limit, .. } = health;
        self.health = Col(if hold.is_some() { HealthState::Held } else { HealthState::Ok });
        self.health_reason = hold.as_ref().map(|it| Col(it.reason));
        self.health_since = hold.as_ref().map(|it| it.since).or(well_since).map(Col);
        self.held_by_status = hold.as_ref().is_some_and(|it| it.by_status);
        self.health_message = hold.map(|it| it.message).or(notice);
        self.restriction = restriction.as_ref().map(|it| Col(it.reason));
        self.restricted_at = restriction.as_ref().map(|it| Col(it.since));
        self.restricted_until = restriction.as_ref().and_then(|it| it.until).map(Col);
        self.restriction_message = restriction.map(|it| it.message);
        self.quality = quality.map(Col);
        self.messaging_limit = limit;
    }

    /// As an event tells of it.
    #[must_use]
    pub fn snapshot(&self, at: Timestamp) -> AccountSnapshot {
        AccountSnapshot {
            id: *self.id,
            phone_number: self.phone_number.clone(),
            display_name: self.display_name.clone(),
            channel: *self.channel,
            health: self.known_health().at(at),
        }
    }
}

/// What a report of a number's health has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthOutcome {
    /// Whether anything is otherwise than before.
    pub changed: bool,
    /// Whether it is held no longer, so that its messages are to be let go.
    pub lets_go: bool,
}

/// Conversations of a number that were let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// How many.
    pub released: usize,
    /// Whether others still wait that nobody works on.
    pub left: bool,
}

/// How the channel is reached for a number.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = accounts)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct ChannelAccess {
    pub id: Col<AccountId>,
    pub channel: Col<ChannelKind>,
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
    pub access_token: Option<Vec<u8>>,
    pub health: Col<HealthState>,
    pub health_reason: Option<Col<HealthReason>>,
    pub health_message: Option<String>,
    pub probe_due_at: Option<Col<Timestamp>>,
    pub held_by_status: bool,
    pub restriction: Option<Col<HealthReason>>,
    pub restricted_until: Option<Col<Timestamp>>,
    pub pace: Option<Col<u32>>,
    pub paced_at: Option<Col<Timestamp>>,
}

impl ChannelAccess {
    /// How fast it sends since the channel slowed it down.
    #[must_use]
    pub fn known_pace(&self) -> Option<Pace> {
        pace(self.pace, self.paced_at)
    }

    /// Whether it is known that the number may not write to people in some country.
    #[must_use]
    pub fn bars_a_country(&self, now: Timestamp) -> bool {
        self.restriction.is_some_and(|it| *it == HealthReason::CountryRestricted)
            && self.restricted_until.is_none_or(|until| *until > now)
    }
}

fn pace(rate: Option<Col<u32>>, since: Option<Col<Timestamp>>) -> Option<Pace> {
    rate.zip(since).map(|(rate, since)| Pace { rate: Rate(*rate), since: *since })
}

impl From<Account> for ChannelAccess {
    fn from(row: Account) -> Self {
        let Account { id, channel, phone_number_id, waba_id, access_token, .. } = row;
        let Account { health, health_reason, health_message, probe_due_at, .. } = row;
        let Account { held_by_status, restriction, restricted_until, pace, paced_at, .. } = row;
        Self {
            id,
            channel,
            phone_number_id,
            waba_id,
            access_token,
            health,
            health_reason,
            health_message,
            probe_due_at,
            held_by_status,
            restriction,
            restricted_until,
            pace,
            paced_at,
        }
    }
}

/// A key.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = keys, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Key {
    pub id: Col<KeyId>,
    pub organization_id: Col<OrganizationId>,
    pub client_id: String,
    pub secret_digest: Vec<u8>,
    pub name: String,
    pub kind: Col<KeyKind>,
    pub state: Col<KeyState>,
    pub account_id: Option<Col<AccountId>>,
    pub scopes: String,
    pub rate_limit: Col<RateLimit>,
    pub created_at: Col<Timestamp>,
    pub last_used_at: Option<Col<Timestamp>>,
}

/// Current key: one row over key, organization and plan.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = keys)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct Caller {
    #[diesel(embed)]
    pub key: Key,
    #[diesel(embed)]
    pub organization: Organization,
    #[diesel(embed)]
    pub plan: Option<Plan>,
}

/// A question for a number and the messages that its organization has sent in a period.
#[derive(Clone, Copy, Debug)]
pub struct AccountWithUsage {
    /// Whose.
    pub organization: OrganizationId,
    /// Which number.
    pub account: AccountId,
    /// In which period.
    pub period: i32,
}

/// A call that wants to be counted against a day's ceiling.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Whose ceiling.
    pub organization: OrganizationId,
    /// The day.
    pub period: i32,
    /// The ceiling, if there is one.
    pub limit: Option<u32>,
}

/// How a count went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Whether there was room.
    pub admitted: bool,
    /// What is used now, this one included if it was admitted.
    pub used: u32,
}

/// An answer that was given once and is given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Of the body that it answered.
    pub body_digest: Vec<u8>,
    /// The HTTP status.
    pub status: u16,
    /// The body, byte for byte.
    pub answer: String,
}
