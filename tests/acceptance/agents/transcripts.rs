//! Transcripts of voice messages, whether or not an agent answers (`docs/contract.md#ai-agents`).

use super::attachments::contact_sends;
use super::{after, events, model_agent};
use crate::cloud::{Cloud, PERSON, from_person, on_both_clouds};
use crate::media_files::ogg;
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::Answer;
use crate::world::graph::callbacks::Media;
use domain::agent::AgentMode;
use domain::id::{AiAgentId, InstanceId};
use domain::media::FetchStep;
use persistence::records::FetchClaim;
use reqwest::Method;
use serde_json::{Value, json};
use service::agents::{self, AgentInput, ModelOptions};
use service::inbox::find_by_words;
use std::time::Duration;

const WORDS: &str = "Is the cake ready?";
const EVENT: &str = "message.transcribed";
/// How long another server claims a file.
const CLAIM: Duration = Duration::from_mins(1);

fn heard(text: &str) -> Answers {
    Answers::Body(200, json!({ "text": text }).to_string())
}

/// The input of an agent that is off and has a model for voice messages.
fn transcribing() -> AgentInput<'static> {
    let model_options =
        ModelOptions { transcription_model: Some("whisper-1"), ..ModelOptions::default() };
    AgentInput { model_options, ..AgentInput::default() }
}

async fn update(cloud: &Cloud, agent: AiAgentId, input: AgentInput<'_>) {
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    agents::update(deps, organization, agent, input).await.unwrap();
}

async fn switch_off(cloud: &Cloud, agent: AiAgentId) {
    let off = AgentInput { mode: Some(AgentMode::Off), ..AgentInput::default() };
    update(cloud, agent, off).await;
}

/// Takes an agent off all numbers.
async fn take_off(cloud: &Cloud, agent: AiAgentId) {
    let elsewhere = AgentInput { accounts: Some(Vec::new()), ..AgentInput::default() };
    update(cloud, agent, elsewhere).await;
}

async fn voice_message(cloud: &Cloud, id: &str) {
    contact_sends(cloud, id, "audio", "audio/ogg; codecs=opus", ogg()).await;
}

/// Receives a voice message, whose file is not downloaded yet.
async fn receive_voice_message(cloud: &Cloud) {
    cloud.graph.put_file("101", "audio/ogg; codecs=opus", ogg());
    let file =
        Media { kind: "audio", id: "101", mime_type: "audio/ogg; codecs=opus", ..Media::default() };
    cloud.report(&from_person("wamid.101").media(&file)).await;
    while workers::callbacks::step(&cloud.server.deps).await.unwrap() > 0 {}
}

async fn newest(cloud: &Cloud) -> Value {
    cloud.history(PERSON).await.pop().expect("a message")
}

async fn a_voice_message_is_transcribed_without_an_agent(cloud: Cloud) {
    // Given an agent that is off and answers on no number, but has a model for voice messages,
    let receiver = Receiver::that(heard(WORDS)).await;
    let agent = model_agent(&cloud, &receiver, transcribing()).await;
    take_off(&cloud, agent).await;
    switch_off(&cloud, agent).await;

    // when a contact sends a voice message,
    voice_message(&cloud, "101").await;

    // then the history, the event and the search have its words, and the file stays as it was.
    let message = newest(&cloud).await;
    assert_eq!(message["transcript"], WORDS);
    assert_eq!(message["media"]["media_type"], "audio");
    assert!(message["media"]["url"].is_string());
    assert_eq!(message["media"]["transcript"], Value::Null);
    let reported = events(&cloud, EVENT).await;
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0]["transcript"], WORDS);
    assert_eq!(reported[0]["id"], message["id"]);
    workers::search::run_until_idle(&cloud.server.deps).await.unwrap();
    let found = find_by_words(&cloud.server.deps, cloud.organization, "cake").await.unwrap();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(json!(found), json!([message["conversation_id"]]));
    assert_eq!(receiver.take().len(), 1);
    // Nothing is left to do.
    assert_eq!(workers::transcripts::step(&cloud.server.deps).await.unwrap(), 0);
}

