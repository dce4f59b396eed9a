//! Numbers, as members manage them. Members also play the customers of sandbox numbers.

use super::{ActionError, Actor, AuditObject};
use crate::admin::{AdminError, Created};
use crate::numbers::{self, NewNumber};
use crate::sandbox::{self, CustomerAction, CustomerActionError};
use domain::id::MessageId;
use domain::phone::PhoneNumber;
use domain::role::MemberAction;
use persistence::records::Account;

pub struct MemberNumbers<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn numbers(self) -> MemberNumbers<'a> {
        MemberNumbers(self)
    }
}

impl MemberNumbers<'_> {
    /// Connects a number. The first number of an organization is its default.
    pub async fn connect(&self, new: NewNumber<'_>) -> Result<Created, ActionError<AdminError>> {
        let work = numbers::connect(self.0.deps, self.0.organization, new);
        let connected = |it: &Created| Some(AuditObject::new(&it.id, &it.name));
        self.0.perform(MemberAction::NumberConnected, work, connected).await
    }

    /// Makes a number the organization's default.
    pub async fn make_default(
        &self,
        account: &Account,
    ) -> Result<bool, ActionError<persistence::Error>> {
        let work = numbers::make_default(self.0.deps, self.0.organization, account.id);
        let done = |done: &bool| done.then(|| object(account));
        self.0.perform(MemberAction::NumberMadeDefault, work, done).await
    }

    /// Declares a number healthy, with a new access token if one is given.
    pub async fn reconnect(
        &self,
        account: &Account,
        access_token: Option<&str>,
    ) -> Result<(), ActionError<AdminError>> {
        let (deps, organization) = (self.0.deps, self.0.organization);
        let work = numbers::reconnect(deps, organization, account.id, access_token);
        self.0.perform(MemberAction::NumberReconnected, work, |()| Some(object(account))).await
    }

    /// Writes to a sandbox number as one of its customers.
    pub async fn play_customer(
        &self,
        account: &Account,
        customer: &PhoneNumber,
        action: CustomerAction,
    ) -> Result<MessageId, ActionError<CustomerActionError>> {
        let (deps, organization) = (self.0.deps, self.0.organization);
        let work = sandbox::act_as_customer(deps, organization, account.id, customer, action);
        let played = |_: &MessageId| Some(object(account));
        self.0.perform(MemberAction::SandboxCustomerPlayed, work, played).await
    }
}

fn object(account: &Account) -> AuditObject {
    AuditObject::new(account.id, &account.display_name)
}
