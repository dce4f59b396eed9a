//! The deletion of a contact (`docs/contract.md#contacts`): what the person wrote and who they are is
//! gone from every table, every file of the database and the folder of files. Ids and counts stay.

mod data_files;

use crate::agents::{after, contact_writes, webhook_agent};
use crate::cloud::{Cloud, NUMBER, PERSON, SECOND, SEND, on_both_clouds};
use crate::connect::PASSWORD;
use crate::dashboard::sign_in_member;
use crate::events::events;
use crate::media_files::{fetch, png, upload};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::Fault;
use crate::world::graph::callbacks::{Inbound, Media};
use crate::world::{Answer, Pair, World};
use diesel::sqlite::SqliteConnection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _};
use domain::account::ChannelKind;
use domain::agent::AgentMode;
use domain::callback::DeadLetterReason;
use domain::id::MemberId;
use domain::role::{Authority, Role};
use domain::scope::Scope;
use persistence::Reader;
use persistence::records::DeadCallback;
use reqwest::Method;
use serde_json::{Value, json};
use service::actor::Actor;
use service::agents::AgentInput;
use std::path::Path;
use std::time::Duration;

const CONTACTS: &str = "/api/v1/contacts";
/// The person who is deleted, as the API and as the channel write the number.
const ADA: &str = "+16505559871";
const ADA_THERE: &str = "16505559871";
/// Somebody else, whose data stays.
const BOB: &str = "+16505559872";
const FILE: &str = "1013859600285441";

/// What is known of the person. Each is in a table of its own before the deletion.
const TRACES: [&str; 17] = [
    "6505559871",
    "Zephyrine",
    "zephyr_user",
    "US.77712345678901234567",
    "wamid.ZEPHYR",
    "quagga-inbound",
    "quagga-caption",
    "quagga-outbound",
    "quagga-queued",
    "quagga-reference",
    "quagga-metadata",
    "quagga-note",
    "quagga-draft",
    "quagga-letter",
    "quagga-long",
    "quagga-label",
    "quagga-former-label",
];

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = diesel::sql_types::Text)]
    line: String,
}

/// Returns all rows of all tables as text.
async fn dump(world: &World) -> String {
    let Some(path) = world.database_url().strip_prefix("sqlite:") else {
        return dump_of_postgres(world.database_url()).await;
    };
    let mut conn = SqliteConnection::establish(path).unwrap();
    conn.set_instrumentation(|_: diesel::connection::InstrumentationEvent<'_>| ());
    let mut lines = |query: &str| -> Vec<String> {
        let found = diesel::sql_query(query).load::<Line>(&mut conn).unwrap();
        found.into_iter().map(|it| it.line).collect()
    };
    let mut dump = Vec::new();
    for table in lines("SELECT name AS line FROM sqlite_master WHERE type = 'table'") {
        let columns = lines(&format!("SELECT name AS line FROM pragma_table_info('{table}')"));
        let values: Vec<String> = columns.iter().map(|it| format!("quote(\"{it}\")")).collect();
        let row = values.join(" || ', ' || ");
        let rows = lines(&format!("SELECT {row} AS line FROM \"{table}\""));
        dump.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
    }
    dump.join("\n")
}

async fn dump_of_postgres(url: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";
    let mut dump = Vec::new();
    for table in client.query(tables, &[]).await.unwrap() {
        let name: String = table.get(0);
        let rows = client.query(&format!("SELECT t::text FROM {name} t"), &[]).await.unwrap();
        dump.extend(rows.into_iter().map(|row| format!("{name}: {}", row.get::<_, String>(0))));
    }
    driver.abort();
    dump.join("\n")
}

/// Returns the files in a folder and below it that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

async fn delete(world: &World, key: &Pair, id: &str) -> Answer {
    Answer::of(world.request(Method::DELETE, &format!("{CONTACTS}/{id}"), key)).await
}

/// Runs the worker until the contacts that are deleted are erased.
async fn erase(world: &World) {
    let deps = &world.server.deps;
    workers::contact_deletion::run_until_idle(deps).await.unwrap();
    world.advance(Duration::from_secs(31));
    workers::contact_deletion::run_until_idle(deps).await.unwrap();
}

async fn create_member(world: &World) -> MemberId {
    let (admin, organization) = (world.admin(), world.organization);
    let email = "ana@acme.example";
    admin.create_member_as(Role::Owner, organization, email, "Ana", PASSWORD).await.unwrap();
    world.server.deps.db.member_of_email(email.to_owned()).await.unwrap().unwrap().id
}

fn from_ada(wamid: &str) -> Inbound<'_> {
    Inbound::new(NUMBER, ADA_THERE, wamid, crate::cloud::NOON)
}

