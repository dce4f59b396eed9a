//! Inbound messages of the Cloud API as the history shows them. None is lost.

use crate::cloud::{
    APP_SECRET, BUSINESS, Cloud, NOON, NUMBER, PERSON, PERSON_THERE, SECOND, from_person,
    on_both_clouds, refusal,
};
use crate::credentials::with_credentials;
use crate::operators::prepare;
use crate::world::graph::callbacks::{self, Inbound, signature};
use crate::world::{Answer, Pair, Process, World, free_port, switchboard};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

const HISTORY: &str = "/api/v1/conversations/history";
const SENT: &str = "2026-11-21T12:00:00.999Z";

async fn an_inbound_text_opens_the_window_and_names_the_message_it_replies_to(cloud: Cloud) {
    cloud.advance(SECOND * 5);
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    cloud.post_callback(&from_person("wamid.A").answering(&wamid).text("Thanks \u{1f44d}")).await;

    let history = cloud.history(PERSON).await;
    let message = history.iter().find(|it| it["direction"] == "inbound").unwrap();
    for (field, value) in [
        ("type", "text"),
        ("text", "Thanks \u{1f44d}"),
        ("status", "received"),
        ("source", "customer"),
        ("reply_to", &id),
        ("created_at", SENT),
    ] {
        assert_eq!(message[field], value, "{field}");
    }
    let answer = cloud
        .post(
            crate::cloud::SEND,
            &cloud.key,
            &json!({"type": "text", "phone_number": PERSON, "text": "Bye"}),
        )
        .await;
    assert_eq!(answer.body["warnings"], json!([]));
    // Our reply names the message to which it replies.
    let reply = cloud
        .send(&json!({
            "type": "text",
            "phone_number": PERSON,
            "text": "Yes",
            "reply_to": message["id"],
        }))
        .await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&reply)[0].body["context"], json!({"message_id": "wamid.A"}));
}

