//! Causes each error of each operation.

use super::example_world::ExampleWorld;
use crate::connect::Partner;
use crate::world::{Answer, Pair};
use api::admission::Access;
use api::registry::Specification;
use domain::contact::Identity;
use domain::content::{Content, TextContent};
use domain::id::{self, AccountId, OrganizationId};
use domain::inbound::ReportedAuthor;
use domain::keyword::Keyword as _;
use domain::phone::PhoneNumber;
use domain::plan::SubscriptionStatus;
use domain::scope::Scope;
use domain::template::TemplateStatus;
use http_layer::problem::Code;
use persistence::content::encode;
use persistence::records::{Inbound, Template};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use service::admin::NewChannel;
use std::time::Duration;

/// Errors that other tests cause, because they need more than a request: a failing database or a
/// stalling client.
pub const ELSEWHERE: [Code; 3] = [Code::InternalError, Code::Unavailable, Code::BadRequest];

/// Returns the operation's responses with this error.
pub async fn provoke(stage: &ExampleWorld, it: &Specification, code: Code) -> Vec<Answer> {
    let world = &stage.world;
    let by = |key: &Pair| with_credentials(request_without_credentials(stage, it), key);
    match code {
        Code::InvalidCredentials => unauthenticated_answers(stage, it).await,
        Code::SubscriptionRequired => {
            let other = create_organization(stage, "Lapsed", "Unlimited").await;
            world.subscription(other, SubscriptionStatus::PastDue).await;
            vec![Answer::of(by(&world.key_of(other).await)).await]
        }
        Code::PlanUpgradeRequired => {
            world.plan("Basic", false, None, None).await;
            let other = create_organization(stage, "Small", "Basic").await;
            vec![Answer::of(by(&world.key_of(other).await)).await]
        }
        Code::PlanLimitExceeded => {
            world.plan("Nothing", true, Some(0), None).await;
            let other = create_organization(stage, "Used up", "Nothing").await;
            vec![Answer::of(by(&world.key_of(other).await)).await]
        }
        Code::RateLimited => {
            let key = world.key_with(world.organization, Scope::ALL, None, 1).await;
            Answer::of(by(&key)).await;
            vec![Answer::of(by(&key)).await]
        }
        Code::InsufficientScope => {
            let key = world.key_with(world.organization, &[], None, 0).await;
            vec![Answer::of(by(&key)).await]
        }
        Code::KeyIsBound => {
            let account = Some(world.account);
            let key = world.key_with(world.organization, Scope::ALL, account, 0).await;
            vec![Answer::of(by(&key)).await]
        }
        Code::MethodNotAllowed => {
            let path = stage.real(&filled_path(it));
            let answer = Answer::of(world.request(Method::PUT, &path, stage.caller(it))).await;
            let allowed: Vec<&str> = answer.header("allow").split(", ").collect();
            assert!(allowed.contains(&it.method.as_str()), "{allowed:?}");
            vec![answer]
        }
        other => vec![malformed(stage, it, other).await],
    }
}

