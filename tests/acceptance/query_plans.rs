//! The query plans of all statements of an ordinary day: on tables that grow with traffic they use
//! an index.

use crate::template_creation::{TEMPLATES, plain_template};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{SETTINGS, create_endpoint, send_message, world_with_receivers};
use crate::world::{Database, World, bench, statements};
use domain::agent::AnswerLimits;
use domain::contact::{Address, ChannelUserId};
use domain::id::{
    AccountId, AiAgentId, ApplicationId, ConversationId, DeliveryId, InstanceId, KeyId, SubjectId,
};
use domain::inbox::ConversationStatus;
use domain::keyword::Keyword as _;
use domain::media::FetchStep;
use domain::role::{MemberAction, VisibleConversations};
use domain::template::{Category, TemplateStatus};
use domain::time::Timestamp;
use persistence::records::{InboxFilter, MessageFilter, Owner, PersonKey, TemplateFilter};
use persistence::{Reader, Seen};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use workers::housekeeping;

const PERSON: &str = "+12025550100";

/// The tables that grow with traffic.
const GROWING: [&str; 24] = [
    "callbacks",
    "codes",
    "connections",
    "consents",
    "contact_numbers",
    "contacts",
    "conversations",
    "dead_callbacks",
    "events",
    "fetches",
    "handshakes",
    "idempotency",
    "inbox_entries",
    "media",
    "messages",
    "organization_work",
    "outbox",
    "outbox_conversations",
    "sessions",
    "templates",
    "turns",
    "usage",
    "webhook_attempts",
    "webhook_deliveries",
];

/// Parts of statements that may scan a growing table.
const EXCEPTIONS: [&str; 3] = [
    // An empty list of ids: no row is read.
    "(1=0)",
    // A metric: the number of waiting messages.
    "SELECT COUNT(*), min(\"outbox\".\"accepted_at\")",
    // The check of references to an application that was deleted long ago. The tables without an
    // index for it keep rows for one day only.
    "DELETE FROM applications",
];

/// Statements that have to use a partial index: a part of the statement's text, and the index.
const PARTIAL_INDEXES: [(&str, &str); 3] = [
    ("\"webhook_deliveries\".\"state\" = 'pending'", "webhook_deliveries_due"),
    ("ORDER BY \"endpoint_work\".\"due_at\"", "endpoint_work_due"),
    ("\"media\".\"state\" = 'arriving'", "media_arriving"),
];

/// Performs an organization's usual work of a day, and the work of the workers that follows.
async fn do_work_of_a_day(world: &World) {
    let receiver = Receiver::start().await;
    create_endpoint(world, &receiver, &[]).await;
    send_message(world).await;
    let template = json!({
        "name": "order",
        "language": "en",
        "category": "utility",
        "components": [{"type": "BODY", "text": "Your order is on its way."}],
    });
    let made = world.post("/api/v1/templates", &world.key, &template).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world
        .post_once(
            "/api/v1/messages",
            "once",
            &json!({"type": "text", "phone_number": PERSON, "text": "Hello"}),
        )
        .await;
    world.live_through(Duration::from_secs(5)).await;
    for path in [
        "/api/v1/me",
        "/api/v1/accounts",
        "/api/v1/templates",
        "/api/v1/templates?status=approved",
        "/api/v1/events",
        "/api/v1/events?type=message.sent",
    ] {
        assert_eq!(world.get(path, &world.key).await.status, 200, "{path}");
    }
    world.history(PERSON).await;
    housekeeping::step(&world.server.deps, true).await.unwrap();
}

/// Returns the growing tables that a plan scans completely. Following an index up to a `LIMIT` does
/// not count.
fn scanned_tables<'plan>(statement: &str, plan: &'plan [String]) -> BTreeSet<&'plan str> {
    let is_limited = statement.contains("LIMIT");
    let steps = plan.iter().filter(|step| !(is_limited && step.contains("INDEX")));
    let tables = steps.filter_map(|step| {
        let after = step.split_once("SCAN ").or_else(|| step.split_once("Seq Scan on "))?.1;
        after.split_whitespace().next()
    });
    tables.filter(|table| GROWING.contains(table)).collect()
}

