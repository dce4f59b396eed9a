//! The contact in messages and events, and the list of contacts (`docs/contract.md#people`).

use crate::cloud::{Cloud, PERSON, PERSON_THERE, SECOND, SEND, from_person, on_both_clouds};
use crate::events::events;
use crate::world::World;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::{Value, json};

const CONTACTS: &str = "/api/v1/contacts";

async fn list_contacts(cloud: &World, query: &str) -> Value {
    let answer = cloud.get(&format!("{CONTACTS}{query}"), &cloud.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

async fn messages_say_who_they_are_with(cloud: Cloud) {
    // Given a contact who is written to, writes, and has a name,
    let sent = cloud
        .post(SEND, &cloud.key, &json!({"type": "text", "phone_number": PERSON, "text": "Hello"}))
        .await
        .body;
    let unnamed = json!({
        "id": sent["contact_id"],
        "phone_number": PERSON,
        "channel_user_id": null,
        "username": null,
        "name": null,
    });
    assert_eq!(sent["contact"], unnamed);
    cloud.settle().await;
    let wamid = cloud.graph.accepted().pop().unwrap().wamid;
    cloud.post_callback(&cloud.status_callback(&wamid, None, "sent")).await;
    cloud.advance(SECOND);
    let mut callback = from_person("wamid.A").text("Hi");
    callback["entry"][0]["changes"][0]["value"]["contacts"] = json!([
        {"wa_id": PERSON_THERE, "user_id": "US.1", "profile": {"name": "Ada", "username": "ada"}},
    ]);
    cloud.post_callback(&callback).await;
    cloud.post_callback(&cloud.status_callback(&wamid, None, "read")).await;
    let now = json!({
        "id": sent["contact_id"],
        "phone_number": PERSON,
        "channel_user_id": "US.1",
        "username": "ada",
        "name": "Ada",
    });
    // then events show the contact as it was, and answers and history as it is now.
    let all = events(&cloud, &cloud.key).await;
    let shown: Vec<(&str, &Value)> = all
        .iter()
        .filter(|it| it["type"].as_str().unwrap().starts_with("message."))
        .map(|it| (it["type"].as_str().unwrap(), &it["data"]["contact"]))
        .collect();
    assert_eq!(
        shown,
        [
            ("message.queued", &unnamed),
            ("message.sent", &unnamed),
            ("message.received", &now),
            ("message.read", &now)
        ]
    );
    let history = cloud.history(PERSON).await;
    assert!(history.iter().all(|it| it["contact"] == now), "{history:#?}");
    assert_eq!(cloud.message(sent["id"].as_str().unwrap()).await["contact"], now);
    let again = cloud
        .post(
            SEND,
            &cloud.key,
            &json!({"type": "text", "contact_id": sent["contact_id"], "text": "Hello"}),
        )
        .await
        .body;
    assert_eq!(again["contact"], now);
    // A failure of a message shows the same contact.
    cloud.faults([crate::cloud::refusal(400, 131_026, "Undeliverable")]);
    cloud.settle().await;
    let failed = events(&cloud, &cloud.key)
        .await
        .into_iter()
        .rfind(|it| it["type"] == "message.failed")
        .expect("it failed");
    assert_eq!(failed["data"]["contact"], now);
    // Events of the previous version, which stored no contact, show it as it is now.
    let mut beside = cloud.beside().await;
    beside.execute("UPDATE events SET contact = NULL").await;
    let old = events(&cloud, &cloud.key).await;
    assert_eq!(old[2]["data"]["contact"], now);
}

async fn contacts_are_listed_and_found(cloud: Cloud) {
    assert_eq!(
        list_contacts(&cloud, "").await,
        json!({"data": [], "has_more": false, "next_after": null})
    );
    // Given contacts of two accounts,
    let other = cloud.key_with_token(cloud.graph.token()).await;
    let mut made = Vec::new();
    for index in 0..5 {
        let body =
            json!({"type": "text", "phone_number": format!("+1650555000{index}"), "text": "Hello"});
        made.push(cloud.post(SEND, &cloud.key, &body).await.text_of("contact_id"));
        cloud.advance(SECOND);
    }
    let body = json!({"type": "text", "phone_number": "+16505550001", "text": "Hello"});
    let theirs = cloud.post(SEND, &other, &body).await.text_of("contact_id");
    made.push(theirs.clone());
    made.reverse();
    // then they are listed, newest first, page by page,
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = list_contacts(&cloud, &format!("?limit=4{after}")).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        assert_eq!(page["has_more"], page["next_after"].is_string());
        let Some(next) = page["next_after"].as_str() else { break };
        assert_eq!(next, seen.last().unwrap());
        after = format!("&after={next}");
    }
    assert_eq!(seen, made);
    // a bound key sees its own account's contacts,
    let bound = cloud.get(CONTACTS, &other).await.body;
    assert_eq!(ids(&bound), [theirs.as_str()]);
    cloud.get(&format!("{CONTACTS}/{}", made[1]), &other).await.is_problem(404, "not_found");
    assert_eq!(cloud.get(&format!("{CONTACTS}/{theirs}"), &other).await.status, 200);
    // the list can be filtered by number,
    assert_eq!(ids(&list_contacts(&cloud, "?phone_number=%2B1%20650-555-0001").await).len(), 2);
    assert_eq!(ids(&list_contacts(&cloud, "?phone_number=16505550009").await), [""; 0]);
    // and by opt-out.
    let mut beside = cloud.beside().await;
    beside.execute(if cloud.database_url().starts_with("sqlite:") {
        "UPDATE contacts SET opted_out_at = 1795262400000000 WHERE phone_number = '+16505550003'"
    } else {
        "UPDATE contacts SET opted_out_at = '2026-11-21T12:00:00Z' WHERE phone_number = '+16505550003'"
    }).await;
    let out = list_contacts(&cloud, "?opted_out=true").await;
    assert_eq!(ids(&out), [made[2].as_str()]);
    assert_eq!(out["data"][0]["opted_out_at"], "2026-11-21T12:00:00.000Z");
    assert_eq!(ids(&list_contacts(&cloud, "?opted_out=false").await).len(), 5);
    assert_eq!(
        ids(&list_contacts(&cloud, "?opted_out=false&phone_number=16505550003").await),
        [""; 0]
    );
    // A single contact is shown with everything that is known.
    let one = list_contacts(&cloud, &format!("/{}", made[2])).await;
    assert_eq!(one, out["data"][0]);
    for field in [
        "id",
        "account_id",
        "phone_number",
        "channel_user_id",
        "channel_parent_user_id",
        "username",
        "name",
        "opted_out_at",
        "created_at",
        "conversation_id",
        "last_message_at",
    ] {
        assert!(one.get(field).is_some(), "{field}");
    }
    // Invalid parameters are named, and another organization's contact is not found.
    for query in
        ["?limit=0", "?limit=101", "?after=x", "?phone_number=x", "?opted_out=maybe", "?offset=1"]
    {
        let answer = cloud.get(&format!("{CONTACTS}{query}"), &cloud.key).await;
        answer.is_problem(422, "validation_failed");
    }
    cloud
        .get(&format!("{CONTACTS}/{}", made[1]), &cloud.sandbox.2)
        .await
        .is_problem(404, "not_found");
    let few: Vec<Scope> =
        Scope::ALL.iter().copied().filter(|it| *it != Scope::ConversationsRead).collect();
    let without = cloud.key_with(cloud.organization, &few, None, 0).await;
    for path in [CONTACTS.to_owned(), format!("{CONTACTS}/{theirs}")] {
        cloud.get(&path, &without).await.is_problem(403, "insufficient_scope");
    }
}

async fn a_merged_contact_is_listed_once_and_answers_by_both_ids(cloud: Cloud) {
    cloud.graph.call("+4930123456", "4915112345678");
    cloud
        .post_callback(
            &crate::world::graph::callbacks::Inbound::new(
                crate::cloud::NUMBER,
                "4915112345678",
                "wamid.A",
                crate::cloud::NOON,
            )
            .text("Hi"),
        )
        .await;
    let first = list_contacts(&cloud, "").await["data"][0].clone();
    let sent = cloud
        .post(
            SEND,
            &cloud.key,
            &json!({"type": "text", "phone_number": "+4930123456", "text": "Hello"}),
        )
        .await
        .body;
    cloud.settle().await;
    let all = list_contacts(&cloud, "").await;
    assert_eq!(all["data"].as_array().unwrap().len(), 1);
    for id in [&first["id"], &sent["contact_id"]] {
        assert_eq!(
            list_contacts(&cloud, &format!("/{}", id.as_str().unwrap())).await,
            all["data"][0]
        );
    }
    for number in ["4915112345678", "4930123456"] {
        assert_eq!(
            list_contacts(&cloud, &format!("?phone_number={number}")).await["data"],
            all["data"]
        );
    }
}

on_both_clouds! {
    messages_say_who_they_are_with,
    contacts_are_listed_and_found,
    a_merged_contact_is_listed_once_and_answers_by_both_ids,
}