/// Causes an error in the form of the request.
async fn malformed(stage: &ExampleWorld, it: &Specification, code: Code) -> Answer {
    let world = &stage.world;
    match code {
        Code::InvalidJson => Answer::of(request_with_body(stage, it, "{")).await,
        Code::UnsupportedMediaType => {
            let request =
                with_credentials(request_without_credentials(stage, it), stage.caller(it));
            let request = request.header("content-type", "text/plain").body("{}");
            Answer::of(request).await
        }
        Code::PayloadTooLarge => oversized(stage, it).await,
        Code::ValidationFailed if it.method.as_str() == "GET" => {
            let path = format!("{}?nonesuch=1", stage.real(&filled_path(it)));
            world.get(&path, stage.caller(it)).await
        }
        Code::ValidationFailed => {
            Answer::of(request_with_body(stage, it, r#"{"nonesuch": 1}"#)).await
        }
        Code::IdempotencyInProgress => {
            let caller = stage.caller(it);
            let id = key_id_of(stage, caller).await;
            let held = world.server.deps.in_flight.hold(id, it.path, "twin");
            let answer = Answer::of(stage.request(it).header("idempotency-key", "twin")).await;
            drop(held);
            answer
        }
        Code::IdempotencyKeyReused => {
            let named = |request: RequestBuilder| request.header("idempotency-key", "used");
            Answer::of(named(stage.request(it))).await;
            Answer::of(named(request_with_body(stage, it, "{ }"))).await
        }
        own => own_problem(stage, it, own).await,
    }
}

/// Causes an error that only some operations have.
async fn own_problem(stage: &ExampleWorld, it: &Specification, code: Code) -> Answer {
    let world = &stage.world;
    let mut body: Value = serde_json::from_str(&it.example.input).unwrap_or_else(|_| json!({}));
    match (it.id, code) {
        (_, Code::NotFound) if it.path.contains("{id}") => not_found_answer(stage, it).await,
        ("create_webhook_endpoint", Code::TooManyEndpoints) => loop {
            let answer = world.post(it.path, &world.key, &body).await;
            if answer.status != 201 {
                break answer;
            }
        },
        ("list_webhook_endpoints" | "create_webhook_endpoint", Code::NotFound) => {
            let of_nobody = Partner::registered(world, None, true).await.pair();
            Answer::of(with_credentials(request_without_credentials(stage, it), &of_nobody)).await
        }
        ("revoke_connections", Code::NotFound) => {
            let path = it.path.replace("{client_id}", "swa_9hT2kVx5PqLm7RdYw3NcJz");
            world.post(&path, &stage.application, &json!({})).await
        }
        ("send_message", Code::NotFound) => {
            body.as_object_mut().unwrap().remove("phone_number");
            body["contact_id"] = json!("ctc_01h455vb4pex5vsknk084sn02q");
            world.post(it.path, &world.key, &body).await
        }
        ("send_message", Code::AgentPaused) => {
            world.post(it.path, &world.key, &body).await;
            body["as"] = json!("agent");
            world.post(it.path, &world.key, &body).await
        }
        ("hand_over_conversation", Code::AgentPaused) => {
            let path = stage.real(&filled_path(it));
            world.post(&path.replace("hand-over", "pause-agent"), &world.key, &json!({})).await;
            world.post(&path, &world.key, &body).await
        }
        ("cancel_message", Code::NotCancelable) => {
            let sent = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello"});
            let sent = world.post("/api/v1/messages", &world.key, &sent).await;
            let path = it.path.replace("{id}", &sent.text_of("id"));
            Answer::of(world.request(Method::DELETE, &path, &world.key)).await
        }
        ("export_contact", Code::TooManyExports) => {
            let limiter = &world.server.deps.export_limiter;
            let places = [(); 2].map(|()| limiter.take_place(world.organization));
            let path = stage.real(&filled_path(it));
            let answer = world.get(&path, &world.key).await;
            drop(places);
            answer
        }
        ("send_message", Code::Superseded) => superseded(stage, it, body).await,
        ("get_history" | "post_history", Code::NotFound) => unknown_person(stage, it).await,
        ("send_message", Code::PhoneNumberRequired) => number_required(stage, it).await,
        ("simulate_inbound", Code::NotFound) => {
            body.as_object_mut().unwrap().remove("text");
            body["button"] = json!({"message_id": "msg_01h455vb4pex5vsknk084sn02q", "id": "yes"});
            world.post(it.path, &world.key, &body).await
        }
        ("send_template", Code::NotFound) => {
            body["reply_to"] = json!("msg_01h455vb4pex5vsknk084sn02q");
            world.post(it.path, &world.key, &body).await
        }
        ("send_message" | "send_template", Code::TemplateNotApproved) => {
            template(stage, "waits_pending").await;
            world.post(it.path, &world.key, &of_template(it, "waits_pending", 2)).await
        }
        ("send_message" | "send_template", Code::TemplateParamsMismatch) => {
            world.post(it.path, &world.key, &of_template(it, "order_shipped", 1)).await
        }
        (_, Code::RecipientOptedOut) => opted_out(stage, it).await,
        (_, Code::NotSupportedByChannel) => not_supported(stage, it, body).await,
        (
            "send_message" | "send_batch" | "send_template" | "create_template"
            | "simulate_inbound",
            Code::NoMessagingAccount,
        ) => {
            let other = world.organization_on("No number", "Unlimited").await;
            world.post(it.path, &world.key_of(other).await, &body).await
        }
        ("create_template", Code::TemplateExists) => world.post(it.path, &world.key, &body).await,
        ("update_template" | "delete_template", Code::TemplateLocked) => {
            locked_template(stage, it, body).await
        }
        ("upload_media", Code::MediaTooLarge) => {
            body["content_type"] = json!("image/webp");
            body["data"] = json!("AAAA".repeat(200_000));
            world.post(it.path, &world.key, &body).await
        }
        ("upload_media", Code::InvalidBase64) => {
            body["data"] = json!("#");
            world.post(it.path, &world.key, &body).await
        }
        ("upload_media", Code::ContentTypeMismatch) => {
            body["content_type"] = json!("image/png");
            world.post(it.path, &world.key, &body).await
        }
        ("delete_me", Code::NotAConnection) => {
            Answer::of(world.request(Method::DELETE, it.path, &world.key)).await
        }
        (id, code) => panic!("nobody shows how {} of {id} comes about: add it here", code.as_str()),
    }
}

/// Returns the path with the example's ids.
pub fn filled_path(it: &Specification) -> String {
    it.example
        .path
        .iter()
        .fold(it.path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value))
}

/// Builds a request without credentials.
fn request_without_credentials(stage: &ExampleWorld, it: &Specification) -> RequestBuilder {
    let method = Method::from_bytes(it.method.as_str().as_bytes()).unwrap();
    stage
        .world
        .http
        .request(method, format!("{}{}", stage.world.base, stage.real(&filled_path(it))))
}

fn with_credentials(request: RequestBuilder, key: &Pair) -> RequestBuilder {
    request.header("x-client-id", &key.client_id).header("x-client-secret", &key.client_secret)
}

/// Builds a request with this body.
fn request_with_body(stage: &ExampleWorld, it: &Specification, body: &str) -> RequestBuilder {
    let request = with_credentials(request_without_credentials(stage, it), stage.caller(it));
    request.header("content-type", "application/json").body(body.to_owned())
}

/// Sends requests without credentials, with wrong ones, and with repeated ones.
async fn unauthenticated_answers(stage: &ExampleWorld, it: &Specification) -> Vec<Answer> {
    let pair = stage.caller(it);
    let wrong = Pair { client_secret: "sws_nothing".to_owned(), ..pair.clone() };
    // A key's secret is not valid for an application, and the reverse.
    let stranger =
        if pair.client_id.starts_with("swa_") { &stage.world.key } else { &stage.application };
    let mut answers = Vec::new();
    // Some operations accept both.
    let is_strange =
        !matches!(it.access, Access::KeyOrApplication(_) | Access::AnyKeyOrApplication(_));
    let stranger =
        is_strange.then(|| with_credentials(request_without_credentials(stage, it), stranger));
    for request in [
        request_without_credentials(stage, it),
        with_credentials(request_without_credentials(stage, it), &wrong),
        with_credentials(with_credentials(request_without_credentials(stage, it), pair), pair),
    ]
    .into_iter()
    .chain(stranger)
    {
        answers.push(Answer::of(request.header("x-request-id", "the-same")).await);
    }
    assert!(answers.iter().all(|answer| answer.text == answers[0].text), "{}", it.id);
    answers
}

/// Requests the history of an unknown contact.
async fn unknown_person(stage: &ExampleWorld, it: &Specification) -> Answer {
    let (world, id) = (&stage.world, "ctc_01h455vb4pex5vsknk084sn02q");
    if it.method.as_str() == "GET" {
        return world.get(&format!("{}?contact_id={id}", it.path), &world.key).await;
    }
    world.post(it.path, &world.key, &json!({ "contact_id": id })).await
}

/// Sends a one-time code to a contact whose phone number is unknown.
async fn number_required(stage: &ExampleWorld, it: &Specification) -> Answer {
    let world = &stage.world;
    let create = json!({
        "name": "sign_in", "language": "en_US", "category": "authentication",
        "components": [{"type": "BODY", "text": "Somebody signs in."}],
    });
    world.post("/api/v1/templates", &world.key, &create).await;
    world.live_through(Duration::from_secs(2)).await;
    let body = json!({
        "type": "template", "channel_user_id": "US.1",
        "template_name": "sign_in", "language": "en_US",
    });
    world.post(it.path, &world.key, &body).await
}

/// Answers as the AI agent after the sandbox contact has answered.
async fn superseded(stage: &ExampleWorld, it: &Specification, mut body: Value) -> Answer {
    let world = &stage.world;
    let sent = world.post(it.path, &world.key, &body).await;
    world.live_through(Duration::from_secs(5)).await;
    let path = format!("/api/v1/conversations/{}/resume-agent", sent.text_of("conversation_id"));
    world.post(&path, &world.key, &json!({})).await;
    body["as"] = json!("agent");
    body["after_message_id"] = sent.body["id"].clone();
    world.post(it.path, &world.key, &body).await
}

/// Changes or deletes a template that is reserved for another change.
async fn locked_template(stage: &ExampleWorld, it: &Specification, body: Value) -> Answer {
    let world = &stage.world;
    let create = json!({
        "name": format!("locked_{}", it.id), "language": "en_US", "category": "utility",
        "components": [{"type": "BODY", "text": "We are open again."}],
    });
    let id = world.post("/api/v1/templates", &world.key, &create).await.text_of("id");
    world.live_through(Duration::from_secs(2)).await;
    let (owner, template) =
        (world.server.deps.db.organization(world.organization), id.parse().unwrap());
    let found = owner.template(template).await.unwrap().expect("the template");
    let until = world.clock.now().plus(Duration::from_mins(1));
    let server = world.server.deps.claims.instance();
    let reserved = owner.reserve_template(template, found.updated_at, until, server);
    assert!(reserved.await.unwrap());
    let method = Method::from_bytes(it.method.as_str().as_bytes()).unwrap();
    let request = world.request(method, &it.path.replace("{id}", &id), &world.key);
    let request = if it.method.as_str() == "PATCH" { request.json(&body) } else { request };
    Answer::of(request).await
}

/// Changes a template that Twilio has approved.
async fn template_at_twilio(stage: &ExampleWorld, it: &Specification, body: Value) -> Answer {
    let world = &stage.world;
    template(stage, "at_twilio").await;
    let deps = &world.server.deps;
    let owner = deps.db.organization(world.organization);
    let found = owner.template_named("at_twilio".to_owned(), "en_US".to_owned());
    let found = found.await.unwrap().expect("the template");
    let account = world.connect(world.organization, "+12025557999", NewChannel::Twilio).await;
    let id = deps.id::<id::Template>(world.clock.now());
    let copy = Template {
        id,
        name: "approved_at_twilio".to_owned(),
        account_id: account,
        external_id: Some("HX0123456789abcdef0123456789abcdef".to_owned()),
        status: TemplateStatus::Approved,
        ..found
    };
    deps.db.insert_template(copy).await.unwrap();
    let path = it.path.replace("{id}", &id.to_string());
    Answer::of(world.request(Method::PATCH, &path, &world.key).json(&body)).await
}

async fn opted_out(stage: &ExampleWorld, it: &Specification) -> Answer {
    let world = &stage.world;
    let create = json!({
        "name": "spring_sale", "language": "en_US", "category": "marketing",
        "components": [{"type": "BODY", "text": "Everything is cheaper."}],
    });
    world.post("/api/v1/templates", &world.key, &create).await;
    world.live_through(Duration::from_secs(2)).await;
    let mut body = of_template(it, "spring_sale", 0);
    body.as_object_mut().unwrap().remove("components");
    let theirs = world.server.deps.db.organization(world.organization);
    let phone_number = Some(PhoneNumber::parse("+12025550100").unwrap());
    let who = Identity { phone_number, ..Identity::default() };
    let wants = async |wants| {
        let now = world.clock.now();
        assert!(theirs.set_preference(world.account, who.clone(), wants, now, now).await.unwrap());
    };
    wants(false).await;
    let refused = world.post(it.path, &world.key, &body).await;
    // The other errors' requests go to the same contact, so the opt-out is withdrawn.
    world.advance(Duration::from_secs(1));
    wants(true).await;
    refused
}

/// Creates an organization with this plan.
async fn create_organization(stage: &ExampleWorld, name: &str, plan: &str) -> OrganizationId {
    stage.world.organization_on(name, plan).await
}

/// Asserts that unknown, malformed and foreign ids get identical responses.
async fn not_found_answer(stage: &ExampleWorld, it: &Specification) -> Answer {
    let world = &stage.world;
    let other = world.organization_on("Stranger", "Unlimited").await;
    let stranger = world.key_of(other).await;
    let (_, example) = &it.example.path[0];
    let (prefix, _) = example.split_once('_').unwrap();
    let path = |id: &str| {
        let others = it.example.path.iter().skip(1);
        others.fold(it.path.replace("{id}", id), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), value)
        })
    };
    let ask = async |path: String, key: &Pair| {
        let method = Method::from_bytes(it.method.as_str().as_bytes()).unwrap();
        let mut request = world.request(method, &path, key).header("x-request-id", "the-same");
        if it.method.as_str() != "GET" && !it.example.input.is_empty() {
            request =
                request.header("content-type", "application/json").body(it.example.input.clone());
        }
        Answer::of(request).await
    };
    let foreign = ask(stage.real(&path(example)), &stranger).await;
    for id in [format!("{prefix}_01h455vb4pex5vsknk084sn02q"), "what".to_owned()] {
        assert_eq!(ask(path(&id), &world.key).await.text, foreign.text, "{}", it.id);
    }
    foreign
}

