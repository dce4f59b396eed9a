//! Keys, their organizations and their usage.
use crate::schema::{accounts, key_uses, keys, members, organizations, plans};
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

record! {
    /// A plan.
    pub struct Plan of plans {
        pub id: PlanId,
        pub name: String,
        pub api_access: bool,
        pub api_calls_per_day: Option<u32>,
        pub messages_per_month: Option<u32>,
        pub created_at: Timestamp,
    }
}

record! {
    /// An organization.
    pub struct Organization of organizations {
        pub id: OrganizationId,
        pub name: String,
        pub subscription_status: SubscriptionStatus,
        pub plan_id: Option<PlanId>,
        pub default_account_id: Option<AccountId>,
        pub created_at: Timestamp,
    }
}

record! {
    /// A member.
    pub struct Member of members {
        pub id: MemberId,
        pub email: String,
        pub name: String,
        pub password_hash: String,
        pub created_at: Timestamp,
    }
}

record! {
    /// A connected number.
    #[derive(PartialEq, Eq)]
    pub struct Account of accounts {
        pub id: AccountId,
        pub organization_id: OrganizationId,
        pub phone_number: String,
        pub display_name: String,
        pub channel: ChannelKind,
        pub connected_at: Timestamp,
        pub phone_number_id: Option<String>,
        pub waba_id: Option<String>,
        pub access_token: Option<Vec<u8>>,
        pub health: HealthState,
        pub health_reason: Option<HealthReason>,
        pub health_message: Option<String>,
        pub health_since: Option<Timestamp>,
        pub quality: Option<AccountQuality>,
        pub messaging_limit: Option<String>,
        /// While it is held: when a message is tried next.
        pub probe_due_at: Option<Timestamp>,
        /// While it is held: the conversation whose message that is.
        pub probe_conversation: Option<ConversationId>,
        pub restriction: Option<HealthReason>,
        pub restriction_message: Option<String>,
        pub restricted_at: Option<Timestamp>,
        pub restricted_until: Option<Timestamp>,
        pub held_by_status: bool,
        pub pace: Option<u32>,
        pub paced_at: Option<Timestamp>,
    }
}

impl Account {
    /// What is known of whether it can send.
    #[must_use]
    pub fn known_health(&self) -> Health {
        let is_held = self.health == HealthState::Held;
        let reason = self.health_reason.filter(|_| is_held);
        let hold = reason.zip(self.health_since).map(|(reason, since)| Hold {
            reason,
            message: self.health_message.clone().unwrap_or_default(),
            since,
            by_status: self.held_by_status,
        });
        let restriction = self.restriction.zip(self.restricted_at).map(|(reason, since)| {
            let message = self.restriction_message.clone().unwrap_or_default();
            let until = self.restricted_until;
            Restriction { reason, message, since, until }
        });
        Health {
            hold,
            restriction,
            notice: self.health_message.clone().filter(|_| !is_held),
            well_since: self.health_since.filter(|_| !is_held),
            quality: self.quality,
            limit: self.messaging_limit.clone(),
            pace: pace(self.pace, self.paced_at),
        }
    }

    /// The same, to be written down.
    pub fn set_health(&mut self, health: Health) {
        let Health { hold, restriction, notice, well_since, quality, limit, .. } = health;
        self.health = if hold.is_some() { HealthState::Held } else { HealthState::Ok };
        self.health_reason = hold.as_ref().map(|it| it.reason);
        self.health_since = hold.as_ref().map(|it| it.since).or(well_since);
        self.held_by_status = hold.as_ref().is_some_and(|it| it.by_status);
        self.health_message = hold.map(|it| it.message).or(notice);
        self.restriction = restriction.as_ref().map(|it| it.reason);
        self.restricted_at = restriction.as_ref().map(|it| it.since);
        self.restricted_until = restriction.as_ref().and_then(|it| it.until);
        self.restriction_message = restriction.map(|it| it.message);
        self.quality = quality;
        self.messaging_limit = limit;
    }

    /// As an event tells of it.
    #[must_use]
    pub fn snapshot(&self, at: Timestamp) -> AccountSnapshot {
        AccountSnapshot {
            id: self.id,
            phone_number: self.phone_number.clone(),
            display_name: self.display_name.clone(),
            channel: self.channel,
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
    pub id: AccountId,
    pub channel: ChannelKind,
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
    pub access_token: Option<Vec<u8>>,
    pub health: HealthState,
    pub health_reason: Option<HealthReason>,
    pub health_message: Option<String>,
    pub probe_due_at: Option<Timestamp>,
    pub held_by_status: bool,
    pub restriction: Option<HealthReason>,
    pub restricted_until: Option<Timestamp>,
    pub pace: Option<u32>,
    pub paced_at: Option<Timestamp>,
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
        self.restriction.is_some_and(|it| it == HealthReason::CountryRestricted)
            && self.restricted_until.is_none_or(|until| until > now)
    }
}

fn pace(rate: Option<u32>, since: Option<Timestamp>) -> Option<Pace> {
    rate.zip(since).map(|(rate, since)| Pace { rate: Rate(rate), since })
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

record! {
    /// A key.
    pub struct Key of keys {
        pub id: KeyId,
        pub organization_id: OrganizationId,
        pub client_id: String,
        pub secret_digest: Vec<u8>,
        pub name: String,
        pub kind: KeyKind,
        pub state: KeyState,
        pub account_id: Option<AccountId>,
        pub scopes: String,
        pub rate_limit: RateLimit,
        pub created_at: Timestamp,
    }
}

record! {
    /// When a key was last used. Not in the key's own row, which is on every node and read with each call.
    pub struct KeyUse of key_uses {
        pub organization_id: OrganizationId,
        pub key_id: KeyId,
        pub last_used_at: Timestamp,
    }
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

impl Caller {
    /// The number that the key sends from: the one that it is bound to, or else the organization's default.
    #[must_use]
    pub fn sends_from(&self) -> Option<AccountId> {
        self.key.account_id.or(self.organization.default_account_id)
    }
}

/// A current key, with its usage.
#[derive(Clone, Debug)]
pub struct CallerWithUsage {
    /// The key.
    pub caller: Caller,
    /// Read with it, also for a call that is refused: another question would cost more.
    pub usage: KeyUsage,
}

/// The number that a key sends from, and what its organization has sent.
#[derive(Clone, Debug)]
pub struct KeyUsage {
    /// The number that it is bound to, or else the organization's default.
    pub account: Option<Account>,
    /// The messages of the period.
    pub messages: u32,
}

/// A question for a key and what its organization has sent in a period.
#[derive(Clone, Debug)]
pub struct CallerQuestion {
    /// Of the key's secret.
    pub secret_digest: Vec<u8>,
    /// The month, as it is counted.
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
