//! The list of everything that may be read from a standby: histories, lists, and single rows that
//! are shown. Everything else is read from the primary: what decides something (authentication,
//! limits, idempotency, sending), what is read in order to write, and what workers read.
use crate::Db;
use crate::records::{
    Account, Application, Attempt, AuditEntry, Contact, ContactFilter, ConversationWithContact,
    Delivery, DeliveryResults, Endpoint, EventFilter, EventScan, EventWithSubject, Handshake, Key,
    ListedConnection, ListedMember, Message, MessageFilter, MessageScan, Owner, PersonKey,
    Template, TemplateFilter,
};
use crate::seen::{Reader, Seen};
use domain::id::{
    AccountId, ApplicationId, ContactId, ConversationId, DeliveryId, KeyId, MemberId, MessageId,
    OrganizationId, TemplateId, WebhookEndpointId,
};
use domain::role::MemberAction;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use std::collections::BTreeMap;

/// The operations on one organization's rows that a standby may answer.
#[derive(Clone, Copy)]
pub struct OrganizationStandbyDb<'a> {
    db: &'a Db,
    organization: OrganizationId,
    seen: Seen,
}

/// The operations on one owner's webhook endpoints that a standby may answer.
#[derive(Clone, Copy)]
pub struct OwnerStandbyDb<'a> {
    db: &'a Db,
    owner: Owner,
    seen: Seen,
}

impl Db {
    /// Returns the operations on an organization's rows that a standby may answer.
    #[must_use]
    pub const fn reads(&self, reader: Reader) -> OrganizationStandbyDb<'_> {
        let Reader { organization, seen } = reader;
        OrganizationStandbyDb { db: self, organization, seen }
    }

    /// Returns the operations on an owner's endpoints that a standby may answer.
    #[must_use]
    pub const fn reads_of(&self, owner: Owner, seen: Seen) -> OwnerStandbyDb<'_> {
        OwnerStandbyDb { db: self, owner, seen }
    }
}

/// Declares queries as methods of a handle. Each is tried on the standby, if there is one, and
/// otherwise runs on the primary.
macro_rules! reads {
    ($handle:ident<$field:ident>; $($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl<'a> $handle<'a> {
            $($(#[$doc])*
            pub fn $name(self, $($arg: $type),*) -> super::Answer<'a, $out> {
                let of = self.$field;
                Box::pin(async move {
                    if let Db::Postgres(db) = self.db
                        && let Some((standby, position)) = db.standby_for(self.seen)
                    {
                        $(let $arg = Clone::clone(&$arg);)*
                        let read = standby.read(position, move |conn| {
                            Box::pin(crate::postgres::queries::$module::$name(conn, of $(, $arg)*))
                        });
                        if let Some(found) = read.await {
                            return Ok(found);
                        }
                    }
                    super::tenant_query!(self.db, of; $kind $module::$name(of $(, $arg)*))
                })
            })*
        }
    };
}

reads! {
    OrganizationStandbyDb<organization>;
    /// Returns the conversations with a contact.
    read conversations::list_conversations(named: PersonKey) -> Vec<ConversationWithContact>;
    /// Returns the messages of a conversation in a range of positions, newest or oldest first.
    read conversations::part(conversation: ConversationId, from: i64, to: i64, oldest_first: bool) -> Vec<Message>;
    /// Returns a page of the messages of several conversations, newest or oldest first.
    long_read conversations::list_conversation_messages(within: Vec<ConversationId>, oldest_first: bool, limit: i64, offset: i64) -> Vec<Message>;
    /// Returns one of the organization's messages, or of one of its accounts.
    read conversations::message_with_contact(account: Option<AccountId>, id: MessageId) -> Option<(Message, Contact)>;
    /// Returns the organization's newest messages that match, among `scan` messages before `before`.
    long_read message_lists::list_messages(filter: MessageFilter, before: Option<MessageId>, limit: i64, scan: i64) -> MessageScan;
    /// Returns the organization's contacts that follow one of them, newest first.
    read contact_lists::list_contacts(wanted: ContactFilter, after: Option<ContactId>, limit: i64) -> Vec<ConversationWithContact>;
    /// Returns an organization's events after a sequence, in order.
    read events::events_after(after: i64, limit: i64) -> Vec<EventWithSubject>;
    /// Returns the matching ones among the first `most` of the organization's events after a
    /// sequence, in order.
    long_read events::scan_events(wanted: EventFilter, after: i64, limit: i64, most: i64) -> EventScan;
    read templates::template(id: TemplateId) -> Option<Template>;
    /// Returns the organization's newest templates and their total, for a filter that an index
    /// answers.
    read template_lists::newest_templates(wanted: TemplateFilter, limit: i64) -> (Vec<Template>, i64);
    /// Returns a page of the organization's templates and their total.
    long_read template_lists::list_templates(wanted: TemplateFilter, limit: i64, offset: i64) -> (Vec<Template>, i64);
    /// Returns the organization's accounts, the oldest first.
    read accounts::accounts() -> Vec<Account>;
    /// Returns the newest audit entry about an object, among those with one of these actions.
    read audit::last_action_on(object_id: String, actions: Vec<MemberAction>) -> Option<AuditEntry>;
    /// Returns a member of the organization.
    read members::member_of_organization(member: MemberId) -> Option<ListedMember>;
    /// Returns the organization's keys after one of them, the newest first.
    read keys::list_own_keys(after: Option<KeyId>, limit: i64) -> Vec<Key>;
    /// Returns when some of the organization's keys were last used. Keys that were never used are
    /// left out.
    read key_uses::last_uses(of_keys: Vec<KeyId>) -> BTreeMap<KeyId, Timestamp>;
    read applications::own_applications() -> Vec<Application>;
    /// Returns the code exchanges of one of the organization's applications, the newest first.
    read applications::handshakes(id: ApplicationId, since: Timestamp, limit: i64) -> Vec<(Handshake, Option<String>)>;
    /// Returns the organization's connections, the active ones first.
    read grants::list_connections(limit: i64) -> Vec<ListedConnection>;
}

reads! {
    OwnerStandbyDb<owner>;
    read endpoints::list_own_endpoints() -> Vec<Endpoint>;
    /// Returns the deliveries of an endpoint, the newest first.
    long_read delivery_lists::list_deliveries(endpoint: WebhookEndpointId, wanted: Option<DeliveryStatus>, after: Option<DeliveryId>, limit: i64) -> Vec<Delivery>;
    /// Returns one of an endpoint's deliveries, with its event and its attempts.
    read delivery_lists::delivery(endpoint: WebhookEndpointId, id: DeliveryId) -> Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>;
    /// Returns the number of an endpoint's deliveries per status, without those that succeeded. At
    /// most `most` of each status are counted.
    long_read delivery_lists::delivery_counts(endpoint: WebhookEndpointId, most: i64) -> BTreeMap<DeliveryStatus, i64>;
    /// Returns the delivery of an event to an endpoint, with the event and the attempts.
    read delivery_lists::delivery_of_event(endpoint: WebhookEndpointId, organization: OrganizationId, sequence: i64) -> Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>;
    /// Returns the results of the newest deliveries to an endpoint, since a time.
    read delivery_lists::delivery_results(endpoint: WebhookEndpointId, since: Timestamp, most: i64) -> DeliveryResults;
    /// Returns the answers to the last attempts of an endpoint's deliveries.
    read delivery_lists::last_answers(endpoint: WebhookEndpointId, deliveries: Vec<DeliveryId>) -> BTreeMap<DeliveryId, Option<i32>>;
}
