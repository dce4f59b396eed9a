//! Callbacks of a channel, and messages that wait for a held account. The first kept version had
//! neither.

use super::{KeptDatabase, SEND, pair, still_says};
use crate::operators::admin;
use crate::world::switchboard;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// Returns the messages of the held account by recipient, in order.
pub fn held(known: &Value) -> BTreeMap<String, Vec<String>> {
    let messages = known["held"]["messages"].as_object().into_iter().flatten();
    let ids = |it: &Value| {
        it.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    messages.map(|(recipient, it)| (recipient.clone(), ids(it))).collect()
}

/// Dead letters are listed unchanged, and contacts that opted out get no marketing.
pub async fn reports_are_known(kept: &KeptDatabase) {
    let KeptDatabase { world, known, .. } = kept;
    if let Some(before) = known.get("dead_letters") {
        let listed = admin(world.database_url(), &["callback", "list"]).await;
        assert!(still_says(&listed["data"], before), "{before:#} became {listed:#}");
    }
    if let Some(person) = known.get("opted_out") {
        let sale = json!({"type": "template", "phone_number": person["phone_number"],
            "template_name": person["template"], "language": "en"});
        let refused = world.post(SEND, &pair(&person["key"]), &sale).await;
        refused.is_problem(422, "recipient_opted_out");
    }
}

/// The messages of a held account wait, and are sent after an operator reconnects it.
pub async fn what_was_held_goes_out(kept: &KeptDatabase) {
    let KeptDatabase { world, graph, known } = kept;
    let messages = held(known);
    if messages.is_empty() {
        return;
    }
    let key = pair(&known["held"]["key"]);
    for id in messages.values().flatten() {
        let message = world.get(&format!("{SEND}/{id}"), &key).await;
        assert_eq!(message.body["status"], "queued", "{}", message.text);
    }
    let before = graph.accepted().len();
    let reconnected = reconnect(kept).await;
    assert_eq!(reconnected["health"], "ok", "{reconnected}");
    world.advance(Duration::from_secs(1));
    world.settle().await;
    let mut left = BTreeMap::<String, Vec<String>>::new();
    for it in graph.accepted().split_off(before) {
        left.entry(it.to).or_default().push(it.ours.expect("our id"));
    }
    assert_eq!(left, messages);
    assert_eq!(world.get("/api/v1/me", &key).await.body["account"]["health"]["state"], "ok");
}

/// Runs `admin account reconnect` for the held account, with a token that the channel accepts.
async fn reconnect(kept: &KeptDatabase) -> Value {
    let place = ["--json", "--database-url", kept.world.database_url()];
    let reconnect = ["admin", "account", "reconnect", kept.text("/held/account")];
    let arguments = [&reconnect[..], &["--access-token-stdin"], &place].concat();
    let mut command = switchboard(&arguments);
    command.env("SWITCHBOARD_ENCRYPTION_KEY", kept.text("/encryption_key"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(kept.text("/held/access_token").as_bytes()).await.unwrap();
    drop(input);
    let ended = child.wait_with_output().await.unwrap();
    assert!(ended.status.success(), "{:?}", ended.status);
    serde_json::from_slice(&ended.stdout).unwrap()
}
