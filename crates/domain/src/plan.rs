//! Billing: who is let in at all, and how much a plan allows (`docs/contract.md#order-of-checks`).

use crate::keyword::keywords;
use crate::name::Name;
use crate::time::{Period, Timestamp};

keywords! {
    /// The status of a subscription.
    pub enum SubscriptionStatus {
        /// Paid: the only one that lets calls in.
        Active = "active",
        /// A payment is overdue.
        PastDue = "past_due",
        /// Ended.
        Canceled = "canceled",
        /// There never was one.
        None = "none",
    }
}

/// What an organization can subscribe to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its name, unique on this server.
    pub name: Name,
    /// Whether it includes the REST API.
    pub api_access: bool,
    /// The daily ceiling of API calls; `None` is no ceiling.
    pub api_calls_per_day: Option<u32>,
    /// The monthly allowance of messages; `None` is no allowance to keep.
    pub messages_per_month: Option<u32>,
}

/// Why billing refuses a call that has the right credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillingRefusal {
    /// No active subscription.
    SubscriptionRequired,
    /// An active one, to a plan without API access.
    PlanUpgradeRequired,
}

/// Whether billing lets a call in. Keys of connections are judged as any other.
pub fn admit(status: SubscriptionStatus, api_access: bool) -> Result<(), BillingRefusal> {
    match (status, api_access) {
        (SubscriptionStatus::Active, true) => Ok(()),
        (SubscriptionStatus::Active, false) => Err(BillingRefusal::PlanUpgradeRequired),
        _ => Err(BillingRefusal::SubscriptionRequired),
    }
}

keywords! {
    /// What a plan counts.
    pub enum Meter {
        /// Calls of the REST API, a day.
        ApiCalls = "api_calls",
        /// Messages sent, a month.
        Messages = "messages",
    }
}

impl Meter {
    /// The period that this counts in.
    #[must_use]
    pub fn period(self, now: Timestamp) -> Period {
        match self {
            Self::ApiCalls => Period::day(now),
            Self::Messages => Period::month(now),
        }
    }
}

/// How much of a ceiling is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The ceiling; `None` is no ceiling.
    pub limit: Option<u32>,
    /// What counts against it in this period.
    pub used: u32,
    /// When `used` is zero again.
    pub resets_at: Timestamp,
}

impl Usage {
    /// How much more is allowed.
    #[must_use]
    pub fn remaining(&self) -> Option<u32> {
        self.limit.map(|limit| limit.saturating_sub(self.used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword;

    #[test]
    fn what_is_left_of_a_ceiling_is_never_less_than_nothing() {
        let left =
            |limit, used| Usage { limit, used, resets_at: Timestamp::from_seconds(0) }.remaining();
        assert_eq!((left(None, 7), left(Some(10), 7)), (None, Some(3)));
        assert_eq!((left(Some(7), 7), left(Some(3), 7)), (Some(0), Some(0)));
    }

    #[test]
    fn only_an_active_subscription_with_api_access_gets_in() {
        for status in SubscriptionStatus::ALL.iter().copied() {
            for api_access in [true, false] {
                let expected = match status {
                    SubscriptionStatus::Active if api_access => Ok(()),
                    SubscriptionStatus::Active => Err(BillingRefusal::PlanUpgradeRequired),
                    _ => Err(BillingRefusal::SubscriptionRequired),
                };
                assert_eq!(admit(status, api_access), expected);
            }
        }
    }
}