async fn taps_say_what_was_tapped(cloud: Cloud) {
    for (index, (callback, expected)) in [
        (
            from_person("wamid.A").button_reply("y", "Yes"),
            json!({
                "type": "button_reply",
                "button_reply": {"id": "y", "title": "Yes"},
            }),
        ),
        (
            from_person("wamid.B").list_reply("1", "Rye", Some("Dark")),
            json!({
                "type": "list_reply",
                "list_reply": {"id": "1", "title": "Rye", "description": "Dark"},
            }),
        ),
        (
            from_person("wamid.C").list_reply("2", "Wheat", None),
            json!({
                "type": "list_reply",
                "list_reply": {"id": "2", "title": "Wheat"},
            }),
        ),
        (
            from_person("wamid.D").quick_reply_button("stop", "Stop"),
            json!({
                "type": "button_reply",
                "button_reply": {"id": "stop", "title": "Stop"},
            }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        cloud.post_callback(&callback).await;
        let message = cloud.history(PERSON).await[index].clone();
        assert_eq!(message["type"], "interactive");
        assert_eq!(message["interactive"], expected);
        assert_eq!(message["text"], json!(null));
        assert_eq!(message["status"], "received");
    }
}

async fn a_reaction_is_an_emoji_on_a_message(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    cloud.post_callback(&from_person("wamid.A").reaction(Some("\u{1f44d}"), &wamid)).await;
    cloud.post_callback(&from_person("wamid.B").reaction(None, &wamid)).await;
    let history = cloud.history(PERSON).await;
    for (message, emoji) in
        history.iter().filter(|it| it["direction"] == "inbound").zip(["\u{1f44d}", ""])
    {
        assert_eq!(message["type"], "reaction");
        assert_eq!(message["text"], json!(emoji));
        assert_eq!(message["reply_to"], json!(id));
    }
    assert_eq!(history.len(), 3);
}

/// Phones write the same emoji with or without its selector.
async fn a_reaction_is_the_same_emoji_with_and_without_its_selector(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let written =
        ["\u{2764}", "\u{2764}\u{fe0f}", "\u{1f3f3}\u{200d}\u{1f308}", "\u{1f44d}\u{fe0f}", "x"];
    for (index, emoji) in written.iter().enumerate() {
        cloud
            .post_callback(&from_person(&format!("wamid.{index}")).reaction(Some(emoji), &wamid))
            .await;
    }
    let history = cloud.history(PERSON).await;
    let shown: Vec<_> = history
        .iter()
        .filter(|it| it["direction"] == "inbound")
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        shown,
        [
            "\u{2764}\u{fe0f}",
            "\u{2764}\u{fe0f}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "\u{1f44d}",
            "x"
        ]
    );
    // The same holds for senders: channel and history have the emoji in one form.
    for emoji in ["\u{2764}", "\u{2764}\u{fe0f}"] {
        let body = json!({
            "type": "reaction",
            "phone_number": PERSON,
            "reaction": {"message_id": id, "emoji": emoji},
        });
        let sent = cloud.send(&body).await;
        cloud.settle().await;
        assert_eq!(cloud.accepted(&sent)[0].body["reaction"]["emoji"], "\u{2764}\u{fe0f}");
        assert_eq!(cloud.message(&sent).await["text"], "\u{2764}\u{fe0f}");
    }
}

async fn messages_of_unknown_shape_are_stored_unchanged(cloud: Cloud) {
    let order = json!({
        "order": {
            "catalog_id": "7",
            "product_items": [{"product_retailer_id": "a", "quantity": "many"}],
        },
    });
    let callbacks = [
        ("unsupported", from_person("wamid.C").unknown()),
        ("order", from_person("wamid.D").message("order", order)),
        (
            "interactive",
            from_person("wamid.E").message(
                "interactive",
                json!({"interactive": {"type": "nfm_reply", "nfm_reply": {"body": "Sent"}}}),
            ),
        ),
        // These have a known type but not its fields.
        ("text", from_person("wamid.F").message("text", json!({"text": {"boody": "Hello"}}))),
        ("image", from_person("wamid.G").message("image", json!({"image": {"caption": "no id"}}))),
    ];
    for (index, (kind, callback)) in callbacks.iter().enumerate() {
        cloud.post_callback(callback).await;
        let message = cloud.history(PERSON).await[index].clone();
        assert_eq!(message["type"], "unsupported");
        assert_eq!(message["unsupported"]["type"], json!(kind));
        let post_callback = &callback["entry"][0]["changes"][0]["value"]["messages"][0];
        assert_eq!(&message["unsupported"]["payload"], post_callback);
    }
    assert!(cloud.is_idle().await);
}

async fn messages_of_many_people_keep_the_order_of_each_person(cloud: Cloud) {
    // Given callbacks of 20 people, each with five messages, all waiting at the same time,
    for number in 0..5 {
        for person in 0..20 {
            let (from, id) =
                (format!("16505550{person:03}"), format!("wamid.many.{person}.{number}"));
            let text = format!("{person} writes {number}");
            cloud.report(&Inbound::new(NUMBER, &from, &id, NOON).text(&text)).await;
            cloud.advance(Duration::from_millis(1));
        }
    }

    // when they are processed, then each person has one conversation, with the messages in order.
    cloud.settle().await;
    for person in 0..20 {
        let history = cloud.history(&format!("+16505550{person:03}")).await;
        let texts: Vec<&str> = history.iter().map(|it| it["text"].as_str().unwrap()).collect();
        let expected: Vec<String> =
            (0..5).map(|number| format!("{person} writes {number}")).collect();
        assert_eq!(texts, expected);
        assert!(history.iter().all(|it| it["conversation_id"] == history[0]["conversation_id"]));
    }
}

async fn the_last_callback_of_a_number_is_recorded_every_ten_minutes(cloud: Cloud) {
    let last = async || {
        let organization_db = cloud.server.deps.db.organization(cloud.organization);
        organization_db.account(cloud.account).await.unwrap().unwrap().last_callback_at
    };
    assert_eq!(last().await, None);
    cloud.post_callback(&from_person("wamid.1").text("One")).await;
    let first = cloud.clock.now();
    assert_eq!(last().await, Some(first));
    cloud.advance(Duration::from_mins(9));
    cloud.post_callback(&from_person("wamid.2").text("Two")).await;
    assert_eq!(last().await, Some(first));
    cloud.advance(Duration::from_mins(1));
    cloud.post_callback(&from_person("wamid.3").text("Three")).await;
    assert_eq!(last().await, Some(cloud.clock.now()));
}

async fn bad_parts_of_a_callback_do_not_affect_good_parts(cloud: Cloud) {
    // Given a callback with good and bad parts side by side,
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let mut bad = from_person("wamid.bad").text("Hello");
    let messages = &mut bad["entry"][0]["changes"][0]["value"]["messages"];
    *messages = json!([
        7,
        {"id": 8},
        {"from": "x", "id": "wamid.x", "type": "text", "text": {"body": "no number"}},
        messages[0],
    ]);
    let mut worse = cloud.status_callback(&wamid, None, "delivered");
    let statuses = &mut worse["entry"][0]["changes"][0]["value"]["statuses"];
    *statuses = json!([null, {"id": wamid}, {"id": wamid, "status": "warped"}, statuses[0]]);
    let (mut no_change, mut no_value) = (bad.clone(), bad.clone());
    no_change["entry"][0]["changes"] = json!(["x", {}]);
    no_value["entry"][0]["changes"][0]["value"] = json!({"metadata": 5, "messages": "x"});
    let mut all = callbacks::merge(vec![
        no_change,
        no_value,
        bad,
        worse,
        from_person("wamid.last").text("Last"),
    ]);
    all["entry"].as_array_mut().unwrap().insert(0, json!(7));

    // when it is posted, then all good parts are processed.
    cloud.post_callback(&all).await;
    let texts: Vec<Value> = cloud
        .history(PERSON)
        .await
        .iter()
        .filter(|it| it["direction"] == "inbound")
        .map(|it| it["text"].clone())
        .collect();
    assert_eq!(texts, ["Hello", "Last"]);
    assert_eq!(cloud.status(&id).await, "delivered");
    assert!(cloud.is_idle().await);
}

/// PostgreSQL cannot store a NUL in a text, but JSON can contain one.
async fn values_that_cannot_be_stored_do_not_block_other_callbacks(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    // Given callbacks with a NUL in every possible place, and with impossible times,
    let odd = [
        cloud.status_callback("wamid.\0", None, "sent"),
        cloud.status_callback("wamid.a", Some("msg_\0"), "sent"),
        callbacks::status("1\0", "wamid.a", None, "sent", NOON, None),
        callbacks::status(NUMBER, "wamid.a", None, "failed", i64::MAX, Some((131_026, "N\0"))),
        callbacks::template_status("9\0", "7", "a\0", "en\0", "REJECTED", Some("SC\0M")),
        callbacks::template_status(BUSINESS, "7\0", "a\0", "en\0", "REJECTED", Some("SC\0M")),
        from_person("wamid.\0").answering("wamid.\0").text("N\0"),
        Inbound::new(NUMBER, "165055\0", "wamid.b", NOON).text("N\0"),
        from_person("wamid.c").message("l\0", json!({"l\0": "\0"})),
        Inbound::new(NUMBER, PERSON_THERE, "wamid.d", i64::MIN).text("Early"),
        Inbound::new(NUMBER, PERSON_THERE, "wamid.e", i64::MAX).text("Late"),
    ];
    // when they come together with good ones,
    for callback in odd {
        cloud.report(&callback).await;
    }
    cloud.post_callback(&cloud.status_callback(&wamid, None, "delivered")).await;
    cloud.post_callback(&from_person("wamid.good").text("Good")).await;

    // then the good ones are processed at once, and the others are not kept forever.
    assert_eq!(cloud.status(&id).await, "delivered");
    let history = cloud.history(PERSON).await;
    for text in ["Good", "Early", "Late"] {
        assert!(history.iter().any(|it| it["text"] == text), "{text}");
    }
    cloud.advance_by(10, SECOND * 15).await;
    assert!(cloud.is_idle().await);

    // An error of the channel that contains a NUL does not stop anything either.
    cloud.faults([refusal(400, 131_026, "N\0")]);
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.message(&id).await["error"]["code"], "recipient_unreachable");
}

