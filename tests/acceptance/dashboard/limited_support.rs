//! The setting "Only their own and unassigned conversations" of an organization, which limits what
//! members with the role support see (`docs/contract.md#roles`).

use super::inbox::{
    CUSTOMER, changed_items, colleague, customer_writes, done, submit, until_named,
};
use super::{KEYS, csrf_token, sign_in_member};
use crate::connect::{Browser, PASSWORD};
use crate::world::{World, on_both_databases};
use domain::event::EventKind;
use domain::id::ContactId;
use domain::role::{Authority, Role};
use persistence::Reader;
use serde_json::{Value, json};
use service::actor::{ActionError, Actor};
use service::contact_export::ExportError;
use service::contacts::MergeError;
use std::time::Duration;

const SETTINGS: &str = "/settings/organization";
const MEMBERS: &str = "/settings/members";
/// Another customer of the sandbox.
const OTHER: &str = "+12025550110";

/// Sets what support sees, as an owner.
async fn limit(owner: &mut Browser, value: &str) {
    let fields = [("action", "support"), ("support_limited", value)];
    done(owner, SETTINGS, &fields).await;
}

async fn support_sees_its_own_and_unassigned_conversations_only(world: World) {
    // Given a conversation that is assigned to an owner, and one that nobody has,
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let theirs = customer_writes(&world, &mut ada, "quagga").await;
    let body = json!({"type": "text", "phone_number": OTHER, "text": "zebra"});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    world.settle().await;
    let free = format!("/inbox/{}", sent.text_of("conversation_id"));
    done(&mut ada, &theirs, &[("action", "assign_me")]).await;
    let send_at = world.clock.now().plus(Duration::from_hours(24)).to_string();
    let body = json!({
        "type": "text", "phone_number": CUSTOMER, "text": "quagga later", "send_at": send_at,
    });
    let scheduled = world.post("/api/v1/messages", &world.key, &body).await.text_of("id");
    let message = world.history(CUSTOMER).await.remove(0);
    let [message_id, contact] =
        ["id", "contact_id"].map(|name| message[name].as_str().unwrap().to_owned());
    let conversation = theirs.trim_start_matches("/inbox/").to_owned();
    let hidden = [
        theirs.clone(),
        format!("/messages/{message_id}"),
        format!("/messages/{scheduled}"),
        format!("/messages/{scheduled}/cancel"),
        format!("/contacts/{contact}"),
        format!("/contacts/{contact}/export"),
        format!("/contacts/{contact}/merge"),
        format!("/numbers/{}/phone", world.account),
    ];
    let lists = [
        "/inbox?view=all".to_owned(),
        "/inbox?view=all&q=quagga".to_owned(),
        format!("/inbox?view=all&q={}", &CUSTOMER[1..]),
        "/messages".to_owned(),
        "/messages?view=scheduled".to_owned(),
        format!("/messages?q={conversation}"),
        "/contacts".to_owned(),
        format!("/contacts?q={}", &CUSTOMER[1..]),
        format!("/search?q={}", &CUSTOMER[1..]),
    ];
    let names_them = |text: &str| text.contains("quagga") || text.contains(&contact);

    // when the organization limits support, then nothing of the first one is in any list, thread,
    // search or export, and nothing can be done to it;
    limit(&mut ada, "yes").await;
    for path in &hidden {
        assert_eq!(priya.get(path).await.status, 404, "{path}");
        assert_eq!(ada.get(path).await.status, 200, "{path}");
    }
    for path in &lists {
        let page = priya.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let (_, main) = page.text.split_once("<main").unwrap();
        assert!(!names_them(&main.replace("value=\"quagga\"", "")), "{path}: {main}");
        assert!(!main.contains(&conversation) || path.contains(&conversation), "{path}: {main}");
    }
    let form_token = csrf_token(&priya.get(&free).await);
    for action in ["send", "note", "close", "assign_me", "take_over", "read", "unread", "draft"] {
        let fields = [("token", form_token.as_str()), ("action", action), ("text", "Hi")];
        assert_eq!(priya.post(&theirs, &fields).await.status, 404, "{action}");
    }
    for id in [&conversation, &contact, &message_id] {
        let found = priya.get(&format!("/open?id={id}")).await;
        assert!(found.location().starts_with("/search"), "{id}: {}", found.location());
    }
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
    // the other one is there, until somebody else takes it.
    assert!(priya.get("/inbox?view=all").await.text.contains("zebra"));
    done(&mut priya, &free, &[("action", "assign_me")]).await;
    assert!(priya.get(&free).await.text.contains("zebra"));
    done(&mut ada, &free, &[("action", "assign_me")]).await;
    assert_eq!(priya.get(&free).await.status, 404);
    assert!(!priya.get("/inbox?view=all").await.text.contains("zebra"));
    // A key would see everything, so support cannot create one.
    let key = [("name", "Mine"), ("rate_limit", "7"), ("scope", "conversations.read")];
    let form_token = csrf_token(&priya.get("/account").await);
    let key = [&[("token", form_token.as_str())], &key[..]].concat();
    assert_eq!(priya.post(KEYS, &key).await.status, 403);
    // Without the switch everything is there again. Only an owner can turn it.
    limit(&mut ada, "no").await;
    assert!(priya.get(&theirs).await.text.contains("quagga"));
    let fields = [("action", "support"), ("support_limited", "no")];
    let form_token = csrf_token(&priya.get("/account").await);
    let fields = [&[("token", form_token.as_str())], &fields[..]].concat();
    assert_eq!(priya.post(SETTINGS, &fields).await.status, 403);
    let sent = submit(&mut priya, &theirs, &[("action", "send"), ("text", "Hi")]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
}

async fn the_stream_names_no_conversation_to_limited_support(world: World) {
    // Given a member with the role support, who sees only some conversations,
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let theirs = customer_writes(&world, &mut ada, "Hello").await;
    let conversation = theirs.trim_start_matches("/inbox/");
    done(&mut ada, &theirs, &[("action", "assign_me")]).await;
    limit(&mut ada, "yes").await;
    // when a customer writes, then the stream tells an owner in which conversation,
    let mut for_ada = ada.open_stream("/inbox/stream", None).await;
    let mut for_priya = priya.open_stream("/inbox/stream", None).await;
    customer_writes(&world, &mut ada, "Are you there?").await;
    until_named(&mut for_ada, conversation, &[EventKind::MessageReceived]).await;
    // and tells the member only that anything may have changed,
    for item in changed_items(&mut for_priya, 1).await {
        assert_eq!(item.get("changes"), Some(&Value::Null), "{item}");
    }
    // until the organization lifts the limit.
    limit(&mut ada, "no").await;
    let mut for_priya = priya.open_stream("/inbox/stream", None).await;
    customer_writes(&world, &mut ada, "Anybody?").await;
    until_named(&mut for_priya, conversation, &[EventKind::MessageReceived]).await;
    assert_eq!(priya.get(&theirs).await.status, 200);
}

/// Returns the contact of a message to somebody, and the page of the conversation.
async fn contact_of(world: &World, number: &str) -> (ContactId, String) {
    let body = json!({"type": "text", "phone_number": number, "text": "Hello"});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    world.settle().await;
    let conversation = format!("/inbox/{}", sent.text_of("conversation_id"));
    (sent.text_of("contact_id").parse().unwrap(), conversation)
}

async fn support_does_nothing_to_contacts_of_others(world: World) {
    // Given a contact whose conversation is assigned to an owner, and one that nobody has,
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let (theirs, conversation) = contact_of(&world, CUSTOMER).await;
    let (free, _) = contact_of(&world, OTHER).await;
    done(&mut ada, &conversation, &[("action", "assign_me")]).await;
    limit(&mut ada, "yes").await;

    // when support posts the forms of the first one, then it is not found, and stays as it is;
    let form_token = csrf_token(&priya.get(&format!("/contacts/{free}")).await);
    let [of_theirs, of_free] = [theirs, free].map(|id| id.to_string());
    for (path, fields) in [
        (&of_theirs, [("action", "rename"), ("name", "Quagga")]),
        (&of_theirs, [("action", "opt_out"), ("name", "")]),
        (&of_theirs, [("action", "opt_in"), ("name", "")]),
        (&of_theirs, [("action", "merge"), ("with", of_free.as_str())]),
        (&of_free, [("action", "merge"), ("with", of_theirs.as_str())]),
    ] {
        let fields = [&[("token", form_token.as_str())], &fields[..]].concat();
        let refused = priya.post(&format!("/contacts/{path}"), &fields).await;
        assert_eq!(refused.status, 404, "{fields:?}: {}", refused.text);
    }
    // and any other caller of the use cases finds it as little.
    let (deps, organization) = (&world.server.deps, world.organization);
    let member = deps.db.member_of_email("priya@acme.example".to_owned()).await.unwrap().unwrap();
    let authority =
        Authority { role: Role::Support, keys_restricted: false, support_limited: true };
    let actor = Actor { deps, organization, member: member.id, authority, address: None };
    let (contacts, reader) = (actor.contacts(), Reader::from_primary(organization));
    assert!(contacts.find(reader, theirs).await.unwrap().is_none());
    assert!(contacts.rename(theirs, Some("Quagga".to_owned())).await.unwrap().is_none());
    assert!(contacts.set_marketing(theirs, false).await.unwrap().is_none());
    for (kept, merged) in [(theirs, free), (free, theirs)] {
        let refused = contacts.merge(kept, merged).await;
        assert!(matches!(refused, Err(ActionError::Failed(MergeError::NotFound))), "{refused:?}");
    }
    let refused = contacts.export(&deps.service, reader, theirs).await;
    assert!(matches!(refused, Err(ActionError::Failed(ExportError::NotFound))));
    assert!(matches!(contacts.delete(theirs).await, Err(ActionError::Forbidden(_))));
    let shown = world.get(&format!("/api/v1/contacts/{theirs}"), &world.key).await.body;
    assert_eq!(shown["name"], json!(null), "{shown}");
    assert_eq!(shown["opted_out_at"], json!(null), "{shown}");
    assert_eq!(shown["id"], json!(theirs.to_string()));
    // The other contact can be changed, and so can the first one when it is the member's own.
    assert!(contacts.rename(free, Some("Zebra".to_owned())).await.unwrap().is_some());
    done(&mut ada, &conversation, &[("action", "assign"), ("assignee", &member.id.to_string())])
        .await;
    assert!(contacts.rename(theirs, Some("Quagga".to_owned())).await.unwrap().is_some());
}

async fn conversations_of_a_removed_member_are_there_for_everyone(world: World) {
    // Given a conversation of somebody else, which limited support does not see,
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let (admin, organization) = (world.admin(), world.organization);
    let mut ids = Vec::new();
    for (role, email, name) in [
        (Role::Support, "zoe@acme.example", "Zoe Park"),
        (Role::Developer, "dev@acme.example", "Dev Lee"),
    ] {
        admin.create_member_as(role, organization, email, name, PASSWORD).await.unwrap();
        let found = world.server.deps.db.member_of_email(email.to_owned()).await.unwrap();
        ids.push(found.expect("the member").id.to_string());
    }
    let [zoe, dev] = [ids.remove(0), ids.remove(0)];
    let theirs = customer_writes(&world, &mut ada, "quagga").await;
    // (a member who may not use the inbox cannot have one)
    assert!(!ada.get(&theirs).await.text.contains(&format!("<option value=\"{dev}\"")));
    let assigned = submit(&mut ada, &theirs, &[("action", "assign"), ("assignee", &dev)]).await;
    assert_eq!(assigned.status, 404, "{}", assigned.text);
    done(&mut ada, &theirs, &[("action", "assign"), ("assignee", &zoe)]).await;
    limit(&mut ada, "yes").await;
    assert_eq!(priya.get(&theirs).await.status, 404);
    // when an owner removes that member, then it is unassigned.
    let path = format!("/settings/members/{zoe}");
    let form_token = csrf_token(&ada.get("/settings/members").await);
    let fields = [("token", form_token.as_str()), ("action", "remove")];
    assert_eq!(ada.post(&path, &fields).await.status, 303);
    assert!(priya.get("/inbox?view=unassigned").await.text.contains("quagga"));
    assert_eq!(priya.get(&theirs).await.status, 200);
    let page = ada.get(&theirs).await;
    assert!(page.text.contains("<option value=\"\" selected>Nobody"), "{}", page.text);
}

async fn the_page_of_members_says_whether_support_manages_keys(world: World) {
    // Given the settings of a new organization, then support manages keys, and the page says so
    // twice.
    let mut ada = sign_in_member(&world).await;
    let page = ada.get(MEMBERS).await;
    let role = "Support answers customers, and manages API keys and connected apps.";
    assert!(page.text.contains(role), "{}", page.text);
    let setting = "Members with the role support also manage API keys and connect apps.";
    assert!(page.text.contains(setting), "{}", page.text);
    // When keys are restricted, or support sees some conversations only, then it does not.
    limit(&mut ada, "yes").await;
    let page = ada.get(MEMBERS).await;
    assert!(page.text.contains("Support answers customers."), "{}", page.text);
    assert!(page.text.contains("do not manage API keys and connect apps"), "{}", page.text);
    limit(&mut ada, "no").await;
    done(&mut ada, MEMBERS, &[("action", "restrict")]).await;
    let page = ada.get(MEMBERS).await;
    assert!(page.text.contains("Support answers customers."), "{}", page.text);
    let setting = "Only owners and developers manage API keys and connect apps.";
    assert!(page.text.contains(setting), "{}", page.text);
}

on_both_databases! {
    conversations_of_a_removed_member_are_there_for_everyone,
    support_does_nothing_to_contacts_of_others,
    support_sees_its_own_and_unassigned_conversations_only,
    the_page_of_members_says_whether_support_manages_keys,
    the_stream_names_no_conversation_to_limited_support,
}
