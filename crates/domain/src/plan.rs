//! Billing: which organizations may call the API, and how much their plans allow
//! (`docs/contract.md#order-of-checks`).

use crate::keyword::keywords;
use crate::time::{Period, Timestamp};
use std::time::Duration;

keywords! {
    pub enum SubscriptionStatus {
        /// The subscription is paid. The organization may call the API only if its subscription has
        /// this status.
        Active = "active",
        /// A payment is overdue.
        PastDue = "past_due",
        Canceled = "canceled",
        /// The organization never had a subscription.
        None = "none",
    }
}

/// The reason why an API call with valid credentials is refused because of billing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillingRefusal {
    /// There is no active subscription.
    SubscriptionRequired,
    /// The subscription's plan does not include API access.
    PlanUpgradeRequired,
}

/// Checks whether an organization's subscription allows an API call. `api_access` says whether the
/// plan includes API access. The rule is the same for calls with the key of a connection.
pub fn admit(status: SubscriptionStatus, api_access: bool) -> Result<(), BillingRefusal> {
    match (status, api_access) {
        (SubscriptionStatus::Active, true) => Ok(()),
        (SubscriptionStatus::Active, false) => Err(BillingRefusal::PlanUpgradeRequired),
        _ => Err(BillingRefusal::SubscriptionRequired),
    }
}

keywords! {
    /// A quantity that is counted per day or month, and that can have a limit.
    pub enum Meter {
        /// The calls of the REST API per day.
        ApiCalls = "api_calls",
        /// The messages that an organization sends per month.
        Messages = "messages",
        /// The messages that one connection sends per month. The organization, not the plan, sets
        /// this limit.
        ConnectionMessages = "connection_messages",
    }
}

impl Meter {
    /// Returns the period, a day or a month, in which this quantity is counted.
    #[must_use]
    pub fn period(self, now: Timestamp) -> Period {
        match self {
            Self::ApiCalls => Period::day(now),
            Self::Messages | Self::ConnectionMessages => Period::month(now),
        }
    }

    /// Returns the number of the period that precedes the period of `now`.
    #[must_use]
    pub fn number_before(self, now: Timestamp) -> i32 {
        match self {
            Self::ApiCalls => Period::day(now.minus(Duration::from_hours(24))).number,
            Self::Messages | Self::ConnectionMessages => match Period::month(now).number {
                january if january % 100 == 1 => january - 89,
                month => month - 1,
            },
        }
    }
}

/// The usage of a quantity in the current period, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The limit in the period, or `None` if there is no limit.
    pub limit: Option<u32>,
    /// The number of calls or messages in the period so far.
    pub used: u32,
    /// The end of the period, when `used` becomes zero again.
    pub resets_at: Timestamp,
}

impl Usage {
    /// Returns how many more are allowed in the period, or `None` if there is no limit.
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
        assert_eq!(left(None, 7), None);
        assert_eq!(left(Some(10), 7), Some(3));
        assert_eq!(left(Some(7), 7), Some(0));
        assert_eq!(left(Some(3), 7), Some(0));
    }

    #[test]
    fn a_period_follows_the_one_before() {
        let new_year = Timestamp::from_seconds(1_798_761_600);
        assert_eq!(Meter::Messages.period(new_year).number, 202_701);
        assert_eq!(Meter::Messages.number_before(new_year), 202_612);
        assert_eq!(Meter::ApiCalls.number_before(new_year), 20_261_231);
        let noon = Timestamp::from_seconds(1_795_262_400);
        assert_eq!(Meter::Messages.number_before(noon), 202_610);
        assert_eq!(Meter::ApiCalls.number_before(noon), 20_261_120);
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