/// Adds the profile of the person to a callback with a message.
fn named(mut callback: Value) -> Value {
    callback["entry"][0]["changes"][0]["value"]["contacts"] = json!([{
        "wa_id": ADA_THERE,
        "user_id": "US.77712345678901234567",
        "profile": {"name": "Zephyrine Q", "username": "zephyr_user"},
    }]);
    callback
}

/// A file whose bytes contain a text.
fn png_with(text: &str) -> Vec<u8> {
    [png(), text.as_bytes().to_vec()].concat()
}

/// What the person wrote and was sent.
struct Story {
    contact: String,
    conversation: String,
    /// The messages of the conversation.
    messages: Vec<String>,
    /// The body of a request that was sent with the idempotency key `once`, and its message.
    once: (Value, String),
    queued: String,
    /// Addresses of files: one that only the person was sent, and one that Bob was sent, too.
    own_file: Value,
    shared_file: Value,
}

async fn live(cloud: &Cloud) -> Story {
    // The person writes a text, a long text and a picture,
    cloud.post_callback(&named(from_ada("wamid.ZEPHYR1").text("quagga-inbound"))).await;
    let long = format!("quagga-long {}", "x".repeat(4000));
    cloud.post_callback(&named(from_ada("wamid.ZEPHYR2").text(&long))).await;
    cloud.graph.put_file(FILE, "image/png", png_with("quagga-file"));
    let media = Media {
        kind: "image",
        id: FILE,
        mime_type: "image/png",
        caption: Some("quagga-caption"),
        ..Media::default()
    };
    cloud.post_callback(&named(from_ada("wamid.ZEPHYR3").media(&media))).await;
    let received = cloud.history(ADA).await;
    let text = |at: &str| received[0][at].as_str().unwrap().to_owned();
    let (contact, conversation) = (text("contact_id"), text("conversation_id"));
    // and is sent texts and files.
    let body = json!({
        "type": "text", "phone_number": ADA, "text": "quagga-outbound",
        "client_ref": "quagga-reference", "metadata": {"order": "quagga-metadata"},
    });
    let sent = cloud.post_once(SEND, "once", &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let once = (body, sent.text_of("id"));
    let own_file =
        upload(cloud, "image/png", "a.png", &png_with("quagga-own")).await["url"].clone();
    let shared_file =
        upload(cloud, "image/png", "b.png", &png_with("kept-file")).await["url"].clone();
    for (to, url) in [(ADA, &own_file), (ADA, &shared_file), (BOB, &shared_file)] {
        let body = json!({
            "type": "media", "phone_number": to, "media_url": url, "media_type": "image",
        });
        cloud.send(&body).await;
    }
    cloud.settle().await;
    cloud.faults(std::iter::repeat_n(Fault::Status(500), 9));
    let queued = json!({"type": "text", "phone_number": ADA, "text": "quagga-queued"});
    let queued = cloud.send(&queued).await;
    cloud.settle().await;
    // Members write a note, a draft, and label the conversation.
    let path = format!("/api/v1/conversations/{conversation}/notes");
    assert_eq!(cloud.post(&path, &cloud.key, &json!({"text": "quagga-note"})).await.status, 201);
    let path = format!("/api/v1/conversations/{conversation}");
    for label in ["quagga-former-label", "quagga-label"] {
        let request = cloud.request(Method::PATCH, &path, &cloud.key);
        let labeled = Answer::of(request.json(&json!({"labels": [label]}))).await;
        assert_eq!(labeled.status, 200, "{}", labeled.text);
    }
    let member = create_member(cloud).await;
    let (deps, organization) = (&*cloud.server.deps, cloud.organization);
    let reader = Reader::from_primary(organization);
    let id = conversation.parse().unwrap();
    service::inbox::save_draft(deps, reader, member, id, "quagga-draft").await.unwrap();
    let authority = Authority { role: Role::Owner, keys_restricted: false, support_limited: false };
    let actor = Actor { deps, organization, member, authority, address: None };
    actor.inbox(reader, id).pause_agent().await.unwrap();
    // A report about the person could not be processed.
    let payload = json!({"number": NUMBER, "from": ADA_THERE, "said": "quagga-letter"});
    let letter = DeadCallback {
        id: deps.id(deps.clock.now()),
        digest: vec![7; 32],
        channel: ChannelKind::CloudApi,
        kind: "status".to_owned(),
        reason: DeadLetterReason::UnknownMessage,
        detail: String::new(),
        payload: payload.to_string(),
        attempts: 1.into(),
        received_at: deps.clock.now(),
        kept_at: deps.clock.now(),
    };
    deps.db.operator().insert_dead_callbacks(vec![letter]).await.unwrap();
    let messages = cloud.history(ADA).await;
    let messages = messages.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    Story { contact, conversation, messages, once, queued, own_file, shared_file }
}

async fn nothing_of_a_deleted_person_is_left(cloud: Cloud) {
    // Given a person whose words are in every table that can have them,
    let story = live(&cloud).await;
    let bob = cloud
        .post(SEND, &cloud.key, &json!({"type": "text", "phone_number": BOB, "text": "kept-words"}))
        .await;
    cloud.settle().await;
    let before = dump(&cloud).await;
    for trace in TRACES {
        assert!(before.contains(trace), "{trace} is in no table");
    }
    assert_eq!(files_with(&cloud.folder().join("media"), "quagga-").len(), 2);

    // when the contact is deleted,
    let deleted = delete(&cloud, &cloud.key, &story.contact).await;
    let expected =
        json!({"id": story.contact, "conversation_id": story.conversation, "deleted": true});
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert_eq!(deleted.body, expected, "{}", deleted.text);

    // then nobody can write to the person under the old ids, at once,
    for to in ["contact_id", "conversation_id"] {
        let id = if to == "contact_id" { &story.contact } else { &story.conversation };
        let body = json!({"type": "text", to: id, "text": "Hello"});
        cloud.post(SEND, &cloud.key, &body).await.is_problem(404, "not_found");
    }
    // and within a minute nothing is left, in any table or file.
    erase(&cloud).await;
    let after = dump(&cloud).await;
    for trace in TRACES {
        let lines: Vec<&str> = after.lines().filter(|line| line.contains(trace)).collect();
        assert!(lines.is_empty(), "{trace} is in {lines:#?}");
    }
    assert!(after.contains("kept-words"));
    if cloud.database_url().starts_with("sqlite:") {
        for trace in TRACES {
            assert_eq!(files_with(cloud.folder(), trace), [""; 0], "{trace}");
        }
    }
    assert_eq!(files_with(&cloud.folder().join("media"), "quagga-"), [""; 0]);
    assert_eq!(fetch(&cloud, &story.own_file).await.status, 404);
    assert_eq!(fetch(&cloud, &story.shared_file).await.status, 200);
    // Counts and ids stay.
    let path = format!("/api/v1/conversations/history?contact_id={}&order=asc", story.contact);
    let history = cloud.get(&path, &cloud.key).await;
    let ids = history.body["data"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, story.messages);
    assert_eq!(history.body["data"][0]["text"], Value::Null);
    let contact = cloud.get(&format!("{CONTACTS}/{}", story.contact), &cloud.key).await;
    assert_eq!(contact.status, 200, "{}", contact.text);
    assert!(contact.body["deleted_at"].is_string(), "{}", contact.text);
    assert_eq!(contact.body["name"], Value::Null);
    let listed = cloud.get(CONTACTS, &cloud.key).await.body;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["data"][0]["id"], bob.body["contact_id"]);
    let conversations = cloud.get("/api/v1/conversations", &cloud.key).await.body;
    assert_eq!(conversations["data"].as_array().unwrap().len(), 1, "{conversations}");
    // The event says which contact was deleted, and nothing more.
    let all = events(&cloud, &cloud.key).await;
    let told: Vec<&Value> = all.iter().filter(|it| it["type"] == "contact.deleted").collect();
    assert_eq!(told.len(), 1);
    let expected = json!({"contact_id": story.contact, "conversation_id": story.conversation});
    assert_eq!(told[0]["data"], expected);
}

