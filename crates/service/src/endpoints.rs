//! Endpoints of webhooks, as members manage them.

use crate::Deps;
use crate::outbound::Unreachable;
use crate::sealing::SealingError;
use auth::webhook::{SIGNS_ALONG, WebhookSecret};
use domain::event::EventKind;
use domain::id::{DeliveryId, OrganizationId, WebhookEndpointId};
use domain::webhook::{
    DeliveryState, EndpointState, EndpointUrl, InvalidEndpointUrl, InvalidSelection, MAX_ENDPOINTS,
    Selection,
};
use domain::{application, time::Timestamp};
use persistence::rows::{About, Delivery, Endpoint, EndpointChange, NewEvent, Owner};

/// The endpoints of one owner.
pub struct Endpoints<'a> {
    /// What they are kept and reached with.
    pub deps: &'a Deps,
    /// Whose they are.
    pub owner: Owner,
    /// The organization whose member is at work; the owner, or the owner of the application.
    pub organization: OrganizationId,
}

/// The input of a member for an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct EndpointInput<'a> {
    /// Where events are sent.
    pub url: &'a str,
    /// What it is for; may be empty.
    pub description: &'a str,
    /// Which events.
    pub events: Selection,
}

/// What can be done about an address that is not gone to.
const fn remedy(why: &Unreachable) -> &'static str {
    match why {
        Unreachable::NoAddress => "",
        Unreachable::NotPublic(_) => {
            " Whoever runs this server can allow its network with SWITCHBOARD_WEBHOOK_ALLOW."
        }
    }
}

/// Why a member's request is refused.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The URL is none.
    #[error("{0}")]
    Url(#[from] InvalidEndpointUrl),
    /// It leads where nobody may.
    #[error("This URL cannot be called: {why}.{remedy}", why = .0, remedy = remedy(.0))]
    Unreachable(#[from] Unreachable),
    /// No event, or one that there is not.
    #[error("{0}")]
    Events(#[from] InvalidSelection),
    /// A description that is none.
    #[error("A description has at most 200 characters, and none that cannot be seen.")]
    Description,
    /// One more than allowed.
    #[error("There are already {MAX_ENDPOINTS} endpoints. Delete one that you no longer need.")]
    TooMany,
    /// The secret cannot be sealed.
    #[error(transparent)]
    Sealing(#[from] SealingError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl Endpoints<'_> {
    /// Makes an endpoint; its secret is shown this once.
    pub async fn create(
        &self,
        endpoint_input: EndpointInput<'_>,
    ) -> Result<(Endpoint, WebhookSecret), EndpointError> {
        let change = self.read(endpoint_input)?;
        let now = self.deps.clock.now();
        let id = self.deps.id::<domain::id::WebhookEndpoint>(now);
        let (secret, sealed) = self.generate_secret(id)?;
        let new = Endpoint {
            id: id.into(),
            organization_id: self.owner.organization(),
            application_id: self.owner.application(),
            url: change.url,
            description: change.description,
            events: change.events,
            state: EndpointState::Enabled.into(),
            disabled_reason: None,
            disabled_at: None,
            secret: sealed,
            previous_secret: None,
            previous_until: None,
            failing_since: None,
            due_at: None,
            claimed_until: None,
            created_at: now.into(),
        };
        let made =
            self.deps.db.owner(self.owner).insert_endpoint(new.clone(), MAX_ENDPOINTS.into());
        if made.await? { Ok((new, secret)) } else { Err(EndpointError::TooMany) }
    }

    /// Changes an endpoint; `false` if there is none of that id.
    pub async fn change(
        &self,
        id: WebhookEndpointId,
        endpoint_input: EndpointInput<'_>,
    ) -> Result<bool, EndpointError> {
        let change = self.read(endpoint_input)?;
        Ok(self.deps.db.owner(self.owner).change_endpoint(id, change).await?)
    }

    /// Gives an endpoint another secret; for a day the one before signs along.
    pub async fn rotate(
        &self,
        id: WebhookEndpointId,
    ) -> Result<Option<WebhookSecret>, EndpointError> {
        let (secret, sealed) = self.generate_secret(id)?;
        let until = self.deps.clock.now().plus(SIGNS_ALONG);
        let rotated = self.deps.db.owner(self.owner).rotate_endpoint(id, sealed, until).await?;
        Ok(rotated.then_some(secret))
    }

    /// Sends an endpoint a test, which is an event like any other; `false` if there is no such endpoint.
    pub async fn test(&self, endpoint: &Endpoint) -> Result<bool, EndpointError> {
        let now = self.deps.clock.now();
        let id = self.deps.id::<domain::id::Delivery>(now);
        let news = NewEvent {
            organization: self.organization,
            account: None,
            kind: EventKind::WebhookTest,
            about: About::Endpoint(*endpoint.id),
            data: None,
            at: now,
        };
        let delivery = Delivery {
            id: id.into(),
            endpoint_id: endpoint.id,
            organization_id: self.organization.into(),
            // These two are known when the event has its number.
            sequence: 0,
            event_id: self.deps.id::<domain::id::Event>(now).into(),
            kind: EventKind::WebhookTest.into(),
            state: DeliveryState::Pending.into(),
            attempts: 0,
            failures: 0,
            due_at: Some(now.into()),
            created_at: now.into(),
            completed_at: None,
        };
        let sent = self.deps.db.owner(self.owner).send_test(news, delivery, now).await?;
        self.deps.wakeups.delivering.notify_waiters();
        Ok(sent)
    }

    /// Delivers once more what has been delivered, or given up; `false` if there is no such delivery.
    pub async fn resend_delivery(
        &self,
        endpoint: &Endpoint,
        delivery: DeliveryId,
    ) -> Result<bool, EndpointError> {
        let now = self.deps.clock.now();
        let found =
            self.deps.db.owner(self.owner).resend_delivery(*endpoint.id, delivery, now).await?;
        self.deps.wakeups.delivering.notify_waiters();
        Ok(found)
    }

    /// Delivers the events of a time again; returns how many there are to scan.
    pub async fn replay(
        &self,
        endpoint: &Endpoint,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<i64, EndpointError> {
        let found = self.deps.db.owner(self.owner).replay(*endpoint.id, from, to).await?;
        self.deps.wakeups.events_recorded.notify_one();
        Ok(found)
    }

    fn read(&self, endpoint_input: EndpointInput<'_>) -> Result<EndpointChange, EndpointError> {
        let url = EndpointUrl::parse(endpoint_input.url)?;
        self.deps.outbound.guarded.judge(url.as_str())?;
        let description = application::description(endpoint_input.description);
        Ok(EndpointChange {
            url: url.to_string(),
            description: description.map_err(|_| EndpointError::Description)?,
            events: endpoint_input.events.written(),
        })
    }

    fn generate_secret(
        &self,
        owner: WebhookEndpointId,
    ) -> Result<(WebhookSecret, Vec<u8>), SealingError> {
        let Deps { entropy, sealing, .. } = self.deps;
        let secret = WebhookSecret::new(entropy.bytes());
        let sealed =
            sealing.seal(&secret.reveal(), &owner.to_string(), entropy.bytes(), entropy.bytes())?;
        Ok((secret, sealed))
    }
}
