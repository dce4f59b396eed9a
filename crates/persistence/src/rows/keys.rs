//! Keys, their organizations and their usage.
use crate::schema::{accounts, keys, members, organizations, plans};
use crate::types::Col;
use diesel::prelude::*;
use domain::account::{AccountQuality, ChannelKind, Health, HealthReason, HealthState};
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
}

impl Account {
    /// How it is.
    #[must_use]
    pub fn known_health(&self) -> Health {
        Health {
            state: *self.health,
            reason: self.health_reason.map(|it| *it),
            message: self.health_message.clone(),
            since: self.health_since.map(|it| *it),
            quality: self.quality.map(|it| *it),
            limit: self.messaging_limit.clone(),
        }
    }

    /// As an event tells of it.
    #[must_use]
    pub fn snapshot(&self) -> AccountSnapshot {
        AccountSnapshot {
            id: *self.id,
            phone_number: self.phone_number.clone(),
            display_name: self.display_name.clone(),
            channel: *self.channel,
            health: self.known_health(),
        }
    }
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
}

impl From<Account> for ChannelAccess {
    fn from(row: Account) -> Self {
        let Account { id, channel, phone_number_id, waba_id, access_token, .. } = row;
        let Account { health, health_reason, health_message, probe_due_at, .. } = row;
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