/// Creates a world next to an organization with many messages, so that PostgreSQL has statistics
/// for its plans. SQLite has no statistics, because the server never collects any.
async fn beside_a_large_organization() -> World {
    let database = Database::plain_postgres().await;
    let folder = database.folder.path().display().to_string();
    let fill = ["fill", "--messages", "20000", "--database", &database.url, "--folder", &folder];
    let filled = bench(&fill).output().await.expect("bench runs");
    assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));
    let key = format!("file:{folder}/data/encryption.key");
    World::on(database, &[&SETTINGS[..], &[("encryption_key", &key)]].concat()).await
}

async fn scenario(world: World) {
    // Given an organization with a webhook endpoint,
    statements::taken();
    // when it does the usual work of a day,
    do_work_of_a_day(&world).await;
    let statements: BTreeSet<String> = statements::taken().into_iter().collect();
    // then each statement on a growing table finds its rows through an index.
    let mut beside = world.beside().await;
    let (mut violations, mut unused) = (Vec::new(), BTreeSet::from(PARTIAL_INDEXES.map(|it| it.1)));
    for statement in statements.iter().filter(|it| is_planned(it)) {
        let plan = statements::plan(&mut beside, statement).await;
        let mut is_violation = !scanned_tables(statement, &plan).is_empty();
        for (_, index) in PARTIAL_INDEXES.iter().filter(|it| statement.contains(it.0)) {
            is_violation |= !plan.iter().any(|step| step.contains(index));
            unused.remove(index);
        }
        if is_violation {
            violations.push(format!("{statement}\n    {}", plan.join("\n    ")));
        }
    }
    assert!(violations.is_empty(), "{} statements:\n{}", violations.len(), violations.join("\n"));
    assert!(unused.is_empty(), "no statement uses {unused:?}");
}

/// Returns whether a statement reads rows and its plan can be requested. Statements with `unnest`
/// are left out, because PostgreSQL cannot infer the types of their arrays.
fn is_planned(statement: &str) -> bool {
    let is_read = ["SELECT", "UPDATE", "DELETE", "WITH"].iter().any(|it| statement.starts_with(it));
    is_read && !statement.contains("unnest(") && !EXCEPTIONS.iter().any(|it| statement.contains(it))
}

/// Asserts that one statement of `work` uses this index and needs no sorting.
async fn uses_index(
    world: &World,
    index: &str,
    work: impl Future<Output = persistence::Result<()>>,
) {
    uses_one_index_of(world, &[index], work).await;
}

/// Asserts that one statement of `work` uses one of these indexes and needs no sorting. PostgreSQL may
/// estimate the same cost for two indexes of a table that it considers empty.
async fn uses_one_index_of(
    world: &World,
    indexes: &[&str],
    work: impl Future<Output = persistence::Result<()>>,
) {
    statements::taken();
    work.await.unwrap();
    let (mut beside, mut plans) = (world.beside().await, Vec::new());
    for statement in statements::taken().into_iter().filter(|it| is_planned(it)) {
        let plan = statements::plan(&mut beside, &statement).await;
        plans.push((statement, plan));
    }
    let is_used = |step: &String| indexes.iter().any(|index| step.contains(index));
    let used = plans.iter().find(|(_, plan)| plan.iter().any(is_used));
    let (_, plan) = used.unwrap_or_else(|| panic!("{indexes:?}: {plans:#?}"));
    // PostgreSQL's own sort steps do not count: it sorts tables that it considers empty.
    let is_sorted = plan.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER BY"));
    assert!(!is_sorted, "{indexes:?}: {plans:#?}");
}

