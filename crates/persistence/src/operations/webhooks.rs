//! Operations on webhook endpoints and their deliveries.
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
    /// Returns an organization's events after one sequence and up to another, without their
    /// subjects.
    read feeds::events_between(after: i64, last: i64, limit: i64) -> Vec<Event>;
}

operations! {
    OwnerDb<owner>;
    read endpoints::list_own_endpoints() -> Vec<Endpoint>;
    read endpoints::endpoint(id: WebhookEndpointId) -> Option<Endpoint>;
    /// Creates an endpoint. Returns `false` if its owner already has `most` endpoints.
    write endpoints::insert_endpoint(new: Endpoint, most: i64) -> bool;
    write endpoints::change_endpoint(id: WebhookEndpointId, change: EndpointChange) -> bool;
    /// Replaces the secret of one of an owner's endpoints.
    write endpoints::rotate_endpoint(id: WebhookEndpointId, secret: Vec<u8>, until: Timestamp) -> bool;
    /// Enables or disables one of an owner's endpoints.
    write endpoints::switch_endpoint(id: WebhookEndpointId, on: bool, at: Timestamp) -> bool;
    write endpoints::delete_endpoint(id: WebhookEndpointId, at: Timestamp) -> bool;
    /// Sends a test event to an endpoint. Returns `false` if the owner has no such endpoint.
    write feeds::send_test(test: domain::event::NewEvent, delivery: Delivery, now: Timestamp) -> bool;
    /// Delivers the events of a period to an endpoint again.
    write feeds::replay(endpoint: WebhookEndpointId, from: Timestamp, to: Timestamp) -> i64;
    write deliveries::resend_delivery(endpoint: WebhookEndpointId, id: DeliveryId, now: Timestamp) -> bool;
    /// Returns the deliveries of an endpoint, the newest first.
    long_read delivery_lists::list_deliveries(endpoint: WebhookEndpointId, wanted: Option<DeliveryStatus>, after: Option<DeliveryId>, limit: i64) -> Vec<Delivery>;
    /// Returns one of an endpoint's deliveries, with its event and its attempts.
    read delivery_lists::delivery(endpoint: WebhookEndpointId, id: DeliveryId) -> Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>;
    /// Returns the number of an endpoint's deliveries per status, without those that succeeded. At
    /// most `most` of each status are counted.
    long_read delivery_lists::delivery_counts(endpoint: WebhookEndpointId, most: i64) -> BTreeMap<DeliveryStatus, i64>;
    /// Returns the answers to the last attempts of an endpoint's deliveries.
    read delivery_lists::last_answers(endpoint: WebhookEndpointId, deliveries: Vec<DeliveryId>) -> BTreeMap<DeliveryId, Option<i32>>;
}

operations! {
    OperatorDb;
    /// Deletes some of the rows of deleted endpoints, and returns how many.
    write_after endpoints::remove_endpoints(portion: i64) -> usize;
    /// Deletes some of the deliveries from before `cutoff`, and returns how many.
    write_after deliveries::delete_expired_deliveries(cutoff: Timestamp, portion: i64) -> usize;
    /// Deletes some of the feeds that have ended, and returns how many.
    write_after retention::delete_ended_feeds(portion: i64) -> usize;
    /// Returns a page of the webhook endpoints.
    read listing::list_endpoints(list_filter: ListFilter<id::WebhookEndpoint>) -> Vec<Endpoint>;
}

operations! {
    OperatorDb anywhere;
    /// Returns feeds that have unprocessed events.
    read feeds::lagging_feeds(after: i64, limit: i64) -> Vec<LaggingFeed>;
    /// Returns endpoints that have something due and are not claimed: the failing ones or the
    /// others.
    read endpoint_work::due_endpoints(failing: bool, limit: i64, now: Timestamp) -> Vec<Endpoint>;
    /// Returns, for endpoints that have something to do, when it is due and since when the endpoint
    /// has been failing.
    read endpoint_work::waiting_endpoints(most: i64) -> Vec<(Timestamp, Option<Timestamp>)>;
    /// Returns when something is next due at an unclaimed endpoint, failing or not.
    read endpoint_work::next_delivery_due(failing: bool, now: Timestamp) -> Option<Timestamp>;
}
