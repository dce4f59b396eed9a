//! Calls each operation with each kind of id of another tenant. The operations and the places of
//! ids in their requests come from the program's own `OpenAPI` document.

use super::{id_at, of_nobody, with_ids};
use crate::connect::PASSWORD;
use crate::template_creation::{TEMPLATES, plain_template};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::with_receivers;
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::id::{AccountId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::role::Role;
use domain::scope::Scope;
use reference::Reference;
use reqwest::Method;
use serde_json::{Value, json};
use service::agents::{self, AgentInput, NewConnection};
use std::collections::{BTreeMap, BTreeSet};

/// The place of an id in a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Path(String),
    Query(String),
    Body(Vec<String>),
}

/// An operation with a place for an id of one kind.
#[derive(Debug)]
struct Case {
    method: Method,
    template: String,
    place: Place,
    kind: String,
    body: Value,
    /// The ids in the path, with their kinds.
    path_ids: Vec<(String, String)>,
}

/// Ids of one organization, by their kind.
type Ids = BTreeMap<String, String>;

const ENDPOINTS: &str = "/api/v1/webhook-endpoints";

/// The fields that name the recipient of a message, of which exactly one is allowed.
const RECIPIENTS: [&str; 5] =
    ["phone_number", "channel_user_id", "contact_id", "conversation_id", "to"];

/// Returns the kind of id that a schema requires.
fn kind_of(schema: &Value) -> Option<&str> {
    let (kind, rest) = schema["pattern"].as_str()?.strip_prefix('^')?.split_once('_')?;
    rest.starts_with("[0-7]").then_some(kind)
}

/// Finds the places of ids in a schema.
fn places(
    document: &Value,
    schema: &Value,
    at: &[String],
    found: &mut BTreeSet<(Vec<String>, String)>,
) {
    if let Some(name) = schema["$ref"].as_str() {
        return places(
            document,
            &document["components"]["schemas"][name.rsplit('/').next().unwrap()],
            at,
            found,
        );
    }
    if let Some(kind) = kind_of(schema) {
        found.insert((at.to_vec(), kind.to_owned()));
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        for one in schema[several].as_array().into_iter().flatten() {
            places(document, one, at, found);
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        places(document, property, &[at, std::slice::from_ref(name)].concat(), found);
    }
}

/// Returns an example body of an operation, if possible one that contains the object with the id.
fn example(content: &Value, place: &[String]) -> Value {
    let several = content["examples"].as_object().into_iter().flatten().map(|it| &it.1["value"]);
    let all: Vec<&Value> =
        several.chain([&content["example"]]).filter(|it| it.is_object()).collect();
    let within = |it: &&&Value| {
        place[..place.len().saturating_sub(1)]
            .iter()
            .try_fold(**it, |it, name| it.get(name))
            .is_some()
    };
    all.iter().find(within).or(all.first()).map_or_else(|| json!({}), |it| (**it).clone())
}

/// Returns all operations that take an id, once for each place. Those that delete come last.
fn cases() -> Vec<Case> {
    let document =
        Reference::new("https://api.example.com", "https://example.com/upgrade").openapi();
    let mut cases = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Ok(method) = method.to_uppercase().parse::<Method>() else { continue };
            let content = &operation["requestBody"]["content"]["application/json"];
            let parameters = || operation["parameters"].as_array().into_iter().flatten();
            let in_path = parameters().filter(|it| it["in"] == "path");
            let path_ids: Vec<_> = in_path
                .filter_map(|it| {
                    Some((it["name"].as_str()?.to_owned(), kind_of(&it["schema"])?.to_owned()))
                })
                .collect();
            let mut add = |place: Place, kind: &str, body: Value| {
                let (method, template) = (method.clone(), template.clone());
                let (kind, path_ids) = (kind.to_owned(), path_ids.clone());
                cases.push(Case { method, template, place, kind, body, path_ids });
            };
            for parameter in parameters() {
                let Some(kind) = kind_of(&parameter["schema"]) else { continue };
                let name = parameter["name"].as_str().unwrap().to_owned();
                match parameter["in"].as_str() {
                    Some("path") => add(Place::Path(name), kind, example(content, &[])),
                    Some("query") => add(Place::Query(name), kind, Value::Null),
                    _ => {}
                }
            }
            let mut found = BTreeSet::new();
            places(&document, &content["schema"], &[], &mut found);
            for (at, kind) in found {
                let body = example(content, &at);
                add(Place::Body(at), &kind, body);
            }
        }
    }
    cases.sort_by_key(|it| it.method == Method::DELETE);
    cases
}