/// Asserts that lists of templates use the index for their filter, and that their totals come from
/// `template_counts`.
async fn lists_of_templates(world: &World) {
    let theirs = world.server.deps.db.organization(world.organization);
    let is_postgres = world.database_url().starts_with("postgres");
    let all = TemplateFilter::default;
    let page = async |wanted: TemplateFilter, offset| {
        theirs.list_templates(wanted, 50, offset).await.map(drop)
    };
    let newest = async |wanted| theirs.newest_templates(wanted, 50).await.map(drop);
    for name in ["one", "two"] {
        assert_eq!(world.post(TEMPLATES, &world.key, &plain_template(name)).await.status, 201);
    }
    world.settle().await;
    let stands = world.get(TEMPLATES, &world.key).await.body["data"][0]["status"].clone();
    let stands = TemplateStatus::from_keyword(stands.as_str().unwrap()).unwrap();
    let of_status = || TemplateFilter { status: Some(stands), ..all() };
    let of_category = || TemplateFilter { category: Some(Category::Utility), ..all() };
    let of_language = || TemplateFilter { language: Some("en".to_owned()), ..all() };
    uses_index(world, "templates_of_organization", page(all(), 1)).await;
    uses_index(world, "templates_by_status", page(of_status(), 1)).await;
    uses_index(world, "templates_by_category", page(of_category(), 1)).await;
    uses_index(world, "templates_by_language", page(of_language(), 1)).await;
    uses_index(world, "templates_of_organization", newest(all())).await;
    uses_index(world, "templates_by_status", newest(of_status())).await;
    uses_index(world, "templates_by_category", newest(of_category())).await;
    uses_index(world, "templates_by_language", newest(of_language())).await;
    uses_index(
        world,
        if is_postgres { "template_counts_pkey" } else { "template_counts USING PRIMARY KEY" },
        page(all(), 1),
    )
    .await;
}