async fn template(stage: &ExampleWorld, name: &str) {
    let registry = api::registry();
    let create = registry.specifications().iter().find(|it| it.id == "create_template").unwrap();
    let mut body: Value = serde_json::from_str(&create.example.input).unwrap();
    body["name"] = json!(name);
    stage.world.post(create.path, &stage.world.key, &body).await;
}

/// Builds a send of this template with the operation's fields.
fn of_template(it: &Specification, name: &str, parameters: usize) -> Value {
    let parameters = vec![json!({"type": "text", "text": "x"}); parameters];
    let mut body = json!({
        "template_name": name, "language": "en_US",
        "components": [{"type": "body", "parameters": parameters}],
    });
    if it.id == "send_template" {
        body["to"] = json!("+12025550100");
    } else {
        body["type"] = json!("template");
        body["phone_number"] = json!("+12025550100");
    }
    body
}

/// Returns the key id under which the requests with these credentials are counted.
async fn key_id_of(stage: &ExampleWorld, pair: &Pair) -> domain::id::KeyId {
    let db = &stage.world.server.deps.db;
    if pair.client_id.starts_with("swa_") {
        let application = db.public().application(pair.client_id.clone()).await.unwrap().unwrap();
        return domain::id::KeyId::from_uuid(*application.id.uuid());
    }
    db.caller(pair.secret_digest()).await.unwrap().unwrap().key.id
}

