//! What callers may ask of the database: each function of `queries/` as a method of [`Db`].
use crate::rows::{
    Account, Addressee, Application, ApplicationChange, Attempt, Behind, Callback, Change, Claim,
    Claimed, Connection, Consent, Conversation, Creation, DeadCallback, DeadCallbackFilter,
    Deferral, Delivery, Endpoint, EndpointChange, Event, EventFilter, FormKey, FormResult,
    Handshake, Idempotent, Inbound, InboundOutcome, IssuedCode, Judgement, Key, Looked,
    LookedThrough, Media, Member, Message, MessageState, Move, News, Organization, Owner, Plan,
    Session, Settled, StoredAnswer, TellConnection, Template, TemplateFilter, ToFetch, ToSubmit,
    Told,
};
use crate::types::Document;
use crate::{Db, Result, postgres, sqlite};
use domain::connection::Ending;
use domain::id::{
    AccountId, ApplicationId, CallbackId, ConsentId, ContactId, ConversationId, DeliveryId,
    InstanceId, KeyId, MediaId, MemberId, MessageId, OrganizationId, PlanId, TemplateId,
    WebhookEndpointId,
};
use domain::key::KeyState;
use domain::plan::{Meter, SubscriptionStatus};
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use std::collections::BTreeMap;

macro_rules! operations {
    ($($(#[$doc:meta])* $kind:ident $module:ident::$name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        impl Db {
            $($(#[$doc])*
            pub async fn $name(&self, $($arg: $type),*) -> Result<$out> {
                match self {
                    Self::Postgres(db) => {
                        db.$kind(move |conn| Box::pin(postgres::queries::$module::$name(conn, $($arg),*))).await
                    }
                    Self::Sqlite(db) => {
                        db.$kind(move |conn| Box::pin(sqlite::queries::$module::$name(conn, $($arg),*))).await
                    }
                }
            })*
        }
    };
}
pub(crate) use operations;

operations! {
    /// A key that all servers of this database share: the kept one, or else the fresh one.
    write server_keys::server_key(name: &'static str, fresh: Vec<u8>, at: Timestamp) -> Vec<u8>;
    /// Writes something, to find out whether that works.
    write write_checks::check_write(at: Timestamp) -> ();
    /// Makes an organization.
    write organizations::insert_organization(new: Organization) -> ();
    /// An organization by its id.
    read organizations::organization(id: OrganizationId) -> Option<Organization>;
    /// An organization with its plan.
    read organizations::organization_with_plan(id: OrganizationId) -> Option<(Organization, Option<Plan>)>;
    /// The organizations with that name.
    read organizations::organizations_named(name: String) -> Vec<Organization>;
    /// Whether there is any organization at all.
    read organizations::has_organizations() -> bool;
    /// Makes a plan, or changes the one of that name.
    write organizations::set_plan(plan: Plan) -> Plan;
    /// A plan by its name.
    read organizations::plan_named(name: String) -> Option<Plan>;
    /// Changes an organization's subscription; `false` if there is no such organization.
    write organizations::set_subscription(id: OrganizationId, plan: Option<PlanId>, status: SubscriptionStatus) -> bool;
    /// Makes a member.
    write members::insert_member(new: Member, organization: OrganizationId) -> ();
    /// Makes a member one of another organization too; `false` if nobody has that e-mail address.
    write members::add_membership(email: String, organization: OrganizationId, at: Timestamp) -> bool;
    /// Connects a number.
    write accounts::connect_account(new: Account, as_default: bool) -> ();
    /// One of the organization's numbers.
    read accounts::account(organization: OrganizationId, id: AccountId) -> Option<Account>;
    /// The sandbox number of that id.
    read accounts::account_on_sandbox(id: AccountId) -> Option<Account>;
    /// The number that the Cloud API knows by that id.
    read accounts::account_on_cloud(phone_number_id: String) -> Option<Account>;
    /// The numbers of a business of the Cloud API.
    read accounts::accounts_of_business(waba_id: String) -> Vec<AccountId>;
    /// The organization's numbers, in the order in which they were connected.
    read accounts::accounts(organization: OrganizationId) -> Vec<Account>;
    /// Registers an application.
    write applications::insert_application(new: Application) -> ();
    /// An application by its client id.
    read applications::application(client_id: String) -> Option<Application>;
    /// The application whose secret has this digest.
    read applications::application_by_secret(secret_digest: Vec<u8>) -> Option<Application>;
    /// An application by its id.
    read applications::application_by_id(id: ApplicationId) -> Option<Application>;
    /// The application of a connection, also one that was deleted.
    read applications::application_of_connection(id: ApplicationId) -> Option<Application>;
    /// The applications that the organization registered.
    read applications::own_applications(organization: OrganizationId) -> Vec<Application>;
    /// The directory of published applications, with their publishers' names.
    read applications::published_applications(limit: i64) -> Vec<(Application, Option<String>)>;
    /// Changes one of the organization's applications.
    write applications::change_application(organization: OrganizationId, id: ApplicationId, change: ApplicationChange) -> bool;
    /// Lists one of the organization's applications for every business, or no longer.
    write applications::publish_application(organization: OrganizationId, id: ApplicationId, published: bool) -> bool;
    /// Gives one of the organization's applications another secret.
    write applications::renew_application(organization: OrganizationId, id: ApplicationId, secret_digest: Vec<u8>) -> bool;
    /// Deletes one of the organization's applications.
    write applications::delete_application(organization: OrganizationId, id: ApplicationId, at: Timestamp) -> bool;
    /// Gives an application the badge.
    write applications::verify_application(client_id: String) -> bool;
    /// Notes what became of an exchange.
    write applications::insert_handshake(new: Handshake) -> ();
    /// Notes a fault of an authorize request, in place of the same one before.
    write applications::note_faulty_request(new: Handshake) -> ();
    /// What became of an application's exchanges.
    read applications::handshakes(id: ApplicationId, since: Timestamp, limit: i64) -> Vec<(Handshake, Option<String>)>;
    /// Keeps what an application asks.
    write grants::insert_consent(new: Consent) -> ();
    /// What was asked of a session and is still open.
    read grants::consent(id: ConsentId, session_digest: Vec<u8>, cutoff: Timestamp) -> Option<Consent>;
    /// Answers what was asked, once.
    write grants::answer_consent(id: ConsentId, session_digest: Vec<u8>, at: Timestamp, code: Option<IssuedCode>) -> bool;
    /// Burns a code; only one caller ever gets it.
    write grants::consume_code(digest: Vec<u8>, at: Timestamp) -> Option<IssuedCode>;
    /// Burns the codes of a request that cannot be acted on.
    write grants::burn_codes(digests: Vec<Vec<u8>>, at: Timestamp) -> ();
    /// A code, used or not.
    read grants::code(digest: Vec<u8>) -> Option<IssuedCode>;
    /// Makes a connection with its key, in place of the one before.
    write grants::connect(key: Key, new: Connection, tell: TellConnection) -> ();
    /// Ends a connection and removes its key.
    write grants::disconnect(key: KeyId, ending: Ending, at: Timestamp, tell: TellConnection) -> Option<Connection>;
    /// How many connections of an application live.
    read grants::live_connections(application: ApplicationId) -> i64;
    /// Ends up to `limit` connections of an application.
    write grants::revoke_connections(application: ApplicationId, reason: Option<String>, at: Timestamp, tell: TellConnection, limit: i64) -> usize;
    /// The connection of a key.
    read grants::connection_of_key(key: KeyId) -> Option<Connection>;
    /// The organization's connections, living or ended.
    read grants::connections_of(organization: OrganizationId, limit: i64) -> Vec<Connection>;
    /// Forgets a portion of what was asked before `cutoff`; gives how many.
    write grants::forget_consents(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the codes that were issued before `cutoff`; gives how many.
    write grants::forget_codes(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the log of exchanges from before `cutoff`; gives how many.
    write grants::forget_handshakes(cutoff: Timestamp, portion: i64) -> usize;
    /// A session that is still in use.
    read sessions::session(digest: Vec<u8>, cutoff: Timestamp) -> Option<Session>;
    /// Notes that a session is used.
    write sessions::touch_session(digest: Vec<u8>, at: Timestamp) -> ();
    /// Begins a session of a member, in place of the one before, and keeps what is asked of them.
    write sessions::sign_in(before: Option<Vec<u8>>, new: Session, asked: Option<Consent>) -> ();
    /// Ends a session.
    write sessions::end_session(digest: Vec<u8>) -> ();
    /// Works for another organization.
    write sessions::choose_organization(digest: Vec<u8>, member: MemberId, organization: OrganizationId) -> bool;
    /// Forgets a portion of the sessions that nobody uses; gives how many.
    write sessions::forget_sessions(cutoff: Timestamp, portion: i64) -> usize;
    /// Notes that a form is submitted, if it was not before.
    write forms::insert_form(new: FormResult) -> bool;
    /// What a submitted form led to.
    read forms::form_result(key: FormKey) -> Option<FormResult>;
    /// Notes what a submitted form led to.
    write forms::finish_form(key: FormKey, location: String, notice: Option<Vec<u8>>) -> ();
    /// Forgets that a form was submitted.
    write forms::release_form(key: FormKey) -> ();
    /// Takes what a form's page shows once.
    write forms::take_notice(key: FormKey, cutoff: Timestamp) -> Option<Vec<u8>>;
    /// Removes old forms and notices; gives how many.
    write forms::forget_forms(unread: Timestamp, cutoff: Timestamp, portion: i64) -> usize;
    /// A member by the e-mail address.
    read sessions::member_of_email(email: String) -> Option<Member>;
    /// A member and their organizations.
    read sessions::member_with_organizations(id: MemberId) -> Option<(Member, Vec<Organization>)>;
    /// Makes a key.
    write keys::insert_key(key: Key) -> ();
    /// Switches a key on or off; `false` if there is no such key.
    write keys::set_key_state(client_id: String, state: KeyState) -> bool;
    /// Removes a key for good; `false` if there is no such key.
    write keys::delete_key(client_id: String, at: Timestamp, tell: TellConnection) -> bool;
    /// The organization's keys, the newest first.
    read keys::keys_of(organization: OrganizationId) -> Vec<Key>;
    /// One of the organization's keys.
    read keys::own_key(organization: OrganizationId, id: KeyId) -> Option<Key>;
    /// Gives a key another name and limit.
    write keys::change_key(organization: OrganizationId, id: KeyId, name: String, rate_limit: i32) -> bool;
    /// The organization's keys with that name, oldest first.
    read keys::keys_named(organization: OrganizationId, name: String) -> Vec<Key>;
    /// Notes when keys were last used.
    write keys::stamp_keys(stamps: Vec<(KeyId, Timestamp)>) -> ();
    /// What counts against a ceiling in a period.
    read usage::used(organization: OrganizationId, meter: Meter, period: i32) -> u32;
    /// Writes down calls that were counted in memory.
    write usage::write_calls(calls: Vec<(OrganizationId, i32, u32)>) -> ();
    /// Tells an organization, once a period, that it has reached its ceiling of calls.
    write usage::tell_ceiling(organization: OrganizationId, period: i32, used: u32, data: Document, at: Timestamp) -> ();
    /// The answer that was given to a request, if it is not too old.
    read idempotency::stored_answer(key: KeyId, path: &'static str, name: String, cutoff: Timestamp) -> Option<StoredAnswer>;
    /// Keeps an answer; a duplicate error says that another one is kept already.
    write idempotency::store_answer(request: Idempotent, answer: String, at: Timestamp) -> ();
    /// Forgets a portion of the answers from before `cutoff`; gives how many.
    write idempotency::forget_answers(cutoff: Timestamp, portion: i64) -> usize;
    /// Makes a template.
    write templates::insert_template(new: Template) -> ();
    /// Makes a template to be handed in, and keeps the answer for a request that comes again.
    write templates::create_template(new: Template, keep: Option<(Idempotent, String)>) -> Creation;
    /// One of the organization's templates.
    read templates::template(organization: OrganizationId, id: TemplateId) -> Option<Template>;
    /// A page of the organization's templates, and how many there are.
    long_read templates::templates_page(organization: OrganizationId, wanted: TemplateFilter, limit: i64, offset: i64) -> (Vec<Template>, i64);
    /// Claims templates that are to be handed to the reviewer.
    write templates::claim_submissions(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ToSubmit>;
    /// Puts off the handing in of a template.
    write templates::submit_later(id: TemplateId, due: Timestamp) -> ();
    /// Writes down changes of one template; `false` if it stands elsewhere by now.
    write templates::change_template(changes: Vec<Change>) -> bool;
    /// The template that a report of the channel is about.
    read templates::template_on_channel(within: Vec<AccountId>, external_id: String, name: String, language: String) -> Option<Template>;
    /// All that the reviewer said of a template.
    read templates::judgements(id: TemplateId) -> Vec<Judgement>;
    /// Announces a file that is about to be stored.
    write media::announce_media(new: Media) -> ();
    /// The file is stored.
    write media::keep_media(id: MediaId) -> bool;
    /// A stored file, for whoever knows its id.
    read media::public_media(id: MediaId) -> Option<Media>;
    /// One of the organization's stored files.
    read media::own_media(organization: OrganizationId, id: MediaId) -> Option<Media>;
    /// Files that were announced and never stored.
    read media::orphaned_media(cutoff: Timestamp, limit: i64) -> Vec<MediaId>;
    /// Forgets a file that was never stored.
    write media::forget_media(id: MediaId) -> ();
    /// Claims files that are to be fetched from the channel.
    write media::claim_fetches(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ToFetch>;
    /// A message's file is stored, and the message says where.
    write media::finish_fetch(message: MessageId, file: MediaId, content: Document) -> ();
    /// Puts off the fetching of a message's file.
    write media::fetch_later(message: MessageId, due: Timestamp) -> ();
    /// Gives up the fetching of a message's file.
    write media::give_up_fetch(message: MessageId) -> ();
    /// The organization's template of that name in that language.
    read templates::template_named(organization: OrganizationId, name: String, language: String) -> Option<Template>;
    /// The person that a contact id names.
    read conversations::addressee_of_contact(organization: OrganizationId, contact: ContactId) -> Option<Addressee>;
    /// The person that a conversation id names.
    read conversations::addressee_of_conversation(organization: OrganizationId, conversation: ConversationId) -> Option<Addressee>;
    /// The conversations with a number.
    read conversations::conversations_with(organization: OrganizationId, phone_number: String, account: Option<AccountId>) -> Vec<Conversation>;
    /// The messages of a conversation at these positions, newest or oldest first.
    read conversations::part(conversation: ConversationId, positions: (i64, i64), oldest_first: bool) -> Vec<Message>;
    /// A page of what was said in several conversations, newest or oldest first.
    long_read conversations::page_of_several(within: Vec<ConversationId>, oldest_first: bool, limit: i64, offset: i64) -> Vec<Message>;
    /// One of the organization's messages, or of one of its numbers.
    read conversations::message(organization: OrganizationId, account: Option<AccountId>, id: MessageId) -> Option<Message>;
    /// Takes in what a person wrote, once.
    write inbound::receive(new: Inbound) -> InboundOutcome;
    /// An organization's events after a sequence, in order.
    read events::events_after(organization: OrganizationId, after: i64, limit: i64) -> Vec<Told>;
    /// The wanted ones among the first `most` of the organization's events after a sequence, in order.
    long_read events::wanted_events(organization: OrganizationId, wanted: EventFilter, after: i64, limit: i64, most: i64) -> Looked;
    /// Forgets some of the events from before `cutoff`; gives how many.
    write events::forget_events(cutoff: Timestamp, limit: i64) -> usize;
    /// An owner's endpoints.
    read endpoints::endpoints_of(owner: Owner) -> Vec<Endpoint>;
    /// One of an owner's endpoints.
    read endpoints::endpoint(owner: Owner, id: WebhookEndpointId) -> Option<Endpoint>;
    /// Makes an endpoint, if its owner has not `most` already.
    write endpoints::insert_endpoint(owner: Owner, new: Endpoint, most: i64) -> bool;
    /// Changes one of an owner's endpoints.
    write endpoints::change_endpoint(owner: Owner, id: WebhookEndpointId, change: EndpointChange) -> bool;
    /// Gives one of an owner's endpoints another secret.
    write endpoints::rotate_endpoint(owner: Owner, id: WebhookEndpointId, secret: Vec<u8>, until: Timestamp) -> bool;
    /// Enables or disables one of an owner's endpoints.
    write endpoints::switch_endpoint(owner: Owner, id: WebhookEndpointId, on: bool, at: Timestamp) -> bool;
    /// Deletes one of an owner's endpoints.
    write endpoints::delete_endpoint(owner: Owner, id: WebhookEndpointId, at: Timestamp) -> bool;
    /// Removes some of what is left of deleted endpoints; gives how much.
    write endpoints::remove_endpoints(portion: i64) -> usize;
    /// Feeds with events that nobody has looked at.
    read feeds::feeds_behind(after: i64, limit: i64) -> Vec<Behind>;
    /// An organization's events after one and up to another, without what they tell of.
    read feeds::events_between(organization: OrganizationId, after: i64, last: i64, limit: i64) -> Vec<Event>;
    /// Moves feeds on, and puts what was found on its way; gives how many stood where they were supposed.
    write feeds::look_through(looked: Vec<LookedThrough>, now: Timestamp) -> usize;
    /// Puts a test of an endpoint on its way.
    write feeds::send_test(news: News, delivery: Delivery, now: Timestamp) -> ();
    /// Delivers an endpoint's events of a time anew.
    write feeds::replay(endpoint: WebhookEndpointId, from: Timestamp, to: Timestamp) -> i64;
    /// Claims endpoints for which there is something to do, those that are failing or those that are not.
    write deliveries::claim_endpoints(failing: bool, limit: i64, now: Timestamp, until: Timestamp, by: InstanceId) -> Vec<Endpoint>;
    /// When there is next something to do for such an endpoint that nobody is at work on.
    read deliveries::next_delivery_due(failing: bool, now: Timestamp) -> Option<Timestamp>;
    /// What is due at a claimed endpoint, with the events.
    read deliveries::due_deliveries(endpoint: WebhookEndpointId, now: Timestamp, limit: i64) -> Vec<(Delivery, Option<Told>)>;
    /// Writes down what became of deliveries.
    write deliveries::settle_deliveries(settled: Settled) -> ();
    /// Delivers once more.
    write deliveries::deliver_again(endpoint: WebhookEndpointId, id: DeliveryId, now: Timestamp) -> bool;
    /// What was and is to be delivered to an endpoint, the newest first.
    long_read deliveries::deliveries_of(endpoint: WebhookEndpointId, wanted: Option<DeliveryStatus>, limit: i64, offset: i64) -> Vec<Delivery>;
    /// One of an endpoint's deliveries, with its event and its attempts.
    read deliveries::delivery(endpoint: WebhookEndpointId, id: DeliveryId) -> Option<(Delivery, Option<Told>, Vec<Attempt>)>;
    /// How many of an endpoint's deliveries have which status.
    long_read deliveries::delivery_counts(endpoint: WebhookEndpointId) -> BTreeMap<DeliveryStatus, i64>;
    /// What the last attempts at an endpoint's deliveries were answered.
    read deliveries::last_answers(endpoint: WebhookEndpointId, deliveries: Vec<DeliveryId>) -> BTreeMap<DeliveryId, Option<i32>>;
    /// Forgets some deliveries from before `cutoff`; gives how many.
    write deliveries::forget_deliveries(cutoff: Timestamp, portion: i64) -> usize;
    /// Claims conversations whose next message is due; nothing if the server is taken for dead.
    write outbox::claim(by: Claim, limit: i64, now: Timestamp) -> Option<Vec<Claimed>>;
    /// When the next message is due that nobody hands over.
    read outbox::next_message_due() -> Option<Timestamp>;
    /// Lets go of all claims of servers that are gone: for a server that has the database to itself.
    write instances::release_all(now: Timestamp) -> usize;
    /// Enters a server that starts.
    write instances::enter(id: InstanceId) -> ();
    /// Counts a server's beat up, and gives the beats of the others; nothing if it is taken for dead.
    write instances::beat(id: InstanceId) -> Option<Vec<(InstanceId, i64)>>;
    /// Lets go of what servers had claimed that are dead, each if its beat still stands there; gives how
    /// many conversations that were.
    write instances::bury(dead: Vec<(InstanceId, i64)>, now: Timestamp) -> usize;
    /// A server ends: lets go of what it had claimed.
    write instances::leave(id: InstanceId, now: Timestamp) -> usize;
    /// Lets go of what one claim of a living server had claimed.
    write instances::release_claim(claim: Claim) -> usize;
    /// How many messages wait for the channel.
    read outbox::outbox_depth() -> i64;
    /// Keeps reports of the channel until they are worked on.
    write callbacks::insert_callbacks(new: Vec<Callback>) -> ();
    /// Claims reports that are due.
    write callbacks::claim_callbacks(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<Callback>;
    /// Forgets callbacks that are done with.
    write callbacks::finish_callbacks(done: Vec<CallbackId>) -> ();
    /// Puts claimed callbacks off.
    write callbacks::defer_callbacks(deferred: Vec<Deferral>) -> ();
    /// How many callbacks wait, and since when the oldest does.
    read callbacks::waiting_callbacks(now: Timestamp) -> (i64, Option<Timestamp>);
    /// Notes what the channel calls a message; `false` if that was known.
    write callbacks::adopt_channel_id(message: MessageId, channel_id: String) -> bool;
    /// Keeps dead letters, each once.
    write dead_callbacks::insert_dead_callbacks(new: Vec<DeadCallback>) -> ();
    /// Dead letters in the order in which they were kept.
    read dead_callbacks::dead_callbacks(wanted: DeadCallbackFilter, limit: i64) -> Vec<DeadCallback>;
    /// A dead letter.
    read dead_callbacks::dead_callback(id: CallbackId) -> Option<DeadCallback>;
    /// The dead letter that was kept last.
    read dead_callbacks::last_dead_callback() -> Option<CallbackId>;
    /// How many dead letters there are.
    read dead_callbacks::count_dead_callbacks() -> i64;
    /// Puts dead letters back among the callbacks that are due; gives those that there were.
    write dead_callbacks::replay_dead_callbacks(ids: Vec<CallbackId>) -> Vec<CallbackId>;
    /// Removes dead letters; gives how many there were.
    write dead_callbacks::delete_dead_callbacks(ids: Vec<CallbackId>) -> usize;
    /// Forgets a portion of the dead letters from before `cutoff`; gives how many.
    write dead_callbacks::forget_dead_callbacks(cutoff: Timestamp, portion: i64) -> usize;
    /// When the next report is due.
    read callbacks::next_report_due() -> Option<Timestamp>;
    /// Where messages stand, by the channel's ids of them.
    read callbacks::message_states(channel_ids: Vec<(AccountId, String)>) -> BTreeMap<(AccountId, String), MessageState>;
    /// Where messages of ours stand, by our ids of them.
    read callbacks::own_message_states(ids: Vec<(AccountId, MessageId)>) -> BTreeMap<(AccountId, MessageId), MessageState>;
    /// Moves messages on that stand where it was supposed, and gives those.
    write callbacks::advance(moves: Vec<Move>, at: Timestamp) -> Vec<MessageId>;
}
