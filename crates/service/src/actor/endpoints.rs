//! Webhook endpoints, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::endpoints::{self, EndpointError, EndpointInput};
use auth::webhook::WebhookSecret;
use domain::id::DeliveryId;
use domain::role::MemberAction;
use domain::time::Timestamp;
use persistence::records::{Endpoint, Owner};

pub struct MemberEndpoints<'a> {
    actor: Actor<'a>,
    owner: Owner,
}

impl<'a> Actor<'a> {
    /// Returns the actions on the endpoints of the organization or of one of its applications.
    #[must_use]
    pub const fn endpoints(self, owner: Owner) -> MemberEndpoints<'a> {
        MemberEndpoints { actor: self, owner }
    }
}

type Result<T, E = EndpointError> = std::result::Result<T, ActionError<E>>;

impl MemberEndpoints<'_> {
    /// Creates an endpoint. Its secret is shown only here.
    pub async fn create(&self, input: EndpointInput<'_>) -> Result<(Endpoint, WebhookSecret)> {
        let created = |(it, _): &(Endpoint, WebhookSecret)| Some(AuditObject::new(it.id, &it.url));
        let work = endpoints::create(self.actor.deps, self.owner, input);
        self.actor.perform(MemberAction::EndpointCreated, work, created).await
    }

    /// Changes an endpoint. Returns `false` if it does not exist.
    pub async fn change(&self, endpoint: &Endpoint, input: EndpointInput<'_>) -> Result<bool> {
        let changed = |done: &bool| done.then(|| AuditObject::new(endpoint.id, input.url));
        let work = endpoints::change(self.actor.deps, self.owner, endpoint.id, input.into());
        self.actor.perform(MemberAction::EndpointUpdated, work, changed).await
    }

    /// Enables an endpoint. Returns `false` if it does not exist.
    pub async fn enable(&self, endpoint: &Endpoint) -> Result<bool, persistence::Error> {
        let work = endpoints::enable(self.actor.deps, self.owner, endpoint.id);
        let done = |done: &bool| object(endpoint, *done);
        self.actor.perform(MemberAction::EndpointEnabled, work, done).await
    }

    /// Disables an endpoint. Returns `false` if it does not exist.
    pub async fn disable(&self, endpoint: &Endpoint) -> Result<bool, persistence::Error> {
        let work = endpoints::disable(self.actor.deps, self.owner, endpoint.id);
        let done = |done: &bool| object(endpoint, *done);
        self.actor.perform(MemberAction::EndpointDisabled, work, done).await
    }

    /// Deletes an endpoint with its log. Returns `false` if it does not exist.
    pub async fn delete(&self, endpoint: &Endpoint) -> Result<bool, persistence::Error> {
        let work = endpoints::delete(self.actor.deps, self.owner, endpoint.id);
        let done = |done: &bool| object(endpoint, *done);
        self.actor.perform(MemberAction::EndpointDeleted, work, done).await
    }

    /// Gives an endpoint a new secret. Returns `None` if the endpoint does not exist.
    pub async fn rotate(&self, endpoint: &Endpoint) -> Result<Option<WebhookSecret>> {
        let work = endpoints::rotate(self.actor.deps, self.owner, endpoint.id);
        let done = |secret: &Option<_>| object(endpoint, secret.is_some());
        self.actor.perform(MemberAction::EndpointSecretRotated, work, done).await
    }

    /// Sends a test event. Returns `None` if the endpoint does not exist.
    pub async fn test(&self, endpoint: &Endpoint) -> Result<Option<DeliveryId>> {
        let work =
            endpoints::send_test(self.actor.deps, self.owner, self.actor.organization, endpoint);
        let done = |sent: &Option<_>| object(endpoint, sent.is_some());
        self.actor.perform(MemberAction::EndpointTested, work, done).await
    }

    /// Resends one delivery. Returns `false` if it does not exist.
    pub async fn resend_delivery(&self, endpoint: &Endpoint, delivery: DeliveryId) -> Result<bool> {
        let work = endpoints::resend_delivery(self.actor.deps, self.owner, endpoint, delivery);
        let done = |done: &bool| done.then(|| AuditObject::new(delivery, &endpoint.url));
        self.actor.perform(MemberAction::DeliveryResent, work, done).await
    }

    /// Delivers the events of a period again. Returns the number of events to scan.
    pub async fn replay(&self, endpoint: &Endpoint, from: Timestamp, to: Timestamp) -> Result<i64> {
        let work = endpoints::replay(self.actor.deps, self.owner, endpoint, from, to);
        let done = |_: &i64| object(endpoint, true);
        self.actor.perform(MemberAction::EndpointReplayed, work, done).await
    }
}

fn object(endpoint: &Endpoint, done: bool) -> Option<AuditObject> {
    done.then(|| AuditObject::new(endpoint.id, &endpoint.url))
}
