//! The cost of recognizing contacts: statements, transactions and rows read.

use super::{Person, USER, events, events_of, on_number};
use crate::cloud::{Cloud, PERSON};
use crate::world::{Database, statements};
use serde_json::{Value, json};

/// Runs each of the listed functions on SQLite and on PostgreSQL, and records the server's
/// statements.
macro_rules! with_statements {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use super::{Cloud, Database, statements};
            async fn on(database: Database) {
                statements::record();
                super::$test(Cloud::on(database, &[]).await).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                on(Database::sqlite()).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                on(Database::plain_postgres().await).await;
            }
        }
    )+};
}

/// Posts a status of each of these messages, which names the recipient by this number and this user
/// id.
async fn report_statuses(cloud: &Cloud, state: &str, messages: &[(String, String, String)]) {
    let second = cloud.second().to_string();
    let statuses = messages.iter().map(|(id, number, user)| {
        let wamid = cloud.accepted(id)[0].wamid.clone();
        json!({
            "id": wamid,
            "status": state,
            "timestamp": second,
            "recipient_id": number,
            "recipient_user_id": user,
        })
    });
    let statuses: Vec<Value> = statuses.collect();
    cloud.post_callback(&on_number(&json!({ "statuses": statuses }))).await;
}

/// Counts the statements that read or write contacts.
fn count_contact_statements(statements: &[String]) -> usize {
    statements.iter().filter(|it| it.contains("\"contacts\".\"id\"")).count()
}

fn count_transactions(statements: &[String]) -> usize {
    statements.iter().filter(|it| it.starts_with("BEGIN")).count()
}

fn phone_number(index: usize) -> String {
    format!("1650555{index:04}")
}

/// Sends one message to each of `people` contacts.
async fn send_messages(
    cloud: &Cloud,
    people: std::ops::Range<usize>,
) -> Vec<(String, String, String)> {
    let mut messages = Vec::new();
    for index in people {
        let id = cloud.text(&format!("+{}", phone_number(index)), "Hello").await;
        messages.push((id, phone_number(index), format!("US.{index}")));
    }
    cloud.settle().await;
    messages
}

async fn a_report_that_teaches_nothing_costs_no_transaction(cloud: Cloud) {
    // Given messages to contacts that are also known by another number and by the user id of
    // the status,
    let messages = send_messages(&cloud, 0..20).await;
    for (index, (.., user)) in messages.iter().enumerate() {
        let number = format!("1202555{index:04}");
        let other = Person { number: Some(&number), user: Some(user), ..Default::default() };
        cloud.post_callback(&other.text(&format!("wamid.{index}"), 0, "Hi")).await;
    }
    // and the cost of a status without a user id,
    let unnamed = send_messages(&cloud, 0..1)
        .await
        .into_iter()
        .map(|(id, number, _)| (id, number, String::new()));
    statements::taken();
    report_statuses(&cloud, "sent", &unnamed.collect::<Vec<_>>()).await;
    let unnamed = count_transactions(&statements::taken());
    assert!(unnamed > 0);
    // when each status is reported in turn,
    for state in ["sent", "delivered", "read"] {
        report_statuses(&cloud, state, &messages).await;
        let statements = statements::taken();
        // then contacts are read with the messages, and each once more by its id, in no additional
        // transaction.
        let of_contacts = count_contact_statements(&statements);
        let transactions = count_transactions(&statements);
        println!("{state}: {of_contacts} statements, {transactions} transactions");
        assert!(of_contacts <= 1 + messages.len(), "{of_contacts}: {statements:#?}");
        assert_eq!(transactions, unnamed, "{statements:#?}");
    }
    for (id, ..) in &messages {
        assert_eq!(cloud.status(id).await, "read");
    }
    assert!(events_of(&cloud, "contact.updated").await.is_empty());
}

async fn several_numbers_cost_only_those_who_have_them(cloud: Cloud) {
    cloud.graph.call("+4930123456", "4915112345678");
    for number in [PERSON, "+4930123456", "+5511987654321"] {
        cloud.text(number, "Hello").await;
    }
    cloud.settle().await;
    // Counts the statements of a send. A known contact needs no look at `contact_numbers`, a
    // new one needs one look;
    let cost = async |number: &str| {
        statements::taken();
        cloud.text(number, "Hello").await;
        // (without those that find the caller, and note now and then that the key was used)
        let tables = [
            "conversations",
            "contacts",
            "contact_numbers",
            "messages",
            "outbox",
            "events",
            "organization_work",
            "usage",
        ];
        let of_send = |it: &String| {
            tables.iter().any(|table| {
                it.contains(&format!("\"{table}\"")) || it.contains(&format!("INTO {table}"))
            })
        };
        let all: Vec<String> = statements::taken().into_iter().filter(of_send).collect();
        let numbers = all.iter().filter(|it| it.contains("contact_numbers")).count();
        println!("{number}: {} statements, {numbers} about numbers", all.len());
        (all.len(), numbers)
    };
    cost(PERSON).await;
    let known = cost(PERSON).await;
    assert_eq!(known.1, 0);
    assert_eq!(cost("+12025550111").await.1, 1);
    // a number with two forms costs two statements more, because both forms are looked up;
    let two_forms = cost("+5511987654321").await;
    assert_eq!(two_forms.0 - known.0, 2);
    assert_eq!(two_forms.1, 1);
    // the number that the channel uses costs nothing more, and another number of the contact
    // one more attempt.
    assert_eq!(cost("+4915112345678").await, known);
    assert_eq!(cost("+4930123456").await.1, 2);
    // A message from a known contact looks up no further numbers.
    let inbound = Person { number: Some("4915112345678"), ..Default::default() };
    cloud.report(&inbound.text("wamid.A", 0, "Hi")).await;
    statements::taken();
    cloud.settle().await;
    let all = statements::taken();
    let of_numbers = all.iter().filter(|it| it.contains("FROM \"contact_numbers\"")).count();
    assert_eq!(of_numbers, 1, "with the statement that finds the person: {all:#?}");
}

