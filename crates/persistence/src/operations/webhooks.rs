//! Operations on webhook endpoints and their deliveries.
use super::{
    ApplicationDb, DbFuture, OperatorDb, OrganizationDb, OwnerDb, all_tenants_query,
    any_node_query, tenant_query,
};
use crate::records::{
    Delivery, DeliveryDetails, Endpoint, EndpointChange, Event, LaggingFeed, LastAnswer,
    ListFilter, LogPart,
};
use domain::event::EventKind;
use domain::id::{self, DeliveryId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use std::collections::BTreeMap;

impl<'a> OrganizationDb<'a> {
    /// Returns an organization's events after one sequence and up to another, without their
    /// subjects.
    pub fn events_between(self, after: i64, last: i64, limit: i64) -> DbFuture<'a, Vec<Event>> {
        tenant_query!(self.organization, read, feeds::events_between(after, last, limit))
    }
}

impl<'a> OwnerDb<'a> {
    pub fn list_own_endpoints(self) -> DbFuture<'a, Vec<Endpoint>> {
        tenant_query!(self.owner, read, endpoints::list_own_endpoints())
    }

    pub fn endpoint(self, id: WebhookEndpointId) -> DbFuture<'a, Option<Endpoint>> {
        tenant_query!(self.owner, read, endpoints::endpoint(id))
    }

    /// Creates an endpoint. Returns `false` if its owner already has `most` endpoints.
    pub fn insert_endpoint(self, new: Endpoint, most: i64) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, endpoints::insert_endpoint(new, most))
    }

    pub fn change_endpoint(
        self,
        id: WebhookEndpointId,
        change: EndpointChange,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, endpoints::change_endpoint(id, change))
    }

    /// Replaces the secret of one of an owner's endpoints.
    pub fn rotate_endpoint(
        self,
        id: WebhookEndpointId,
        secret: Vec<u8>,
        until: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, endpoints::rotate_endpoint(id, secret, until))
    }

    /// Enables or disables one of an owner's endpoints.
    pub fn switch_endpoint(
        self,
        id: WebhookEndpointId,
        on: bool,
        at: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, endpoints::switch_endpoint(id, on, at))
    }

    pub fn delete_endpoint(self, id: WebhookEndpointId, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, endpoints::delete_endpoint(id, at))
    }

    /// Sends a test event to an endpoint. Returns `false` if the owner has no such endpoint.
    pub fn send_test(
        self,
        test: domain::event::NewEvent,
        delivery: Delivery,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, feeds::send_test(test, delivery, now))
    }

    /// Delivers the events of a period to an endpoint again (a replay).
    pub fn replay(
        self,
        endpoint: WebhookEndpointId,
        from: Timestamp,
        to: Timestamp,
    ) -> DbFuture<'a, i64> {
        tenant_query!(self.owner, write, feeds::replay(endpoint, from, to))
    }

    pub fn resend_delivery(
        self,
        endpoint: WebhookEndpointId,
        id: DeliveryId,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.owner, write, deliveries::resend_delivery(endpoint, id, now))
    }

    /// Returns the deliveries of an endpoint, the newest first.
    pub fn list_deliveries(
        self,
        endpoint: WebhookEndpointId,
        wanted: Option<DeliveryStatus>,
        after: Option<DeliveryId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<Delivery>> {
        tenant_query!(
            self.owner,
            long_read,
            delivery_lists::list_deliveries(endpoint, wanted, after, limit)
        )
    }

    /// Returns one of an endpoint's deliveries, with its event and its attempts.
    pub fn delivery(
        self,
        endpoint: WebhookEndpointId,
        id: DeliveryId,
    ) -> DbFuture<'a, Option<DeliveryDetails>> {
        tenant_query!(self.owner, read, delivery_lists::delivery(endpoint, id))
    }

    /// Returns the number of an endpoint's deliveries per status, except those that succeeded. Each
    /// count stops at `most`.
    pub fn delivery_counts(
        self,
        endpoint: WebhookEndpointId,
        most: i64,
    ) -> DbFuture<'a, BTreeMap<DeliveryStatus, i64>> {
        tenant_query!(self.owner, long_read, delivery_lists::delivery_counts(endpoint, most))
    }

    /// Returns the results of the last attempts of an endpoint's deliveries.
    pub fn last_answers(
        self,
        endpoint: WebhookEndpointId,
        deliveries: Vec<DeliveryId>,
    ) -> DbFuture<'a, BTreeMap<DeliveryId, LastAnswer>> {
        tenant_query!(self.owner, read, delivery_lists::last_answers(endpoint, deliveries))
    }
}

