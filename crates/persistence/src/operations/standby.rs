//! The one list of what may be read from a standby: histories, lists, and single rows that are shown. All else stays on the
//! primary: what decides (authentication, limits, idempotency, sending), what is read in order to write, and what workers do.
use crate::Db;
use crate::records::{
    Account, Application, Attempt, Contact, ContactFilter, ConversationWithContact, Delivery,
    Endpoint, EventFilter, EventScan, EventWithSubject, Handshake, Key, ListedConnection, Message,
    Owner, PersonKey, Template, TemplateFilter,
};
use crate::seen::{Reader, Seen};
use domain::id::{
    AccountId, ApplicationId, ContactId, ConversationId, DeliveryId, KeyId, MessageId,
    OrganizationId, TemplateId, WebhookEndpointId,
};
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use std::collections::BTreeMap;

/// What of an organization may be read from a standby that has replayed what the caller has to see.
#[derive(Clone, Copy)]
pub struct OrganizationStandbyDb<'a> {
    db: &'a Db,
    organization: OrganizationId,
    seen: Seen,
}

/// The same of the webhook endpoints of one owner.
#[derive(Clone, Copy)]
pub struct OwnerStandbyDb<'a> {
    db: &'a Db,
    owner: Owner,
    seen: Seen,
}

impl Db {
    /// What of an organization may be read from a standby.
    #[must_use]
    pub const fn reads(&self, reader: Reader) -> OrganizationStandbyDb<'_> {
        let Reader { organization, seen } = reader;
        OrganizationStandbyDb { db: self, organization, seen }
    }

    /// What of an owner's endpoints may be read from a standby.
    #[must_use]
    pub const fn reads_of(&self, owner: Owner, seen: Seen) -> OwnerStandbyDb<'_> {
        OwnerStandbyDb { db: self, owner, seen }
    }
}

/// Makes queries methods of a handle: each is tried on the standby, if there is one, and else done on the primary.
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
                    super::query_of!(self.db, of; $kind $module::$name(of $(, $arg)*))
                })
            })*
        }
    };
}

reads! {
    OrganizationStandbyDb<organization>;
    /// The conversations with a person.
    read conversations::conversations_of(named: PersonKey) -> Vec<ConversationWithContact>;
    /// The messages of a conversation at these positions, newest or oldest first.
    read conversations::part(conversation: ConversationId, positions: (i64, i64), oldest_first: bool) -> Vec<Message>;
    /// A page of what was said in several conversations, newest or oldest first.
    long_read conversations::page_of_several(within: Vec<ConversationId>, oldest_first: bool, limit: i64, offset: i64) -> Vec<Message>;
    /// One of the organization's messages, or of one of its numbers.
    read conversations::message_with_contact(account: Option<AccountId>, id: MessageId) -> Option<(Message, Contact)>;
    /// The organization's contacts after one of them, the newest first.
    read contact_lists::contacts_page(wanted: ContactFilter, after: Option<ContactId>, limit: i64) -> Vec<ConversationWithContact>;
    /// An organization's events after a sequence, in order.
    read events::events_after(after: i64, limit: i64) -> Vec<EventWithSubject>;
    /// The wanted ones among the first `most` of the organization's events after a sequence, in order.
    long_read events::wanted_events(wanted: EventFilter, after: i64, limit: i64, most: i64) -> EventScan;
    /// One of the organization's templates.
    read templates::template(id: TemplateId) -> Option<Template>;
    /// The organization's newest templates of a filter that an index answers, and how many there are.
    read template_lists::newest_templates(wanted: TemplateFilter, limit: i64) -> (Vec<Template>, i64);
    /// A page of the organization's templates, and how many there are.
    long_read template_lists::templates_page(wanted: TemplateFilter, limit: i64, offset: i64) -> (Vec<Template>, i64);
    /// The organization's numbers, the oldest first.
    read accounts::accounts() -> Vec<Account>;
    /// The organization's keys after one of them, the newest first.
    read keys::keys_of(after: Option<KeyId>, limit: i64) -> Vec<Key>;
    /// When some of the organization's keys were last used; those that never were are left out.
    read key_uses::last_uses(of_keys: Vec<KeyId>) -> BTreeMap<KeyId, Timestamp>;
    /// The organization's applications.
    read applications::own_applications() -> Vec<Application>;
    /// The exchanges of one of the organization's applications, the newest first.
    read applications::handshakes(id: ApplicationId, since: Timestamp, limit: i64) -> Vec<(Handshake, Option<String>)>;
    /// The organization's connections, the active ones first.
    read grants::connections_of(limit: i64) -> Vec<ListedConnection>;
}

reads! {
    OwnerStandbyDb<owner>;
    /// An owner's endpoints.
    read endpoints::endpoints_of() -> Vec<Endpoint>;
    /// What was and is to be delivered to an endpoint, the newest first.
    long_read delivery_lists::deliveries_of(endpoint: WebhookEndpointId, wanted: Option<DeliveryStatus>, after: Option<DeliveryId>, limit: i64) -> Vec<Delivery>;
    /// One of an endpoint's deliveries, with its event and its attempts.
    read delivery_lists::delivery(endpoint: WebhookEndpointId, id: DeliveryId) -> Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>;
    /// How many of an endpoint's deliveries have which status, but for those that succeeded; `most` of each are counted.
    long_read delivery_lists::delivery_counts(endpoint: WebhookEndpointId, most: i64) -> BTreeMap<DeliveryStatus, i64>;
    /// What the last attempts at an endpoint's deliveries were answered.
    read delivery_lists::last_answers(endpoint: WebhookEndpointId, deliveries: Vec<DeliveryId>) -> BTreeMap<DeliveryId, Option<i32>>;
}
