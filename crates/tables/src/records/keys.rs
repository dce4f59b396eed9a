//! Keys, organizations and their usage.
use crate::schema::{accounts, key_uses, keys, members, organizations, plans};
use diesel::prelude::*;
use domain::account::pace::{Pace, Rate};
use domain::account::{
    AccountHealth, AccountQuality, ChannelKind, HealthReason, HealthState, Hold, Restriction,
};
use domain::connection::ConnectionCaps;
use domain::event::AccountSnapshot;
use domain::id::{AccountId, ConversationId, KeyId, MemberId, OrganizationId, PlanId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::plan::SubscriptionStatus;
use domain::time::Timestamp;

record! {
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
    pub struct Member of members {
        pub id: MemberId,
        pub email: String,
        pub name: String,
        pub password_hash: String,
        pub created_at: Timestamp,
        /// The time of the last request of a session, accurate to a few minutes.
        pub last_active_at: Option<Timestamp>,
    }
}

impl Member {
    /// Returns the member's name, or the email address if the member has no name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        if self.name.is_empty() { &self.email } else { &self.name }
    }
}

record! {
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
        /// The time at which one message is sent to test whether the channel accepts the account
        /// again, while the account is held.
        pub probe_due_at: Option<Timestamp>,
        /// The conversation whose first message is sent for that test.
        pub probe_conversation: Option<ConversationId>,
        pub restriction: Option<HealthReason>,
        pub restriction_message: Option<String>,
        pub restricted_at: Option<Timestamp>,
        pub restricted_until: Option<Timestamp>,
        pub held_by_status: bool,
        pub pace: Option<u32>,
        pub paced_at: Option<Timestamp>,
        /// When the channel last reported a message or a status of the account. Recorded at most
        /// once in ten minutes.
        pub last_callback_at: Option<Timestamp>,
    }
}

impl Account {
    /// Returns the stored health of the account.
    #[must_use]
    pub fn known_health(&self) -> AccountHealth {
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
        AccountHealth {
            hold,
            restriction,
            notice: self.health_message.clone().filter(|_| !is_held),
            well_since: self.health_since.filter(|_| !is_held),
            quality: self.quality,
            limit: self.messaging_limit.clone(),
            pace: pace(self.pace, self.paced_at),
        }
    }

    /// Sets the columns that store the account's health.
    pub fn set_health(&mut self, health: AccountHealth) {
        let AccountHealth { hold, restriction, notice, well_since, quality, limit, .. } = health;
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

    /// Returns the account as events show it.
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

/// The change that a health report made to an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthOutcome {
    /// Whether anything changed.
    pub changed: bool,
    /// Whether the account has stopped being held, so that its messages can be sent.
    pub lets_go: bool,
}

/// The conversations of an account that were released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// The number of released conversations.
    pub released: usize,
    /// Whether there are more conversations to release that no worker has claimed.
    pub left: bool,
}

/// The columns of an account that a request to its channel needs.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, QueryableByName, Selectable)]
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
    /// Returns the reduced send rate, if the channel slowed the account down.
    #[must_use]
    pub fn known_pace(&self) -> Option<Pace> {
        pace(self.pace, self.paced_at)
    }

    /// Whether the channel has reported that the account may not write to contacts in some country.
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
        pub messages_per_month: Option<u32>,
        pub expires_at: Option<Timestamp>,
    }
}

record! {
    /// The time of a key's last use. It has a table of its own, because the key's row is on every
    /// node and is read with each call.
    pub struct KeyUse of key_uses {
        pub organization_id: OrganizationId,
        pub key_id: KeyId,
        pub last_used_at: Timestamp,
    }
}

/// The monthly cap of a key's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageCap {
    pub key: KeyId,
    pub limit: u32,
}

impl Key {
    /// Returns the cap of messages, if the business set one.
    #[must_use]
    pub fn message_cap(&self) -> Option<MessageCap> {
        self.messages_per_month.map(|limit| MessageCap { key: self.id, limit })
    }

    /// Returns the id of the key if it belongs to a connection.
    #[must_use]
    pub fn connection_key(&self) -> Option<KeyId> {
        (self.kind == KeyKind::Connection).then_some(self.id)
    }

    /// Whether the key authenticates at `now`.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.state == KeyState::Active && self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns the caps of the key of a connection.
    #[must_use]
    pub const fn caps(&self) -> ConnectionCaps {
        ConnectionCaps {
            rate_limit: self.rate_limit,
            messages_per_month: self.messages_per_month,
            expires_at: self.expires_at,
        }
    }
}

/// A key with its organization and plan, read in one row.
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
    /// Returns the account that the key sends from: the one that it is bound to, otherwise the
    /// organization's default account.
    #[must_use]
    pub fn sends_from(&self) -> Option<AccountId> {
        self.key.account_id.or(self.organization.default_account_id)
    }
}

/// A key and its usage.
#[derive(Clone, Debug)]
pub struct CallerWithUsage {
    pub caller: Caller,
    /// The usage. It is read with the key, also for calls that are rejected, because a second query
    /// for the accepted calls would cost more.
    pub usage: KeyUsage,
}

/// The account that a key sends from, and the number of messages that its organization has sent.
#[derive(Clone, Debug)]
pub struct KeyUsage {
    /// The account that the key is bound to, otherwise the organization's default account.
    pub account: Option<Account>,
    /// The number of messages in the period.
    pub messages: u32,
}

/// A query for a key and its organization's usage in a period.
#[derive(Clone, Debug)]
pub struct CallerQuestion {
    /// The digest of the key's secret.
    pub secret_digest: Vec<u8>,
    /// The month for which messages are counted.
    pub period: i32,
}

/// A call that is to be counted against a daily ceiling.
#[derive(Clone, Copy, Debug)]
pub struct CountQuestion {
    /// The organization that the ceiling belongs to.
    pub organization: OrganizationId,
    pub period: i32,
    /// The ceiling, if there is one.
    pub limit: Option<u32>,
}

/// The result of counting a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Whether the ceiling admitted the call.
    pub admitted: bool,
    /// The number of calls used, with this one if it was admitted.
    pub used: u32,
}

/// A stored answer for a repeated request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The digest of the request body.
    pub body_digest: Vec<u8>,
    pub status: u16,
    /// The response body, byte for byte.
    pub answer: String,
}
