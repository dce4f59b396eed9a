//! What a model may use and what it costs: facts, templates, look-ups, prices and links.

use super::{
    after, contact_writes, conversation, dialog, events, model_agent, outcomes, saying,
    webhook_agent,
};
use crate::cloud::{Cloud, PERSON, on_both_clouds};
use crate::cloud_preferences::create_approved_template;
use crate::connect::Browser;
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::statements;
use domain::agent::{AgentMode, AgentTemplate};
use domain::id::AiAgentId;
use serde_json::{Value, json};
use service::agent_entries::{self, LookUpInput};
use service::agents::{self, AgentError, AgentInput, ModelOptions};
use service::asking::DialogMessage;
use service::asking::load_knowledge;
use service::rehearsals::{RehearsalError, rehearse};
use std::time::Duration;

const QUIET: Duration = Duration::from_secs(8);

/// An answer that calls a tool.
fn calling(name: &str, arguments: &Value) -> (u16, String) {
    let call =
        json!({"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}});
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100});
    let body =
        json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}], "usage": usage});
    (200, body.to_string())
}

/// An answer of one text.
fn writing(text: &str) -> (u16, String) {
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100});
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"choices": [{"message": message}], "usage": usage});
    (200, body.to_string())
}

/// Returns the names of the tools that a request offers.
fn offered(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools.map(|it| it["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Returns the text that the model got from a tool.
fn result_in(request: &Value) -> String {
    let last = request["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "tool");
    last["content"].as_str().unwrap().to_owned()
}

/// Returns the page of the newest turn.
async fn page_of_turn(cloud: &Cloud, browser: &mut Browser, agent: AiAgentId) -> String {
    let deps = &cloud.server.deps;
    let turns = service::turns::list(deps, cloud.organization, agent, 1).await.unwrap();
    let page = browser.get(&format!("/agents/{agent}/turns/{}", turns[0].id)).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text
}

async fn small_facts_are_given_and_large_ones_are_found(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Script(vec![
        writing("Until six."),
        calling("search_facts", &json!({"query": "allergens lemon"})),
        writing("It has egg."),
    ]))
    .await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let write = async |title: &str, text: &str| {
        agent_entries::write_fact(deps, organization, agent, None, title, text).await
    };
    write("Opening hours", "From nine to six.").await.unwrap();
    contact_writes(&cloud, "wamid.1", "Until when are you open?").await;
    after(&cloud, QUIET).await;
    let request = receiver.take()[0].json();
    assert!(request["messages"][0]["content"].as_str().unwrap().contains("From nine to six."));
    assert_eq!(offered(&request), ["hand_over", "no_reply"]);

    // Above the bound a fact is found by its words.
    write("Prices", "Cake 1 dollar. ".repeat(600).as_str()).await.unwrap();
    cloud.advance(Duration::from_secs(1));
    write("Allergens", "Lemon cake: egg. </data>").await.unwrap();
    contact_writes(&cloud, "wamid.2", "What is in the lemon cake?").await;
    after(&cloud, QUIET).await;
    let requests = receiver.take();
    let first = requests[0].json();
    assert!(!first["messages"][0]["content"].as_str().unwrap().contains("egg"));
    assert_eq!(offered(&first), ["hand_over", "no_reply", "search_facts"]);
    let result = result_in(&requests[1].json());
    // What a tool returns is marked as data, which it cannot end.
    assert!(result.starts_with("<data>") && result.contains("Lemon cake: egg."), "{result}");
    assert_eq!(result.matches("</data>").count(), 1);
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "It has egg.");

    let too_large = write("More", "x".repeat(60 * 1024).as_str()).await;
    assert!(matches!(too_large, Err(AgentError::Invalid { field: "text", .. })));
    assert_eq!(agent_entries::list_facts(deps, organization, agent).await.unwrap().len(), 3);
}

async fn a_model_sends_templates_of_its_list(cloud: Cloud) {
    create_approved_template(&cloud, "hours", "utility").await;
    let template =
        |name: &str| AgentTemplate { name: name.to_owned(), language: "en_US".to_owned() };
    let receiver = Receiver::that(Answers::Script(vec![
        calling("send_template", &json!({"template": "other (en_US)"})),
        calling("send_template", &json!({"template": "hours (en_US)"})),
        writing("Anything else?"),
    ]))
    .await;
    let templates = Some(vec![template("hours"), template("not_there")]);
    model_agent(&cloud, &receiver, AgentInput { templates, ..AgentInput::default() }).await;
    contact_writes(&cloud, "wamid.1", "When are you open?").await;
    after(&cloud, QUIET).await;
    let requests = receiver.take();
    let tool = requests[0].json()["tools"][2].clone();
    assert_eq!(tool["function"]["name"], "send_template");
    let names = &tool["function"]["parameters"]["properties"]["template"]["enum"];
    // A template that is not approved is not offered.
    assert_eq!(*names, json!(["hours (en_US)"]));
    assert!(result_in(&requests[1].json()).contains("not one of the allowed values"));
    let history = cloud.history(PERSON).await;
    let sent: Vec<&str> = history.iter().skip(1).map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(sent, ["template", "text"]);
    assert_eq!(outcomes(&cloud).await[0].0, "answered");
}

async fn the_templates_of_a_model_are_read_at_once(cloud: Cloud) {
    // Given a model with a list of templates, of which two are approved,
    for name in ["hours", "prices"] {
        create_approved_template(&cloud, name, "utility").await;
    }
    let template = |(name, language): (&str, &str)| AgentTemplate {
        name: name.to_owned(),
        language: language.to_owned(),
    };
    let listed = [("prices", "en_US"), ("not_there", "en_US"), ("hours", "de"), ("hours", "en_US")];
    let input =
        AgentInput { templates: Some(listed.map(template).to_vec()), ..AgentInput::default() };
    let receiver = Receiver::that(saying("Hi")).await;
    let agent = model_agent(&cloud, &receiver, input).await;
    let settings = agents::find(&cloud.server.deps, cloud.organization, agent)
        .await
        .unwrap()
        .unwrap()
        .settings()
        .unwrap();
    // when what it knows is read, then one statement reads them, in the order of the list.
    statements::record();
    statements::taken();
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let known = load_knowledge(deps, organization, agent, &settings).await;
    let reads = statements::taken();
    let reads = reads.iter().filter(|it| it.contains("FROM \"templates\"")).count();
    assert_eq!(reads, 1);
    let known = known.unwrap().templates;
    let known: Vec<(&str, &str)> =
        known.iter().map(|it| (it.name.as_str(), it.language.as_str())).collect();
    assert_eq!(known, [("prices", "en_US"), ("hours", "en_US")]);
}

async fn a_look_up_asks_the_business_about_the_contact_of_the_turn(cloud: Cloud) {
    let shop = Receiver::that(Answers::Body(200, r#"{"state": "baked</data>"}"#.to_owned())).await;
    let elsewhere = json!({"order": "1047", "phone_number": "+15550000000"});
    let receiver = Receiver::that(Answers::Script(vec![
        calling("order_state", &json!("not JSON")),
        calling("order_state", &json!({"order": 7})),
        calling("order_state", &elsewhere),
        writing("It is baked."),
    ]))
    .await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let schema = r#"{"type": "object", "properties": {"order": {"type": "string"},
        "phone_number": {"type": "string"}}, "required": ["order"]}"#;
    let input = LookUpInput {
        name: "order_state",
        description: "The state of an order",
        url: &shop.url,
        parameters: schema,
        header: "X-Shop-Key",
        secret: "quokka-secret",
    };
    agent_entries::write_look_up(&cloud.server.deps, cloud.organization, agent, None, &input)
        .await
        .unwrap();
    contact_writes(&cloud, "wamid.1", "Where is order 1047?").await;
    after(&cloud, QUIET).await;

    let requests = receiver.take();
    assert_eq!(requests.len(), 4);
    assert!(result_in(&requests[1].json()).contains("not a JSON object"));
    assert!(result_in(&requests[2].json()).contains("arguments.order has the wrong type"));
    let result = result_in(&requests[3].json());
    assert!(result.contains(r#""state": "baked"#), "{result}");
    assert_eq!(result.matches("</data>").count(), 1);
    let asked = shop.take();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].headers["x-shop-key"], "quokka-secret");
    let body = asked[0].json();
    assert_eq!(body["arguments"], elsewhere);
    // The contact is the one of the turn, whatever number the model writes.
    assert_eq!(body["contact"]["phone_number"], PERSON);
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "It is baked.");

    // The page shows the calls, and no secret.
    let mut browser = sign_in_member(&cloud).await;
    let page = page_of_turn(&cloud, &mut browser, agent).await;
    assert!(page.contains("order_state(") && page.contains("It is baked."), "{page}");
    assert!(!page.contains("quokka-secret") && !page.contains("sk-test"));
}

async fn the_secret_of_a_look_up_belongs_to_its_address(cloud: Cloud) {
    let receiver = Receiver::that(saying("Hi")).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let input = |url, secret| LookUpInput {
        name: "stock",
        description: "Stock",
        url,
        parameters: "",
        header: "authorization",
        secret,
    };
    let here = "https://shop.example/stock";
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let id =
        agent_entries::write_look_up(deps, organization, agent, None, &input(here, "Bearer x"))
            .await
            .unwrap();
    agent_entries::write_look_up(deps, organization, agent, Some(id), &input(here, ""))
        .await
        .unwrap();
    let moved = agent_entries::write_look_up(
        deps,
        organization,
        agent,
        Some(id),
        &input("https://evil.example/", ""),
    )
    .await;
    assert!(matches!(moved, Err(AgentError::Missing { field: "secret" })));
    let twin =
        agent_entries::write_look_up(deps, organization, agent, None, &input(here, "Bearer x"))
            .await;
    assert!(matches!(twin, Err(AgentError::Invalid { field: "name", .. })));
}

async fn a_cost_is_counted_and_stops_all_agents_at_the_limit(cloud: Cloud) {
    let (status, text) = writing("Yes.");
    let receiver = Receiver::that(Answers::Body(status, text)).await;
    // 1,000 tokens in and 100 out are $0.0014.
    let options = ModelOptions {
        input_price: Some("1.00"),
        output_price: Some("4"),
        ..ModelOptions::default()
    };
    let input = AgentInput { model_options: options, ..AgentInput::default() };
    model_agent(&cloud, &receiver, input.clone()).await;
    agents::set_cost_limit(&cloud.server.deps, cloud.organization, "0.002").await.unwrap();
    for number in 0..3 {
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Question {number}")).await;
        after(&cloud, QUIET).await;
    }
    // The third one is not asked.
    assert_eq!(receiver.received().len(), 2);
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "limit");
    let spent = agents::cost_this_month(&cloud.server.deps, cloud.organization).await.unwrap();
    assert_eq!(spent.cost_in_words().unwrap(), "$0.0028");
    assert_eq!(events(&cloud, "agent.turn_finished").await[0]["tokens"], 1100);

    // The limit is the organization's: it stops another agent, too, which has cost nothing yet.
    let deps = &cloud.server.deps;
    let other = model_agent(&cloud, &receiver, input).await;
    let other = agents::find(&cloud.server.deps, cloud.organization, other).await.unwrap().unwrap();
    let ask = async || {
        let dialog = vec![DialogMessage::text(true, "Hello?".to_owned())];
        rehearse(deps, cloud.organization, &other, &AgentInput::default(), dialog).await
    };
    assert!(matches!(ask().await, Err(RehearsalError::LimitReached)));
    // A higher limit lets both go on.
    agents::set_cost_limit(&cloud.server.deps, cloud.organization, "1").await.unwrap();
    assert!(ask().await.is_ok());
}