async fn a_server_without_transcriptions_does_not_download_the_file_again(cloud: Cloud) {
    // Given a voice message that is stored and waits for its transcription,
    let receiver = Receiver::that(heard(WORDS)).await;
    let agent = model_agent(&cloud, &receiver, transcribing()).await;
    switch_off(&cloud, agent).await;
    receive_voice_message(&cloud).await;
    let deps = &cloud.server.deps;
    assert_eq!(workers::fetch::step(deps).await.unwrap(), 1);
    // when a server of an earlier version, which only downloads files, looks for due work, then it
    // finds none, neither now nor after another server died while it transcribed;
    let due = "SELECT count(*) AS number FROM fetches WHERE due_at <= received_at";
    let all = "SELECT count(*) AS number FROM fetches";
    let mut beside = cloud.beside().await;
    assert_eq!(beside.number(due).await, 0);
    assert_eq!(beside.number(all).await, 1);
    let now = cloud.clock.now();
    let (dead, until) = (InstanceId::new(now, [9; 10]), now.plus(Duration::from_hours(1)));
    let operator = deps.db.operator();
    let claimed = operator.claim_fetches(dead, FetchStep::Transcript, 10, now, until).await;
    assert_eq!(claimed.unwrap().len(), 1);
    assert_eq!(workers::transcripts::step(deps).await.unwrap(), 0);
    operator.leave(dead, now).await.unwrap();
    assert_eq!(beside.number(due).await, 0);
    assert_eq!(beside.number(all).await, 1);
    // and this server transcribes it at once.
    assert_eq!(workers::transcripts::step(deps).await.unwrap(), 1);
    assert_eq!(newest(&cloud).await["transcript"], WORDS);
    assert_eq!(beside.number(all).await, 0);
}

/// Claims the only row of the queue of files for a minute, as another server does.
async fn claim_elsewhere(cloud: &Cloud, step: FetchStep) -> FetchClaim {
    let now = cloud.clock.now();
    let (server, until) = (InstanceId::new(now, [9; 10]), now.plus(CLAIM));
    let operator = cloud.server.deps.db.operator();
    let claimed = operator.claim_fetches(server, step, 10, now, until).await.unwrap();
    assert_eq!(claimed.len(), 1);
    claimed[0].fetch.claim()
}

/// Postpones and abandons what was claimed, as workers do when an attempt fails.
async fn fail(cloud: &Cloud, claim: FetchClaim) {
    let organization_db = cloud.server.deps.db.organization(cloud.organization);
    organization_db.reschedule_fetch(claim, cloud.clock.now()).await.unwrap();
    organization_db.abandon_fetch(claim).await.unwrap();
}

async fn a_worker_whose_claim_is_over_changes_nothing(cloud: Cloud) {
    // Given a download that outlives its claim, while another server stores the file and begins to
    // transcribe it,
    let receiver = Receiver::that(heard(WORDS)).await;
    let agent = model_agent(&cloud, &receiver, transcribing()).await;
    switch_off(&cloud, agent).await;
    receive_voice_message(&cloud).await;
    let deps = &cloud.server.deps;
    let late_download = claim_elsewhere(&cloud, FetchStep::File).await;
    cloud.advance(CLAIM);
    assert_eq!(workers::fetch::step(deps).await.unwrap(), 1);
    let stored = newest(&cloud).await["media"]["url"].clone();
    let late_transcription = claim_elsewhere(&cloud, FetchStep::Transcript).await;
    // when the download fails, or ends with a file,
    fail(&cloud, late_download).await;
    let organization_db = deps.db.organization(cloud.organization);
    let (message, file) = (late_download.message_id, deps.id(cloud.clock.now()));
    let url = "https://api.example.com/second.ogg".to_owned();
    // then the second file is not wanted,
    let is_wanted = organization_db.finish_fetch(message, file, url, None).await.unwrap();
    assert!(!is_wanted);
    assert_eq!(newest(&cloud).await["media"]["url"], stored);
    // and the transcription is still under way.
    let under_way = "SELECT count(*) AS number FROM fetches WHERE step = 'transcript' \
                     AND claimed_by IS NOT NULL";
    let mut beside = cloud.beside().await;
    assert_eq!(beside.number(under_way).await, 1);
    assert_eq!(workers::transcripts::step(deps).await.unwrap(), 0);
    // A transcription that outlives its claim leaves the one of another server alone, too.
    cloud.advance(CLAIM);
    claim_elsewhere(&cloud, FetchStep::Transcript).await;
    fail(&cloud, late_transcription).await;
    assert_eq!(beside.number(under_way).await, 1);
    assert_eq!(workers::transcripts::step(deps).await.unwrap(), 0);
    cloud.advance(CLAIM);
    assert_eq!(workers::transcripts::step(deps).await.unwrap(), 1);
    assert_eq!(newest(&cloud).await["transcript"], WORDS);
}