async fn messages_to_a_deleted_person_are_withdrawn(cloud: Cloud) {
    // Given a message that waits for the channel,
    let story = live(&cloud).await;
    let sent = cloud.graph.accepted().len();

    // when its contact is deleted,
    assert_eq!(delete(&cloud, &cloud.key, &story.contact).await.status, 200);
    erase(&cloud).await;
    cloud.advance_by(10, Duration::from_mins(30)).await;

    // then it is not sent, and it failed.
    assert_eq!(cloud.graph.accepted().len(), sent);
    let message = cloud.message(&story.queued).await;
    assert_eq!(message["status"], "failed");
    assert_eq!(message["error"]["code"], "contact_deleted");
    let all = events(&cloud, &cloud.key).await;
    let failed = all.iter().rfind(|it| it["type"] == "message.failed").expect("it failed");
    assert_eq!(failed["data"]["id"], json!(story.queued));
    assert_eq!(failed["data"]["contact"]["phone_number"], Value::Null);
    // A repeated request sends nothing to the person, and has the same message.
    let (body, id) = &story.once;
    let again = cloud.post_once(SEND, "once", body).await;
    assert_eq!(again.status, 201);
    assert_eq!(again.text_of("id"), *id);
    assert_eq!(again.body["contact"]["phone_number"], Value::Null);
    // Deleting again changes nothing.
    assert_eq!(delete(&cloud, &cloud.key, &story.contact).await.status, 200);
    let all = events(&cloud, &cloud.key).await;
    assert_eq!(all.iter().filter(|it| it["type"] == "contact.deleted").count(), 1);
}

