//! The list of all reads that a standby may answer: histories, lists, and single rows for display.
//! All other reads go to the primary: reads on which a decision depends (authentication, limits,
//! idempotency, sending), reads that are followed by a write of the same data, and reads of
//! workers.
use super::{DbFuture, run_for_tenant};
use crate::Db;
use crate::records::{
    Account, Application, Attempt, AuditEntry, Contact, ContactFilter, ConversationWithContact,
    Delivery, DeliveryDetails, DeliveryResults, Endpoint, EventFilter, EventResend, EventScan,
    EventWithSubject, Handshake, InboxAttention, InboxConversation, InboxCursor, InboxFilter,
    InboxMemberSettings, InboxMemberState, InboxPart, Key, LastAnswer, ListedConnection,
    ListedMember, Member, Message, MessageFilter, MessageScan, Note, Owner, PersonKey, SavedReply,
    Template, TemplateCount, TemplateFilter,
};
use crate::seen::{Reader, Seen};
use domain::id::{
    AccountId, ApplicationId, ContactId, ConversationId, DeliveryId, KeyId, MemberId, MessageId,
    NoteId, OrganizationId, SavedReplyId, SubjectId, TemplateId, WebhookEndpointId,
};
use domain::role::{MemberAction, VisibleConversations};
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

/// The body of an operation that is tried on the standby, if there is one, and otherwise runs on
/// the primary.
macro_rules! standby_query {
    (
        $handle:ident.$tenant:ident, $kind:ident,
        $module:ident::$name:ident($($arg:ident),* $(,)?)
    ) => {{
        let tenant = $handle.$tenant;
        Box::pin(async move {
            if let Db::Postgres(db) = $handle.db
                && let Some((standby, position)) = db.standby_for($handle.seen)
            {
                $(let $arg = Clone::clone(&$arg);)*
                let read = standby.read(position, move |conn| {
                    Box::pin(crate::postgres::queries::$module::$name(conn, tenant $(, $arg)*))
                });
                if let Some(answer) = read.await {
                    return Ok(answer);
                }
            }
            run_for_tenant!($handle.db, tenant, $kind, $module::$name(tenant $(, $arg)*))
        })
    }};
}