impl<'a> OwnerDb<'a> {
    /// Reads the first `most` events of an application's log after `after`. Returns at most `page`
    /// of the events that match, or `None` if the application has no log yet.
    pub fn log_after(
        self,
        kinds: Option<Vec<EventKind>>,
        after: i64,
        page: usize,
        most: i64,
    ) -> DbFuture<'a, Option<LogPart>> {
        tenant_query!(
            self.owner,
            long_read,
            application_events::log_after(kinds, after, page, most)
        )
    }
}

impl<'a> ApplicationDb<'a> {
    /// Creates the log of an application, unless the application has one.
    pub fn begin_log(self, new: Endpoint) -> DbFuture<'a, ()> {
        tenant_query!(self.application, write, endpoints::begin_log(new))
    }

    /// Adds up to `limit` connections to the application's log. These connections are older than
    /// the log. Returns whether more of them may be left.
    pub fn follow_earlier_connections(self, limit: i64) -> DbFuture<'a, bool> {
        tenant_query!(self.application, write, feeds::follow_earlier_connections(limit))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes about `portion` rows of deleted endpoints, and returns how many.
    pub fn remove_endpoints(self, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, endpoints::remove_endpoints(portion))
    }

    /// Deletes up to `portion` of the events of applications' logs from before `cutoff`, and
    /// returns how many.
    pub fn delete_expired_log_events(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            application_events::delete_expired_log_events(cutoff, portion)
        )
    }

    /// Deletes up to `portion` of the deliveries from before `cutoff`, and returns how many.
    pub fn delete_expired_deliveries(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            deliveries::delete_expired_deliveries(cutoff, portion)
        )
    }

    /// Deletes up to `portion` of the feeds that have ended, and returns how many.
    pub fn delete_ended_feeds(self, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_ended_feeds(portion))
    }

    /// Returns a page of the webhook endpoints.
    pub fn list_endpoints(
        self,
        list_filter: ListFilter<id::WebhookEndpoint>,
    ) -> DbFuture<'a, Vec<Endpoint>> {
        all_tenants_query!(self, read, listing::list_endpoints(list_filter))
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns feeds that have unprocessed events.
    pub fn lagging_feeds(self, after: i64, limit: i64) -> DbFuture<'a, Vec<LaggingFeed>> {
        any_node_query!(self, read, feeds::lagging_feeds(after, limit))
    }

    /// Returns endpoints that have due deliveries and are not claimed. Depending on the argument,
    /// returns either only failing endpoints or only the others.
    pub fn due_endpoints(
        self,
        failing: bool,
        limit: i64,
        now: Timestamp,
    ) -> DbFuture<'a, Vec<Endpoint>> {
        any_node_query!(self, read, endpoint_work::due_endpoints(failing, limit, now))
    }

    /// Returns for each endpoint that has pending deliveries the time at which the next one is due,
    /// and the time since which the endpoint has been failing.
    pub fn waiting_endpoints(self, most: i64) -> DbFuture<'a, Vec<(Timestamp, Option<Timestamp>)>> {
        any_node_query!(self, read, endpoint_work::waiting_endpoints(most))
    }

    /// Returns when the next delivery of an unclaimed endpoint is due, among the failing endpoints
    /// or among the others.
    pub fn next_delivery_due(
        self,
        failing: bool,
        now: Timestamp,
    ) -> DbFuture<'a, Option<Timestamp>> {
        any_node_query!(self, read, endpoint_work::next_delivery_due(failing, now))
    }
}
