//! `switchboard admin account disconnect` while the first message of the number is received or
//! sent, or while an AI agent is set on the number.

use crate::cloud::{Cloud, PERSON_THERE, SEND, on_both_clouds};
use crate::world::Pair;
use crate::world::graph::callbacks::Inbound;
use domain::id::{AccountId, OrganizationId};
use serde_json::{Value, json};
use service::agents::{self, AgentError, AgentInput, NewConnection};
use std::time::Duration;
use workers::callbacks;

/// Number of numbers that are disconnected while they are used.
const RACES: u64 = 60;
/// The time for which an operator's transaction stays open while a request waits for it.
const OPEN: Duration = Duration::from_millis(300);
/// The tables that name an account without a foreign key.
const TABLES: [&str; 7] = [
    "agent_accounts",
    "contacts",
    "conversations",
    "messages",
    "outbox_conversations",
    "scheduled_messages",
    "fetches",
];

/// The only number of an organization, with a key that is not bound to it.
struct Number {
    organization: OrganizationId,
    account: AccountId,
    key: Pair,
    channel_id: String,
}

async fn connect_number(cloud: &Cloud, index: u64) -> Number {
    let channel_id = format!("2065403522{index:05}");
    let phone_number = format!("+1202555{:04}", 1000 + index);
    let (organization, key) = cloud.other(&phone_number, &channel_id).await;
    let accounts = cloud.server.deps.db.organization(organization).accounts().await.unwrap();
    Number { organization, account: accounts[0].id, key, channel_id }
}

fn message(cloud: &Cloud, is_scheduled: bool) -> Value {
    let mut body = json!({"type": "text", "phone_number": "+16505550100", "text": "Hello"});
    if is_scheduled {
        body["send_at"] = json!(cloud.clock.now().plus(Duration::from_hours(1)).to_string());
    }
    body
}

/// Reports a message from somebody who has not written to the number before.
async fn report_message(cloud: &Cloud, number: &Number, wamid: &str) {
    let message = Inbound::new(&number.channel_id, PERSON_THERE, wamid, cloud.second());
    cloud.report(&message.text("Anybody there?")).await;
}

/// Asserts that each row has its account, and each waiting message its conversation.
async fn nothing_is_orphaned(cloud: &Cloud) {
    let mut beside = cloud.beside().await;
    for table in TABLES {
        let orphans = format!(
            "SELECT count(*) AS number FROM {table} WHERE NOT EXISTS \
             (SELECT 1 FROM accounts WHERE accounts.id = {table}.account_id)"
        );
        assert_eq!(beside.number(&orphans).await, 0, "{table}");
    }
    let orphans = "SELECT count(*) AS number FROM outbox WHERE NOT EXISTS \
                   (SELECT 1 FROM conversations WHERE conversations.id = outbox.conversation_id \
                   AND conversations.organization_id = outbox.organization_id)";
    assert_eq!(beside.number(orphans).await, 0);
}

async fn a_number_is_disconnected_or_used_but_not_both(cloud: Cloud) {
    let deps = &cloud.server.deps;
    let mut disconnected = 0;
    for race in 0..RACES {
        // Given a number that nobody has used,
        let number = connect_number(&cloud, race).await;
        let organization_db = deps.db.organization(number.organization);
        report_message(&cloud, &number, &format!("wamid.{race}")).await;
        // when it is disconnected while a message is received, sent or scheduled,
        let disconnect = async {
            tokio::time::sleep(Duration::from_millis(race % 8)).await; // real time: either side of the race begins first
            organization_db.delete_unused_account(number.account).await.unwrap()
        };
        let sending = async {
            let body = message(&cloud, race % 3 == 1);
            if race % 3 == 2 { None } else { Some(cloud.post(SEND, &number.key, &body).await) }
        };
        let (is_disconnected, sent, received) =
            tokio::join!(disconnect, sending, callbacks::step(deps));
        received.unwrap();
        // then either the number is gone or it is used, and the workers go on.
        let left = organization_db.account(number.account).await.unwrap();
        assert_eq!(left.is_none(), is_disconnected);
        if let Some(sent) = sent {
            let expected = if is_disconnected { 400..500 } else { 201..202 };
            assert!(expected.contains(&sent.status), "{is_disconnected} {}", sent.text);
        }
        nothing_is_orphaned(&cloud).await;
        cloud.settle().await;
        assert!(cloud.is_idle().await);
        disconnected += usize::from(is_disconnected);
    }
    nothing_is_orphaned(&cloud).await;
    println!("{disconnected} of {RACES} were disconnected");
}

/// Returns the statements of an operator who disconnects a number, up to the commit. Like the command,
/// they lock the counter of the organization's events.
fn disconnection(cloud: &Cloud, number: &Number) -> String {
    let is_sqlite = cloud.database_url().starts_with("sqlite:");
    let (begin, prefix) = if is_sqlite { ("BEGIN IMMEDIATE", "X") } else { ("BEGIN", "") };
    let id = format!("{prefix}'{}'", number.account.uuid().simple());
    let organization = format!("{prefix}'{}'", number.organization.uuid().simple());
    format!(
        "{begin}; \
         INSERT INTO event_counters (organization_id, last) VALUES ({organization}, 0) \
         ON CONFLICT (organization_id) DO UPDATE SET last = event_counters.last; \
         UPDATE organizations SET default_account_id = NULL WHERE default_account_id = {id}; \
         DELETE FROM accounts WHERE id = {id}; \
         DELETE FROM event_counters WHERE organization_id = {organization} AND last = 0"
    )
}