async fn late_reports_do_not_bring_a_deleted_person_back(cloud: Cloud) {
    // Given a deleted person who was sent a message,
    let story = live(&cloud).await;
    let (_, id) = &story.once;
    let wamid = cloud.row(id).await.channel_message_id.unwrap();
    assert_eq!(delete(&cloud, &cloud.key, &story.contact).await.status, 200);
    erase(&cloud).await;

    // when the channel reports late that the message was read, and an old message again,
    let mut read = cloud.status_callback(&wamid, None, "read");
    read["entry"][0]["changes"][0]["value"]["statuses"][0]["recipient_id"] = json!(ADA_THERE);
    cloud.post_callback(&read).await;
    cloud.post_callback(&named(from_ada("wamid.ZEPHYR1").text("quagga-inbound"))).await;

    // then the status counts, and nothing of the person is back.
    assert_eq!(cloud.message(id).await["status"], "read");
    assert!(cloud.is_idle().await);
    let after = dump(&cloud).await;
    for trace in TRACES {
        let lines: Vec<&str> = after.lines().filter(|line| line.contains(trace)).collect();
        assert!(lines.is_empty(), "{trace} is in {lines:#?}");
    }
    // A person who writes again is a new contact.
    cloud.advance(SECOND);
    cloud.post_callback(&named(from_ada("wamid.NEW").text("Hello again"))).await;
    let history = cloud.history(ADA).await;
    assert_eq!(history.len(), 1);
    assert_ne!(history[0]["contact_id"], json!(story.contact));
}

async fn only_a_key_with_the_scope_deletes_contacts_of_its_number(cloud: Cloud) {
    // Given a contact,
    let sent = cloud
        .post(SEND, &cloud.key, &json!({"type": "text", "phone_number": ADA, "text": "Hello"}))
        .await;
    let contact = sent.text_of("contact_id");
    // then a key without the scope, one of another number and one of another organization cannot
    // delete it.
    let scopes: Vec<Scope> = domain::keyword::Keyword::ALL.to_vec();
    let without: Vec<Scope> =
        scopes.into_iter().filter(|it| *it != Scope::ContactsDelete).collect();
    let key = cloud.key_with(cloud.organization, &without, None, 0).await;
    delete(&cloud, &key, &contact).await.is_problem(403, "insufficient_scope");
    let bound = cloud.key_with_token(cloud.graph.token()).await;
    delete(&cloud, &bound, &contact).await.is_problem(404, "not_found");
    let (_, _, other) = &cloud.sandbox;
    delete(&cloud, other, &contact).await.is_problem(404, "not_found");
    assert_eq!(
        cloud.get(&format!("{CONTACTS}/{contact}"), &cloud.key).await.body["phone_number"],
        ADA
    );
}