async fn the_agent_of_the_number_transcribes_before_others(cloud: Cloud) {
    let (oldest, own) = (Receiver::that(heard("Old")).await, Receiver::that(heard(WORDS)).await);
    let first = model_agent(&cloud, &oldest, transcribing()).await;
    take_off(&cloud, first).await;
    cloud.advance(Duration::from_secs(1));
    let agent = model_agent(&cloud, &own, transcribing()).await;
    switch_off(&cloud, agent).await;
    voice_message(&cloud, "101").await;
    assert_eq!(newest(&cloud).await["transcript"], WORDS);
    assert!(oldest.received().is_empty());
}

async fn a_server_is_asked_three_times_and_then_no_more(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(503)).await;
    let agent = model_agent(&cloud, &receiver, transcribing()).await;
    switch_off(&cloud, agent).await;
    voice_message(&cloud, "101").await;
    for _ in 0..5 {
        after(&cloud, Duration::from_mins(1)).await;
    }
    assert_eq!(receiver.take().len(), 3);
    let message = newest(&cloud).await;
    assert_eq!(message["transcript"], Value::Null);
    assert!(message["media"]["url"].is_string());
    assert_eq!(events(&cloud, EVENT).await, [] as [Value; 0]);

    // Silence has no transcript.
    receiver.answer(heard("  "));
    voice_message(&cloud, "102").await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(newest(&cloud).await["transcript"], Value::Null);
}

async fn nothing_is_sent_without_a_model_for_voice_messages(cloud: Cloud) {
    let receiver = Receiver::that(heard(WORDS)).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    switch_off(&cloud, agent).await;
    voice_message(&cloud, "101").await;
    assert!(receiver.received().is_empty());
    assert_eq!(newest(&cloud).await["transcript"], Value::Null);
}

async fn a_transcript_is_deleted_with_its_contact(cloud: Cloud) {
    // Given a transcribed voice message and one that waits for its transcription,
    let receiver = Receiver::that(heard(WORDS)).await;
    let agent = model_agent(&cloud, &receiver, transcribing()).await;
    switch_off(&cloud, agent).await;
    voice_message(&cloud, "101").await;
    receiver.answer(Answers::With(503));
    voice_message(&cloud, "102").await;
    assert_eq!(receiver.take().len(), 2);

    // when the contact is deleted,
    let contact = newest(&cloud).await["contact_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/contacts/{contact}");
    let deleted = Answer::of(cloud.request(Method::DELETE, &path, &cloud.key)).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    workers::contact_deletion::run_until_idle(&cloud.server.deps).await.unwrap();

    // then the words are gone, and nothing is transcribed any more.
    receiver.answer(heard(WORDS));
    after(&cloud, Duration::from_mins(5)).await;
    assert!(receiver.received().is_empty());
    let reported = events(&cloud, EVENT).await;
    assert!(reported.iter().all(|it| it["transcript"].is_null()), "{reported:?}");
    workers::search::run_until_idle(&cloud.server.deps).await.unwrap();
    let found = find_by_words(&cloud.server.deps, cloud.organization, "cake").await.unwrap();
    assert!(found.is_empty());
}

on_both_clouds! {
    a_server_without_transcriptions_does_not_download_the_file_again,
    a_server_is_asked_three_times_and_then_no_more,
    a_transcript_is_deleted_with_its_contact,
    a_voice_message_is_transcribed_without_an_agent,
    a_worker_whose_claim_is_over_changes_nothing,
    nothing_is_sent_without_a_model_for_voice_messages,
    the_agent_of_the_number_transcribes_before_others,
}