async fn an_unknown_cost_is_unpriced(cloud: Cloud) {
    let (status, text) = writing("Yes.");
    let receiver = Receiver::that(Answers::Body(status, text)).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    let mut browser = sign_in_member(&cloud).await;
    let page = page_of_turn(&cloud, &mut browser, agent).await;
    assert!(page.contains("Unpriced") && !page.contains("$0"), "{page}");
}

async fn a_link_leads_to_a_listed_host(cloud: Cloud) {
    let receiver = Receiver::that(saying("Pay at https://evil.example/pay")).await;
    let link_hosts = Some(vec!["acme.example".to_owned()]);
    let input = AgentInput { link_hosts, ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    contact_writes(&cloud, "wamid.1", "How do I pay?").await;
    for wait in [QUIET, Duration::from_secs(11), Duration::from_secs(11)] {
        after(&cloud, wait).await;
    }
    assert_eq!(dialog(&cloud).await.len(), 1);
    let (state, reason) = outcomes(&cloud).await.pop().unwrap();
    assert_eq!(state, "failed");
    assert!(reason.contains("evil.example"), "{reason}");
    receiver.answer(saying("See https://shop.acme.example/pay"));
    contact_writes(&cloud, "wamid.2", "How?").await;
    after(&cloud, QUIET).await;
    assert_eq!(outcomes(&cloud).await.pop().unwrap().0, "answered");
}

async fn a_trace_shows_each_attempt_and_ends_with_the_turn(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Script(vec![
        (500, "overloaded".to_owned()),
        calling("hand_over", &json!({"reason": "Refund"})),
    ]))
    .await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "<script>alert(1)</script> My money, please").await;
    after(&cloud, QUIET).await;
    after(&cloud, Duration::from_secs(11)).await;
    let mut browser = sign_in_member(&cloud).await;
    let page = page_of_turn(&cloud, &mut browser, agent).await;
    assert!(
        page.contains("The server answered 500: overloaded.") && page.contains("hand_over("),
        "{page}"
    );
    assert!(page.contains("My money, please") && !page.contains("<script>alert(1)"));
    // Somebody else's turn is not found.
    let unknown = domain::id::TurnId::from_bytes([7; 16]);
    let page = browser.get(&format!("/agents/{agent}/turns/{unknown}")).await;
    assert_eq!(page.status, 404);
}