async fn lists(database: Database) {
    // Given an organization,
    statements::record();
    let world = world_with_receivers(database).await;
    let (db, now) = (&world.server.deps.db, world.clock.now());
    let is_postgres = world.database_url().starts_with("postgres");
    let theirs = db.organization(world.organization);
    let key: KeyId = world.server.deps.id(now);
    let application: ApplicationId = world.server.deps.id(now);
    // when a page of a list is read, then it is read in the order of an index, wherever it begins.
    uses_index(&world, "keys_by_id", async { theirs.list_own_keys(Some(key), 50).await.map(drop) })
        .await;
    uses_index(&world, "connections_of_organization", async {
        theirs.list_connections(100).await.map(drop)
    })
    .await;
    let living = async { theirs.list_connections(0).await.map(drop) };
    uses_index(&world, "connections_living", living).await;
    let counted =
        async { db.application(application).live_connections(Some(1000)).await.map(drop) };
    let alive: &[&str] = if is_postgres {
        &["connections_alive", "connections_living"]
    } else {
        &["connections_alive"]
    };
    uses_one_index_of(&world, alive, counted).await;
    let listed = async { db.application(application).application_connections(100).await.map(drop) };
    uses_one_index_of(&world, alive, listed).await;
    let directory = async { db.public().published_applications(100).await.map(drop) };
    uses_index(&world, "applications_published", directory).await;
    lists_of_templates(&world).await;
    // The responses on a page of deliveries are found by their ids, because an endpoint may have
    // millions of deliveries.
    let receiver = Receiver::start().await;
    let (sent_to, _) = create_endpoint(&world, &receiver, &[]).await;
    let page: Vec<DeliveryId> = (0..50).map(|_| world.server.deps.id(now)).collect();
    let owner = db.owner(Owner::Organization(world.organization));
    uses_index(
        &world,
        if is_postgres { "webhook_deliveries_pkey" } else { "webhook_deliveries_1 (id=?)" },
        async { owner.last_answers(sent_to.id, page).await.map(drop) },
    )
    .await;
    // Pages find what they show without a scan of the others.
    let reader = Reader { organization: world.organization, seen: Seen::UNKNOWN };
    uses_index(&world, "audit_entries_by_object", async {
        let actions = vec![MemberAction::KeyDisabled, MemberAction::KeyEnabled];
        db.reads(reader).last_action_on(key.to_string(), actions).await.map(drop)
    })
    .await;
    uses_index(&world, "messages_failed", async {
        db.reads(reader).newest_failed_messages(100).await.map(drop)
    })
    .await;
    // Messages of an organization are read without a scan of the messages of others, also if the
    // organization has none.
    uses_index(&world, "messages_of_organization", async {
        let filter = MessageFilter::default();
        db.reads(reader).list_messages(filter, None, 50, 5000).await.map(drop)
    })
    .await;
    // The first event was deleted because of its age, so the words of older messages are read from
    // the messages.
    world.beside().await.execute("DELETE FROM events WHERE sequence = 1").await;
    uses_index(&world, "messages_of_organization", async {
        theirs.advance_words(200, 100).await.map(drop)
    })
    .await;
    let organization_owner = Owner::Organization(world.organization);
    uses_index(&world, "webhook_deliveries_by_subject", async {
        let subject: SubjectId = world.server.deps.id(now);
        db.reads_of(organization_owner, Seen::UNKNOWN).deliveries_about(subject, 50).await.map(drop)
    })
    .await;
    // A due turn of an AI agent is found without a scan of those that wait, also beside agents that
    // have too many under way, and a turn of a conversation without one of the others.
    let agent: AiAgentId = world.server.deps.id(now);
    let conversation: ConversationId = world.server.deps.id(now);
    for busy in [Vec::new(), vec![agent]] {
        uses_index(&world, "turns_due", async {
            db.operator().due_turns(now, busy, 64).await.map(drop)
        })
        .await;
    }
    uses_index(&world, "turns_of_conversation", async {
        theirs.newest_turn(conversation).await.map(drop)
    })
    .await;
    let of_conversation = ["turns_of_conversation", "turns_of_agent"];
    let of_conversation = if is_postgres { &of_conversation[..] } else { &of_conversation[..1] };
    uses_one_index_of(&world, of_conversation, async {
        let limits = AnswerLimits::default();
        theirs.has_room_for_answer(conversation, limits, now).await.map(drop)
    })
    .await;
    // A person is found by the channel's user id without the other contacts of the number.
    let account: AccountId = world.server.deps.id(now);
    for index in ["contacts_by_user_id", "contacts_by_parent_user_id"] {
        uses_index(&world, index, async {
            let user = Address::User(ChannelUserId::parse("DE.1").unwrap());
            theirs.list_conversations(PersonKey::Address(user, account)).await.map(drop)
        })
        .await;
    }
    uses_index(&world, "turns_of_agent", async {
        theirs.list_turns(agent, None, 50).await.map(drop)
    })
    .await;
    // Due downloads and due transcriptions are in one queue. Each search reads its own rows only: both
    // ends of its due times are conditions of the index.
    let server = InstanceId::new(now, [9; 10]);
    let of_own_step = if is_postgres {
        "Index Cond: ((due_at >= $1) AND (due_at <= $2))"
    } else {
        "fetches_due (due_at>? AND due_at<?)"
    };
    for step in FetchStep::ALL {
        uses_index(&world, of_own_step, async {
            db.operator().claim_fetches(server, *step, 8, now, now).await.map(drop)
        })
        .await;
    }
    // Limited support's list of conversations, which are its own or unassigned, is read in the order of
    // an index. A page looks at no more entries than other pages do.
    let (member, status) = (world.server.deps.id(now), Some(ConversationStatus::Open));
    for (status, index) in
        [(status, "inbox_entries_by_status"), (None, "inbox_entries_by_activity")]
    {
        let filter =
            InboxFilter { own_or_unassigned: Some(member), status, ..InboxFilter::default() };
        uses_index(&world, index, async {
            let member = Some(member);
            db.reads(reader).list_inbox(member, filter, None, 50, 5000).await.map(drop)
        })
        .await;
    }
    uses_index(&world, "inbox_entries_by_assignee", async {
        theirs.unassign_conversations(member, now).await.map(drop)
    })
    .await;
    // Home finds the conversations that a member has to look at in the order of an index, too.
    uses_index(&world, "inbox_entries_by_activity", async {
        let visible = VisibleConversations::All;
        db.reads(reader).count_attention(member, visible, 100, 1000).await.map(|_| ())
    })
    .await;
    // Old rows are found without a scan of the others.
    let operator = db.operator();
    uses_index(&world, "audit_entries_by_age", async {
        operator.delete_expired_audit_entries(now, 1000).await.map(drop)
    })
    .await;
    uses_index(&world, "verdicts_by_age", async {
        operator.delete_expired_verdicts(now, 1000).await.map(drop)
    })
    .await;
    uses_index(&world, "connections_by_end", async {
        operator.delete_expired_connections(now, 1000).await.map(drop)
    })
    .await;
    uses_index(&world, "webhook_feeds_ended", async {
        operator.delete_ended_feeds(1000).await.map(drop)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_are_read_in_the_order_of_an_index_sqlite() {
    lists(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_are_read_in_the_order_of_an_index_postgres() {
    lists(Database::plain_postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_reads_all_of_a_table_that_grows_sqlite() {
    statements::record();
    scenario(world_with_receivers(Database::sqlite()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_reads_all_of_a_table_that_grows_postgres() {
    statements::record();
    scenario(beside_a_large_organization().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_is_found_by_its_id_after_the_empty_queue_was_analyzed() {
    statements::record();
    // Given a queue of callbacks that was long, and that PostgreSQL considers empty,
    let world = world_with_receivers(Database::plain_postgres().await).await;
    let mut beside = world.beside().await;
    beside
        .execute(
            "INSERT INTO callbacks (id, channel, payload, attempts, due_at, received_at, lookups) \
             SELECT gen_random_uuid(), 'sandbox', '{}', 0, now(), now(), 0 \
             FROM generate_series(1, 5000); \
             DELETE FROM callbacks; \
             ANALYZE callbacks",
        )
        .await;
    // when the channel reports the status of a message,
    statements::taken();
    send_message(&world).await;
    world.live_through(Duration::from_secs(5)).await;
    // then the callback is claimed and deleted by its id, however long the queue has become since.
    let of_callbacks = |it: &String| {
        it.starts_with("UPDATE \"callbacks\"") || it.starts_with("DELETE FROM \"callbacks\"")
    };
    let statements: BTreeSet<String> =
        statements::taken().into_iter().filter(of_callbacks).collect();
    assert_eq!(statements.len(), 2, "{statements:#?}");
    for statement in statements {
        let plan = statements::plan(&mut beside, &statement).await.join("\n");
        assert!(plan.contains("callbacks_pkey"), "{statement}\n{plan}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_turns_are_found_by_their_conversations_without_statistics() {
    statements::record();
    // Given turns of which PostgreSQL has no statistics,
    let world = world_with_receivers(Database::plain_postgres().await).await;
    statements::taken();
    // when the newest turns of some conversations are read,
    let conversation = ConversationId::new(world.clock.now(), [1; 10]);
    let organization = world.server.deps.db.organization(world.organization);
    let since = Timestamp::from_seconds(0);
    assert!(organization.newest_turns(vec![conversation], since).await.unwrap().is_empty());
    // then each conversation is looked up in the index of conversations.
    let of_turns = |it: &String| it.contains("FROM turns");
    let statements: Vec<String> = statements::taken().into_iter().filter(of_turns).collect();
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let mut beside = world.beside().await;
    let plan = statements::plan(&mut beside, &statements[0]).await.join("\n");
    assert!(plan.contains("turns_of_conversation"), "{plan}");
}