async fn nothing_that_an_agent_wrote_about_the_person_is_left(cloud: Cloud) {
    // Given an agent that has answered, handed over and written a note, messages that are scheduled
    // and canceled, and events with the person's number,
    let answer = json!({
        "messages": [{"text": "quagga-answer"}],
        "hand_over": {"reason": "quagga-reason", "summary": "quagga-summary"},
        "note": "quagga-note",
    });
    let receiver = Receiver::that(Answers::Body(200, answer.to_string())).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.ZEPHYR", "quagga-question").await;
    after(&cloud, Duration::from_secs(8)).await;
    contact_writes(&cloud, "wamid.STOP", "Stop").await;
    let send_at = cloud.clock.now().plus(Duration::from_hours(9)).to_string();
    let scheduled = json!({
        "type": "text", "phone_number": PERSON, "text": "quagga-scheduled", "send_at": send_at,
    });
    assert_eq!(cloud.post_once(SEND, "later", &scheduled).await.status, 201);
    let canceled = cloud.post(SEND, &cloud.key, &scheduled).await;
    let path = format!("{SEND}/{}", canceled.text_of("id"));
    assert_eq!(Answer::of(cloud.request(Method::DELETE, &path, &cloud.key)).await.status, 200);
    let traces = [
        PERSON.trim_start_matches('+'),
        "quagga-question",
        "quagga-answer",
        "quagga-reason",
        "quagga-summary",
        "quagga-note",
        "quagga-scheduled",
    ];
    let before = dump(&cloud).await;
    for trace in traces {
        assert!(before.contains(trace), "{trace} is in no table");
    }
    // when the contact is deleted, then nothing of it is left in any table.
    let contact = cloud.history(PERSON).await[0]["contact_id"].as_str().unwrap().to_owned();
    assert_eq!(delete(&cloud, &cloud.key, &contact).await.status, 200);
    erase(&cloud).await;
    let after = dump(&cloud).await;
    for trace in traces {
        let lines: Vec<&str> = after.lines().filter(|line| line.contains(trace)).collect();
        assert!(lines.is_empty(), "{trace} is in {lines:#?}");
    }
}

async fn files_of_scheduled_messages_go_with_their_contact_only(cloud: Cloud) {
    // Given a file that Ada was sent and that is scheduled for Bob, and one that is scheduled for Ada,
    let kept = upload(&cloud, "image/png", "a.png", &png_with("kept-file")).await["url"].clone();
    let own = upload(&cloud, "image/png", "b.png", &png_with("quagga-own")).await["url"].clone();
    let media = |to: &str, url: &Value| json!({"type": "media", "phone_number": to, "media_url": url, "media_type": "image"});
    let send_at = cloud.clock.now().plus(Duration::from_hours(9)).to_string();
    let sent = cloud.post(SEND, &cloud.key, &media(ADA, &kept)).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let mut waiting = Vec::new();
    for (to, url) in [(BOB, &kept), (ADA, &own)] {
        let mut body = media(to, url);
        body["send_at"] = json!(send_at);
        let scheduled = cloud.post(SEND, &cloud.key, &body).await;
        assert_eq!(scheduled.status, 201, "{}", scheduled.text);
        waiting.push(scheduled.text_of("id"));
    }
    cloud.settle().await;

    // when Ada is deleted,
    assert_eq!(delete(&cloud, &cloud.key, &sent.text_of("contact_id")).await.status, 200);
    erase(&cloud).await;

    // then the file of her scheduled message is gone, and Bob gets his.
    assert_eq!(fetch(&cloud, &own).await.status, 404);
    assert_eq!(files_with(&cloud.folder().join("media"), "quagga-"), [""; 0]);
    assert_eq!(fetch(&cloud, &kept).await.status, 200);
    cloud.advance(Duration::from_hours(9));
    cloud.live_through(2 * SECOND).await;
    // The channel has taken it, and has not reported on it yet.
    assert_eq!(cloud.message(&waiting[0]).await["status"], "queued");
}

async fn the_page_of_a_deleted_contact_says_when(cloud: Cloud) {
    // Given a contact that was deleted yesterday,
    let text = json!({"type": "text", "phone_number": BOB, "text": "Hello"});
    let contact = cloud.post(SEND, &cloud.key, &text).await.text_of("contact_id");
    assert_eq!(delete(&cloud, &cloud.key, &contact).await.status, 200);
    cloud.advance(Duration::from_hours(25));
    // when a member opens its page, then the sentence has no capital within it.
    let page = sign_in_member(&cloud).await.get(&format!("/contacts/{contact}")).await;
    let (_, sentence) = page.text.split_once("This contact was deleted ").expect("the sentence");
    let sentence = sentence.split("</time>").next().unwrap();
    assert!(sentence.ends_with(">yesterday"), "{sentence}");
}

on_both_clouds! {
    the_page_of_a_deleted_contact_says_when,
    files_of_scheduled_messages_go_with_their_contact_only,
    nothing_that_an_agent_wrote_about_the_person_is_left,
    nothing_of_a_deleted_person_is_left,
    messages_to_a_deleted_person_are_withdrawn,
    late_reports_do_not_bring_a_deleted_person_back,
    only_a_key_with_the_scope_deletes_contacts_of_its_number,
}
