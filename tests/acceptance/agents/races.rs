//! People and agents who answer at the same time, on several instances.

use super::{saying, webhook_agent};
use crate::cloud::{Cloud, NUMBER, SEND, TestRng};
use crate::webhooks::receiver::Receiver;
use crate::world::graph::callbacks::Inbound;
use crate::world::{Answer, Database, settings_with};
use delivery::cli::{Running, start};
use domain::agent::AgentMode;
use futures_util::future::join_all;
use serde_json::{Value, json};
use service::agents::AgentInput;
use std::time::Duration;
use workers::{agents, inbox};

const QUIET: Duration = Duration::from_secs(8);
/// Number of conversations in which a person and the agent answer at the same time.
/// `SWITCHBOARD_TEST_RACES` sets another one.
const RACES: usize = 200;
/// Number of conversations at a time.
const ROUND: usize = 40;

fn races() -> usize {
    let given = std::env::var("SWITCHBOARD_TEST_RACES").ok();
    given.map_or(RACES, |text| text.parse().expect("a number"))
}

/// Answers as a person over one of the instances.
async fn person_answers(cloud: &Cloud, base: &str, to: &str) -> Answer {
    let body = json!({"type": "text", "phone_number": to, "text": "From Ana"});
    let request = cloud.http.post(format!("{base}{SEND}")).json(&body);
    Answer::of(crate::credentials::with_credentials(request, &cloud.key)).await
}

/// Lets people and the agent answer in each conversation at the same time, and counts in how many
/// conversations the agent was first and how often it was refused.
async fn race(cloud: &Cloud, others: &[&Running]) {
    let receiver = Receiver::that(saying("From the agent")).await;
    webhook_agent(cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let (mut chance, mut outcomes) = (TestRng::new(7), [0, 0]);
    let bases: Vec<String> = std::iter::once(cloud.base.clone())
        .chain(others.iter().map(|it| format!("http://{}", it.address)))
        .collect();
    let mut number = 0;
    while number < races() {
        let round: Vec<String> = (number..races().min(number + ROUND))
            .map(|number| format!("1650557{number:05}"))
            .collect();
        number += round.len();
        for from in &round {
            let id = format!("wamid.{from}");
            cloud.report(&Inbound::new(NUMBER, from, &id, cloud.second()).text("Hello?")).await;
        }
        cloud.settle().await;
        inbox::run_until_idle(&cloud.server.deps).await.unwrap();
        cloud.advance(QUIET);
        // When the turns are due, and people answer in another order on all instances,
        let mut order = round.clone();
        chance.shuffle(&mut order);
        let people = order.iter().enumerate().map(|(place, to)| {
            let base = &bases[place % bases.len()];
            async move { person_answers(cloud, base, &format!("+{to}")).await.status }
        });
        let deps = std::iter::once(&cloud.server.deps).chain(others.iter().map(|it| &it.deps));
        let agents = deps.map(|deps| async move { agents::step(deps).await.unwrap() });
        let (people, _) = tokio::join!(join_all(people), join_all(agents));
        assert!(people.iter().all(|status| *status == 201), "{people:?}");
        inbox::run_until_idle(&cloud.server.deps).await.unwrap();
        // then nothing of the agent comes after a person's message, and nothing comes twice.
        for from in &round {
            let history = cloud.history(&format!("+{from}")).await;
            let source = |it: &Value| it["source"].as_str().unwrap().to_owned();
            let sources: Vec<String> = history.iter().map(source).collect();
            match sources.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["customer", "agent", "api"] => outcomes[0] += 1,
                ["customer", "api"] => outcomes[1] += 1,
                other => panic!("{from}: {other:?}"),
            }
        }
    }
    // Each turn has ended once.
    assert_eq!(outcomes.iter().sum::<usize>(), races(), "{outcomes:?}");
    assert!(agents::step(&cloud.server.deps).await.unwrap() == 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_and_an_agent_never_cross_on_two_instances_of_postgres() {
    let cloud = Cloud::on(Database::migrated_postgres().await, &[]).await;
    let media = format!("file:{}", cloud.folder().join("media").display());
    let settings = [("media_url", media.as_str()), ("webhook_allow", "127.0.0.0/8")];
    let settings = settings_with(cloud.database_url(), &settings);
    let other = start(settings, cloud.clock.clone(), false).await.expect("the server starts");
    race(&cloud, &[&other]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_and_an_agent_never_cross_on_sqlite() {
    let cloud = Cloud::on(Database::migrated_sqlite(), &[]).await;
    race(&cloud, &[]).await;
}