async fn a_message_that_waits_for_a_disconnection_does_not_find_the_number(cloud: Cloud) {
    let deps = &cloud.server.deps;
    for (index, is_scheduled) in [(0, false), (1, true)] {
        // Given an operator who is about to disconnect a number,
        let number = connect_number(&cloud, index).await;
        let mut operator = cloud.beside().await;
        operator.execute(&disconnection(&cloud, &number)).await;
        // when a message to a new contact was checked before that is done,
        let commit = async {
            tokio::time::sleep(OPEN).await; // real time: the server waits for a lock of the database
            operator.execute("COMMIT").await;
        };
        let body = message(&cloud, is_scheduled);
        let (sent, ()) = tokio::join!(cloud.post(SEND, &number.key, &body), commit);
        // then it is refused, and nothing is stored.
        sent.is_problem(404, "not_found");
        nothing_is_orphaned(&cloud).await;
    }
    // A message from a new contact is kept for the operator.
    let number = connect_number(&cloud, 2).await;
    report_message(&cloud, &number, "wamid.A").await;
    let mut operator = cloud.beside().await;
    operator.execute(&disconnection(&cloud, &number)).await;
    let commit = async {
        tokio::time::sleep(OPEN).await; // real time: the worker waits for a lock of the database
        operator.execute("COMMIT").await;
    };
    let (received, ()) = tokio::join!(callbacks::step(deps), commit);
    assert_eq!(received.unwrap(), 1);
    nothing_is_orphaned(&cloud).await;
    let kept = "SELECT count(*) AS number FROM dead_callbacks WHERE reason = 'unknown_account'";
    assert_eq!(cloud.beside().await.number(kept).await, 1);
    assert!(cloud.is_idle().await);
}

/// Sets an AI agent on a number: a new one, or one that exists.
async fn set_agent(cloud: &Cloud, number: &Number, is_new: bool) -> Result<(), AgentError> {
    let (deps, organization) = (&cloud.server.deps, number.organization);
    let name = Some("Assistant");
    let input = AgentInput { accounts: Some(vec![number.account]), name, ..AgentInput::default() };
    if is_new {
        agents::create(deps, organization, NewConnection::Api, input).await?;
    } else {
        let (agent, _) = agents::list(deps, organization).await?.remove(0);
        agents::update(deps, organization, agent.id, input).await?;
    }
    Ok(())
}

/// Connects the only number of an organization that has an agent without a number.
async fn number_and_agent(cloud: &Cloud, index: u64) -> Number {
    let number = connect_number(cloud, index).await;
    let (deps, organization) = (&cloud.server.deps, number.organization);
    let input = AgentInput { name: Some("Assistant"), ..AgentInput::default() };
    agents::create(deps, organization, NewConnection::Api, input).await.unwrap();
    number
}

async fn an_agent_is_set_on_a_number_or_the_number_is_disconnected(cloud: Cloud) {
    let deps = &cloud.server.deps;
    for race in 0..RACES {
        // Given a number that nobody has used, and an agent that has no number,
        let number = number_and_agent(&cloud, race).await;
        let organization_db = deps.db.organization(number.organization);
        // when the number is disconnected while an agent is set on it,
        let disconnect = async {
            tokio::time::sleep(Duration::from_millis(race % 8)).await; // real time: either side of the race begins first
            organization_db.delete_unused_account(number.account).await.unwrap()
        };
        let (is_disconnected, set) =
            tokio::join!(disconnect, set_agent(&cloud, &number, race % 2 == 0));
        // then the number has its agent, or it is gone and the agent is not changed.
        match set {
            Ok(()) => assert!(!is_disconnected),
            Err(AgentError::NoSuchNumber(account)) => {
                assert_eq!(account, number.account);
                assert!(is_disconnected);
            }
            Err(other) => panic!("{other}"),
        }
    }
    nothing_is_orphaned(&cloud).await;
}

async fn an_agent_that_waits_for_a_disconnection_does_not_find_the_number(cloud: Cloud) {
    for (index, is_new) in [(0, true), (1, false)] {
        // Given an operator who is about to disconnect a number,
        let number = number_and_agent(&cloud, index).await;
        let mut operator = cloud.beside().await;
        operator.execute(&disconnection(&cloud, &number)).await;
        // when an agent is set on the number, which was checked before that is done,
        let commit = async {
            tokio::time::sleep(OPEN).await; // real time: the server waits for a lock of the database
            operator.execute("COMMIT").await;
        };
        let (set, ()) = tokio::join!(set_agent(&cloud, &number, is_new), commit);
        // then the number is not found, and no agent is created or changed.
        let error = set.unwrap_err();
        assert!(matches!(error, AgentError::NoSuchNumber(it) if it == number.account), "{error}");
        let agents = agents::list(&cloud.server.deps, number.organization).await.unwrap();
        assert_eq!(agents.len(), 1);
        nothing_is_orphaned(&cloud).await;
    }
}

async fn an_organization_whose_unused_number_is_disconnected_can_be_removed(cloud: Cloud) {
    // Given an organization in which nothing has happened,
    let deps = &cloud.server.deps;
    let made = cloud.admin().create_organization("Mistake", None).await.unwrap();
    let organization: OrganizationId = made.id.parse().unwrap();
    let account = cloud.number(organization, "+12025550177").await;
    // when its number is disconnected, then the organization can be removed.
    let organization_db = deps.db.organization(organization);
    assert!(organization_db.delete_unused_account(account).await.unwrap());
    assert!(organization_db.delete_unused().await.unwrap());
}

on_both_clouds! {
    a_number_is_disconnected_or_used_but_not_both,
    an_agent_is_set_on_a_number_or_the_number_is_disconnected,
    an_agent_that_waits_for_a_disconnection_does_not_find_the_number,
    an_organization_whose_unused_number_is_disconnected_can_be_removed,
    a_message_that_waits_for_a_disconnection_does_not_find_the_number,
}