/// Announces a body above the size limit without sending it.
async fn oversized(stage: &ExampleWorld, it: &Specification) -> Answer {
    let announced = it.max_body_bytes + 1;
    Answer::announcing(request_with_body(stage, it, ""), announced).await
}

/// Receives an inbound message at this account and returns its id.
async fn received_at(stage: &ExampleWorld, of: OrganizationId, account: AccountId) -> String {
    let (deps, now) = (&stage.world.server.deps, stage.world.clock.now());
    let text = TextContent::stored("Hello".to_owned(), false);
    let stored = encode(&Content::Text(text)).unwrap();
    let message = deps.id::<domain::id::Message>(now);
    let received = deps.db.receive(Inbound {
        message,
        account,
        organization: of,
        author: ReportedAuthor::Contact,
        standby: false,
        summary: None,
        person: Identity {
            phone_number: Some(PhoneNumber::parse("+12025550100").unwrap()),
            ..Identity::default()
        },
        new_contact: deps.id(now),
        new_conversation: deps.id(now),
        content: stored,
        context: None,
        answers: None,
        channel_message_id: "SM1".to_owned(),
        file: None,
        at: now,
        received_at: now,
    });
    received.await.unwrap();
    message.to_string()
}

/// Sends a reply or a template with a location at Twilio, which supports neither.
async fn not_supported(stage: &ExampleWorld, it: &Specification, mut body: Value) -> Answer {
    let world = &stage.world;
    if it.id == "update_template" {
        return template_at_twilio(stage, it, body).await;
    }
    if it.id == "create_template" {
        let header = json!({"type": "HEADER", "format": "LOCATION"});
        body["components"].as_array_mut().unwrap().push(header);
    } else if !["read_message", "simulate_inbound"].contains(&it.id) {
        body["reply_to"] = json!("msg_01h455vb4pex5vsknk084sn02q");
    }
    let other = world.organization_on("At Twilio", "Unlimited").await;
    let number = format!("+1202555{:04}", 7000 + it.path.len());
    let account = world.connect(other, &number, NewChannel::Twilio).await;
    let path = if it.id == "read_message" {
        it.path.replace("{id}", &received_at(stage, other, account).await)
    } else {
        it.path.to_owned()
    };
    world.post(&path, &world.key_of(other).await, &body).await
}