impl<'a> OrganizationStandbyDb<'a> {
    /// Returns the conversations with a contact.
    pub fn list_conversations(
        self,
        named: PersonKey,
    ) -> DbFuture<'a, Vec<ConversationWithContact>> {
        standby_query!(self.organization, read, conversations::list_conversations(named))
    }

    /// Returns the messages of a conversation in a range of positions, newest or oldest first.
    pub fn part(
        self,
        conversation: ConversationId,
        from: i64,
        to: i64,
        oldest_first: bool,
    ) -> DbFuture<'a, Vec<Message>> {
        standby_query!(
            self.organization,
            read,
            conversations::part(conversation, from, to, oldest_first)
        )
    }

    /// Returns the ids of the organization's newest failed messages.
    pub fn newest_failed_messages(self, limit: i64) -> DbFuture<'a, Vec<MessageId>> {
        standby_query!(self.organization, read, message_lists::newest_failed_messages(limit))
    }

    /// Returns a page of the messages of several conversations, newest or oldest first.
    pub fn list_conversation_messages(
        self,
        within: Vec<ConversationId>,
        oldest_first: bool,
        limit: i64,
        offset: i64,
    ) -> DbFuture<'a, Vec<Message>> {
        standby_query!(
            self.organization,
            long_read,
            conversations::list_conversation_messages(within, oldest_first, limit, offset)
        )
    }

    /// Returns a message of the organization with its contact. If an account is given, only a
    /// message of that account is returned.
    pub fn message_with_contact(
        self,
        account: Option<AccountId>,
        id: MessageId,
    ) -> DbFuture<'a, Option<(Message, Contact)>> {
        standby_query!(self.organization, read, conversations::message_with_contact(account, id))
    }

    /// Reads the newest `scan` of the organization's messages before `before`. Returns the messages
    /// that match, the newest first.
    pub fn list_messages(
        self,
        filter: MessageFilter,
        before: Option<MessageId>,
        limit: i64,
        scan: i64,
    ) -> DbFuture<'a, MessageScan> {
        standby_query!(
            self.organization,
            long_read,
            message_lists::list_messages(filter, before, limit, scan)
        )
    }

    pub fn find_inbox_conversation(
        self,
        id: ConversationId,
    ) -> DbFuture<'a, Option<InboxConversation>> {
        standby_query!(self.organization, read, inbox::find_inbox_conversation(id))
    }

    /// Reads the first `scan` conversations after a position. The order is that of their newest
    /// messages, the newest first. Returns the conversations that match.
    pub fn list_inbox(
        self,
        member: Option<MemberId>,
        filter: InboxFilter,
        after: Option<InboxCursor>,
        limit: i64,
        scan: i64,
    ) -> DbFuture<'a, InboxPart> {
        standby_query!(
            self.organization,
            long_read,
            inbox_lists::list_inbox(member, filter, after, limit, scan)
        )
    }

    /// Reads the first `scan` conversations. Returns the number of conversations that match, at
    /// most `most`.
    pub fn count_inbox(self, filter: InboxFilter, most: i64, scan: i64) -> DbFuture<'a, usize> {
        standby_query!(self.organization, long_read, inbox_lists::count_inbox(filter, most, scan))
    }

    /// Counts the conversations that need a person, and those that a member has not read. Each
    /// count covers only the `scan` conversations with the newest messages. The first count may
    /// stop at `most`.
    pub fn count_attention(
        self,
        member: MemberId,
        visible: VisibleConversations,
        most: i64,
        scan: i64,
    ) -> DbFuture<'a, InboxAttention> {
        standby_query!(
            self.organization,
            long_read,
            inbox_lists::count_attention(member, visible, most, scan)
        )
    }

    /// Returns the last message of each of these conversations.
    pub fn last_messages(self, of: Vec<ConversationId>) -> DbFuture<'a, Vec<Message>> {
        standby_query!(self.organization, read, inbox_lists::last_messages(of))
    }

    /// Returns the members' states of a conversation: read mark, draft, and when each member last
    /// looked or typed.
    pub fn list_member_states(
        self,
        conversation: ConversationId,
        limit: i64,
    ) -> DbFuture<'a, Vec<InboxMemberState>> {
        standby_query!(
            self.organization,
            read,
            inbox_members::list_member_states(conversation, limit)
        )
    }

    /// Returns the notes about a conversation that follow one of them, newest first.
    pub fn list_notes(
        self,
        conversation: ConversationId,
        after: Option<NoteId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<Note>> {
        standby_query!(self.organization, read, notes::list_notes(conversation, after, limit))
    }

    /// Returns a member's settings of the inbox, if the member has changed them.
    pub fn find_inbox_member_settings(
        self,
        member: MemberId,
    ) -> DbFuture<'a, Option<InboxMemberSettings>> {
        standby_query!(self.organization, read, inbox_members::find_inbox_member_settings(member))
    }

    /// Returns which of these conversations are assigned to another member than the given one.
    pub fn conversations_of_others(
        self,
        of: Vec<ConversationId>,
        member: MemberId,
    ) -> DbFuture<'a, Vec<ConversationId>> {
        standby_query!(self.organization, read, inbox_lists::conversations_of_others(of, member))
    }

    /// Returns the saved replies in the order of their names, up to `most`.
    pub fn list_saved_replies(self, most: i64) -> DbFuture<'a, Vec<SavedReply>> {
        standby_query!(self.organization, read, saved_replies::list_saved_replies(most))
    }

    pub fn find_saved_reply(self, id: SavedReplyId) -> DbFuture<'a, Option<SavedReply>> {
        standby_query!(self.organization, read, saved_replies::find_saved_reply(id))
    }

    /// Returns the organization's contacts that follow one of them, newest first.
    pub fn list_contacts(
        self,
        wanted: ContactFilter,
        after: Option<ContactId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<ConversationWithContact>> {
        standby_query!(self.organization, read, contact_lists::list_contacts(wanted, after, limit))
    }

    /// Returns up to `limit` contacts of these conversations, the newest first.
    pub fn contacts_of_conversations(
        self,
        of: Vec<ConversationId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<ConversationWithContact>> {
        standby_query!(self.organization, read, contact_lists::contacts_of_conversations(of, limit))
    }

    /// Returns an organization's events after a sequence, in order.
    pub fn events_after(self, after: i64, limit: i64) -> DbFuture<'a, Vec<EventWithSubject>> {
        standby_query!(self.organization, read, events::events_after(after, limit))
    }

    /// Returns the resends that were requested after a number, in order.
    pub fn resends_after(self, after: i64) -> DbFuture<'a, Vec<EventResend>> {
        standby_query!(self.organization, read, event_resends::resends_after(after))
    }

    /// Reads the first `most` of the organization's events after a sequence. Returns the events
    /// that match, in order.
    pub fn scan_events(
        self,
        wanted: EventFilter,
        after: i64,
        limit: i64,
        most: i64,
    ) -> DbFuture<'a, EventScan> {
        standby_query!(
            self.organization,
            long_read,
            events::scan_events(wanted, after, limit, most)
        )
    }

    pub fn template(self, id: TemplateId) -> DbFuture<'a, Option<Template>> {
        standby_query!(self.organization, read, templates::template(id))
    }

    /// Returns the organization's newest templates that match, and their total number. The filter
    /// must be one that a single index can answer.
    pub fn newest_templates(
        self,
        wanted: TemplateFilter,
        limit: i64,
    ) -> DbFuture<'a, (Vec<Template>, i64)> {
        standby_query!(self.organization, read, template_lists::newest_templates(wanted, limit))
    }

    /// Returns how many templates the organization has, for each status, category and language.
    pub fn count_templates(self) -> DbFuture<'a, Vec<TemplateCount>> {
        standby_query!(self.organization, read, template_lists::count_templates())
    }

    /// Returns a page of the organization's templates, and the total number of templates that
    /// match.
    pub fn list_templates(
        self,
        wanted: TemplateFilter,
        limit: i64,
        offset: i64,
    ) -> DbFuture<'a, (Vec<Template>, i64)> {
        standby_query!(
            self.organization,
            long_read,
            template_lists::list_templates(wanted, limit, offset)
        )
    }

    /// Returns the organization's templates with these names and languages, in any order.
    pub fn templates_named(self, wanted: Vec<(String, String)>) -> DbFuture<'a, Vec<Template>> {
        standby_query!(self.organization, read, templates::templates_named(wanted))
    }

    /// Returns the organization's accounts, the oldest first.
    pub fn accounts(self) -> DbFuture<'a, Vec<Account>> {
        standby_query!(self.organization, read, accounts::accounts())
    }

    /// Returns the newest audit entry about an object that records one of these actions.
    pub fn last_action_on(
        self,
        object_id: String,
        actions: Vec<MemberAction>,
    ) -> DbFuture<'a, Option<AuditEntry>> {
        standby_query!(self.organization, read, audit::last_action_on(object_id, actions))
    }

    /// Returns, for each of these objects, the person who did one of these actions to it, also if
    /// that person has left the organization.
    pub fn list_actors_on(
        self,
        objects: Vec<String>,
        actions: Vec<MemberAction>,
        limit: i64,
    ) -> DbFuture<'a, Vec<(String, Member)>> {
        standby_query!(self.organization, read, audit::list_actors_on(objects, actions, limit))
    }

    /// Returns a member of the organization.
    pub fn member_of_organization(self, member: MemberId) -> DbFuture<'a, Option<ListedMember>> {
        standby_query!(self.organization, read, members::member_of_organization(member))
    }

    /// Returns the organization's keys that follow the key `after`, the newest first.
    pub fn list_own_keys(self, after: Option<KeyId>, limit: i64) -> DbFuture<'a, Vec<Key>> {
        standby_query!(self.organization, read, keys::list_own_keys(after, limit))
    }

    /// Returns the times at which these keys of the organization were last used. Keys that were
    /// never used are left out.
    pub fn last_uses(self, of_keys: Vec<KeyId>) -> DbFuture<'a, BTreeMap<KeyId, Timestamp>> {
        standby_query!(self.organization, read, key_uses::last_uses(of_keys))
    }

    pub fn own_applications(self) -> DbFuture<'a, Vec<Application>> {
        standby_query!(self.organization, read, applications::own_applications())
    }

    /// Returns the code exchanges of one of the organization's applications, the newest first.
    pub fn handshakes(
        self,
        id: ApplicationId,
        since: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(Handshake, Option<String>)>> {
        standby_query!(self.organization, read, applications::handshakes(id, since, limit))
    }

    /// Returns the organization's connections, the active ones first.
    pub fn list_connections(self, limit: i64) -> DbFuture<'a, Vec<ListedConnection>> {
        standby_query!(self.organization, read, connect::list_connections(limit))
    }
}