impl Case {
    /// Calls the operation with an id. The other ids in the path are those of the caller.
    async fn call(&self, world: &World, (key, own): (&Pair, &Ids), id: &str) -> Answer {
        let (mut path, mut body) = (self.template.clone(), self.body.clone());
        for (name, kind) in &self.path_ids {
            let own = own.get(kind).unwrap_or_else(|| panic!("no id for {self:?}"));
            let id = if self.place == Place::Path(name.clone()) { id } else { own };
            path = path.replace(&format!("{{{name}}}"), id);
        }
        match &self.place {
            Place::Path(_) => {}
            Place::Query(name) => path = format!("{path}?{name}={id}"),
            Place::Body(at) => {
                if RECIPIENTS.contains(&at[0].as_str()) {
                    let fields = body.as_object_mut().unwrap();
                    fields.retain(|name, _| !RECIPIENTS.contains(&name.as_str()));
                }
                // Only an agent's answer names the message that it answers.
                if at[0] == "after_message_id" {
                    body["as"] = json!("agent");
                }
                // The customer either writes a text or taps a button.
                if at[0] == "button" {
                    body.as_object_mut().unwrap().remove("text");
                    body["button"]["id"] = json!("yes");
                }
                let mut inner = &mut body;
                for name in at {
                    inner = &mut inner[name];
                }
                *inner = json!(id);
            }
        }
        assert!(!path.contains('{'), "{path}");
        let request = world.request(self.method.clone(), &path, key);
        Answer::of(if body.is_null() { request } else { request.json(&body) }).await
    }

    /// Returns the response for this id, without the parts that differ between any two responses.
    async fn comparable_answer(
        &self,
        world: &World,
        caller: (&Pair, &Ids),
        id: &str,
    ) -> (u16, String) {
        let answer = self.call(world, caller, id).await;
        let request_id = answer.header("x-request-id");
        let text = answer.text.replace(request_id, "");
        (
            answer.status,
            with_ids(&text, |found| if found == id { "ID".to_owned() } else { found.to_owned() }),
        )
    }
}

/// Returns the id of the sandbox contact's reply to a message of the key's account.
async fn echo(world: &World, key: &Pair) -> String {
    world.live_through(std::time::Duration::from_secs(5)).await;
    let path = "/api/v1/conversations/history?phone_number=%2B12025550100&limit=100";
    let history = world.get(path, key).await;
    let all = history.body["data"].as_array().unwrap();
    let echo = all.iter().find(|it| it["direction"] == "inbound").expect("an echo");
    echo["id"].as_str().unwrap().to_owned()
}

/// Returns ids of each kind that belong to the key's account. The message is an inbound one.
async fn ids(world: &World, key: &Pair, account: AccountId) -> Ids {
    let to = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello"});
    let sent = world.post("/api/v1/messages", key, &to).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let template = world
        .post(
            TEMPLATES,
            key,
            &plain_template(&format!("hello_{}", account.to_string().to_lowercase())),
        )
        .await;
    let notes = format!("/api/v1/conversations/{}/notes", sent.text_of("conversation_id"));
    let note = world.post(&notes, key, &json!({"text": "Calls back on Monday."})).await;
    let found = [
        note.text_of("id"),
        echo(world, key).await,
        sent.text_of("conversation_id"),
        sent.text_of("contact_id"),
        template.text_of("id"),
        account.to_string(),
    ];
    by_kind(found)
}

fn by_kind(ids: impl IntoIterator<Item = String>) -> Ids {
    ids.into_iter().map(|id| (id_at(&id).unwrap().0.to_owned(), id)).collect()
}

