//! Endpoints of webhooks and what is delivered to them.
use super::operations;
use crate::operations::{OperatorDb, OrganizationDb, OwnerDb};
use crate::records::{
    Attempt, Delivery, Endpoint, EndpointChange, Event, EventWithSubject, LaggingFeed, ListFilter,
};
use domain::id::{self, DeliveryId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use std::collections::BTreeMap;

operations! {
    OrganizationDb<organization>;
    /// An organization's events after one and up to another, without what they tell of.
    read feeds::events_between(after: i64, last: i64, limit: i64) -> Vec<Event>;
}

operations! {
    OwnerDb<owner>;
    /// An owner's endpoints.
    read endpoints::endpoints_of() -> Vec<Endpoint>;
    /// One of an owner's endpoints.
    read endpoints::endpoint(id: WebhookEndpointId) -> Option<Endpoint>;
    /// Makes an endpoint, if its owner has not `most` already.
    write endpoints::insert_endpoint(new: Endpoint, most: i64) -> bool;
    /// Changes one of an owner's endpoints.
    write endpoints::change_endpoint(id: WebhookEndpointId, change: EndpointChange) -> bool;
    /// Gives one of an owner's endpoints another secret.
    write endpoints::rotate_endpoint(id: WebhookEndpointId, secret: Vec<u8>, until: Timestamp) -> bool;
    /// Enables or disables one of an owner's endpoints.
    write endpoints::switch_endpoint(id: WebhookEndpointId, on: bool, at: Timestamp) -> bool;
    /// Deletes one of an owner's endpoints.
    write endpoints::delete_endpoint(id: WebhookEndpointId, at: Timestamp) -> bool;
    /// Puts a test of an endpoint on its way; `false` if the owner has no such endpoint.
    write feeds::send_test(test: domain::event::Event, delivery: Delivery, now: Timestamp) -> bool;
    /// Delivers an endpoint's events of a time again.
    write feeds::replay(endpoint: WebhookEndpointId, from: Timestamp, to: Timestamp) -> i64;
    /// Delivers once more.
    write deliveries::resend_delivery(endpoint: WebhookEndpointId, id: DeliveryId, now: Timestamp) -> bool;
    /// What was and is to be delivered to an endpoint, the newest first.
    long_read delivery_lists::deliveries_of(endpoint: WebhookEndpointId, wanted: Option<DeliveryStatus>, after: Option<DeliveryId>, limit: i64) -> Vec<Delivery>;
    /// One of an endpoint's deliveries, with its event and its attempts.
    read delivery_lists::delivery(endpoint: WebhookEndpointId, id: DeliveryId) -> Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>;
    /// How many of an endpoint's deliveries have which status, but for those that succeeded; `most` of each are counted.
    long_read delivery_lists::delivery_counts(endpoint: WebhookEndpointId, most: i64) -> BTreeMap<DeliveryStatus, i64>;
    /// What the last attempts at an endpoint's deliveries were answered.
    read delivery_lists::last_answers(endpoint: WebhookEndpointId, deliveries: Vec<DeliveryId>) -> BTreeMap<DeliveryId, Option<i32>>;
}

operations! {
    OperatorDb;
    /// Removes some of what is left of deleted endpoints; gives how much.
    write_after endpoints::remove_endpoints(portion: i64) -> usize;
    /// Forgets some deliveries from before `cutoff`; returns how many.
    write_after deliveries::forget_deliveries(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the feeds that are over; returns how many.
    write_after retention::forget_feeds(portion: i64) -> usize;
    /// A page of the webhook endpoints.
    read listing::list_endpoints(list_filter: ListFilter<id::WebhookEndpoint>) -> Vec<Endpoint>;
}

operations! {
    OperatorDb anywhere;
    /// Feeds with events that nobody has looked at.
    read feeds::lagging_feeds(after: i64, limit: i64) -> Vec<LaggingFeed>;
    /// Endpoints for which there is something to do and on which nobody is at work, those that are failing or those that are not.
    read endpoint_work::due_endpoints(failing: bool, limit: i64, now: Timestamp) -> Vec<Endpoint>;
    /// Of endpoints for which there is something to do, when it was due, and since when they have been failing.
    read endpoint_work::waiting_endpoints(most: i64) -> Vec<(Timestamp, Option<Timestamp>)>;
    /// When there is next something to do for such an endpoint that nobody is at work on.
    read endpoint_work::next_delivery_due(failing: bool, now: Timestamp) -> Option<Timestamp>;
}