/// The environment of the server and of the command line.
pub const ENVIRONMENT: [(&str, &str); 2] = [
    ("SWITCHBOARD_ENCRYPTION_KEY", "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE="),
    ("SWITCHBOARD_GRAPH_APP_SECRET", APP_SECRET),
];

/// Connects an account on the Cloud API as operators do.
pub async fn connect(url: &str) {
    let what = ["admin", "account", "connect", "--organization", "Bakery", "--default"];
    let number = ["--phone-number", "+12025550180", "--display-name", "Bakery"];
    let channel = ["--channel", "cloud-api", "--phone-number-id", NUMBER, "--waba-id", BUSINESS];
    let place = ["--access-token-stdin", "--database-url", url];
    let mut command = switchboard(&[&what[..], &number, &channel, &place].concat());
    command.envs(ENVIRONMENT).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"EAAG-test-token\n").await.unwrap();
    drop(input);
    assert!(child.wait().await.unwrap().success());
}

/// Posts one message after the other until the server is gone. Returns the texts that the server
/// accepted.
async fn post_until_gone(
    base: String,
    next: Arc<AtomicUsize>,
    taken: Arc<AtomicUsize>,
) -> Vec<String> {
    let (http, mut texts) = (crate::world::client(), Vec::new());
    loop {
        let text = next.fetch_add(1, Ordering::SeqCst).to_string();
        let body = from_person(&format!("wamid.{text}")).text(&text).to_string();
        let request = http.post(format!("{base}{}", crate::cloud::WEBHOOK));
        let request = request.header("x-hub-signature-256", signature(APP_SECRET, &body));
        match request.body(body).send().await {
            Ok(answer) if answer.status() == 200 => texts.push(text),
            Ok(answer) => panic!("{}", answer.status()),
            Err(_) => return texts,
        }
        taken.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns all texts of the contact.
async fn all_texts(base: &str, key: &Pair) -> Vec<String> {
    let (http, mut texts) = (crate::world::client(), Vec::new());
    loop {
        let body =
            json!({"phone_number": PERSON, "limit": 100, "offset": texts.len(), "order": "asc"});
        let page =
            Answer::of(with_credentials(http.post(format!("{base}{HISTORY}")).json(&body), key))
                .await;
        assert_eq!(page.status, 200, "{}", page.text);
        let messages = page.body["data"].as_array().unwrap().iter();
        texts.extend(messages.map(|it| it["text"].as_str().unwrap().to_owned()));
        if page.body["pagination"]["has_more"] == false {
            return texts;
        }
    }
}

async fn killed_right_after_its_answers(url: &str) {
    // Given a server that receives hundreds of messages,
    let key = prepare(url).await;
    connect(url).await;
    let process = Process::serve_with(url, free_port(), &ENVIRONMENT).await;
    let (next, taken) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let reporters = (0..16)
        .map(|_| tokio::spawn(post_until_gone(process.base.clone(), next.clone(), taken.clone())));
    let reporters: Vec<_> = reporters.collect();
    let many = async {
        while taken.load(Ordering::SeqCst) < 300 {
            tokio::time::sleep(Duration::from_millis(1)).await; // real time: another process answers
        }
    };
    tokio::time::timeout(Duration::from_mins(1), many).await.expect("reports are taken");

    // when it is killed in the meantime,
    process.kill().await;
    let post_callback = join_all(reporters).await.into_iter().flat_map(Result::unwrap);
    let post_callback: BTreeSet<String> = post_callback.collect();

    // then another server has everything that was answered with 200, each message once.
    let process = Process::serve_with(url, free_port(), &ENVIRONMENT).await;
    // Callbacks that the killed server was processing stay claimed for another ten seconds.
    for _ in 0..300 {
        let found = all_texts(&process.base, &key).await;
        let once: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(once.len(), found.len(), "something is there twice: {found:?}");
        if post_callback.is_subset(&once) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await; // real time: another process works
    }
    panic!("some of {} are lost", post_callback.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_report_is_lost_when_a_server_on_sqlite_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    killed_right_after_its_answers(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_report_is_lost_when_a_server_on_postgres_is_killed() {
    let world = World::on_postgres().await;
    killed_right_after_its_answers(world.database_url()).await;
}

on_both_clouds! {
    an_inbound_text_opens_the_window_and_names_the_message_it_replies_to,
    taps_say_what_was_tapped,
    a_reaction_is_an_emoji_on_a_message,
    a_reaction_is_the_same_emoji_with_and_without_its_selector,
    messages_of_unknown_shape_are_stored_unchanged,
    messages_of_many_people_keep_the_order_of_each_person,
    the_last_callback_of_a_number_is_recorded_every_ten_minutes,
    bad_parts_of_a_callback_do_not_affect_good_parts,
    values_that_cannot_be_stored_do_not_block_other_callbacks,
}