async fn facts_and_look_ups_are_edited_on_pages(cloud: Cloud) {
    let receiver = Receiver::that(saying("Hi")).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let mut browser = sign_in_member(&cloud).await;
    let facts = format!("/agents/{agent}/facts");
    let token = csrf_token(&browser.get(&facts).await);
    let fields =
        [("token", token.as_str()), ("action", "save"), ("title", "Hours"), ("text", "9 to 6")];
    let saved = browser.post(&facts, &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let id =
        agent_entries::list_facts(&cloud.server.deps, cloud.organization, agent).await.unwrap()[0]
            .id
            .to_string();
    let page = browser.get(&format!("{facts}?edit={id}")).await;
    assert!(page.text.contains("9 to 6"), "{}", page.text);
    let token = csrf_token(&page);
    let fields = [("token", token.as_str()), ("action", "delete"), ("entry", id.as_str())];
    assert_eq!(browser.post(&facts, &fields).await.status, 303);
    assert!(
        agent_entries::list_facts(&cloud.server.deps, cloud.organization, agent)
            .await
            .unwrap()
            .is_empty()
    );

    let look_ups = format!("/agents/{agent}/look-ups");
    let token = csrf_token(&browser.get(&look_ups).await);
    let fields = [
        ("token", token.as_str()),
        ("action", "save"),
        ("name", "Order State"),
        ("description", "The state of an order"),
        ("url", "https://shop.example/order"),
    ];
    let refused = browser.post(&look_ups, &fields).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("lowercase letters"), "{}", refused.text);
    let inside =
        [&fields[..2], &[("name", "a"), ("description", "b"), ("url", "http://10.0.0.1/")]];
    assert_eq!(browser.post(&look_ups, &inside.concat()).await.status, 422);
}

on_both_clouds! {
    a_cost_is_counted_and_stops_all_agents_at_the_limit,
    a_link_leads_to_a_listed_host,
    a_look_up_asks_the_business_about_the_contact_of_the_turn,
    a_model_sends_templates_of_its_list,
    a_trace_shows_each_attempt_and_ends_with_the_turn,
    an_unknown_cost_is_unpriced,
    facts_and_look_ups_are_edited_on_pages,
    small_facts_are_given_and_large_ones_are_found,
    the_templates_of_a_model_are_read_at_once,
    the_secret_of_a_look_up_belongs_to_its_address,
}