impl<'a> OwnerStandbyDb<'a> {
    pub fn list_own_endpoints(self) -> DbFuture<'a, Vec<Endpoint>> {
        standby_query!(self.owner, read, endpoints::list_own_endpoints())
    }

    /// Returns the deliveries of an endpoint, the newest first.
    pub fn list_deliveries(
        self,
        endpoint: WebhookEndpointId,
        wanted: Option<DeliveryStatus>,
        after: Option<DeliveryId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<Delivery>> {
        standby_query!(
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
        standby_query!(self.owner, read, delivery_lists::delivery(endpoint, id))
    }

    /// Returns the number of an endpoint's deliveries per status, except those that succeeded. Each
    /// count stops at `most`.
    pub fn delivery_counts(
        self,
        endpoint: WebhookEndpointId,
        most: i64,
    ) -> DbFuture<'a, BTreeMap<DeliveryStatus, i64>> {
        standby_query!(self.owner, long_read, delivery_lists::delivery_counts(endpoint, most))
    }

    /// Returns the delivery of an event to an endpoint, with the event and the attempts.
    pub fn delivery_of_event(
        self,
        endpoint: WebhookEndpointId,
        organization: OrganizationId,
        sequence: i64,
    ) -> DbFuture<'a, Option<DeliveryDetails>> {
        standby_query!(
            self.owner,
            read,
            delivery_lists::delivery_of_event(endpoint, organization, sequence)
        )
    }

    /// Returns the first deliveries of events about a subject, each with its last attempt.
    pub fn deliveries_about(
        self,
        subject: SubjectId,
        limit: i64,
    ) -> DbFuture<'a, Vec<(Delivery, Option<Attempt>)>> {
        standby_query!(self.owner, read, delivery_lists::deliveries_about(subject, limit))
    }

    /// Returns the results of the newest deliveries to an endpoint that were created since a time.
    pub fn delivery_results(
        self,
        endpoint: WebhookEndpointId,
        since: Timestamp,
        most: i64,
    ) -> DbFuture<'a, DeliveryResults> {
        standby_query!(self.owner, read, delivery_lists::delivery_results(endpoint, since, most))
    }

    /// Returns the results of the last attempts of an endpoint's deliveries.
    pub fn last_answers(
        self,
        endpoint: WebhookEndpointId,
        deliveries: Vec<DeliveryId>,
    ) -> DbFuture<'a, BTreeMap<DeliveryId, LastAnswer>> {
        standby_query!(self.owner, read, delivery_lists::last_answers(endpoint, deliveries))
    }
}