/// Returns ids of what belongs to the whole organization: a member, a webhook endpoint and a
/// delivery.
async fn organization_ids(
    world: &World,
    organization: OrganizationId,
    key: &Pair,
    receiver: &Receiver,
) -> Ids {
    let email = format!("member@{organization}.example").to_lowercase();
    let admin = world.admin();
    admin.create_member_as(Role::Support, organization, &email, "Ana", PASSWORD).await.unwrap();
    let member = world.server.deps.db.member_of_email(email).await.unwrap().expect("the member");
    let endpoint = world.post(ENDPOINTS, key, &json!({"url": receiver.url})).await.text_of("id");
    let test = world.post(&format!("{ENDPOINTS}/{endpoint}/test"), key, &json!({})).await;
    assert_eq!(test.status, 200, "{}", test.text);
    let deps = &world.server.deps;
    let input = AgentInput {
        name: Some("Assistant"),
        base_url: Some("https://llm.acme.example/v1"),
        model: Some("small"),
        ..AgentInput::default()
    };
    let agent =
        agents::create(deps, organization, NewConnection::Model, input).await.unwrap().agent;
    by_kind([member.id.to_string(), test.text_of("id"), endpoint, agent.id.to_string()])
}

async fn foreign(world: &World) -> (OrganizationId, AccountId, Pair) {
    let other = world.organization_on("Other", "Unlimited").await;
    let account = world.number(other, "+12025550191").await;
    (other, account, world.key_of(other).await)
}

async fn an_id_of_another_organization_is_answered_like_an_unknown_id(world: World) {
    // Given two organizations that write to the same contact,
    let receiver = Receiver::start().await;
    let (organization, account, other) = foreign(&world).await;
    let mut own = ids(&world, &world.key, world.account).await;
    own.append(&mut organization_ids(&world, world.organization, &world.key, &receiver).await);
    let mut of_other = ids(&world, &other, account).await;
    of_other.append(&mut organization_ids(&world, organization, &other, &receiver).await);
    let (owner, stranger) = ((&world.key, &own), (&other, &of_other));
    let cases = cases();
    assert!(cases.len() >= 30, "{cases:?}");
    for case in cases {
        let id = own.get(&case.kind).unwrap_or_else(|| panic!("no id for {case:?}"));
        // when one uses an id of the other, then the response is the same as for an id that
        // does not exist,
        let theirs = case.comparable_answer(&world, stranger, id).await;
        let nobodys = case.comparable_answer(&world, stranger, &of_nobody(id)).await;
        assert_eq!(theirs, nobodys, "{case:?}");
        // and the owner gets another response, except to a page after an id, which may be the page
        // after an id that does not exist, and to a tap on a message without buttons.
        let tapped = Place::Body(vec!["button".to_owned(), "message_id".to_owned()]);
        if case.place == Place::Query("after".to_owned()) || case.place == tapped {
            continue;
        }
        let whose = case.comparable_answer(&world, owner, id).await;
        assert_ne!(whose, case.comparable_answer(&world, owner, &of_nobody(id)).await, "{case:?}");
    }
}

async fn a_bound_key_gets_the_answer_of_an_unknown_id_for_another_number(world: World) {
    // Given a key that is bound to the second of two accounts,
    let second = world.number(world.organization, "+12025550192").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(second), 0).await;
    let first = ids(&world, &world.key, world.account).await;
    let of_second = ids(&world, &bound, second).await;
    let bound = (&bound, &of_second);
    // when it uses an id of the first account, then the response is the same as for an id that
    // does not exist.
    for case in
        cases().into_iter().filter(|it| ["msg", "conv", "ctc", "acc"].contains(&it.kind.as_str()))
    {
        let id = &first[&case.kind];
        let theirs = case.comparable_answer(&world, bound, id).await;
        let nobodys = case.comparable_answer(&world, bound, &of_nobody(id)).await;
        assert_eq!(theirs, nobodys, "{case:?}");
    }
}

with_receivers! {
    an_id_of_another_organization_is_answered_like_an_unknown_id,
}

on_both_databases! {
    a_bound_key_gets_the_answer_of_an_unknown_id_for_another_number,
}