async fn identifiers_from_many_reports_are_stored_in_one_transaction(cloud: Cloud) {
    let messages = send_messages(&cloud, 0..22).await;
    // The first callback also records that the number gets callbacks.
    report_statuses(&cloud, "delivered", &messages[..1]).await;
    // Given the cost of one status with a new user id,
    statements::taken();
    report_statuses(&cloud, "delivered", &messages[1..2]).await;
    let one = count_transactions(&statements::taken());
    // when twenty such statuses come together, then they need as many transactions,
    report_statuses(&cloud, "delivered", &messages[2..]).await;
    let twenty = statements::taken();
    assert_eq!(count_transactions(&twenty), one, "{twenty:#?}");
    // and each contact is known by both number and user id.
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated.len(), 22);
}

async fn events_read_their_subjects_by_whole_keys(cloud: Cloud) {
    // Given an organization with many contacts, and events about some of them,
    cloud.text(PERSON, "Hello").await;
    let person = Person { user: Some(USER), ..Default::default() };
    cloud.post_callback(&person.text("wamid.A", 0, "Hi")).await;
    let mut beside = cloud.beside().await;
    beside.execute(&many_people(&cloud)).await;
    let (by_id, by_contact) = if cloud.database_url().starts_with("sqlite:") {
        ("(organization_id=? AND id=?)", "(organization_id=? AND contact_id=?)")
    } else {
        ("(id = ANY", "(contact_id = ANY")
    };
    for (kept, keys) in [(true, vec![by_id]), (false, vec![by_id, by_contact])] {
        if !kept {
            // (as the previous version wrote them)
            beside.execute("UPDATE events SET data = NULL WHERE kind = 'contact.created'").await;
        }
        // when they are read,
        statements::taken();
        events(&cloud).await;
        let statements = statements::taken();
        let reads = statements.iter().filter(|it| it.contains("FROM (\"conversations\""));
        let reads: Vec<&String> = reads.collect();
        assert_eq!(reads.len(), keys.len(), "{statements:#?}");
        // then each conversation is found by its id or by its contact's id.
        for (read, key) in reads.into_iter().zip(keys) {
            let plan = statements::plan(&mut beside, read).await;
            let text = plan.join("\n");
            assert!(!text.contains("SCAN") && !text.contains("Seq Scan"), "{text}");
            let found = |it: &String| it.contains(key) && !it.contains("Filter");
            assert!(plan.iter().any(found), "{key} in {text}");
        }
    }
}

/// Returns SQL that inserts five thousand contacts and their conversations.
fn many_people(cloud: &Cloud) -> String {
    let columns = "organization_id, account_id, contact_id, id, phone_number, agent_paused, \
                   message_count, last_message_at, created_at, has_merged";
    let of_one = "organization_id, account_id";
    let at = "last_message_at, created_at";
    let from = format!("(SELECT {of_one}, {at} FROM conversations LIMIT 1)");
    let contacts = "INSERT INTO contacts (organization_id, account_id, id, phone_number, created_at) \
                    SELECT organization_id, account_id, contact_id, phone_number, created_at \
                    FROM conversations WHERE phone_number LIKE '+999%'";
    if cloud.database_url().starts_with("sqlite:") {
        format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000) \
             INSERT INTO conversations ({columns}) \
             SELECT {of_one}, randomblob(16), randomblob(16), '+999' || (1000000 + n), 0, 0, {at}, 0 \
             FROM {from} CROSS JOIN n; \
             {contacts}; ANALYZE"
        )
    } else {
        format!(
            "INSERT INTO conversations ({columns}) \
             SELECT {of_one}, gen_random_uuid(), gen_random_uuid(), '+999' || (1000000 + n), false, 0, \
             {at}, false FROM {from} AS one CROSS JOIN generate_series(1, 5000) AS n (n); \
             {contacts}; ANALYZE"
        )
    }
}

with_statements! {
    a_report_that_teaches_nothing_costs_no_transaction,
    several_numbers_cost_only_those_who_have_them,
    identifiers_from_many_reports_are_stored_in_one_transaction,
    events_read_their_subjects_by_whole_keys,
}
