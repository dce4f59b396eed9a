//! The pages of an agent's settings. Each saves its own group and keeps the others.

use super::{after, contact_writes, model_agent, saying, webhook_agent};
use crate::cloud::{Cloud, on_both_clouds};
use crate::connect::{Browser, Page};
use crate::dashboard::{csrf_token, sign_in_member, text_in};
use crate::operators::{Output, admin};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::{DirectConnection, switchboard};
use domain::agent::{AgentConnection, AgentKind, AgentMode, AnswerTime, MicroDollars};
use domain::id::AiAgentId;
use serde_json::json;
use service::agents::{self, AgentError, AgentInput, NewConnection};
use std::time::Duration;

const QUIET: Duration = Duration::from_secs(8);

type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Submits the form of a page.
async fn submit(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let token = csrf_token(&browser.get(path).await);
    browser.post(path, &[&[("token", token.as_str())], fields].concat()).await
}

/// Saves the form of a page of settings.
async fn save(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    submit(browser, path, &[&[("action", "save")], fields].concat()).await
}

fn model_fields<'a>(base_url: &'a str, temperature: &'a str, max_tokens: &'a str) -> Fields<'a> {
    vec![
        ("base_url", base_url),
        ("model", "large"),
        ("fallback_model", "small"),
        ("temperature", temperature),
        ("max_tokens", max_tokens),
        ("input_price", "0.40"),
        ("output_price", "1.60"),
        ("fallback_input_price", "0.10"),
        ("fallback_output_price", "0.20"),
        ("has_tools", "yes"),
        ("transcription_model", "whisper-1"),
    ]
}

async fn each_page_saves_its_own_settings_and_keeps_the_others(cloud: Cloud) {
    // Given an agent with a model,
    let receiver = Receiver::that(saying("Hi")).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let account = cloud.account.to_string();
    let mut browser = sign_in_member(&cloud).await;
    let path = format!("/agents/{agent}");
    let pages: [(&str, Fields<'_>); 5] = [
        (
            "",
            vec![
                ("name", "Counter"),
                ("mode", "draft"),
                ("account", &account),
                ("instructions", "Be brief."),
            ],
        ),
        ("/settings/model", model_fields(&receiver.url, "0.7", "400")),
        (
            "/settings/hours",
            vec![
                ("answer_time", "inside"),
                ("hours", "mon-fri 09:00-17:00"),
                ("zone", "Europe/Berlin"),
                ("allowed_contacts", "+16505551234"),
                ("quiet", "5"),
                ("longest", "20"),
                ("answers_per_hour", "7"),
                ("tokens_per_day", "9,000"),
            ],
        ),
        (
            "/settings/hand-over",
            vec![
                ("person_phrases", "the boss"),
                ("resume_after_hours", "12"),
                ("resume_on_close", "true"),
                ("failure_text", "Somebody will answer."),
            ],
        ),
        ("/settings/sending", vec![("link_hosts", "acme.example")]),
    ];
    // when the form of each page is saved,
    for (page, fields) in &pages {
        let saved = save(&mut browser, &format!("{path}{page}"), fields).await;
        assert_eq!(saved.status, 303, "{page}: {}", saved.text);
    }
    // then everything is saved,
    let found = agents::find(&cloud.server.deps, cloud.organization, agent).await.unwrap().unwrap();
    let settings = found.settings().unwrap();
    assert_eq!(found.name.as_str(), "Counter");
    assert_eq!(found.mode, AgentMode::Draft);
    assert_eq!(settings.instructions, "Be brief.");
    let AgentConnection::Model(model) = &settings.connection else { panic!("{settings:?}") };
    assert_eq!(model.model, "large");
    assert_eq!(model.max_tokens, Some(400));
    assert_eq!(model.temperature.unwrap().to_string(), "0.7");
    assert_eq!(model.fallback_prices.unwrap().output, MicroDollars(200_000));
    assert_eq!(settings.schedule.time, AnswerTime::Inside);
    assert_eq!(settings.delay.quiet(), Duration::from_secs(5));
    assert_eq!(settings.limits.tokens_per_day, Some(9000));
    assert_eq!(settings.resume_after_hours, Some(12));
    assert_eq!(settings.link_hosts, ["acme.example"]);
    // each page shows its own settings, none shows the key, and the first one sums them up;
    for (page, text) in [
        ("", "Be brief."),
        ("", "<dt>Model</dt><dd>large · 127.0.0.1"),
        ("", "Automatic: it answers customers by itself."),
        ("", "links to acme.example"),
        ("/settings/model", "value=\"0.7\""),
        ("/settings/hours", "name=\"from_0\" value=\"09:00\""),
        ("/settings/hand-over", "the boss"),
        ("/settings/sending", "acme.example"),
        ("/turns", "No turns yet"),
    ] {
        let shown = browser.get(&format!("{path}{page}")).await;
        assert!(shown.status == 200 && shown.text.contains(text), "{page}: {}", shown.text);
        assert!(!shown.text.contains("sk-test"), "{page}");
    }
    // and saving one of them again changes nothing of another.
    for (page, fields) in &pages {
        save(&mut browser, &format!("{path}{page}"), fields).await;
        let again =
            agents::find(&cloud.server.deps, cloud.organization, agent).await.unwrap().unwrap();
        assert_eq!(again.settings().unwrap(), settings, "{page}");
        assert_eq!(again.secret, found.secret, "{page}");
        let own = agents::list(&cloud.server.deps, cloud.organization).await.unwrap();
        assert_eq!(own[0].1, [cloud.account], "{page}");
    }
    // An emptied field removes what is optional.
    let emptied = save(&mut browser, &format!("{path}/settings/hours"), &[("zone", "UTC")]).await;
    assert_eq!(emptied.status, 303, "{}", emptied.text);
    let after = agents::find(&cloud.server.deps, cloud.organization, agent)
        .await
        .unwrap()
        .unwrap()
        .settings()
        .unwrap();
    assert_eq!(after.limits.tokens_per_day, None);
    assert_eq!(after.limits.per_hour, 7);
    assert!(after.allowed_contacts.is_empty());
    // There is no page for what an agent of another kind does not have.
    let (webhook, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    for missing in [format!("/agents/{webhook}/settings/model"), format!("{path}/settings/other")] {
        assert_eq!(browser.get(&missing).await.status, 404, "{missing}");
    }
    assert_eq!(browser.get(&format!("/agents/{webhook}/settings/hours")).await.status, 200);
}

async fn business_hours_are_rows_of_days_and_times(cloud: Cloud) {
    // Given an agent with business hours that were written as lines,
    let receiver = Receiver::that(saying("Hi")).await;
    let written = Some("mon-fri 09:00-17:00; sat 22:00-02:00; sun 10:00-24:00");
    let input = AgentInput { hours: written, ..AgentInput::default() };
    let agent = model_agent(&cloud, &receiver, input).await;
    let mut browser = sign_in_member(&cloud).await;
    let page = format!("/agents/{agent}/settings/hours");
    let stored = async || {
        let (deps, organization) = (&cloud.server.deps, cloud.organization);
        let found = agents::find(deps, organization, agent).await.unwrap().unwrap();
        found.settings().unwrap().schedule.hours.to_string()
    };
    let before = stored().await;
    // then the page has a row for each time, with its days, and one to fill in.
    let shown = browser.get(&page).await.text;
    let has = |name: &str, value: &str| format!("name=\"{name}\" value=\"{value}\"");
    for (name, value) in [
        ("from_0", "09:00"),
        ("to_0", "17:00"),
        ("from_1", "22:00"),
        ("to_1", "02:00"),
        ("from_2", "10:00"),
        ("to_2", "00:00"),
        ("from_3", ""),
        ("day_0", "mon\" checked>"),
        ("day_0", "fri\" checked>"),
        ("day_0", "sat\">"),
        ("day_1", "sat\" checked>"),
        ("day_2", "sun\" checked>"),
        ("day_3", "mon\">"),
    ] {
        let field = has(name, value);
        assert!(shown.contains(field.trim_end_matches('"')), "{field}: {shown}");
    }
    assert!(!shown.contains("from_4"), "{shown}");
    // When the rows are submitted as they are, then the hours stay as they were written;
    let week = ["mon", "tue", "wed", "thu", "fri"].map(|day| ("day_0", day));
    let rows = [
        ("zone", "UTC"),
        ("from_0", "09:00"),
        ("to_0", "17:00"),
        ("day_1", "sat"),
        ("from_1", "22:00"),
        ("to_1", "02:00"),
        ("day_2", "sun"),
        ("from_2", "10:00"),
        ("to_2", "00:00"),
        ("from_3", ""),
        ("to_3", ""),
    ];
    let same = save(&mut browser, &page, &[&week[..], &rows[..]].concat()).await;
    assert_eq!(same.status, 303, "{}", same.text);
    assert_eq!(stored().await, before);
    // a row that lacks something is refused beside the rows, with what was chosen kept;
    for partial in [
        [("day_0", "tue"), ("from_0", "08:30"), ("to_0", "")],
        [("day_9", "tue"), ("from_0", "08:30"), ("to_0", "12:00")],
        [("day_0", "tue"), ("from_0", ""), ("to_0", "12:00")],
    ] {
        let fields = [&[("answer_time", "inside"), ("zone", "UTC")], &partial[..]].concat();
        let refused = save(&mut browser, &page, &fields).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(text_in(&refused, "hours-error").starts_with("Choose the days"));
        assert_eq!(refused.text.matches("class=\"err\"").count(), 1, "{}", refused.text);
        for (name, value) in partial.into_iter().filter(|(name, _)| !name.starts_with("day")) {
            assert!(refused.text.contains(&has(name, value)), "{name}: {}", refused.text);
        }
    }
    // and so is a time that is none.
    for wrong in ["25:00", "<b>", &"9".repeat(10_000)] {
        let row = [("zone", "UTC"), ("day_0", "mon"), ("from_0", wrong), ("to_0", "17:00")];
        let refused = save(&mut browser, &page, &row).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(!refused.text.contains("<b>\"") && refused.text.contains("hours-error"));
    }
    assert_eq!(stored().await, before);
    // A form with lines is accepted, too. Rows that are emptied remove the hours.
    let lines = [("zone", "UTC"), ("hours", "tue 08:30-12:00")];
    assert_eq!(save(&mut browser, &page, &lines).await.status, 303);
    assert_eq!(stored().await, "tue 08:30-12:00");
    let empty = [("zone", "UTC"), ("from_0", ""), ("to_0", "")];
    assert_eq!(save(&mut browser, &page, &empty).await.status, 303);
    assert_eq!(stored().await, "");
}

async fn the_key_of_a_model_is_stored_for_a_model_only(cloud: Cloud) {
    // Given a member who types the key of a model's server,
    let mut browser = sign_in_member(&cloud).await;
    let typed = [
        ("name", "Assistant"),
        ("mode", "draft"),
        ("base_url", "https://models.example/v1"),
        ("model", "small"),
        ("api_key", "sk-typed-quokka"),
        ("max_tokens", "many"),
    ];
    // when they choose another kind afterwards, whose form submits the hidden fields, too,
    let fields = [&[("action", "save"), ("kind", "api")], &typed[..]].concat();
    let created = submit(&mut browser, "/agents/new", &fields).await;
    // then no field of a model is checked or stored.
    assert_eq!(created.status, 303, "{}", created.text);
    let own = agents::list(&cloud.server.deps, cloud.organization).await.unwrap();
    assert_eq!(own.len(), 1);
    let (agent, _) = &own[0];
    assert_eq!(agent.kind, AgentKind::Api);
    assert_eq!(agent.secret, None);
    // The same is true of every other caller.
    let input = || AgentInput {
        name: Some("Assistant"),
        base_url: Some("https://models.example/v1"),
        model: Some("small"),
        api_key: Some("sk-typed-quokka"),
        ..AgentInput::default()
    };
    for (kind, has_secret) in [(NewConnection::Api, false), (NewConnection::Model, true)] {
        let created =
            agents::create(&cloud.server.deps, cloud.organization, kind, input()).await.unwrap();
        assert_eq!(created.agent.secret.is_some(), has_secret, "{kind:?}");
    }
}

async fn all_faults_of_a_new_agent_are_shown_at_once(cloud: Cloud) {
    // Given a form without a name, an address and a model,
    let mut browser = sign_in_member(&cloud).await;
    let fields = |name, base_url, model| {
        [
            ("action", "save"),
            ("kind", "model"),
            ("mode", "draft"),
            ("name", name),
            ("base_url", base_url),
            ("model", model),
        ]
    };
    // when it is submitted, then each of them is marked.
    let page = submit(&mut browser, "/agents/new", &fields("", "", "")).await;
    assert_eq!(page.status, 422);
    for field in ["name", "base_url", "model"] {
        assert!(page.text.contains(&format!("id=\"{field}-error\"")), "{field}: {}", page.text);
    }
    assert_eq!(page.text.matches("Fill this in.").count(), 2, "{}", page.text);

    // An address with the path of the operation is refused, with the address to enter.
    let whole = "https://models.example/v1/chat/completions";
    let page = submit(&mut browser, "/agents/new", &fields("Assistant", whole, "small")).await;
    assert_eq!(page.status, 422);
    let says = "Enter https://models.example/v1, the address before /chat/completions.";
    assert!(page.text.contains(says), "{}", page.text);
    let page = submit(&mut browser, "/agents/new", &fields("Assistant", "a.example", "")).await;
    assert!(page.text.contains("begins with http:// or https://"), "{}", page.text);
    assert!(page.text.contains("id=\"model-error\""), "{}", page.text);
    assert_eq!(agents::list(&cloud.server.deps, cloud.organization).await.unwrap().len(), 0);
}

async fn the_temperature_and_the_length_of_answers_reach_the_model(cloud: Cloud) {
    let completion = json!({"choices": [{"message": {"content": "Yes."}}]}).to_string();
    let receiver = Receiver::that(Answers::Body(200, completion)).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let mut browser = sign_in_member(&cloud).await;
    let path = format!("/agents/{agent}/settings/model");
    // Given a temperature and a limit, when the model is asked, then it gets both;
    let saved = save(&mut browser, &path, &model_fields(&receiver.url, "0", "400")).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    after(&cloud, QUIET).await;
    let request = receiver.take()[0].json();
    assert_eq!(request["temperature"], json!(0.0));
    assert_eq!(request["max_tokens"], 400);
    // and none of them when the fields are emptied.
    save(&mut browser, &path, &model_fields(&receiver.url, "", "")).await;
    contact_writes(&cloud, "wamid.2", "And on Sunday?").await;
    after(&cloud, QUIET).await;
    let request = receiver.take()[0].json();
    assert!(request.get("temperature").is_none() && request.get("max_tokens").is_none());
    // What is no temperature is refused beside its field, and stays typed.
    for text in ["2.01", "-1", "warm"] {
        let refused = save(&mut browser, &path, &model_fields(&receiver.url, text, "")).await;
        assert_eq!(refused.status, 422, "{text}");
        assert!(refused.text.contains("Enter a number from 0 to 2"), "{}", refused.text);
        assert!(refused.text.contains(&format!("value=\"{text}\"")), "{}", refused.text);
    }
    // The command line sets both, too.
    let id = agent.to_string();
    let arguments = ["agent", "set", &id, "--temperature", "1.25", "--max-tokens", "90"];
    admin(cloud.database_url(), &arguments).await;
    let settings = agents::find(&cloud.server.deps, cloud.organization, agent)
        .await
        .unwrap()
        .unwrap()
        .settings()
        .unwrap();
    let AgentConnection::Model(model) = settings.connection else { panic!("a model") };
    assert_eq!(model.temperature.unwrap().hundredths(), 125);
    assert_eq!(model.max_tokens, Some(90));
}

async fn a_number_is_not_taken_away_from_another_agent(cloud: Cloud) {
    const REFUSAL: &str = "is answered by Assistant. Take it away there first.";
    // Given an agent on the only number,
    let receiver = Receiver::that(saying("Hi")).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let (account, url) = (cloud.account.to_string(), cloud.database_url());
    let mut browser = sign_in_member(&cloud).await;
    // then the page of a new agent says so, and does not choose the number.
    let page = browser.get("/agents/new").await;
    assert!(page.text.contains("answered by Assistant"), "{}", page.text);
    let fields = [("action", "save"), ("kind", "api"), ("name", "Second"), ("mode", "draft")];
    let chosen = [("account", account.as_str())];
    // When another agent is created or changed to answer there, then the page refuses it beside the
    // field, and so does the command line;
    let refused = submit(&mut browser, "/agents/new", &[&fields[..], &chosen].concat()).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains(REFUSAL), "{}", refused.text);
    assert_eq!(submit(&mut browser, "/agents/new", &fields).await.status, 303);
    let own = agents::list(&cloud.server.deps, cloud.organization).await.unwrap();
    let second = own.iter().find(|(it, _)| it.name == "Second").expect("the agent").0.id;
    let path = format!("/agents/{second}");
    let refused = save(&mut browser, &path, &[&fields[2..], &chosen].concat()).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains(REFUSAL), "{}", refused.text);
    let set = async |agent: AiAgentId, more: &[&str]| {
        let agent = agent.to_string();
        let place = ["admin", "agent", "set", &agent, "--database-url", url];
        Output::of(&mut switchboard(&[&place[..], more].concat())).await
    };
    let taking = ["--account", account.as_str()];
    set(second, &taking).await.failed_with(&[REFUSAL]);
    let own = agents::list(&cloud.server.deps, cloud.organization).await.unwrap();
    let on = |id: AiAgentId| own.iter().find(|(it, _)| it.id == id).expect("the agent").1.clone();
    assert_eq!(on(agent), [cloud.account]);
    assert!(on(second).is_empty());
    // and once it is taken away there, it can be given to the other one.
    set(agent, &["--no-account"]).await.succeeded();
    set(second, &taking).await.succeeded();
    let organization_db = cloud.server.deps.db.organization(cloud.organization);
    let answering = organization_db.agent_of_account(cloud.account).await.unwrap();
    assert_eq!(answering.map(|it| it.id), Some(second));
}

async fn the_limit_of_costs_is_one_for_all_agents(cloud: Cloud) {
    // Given an agent whose model has no prices,
    let receiver = Receiver::that(saying("Hi")).await;
    model_agent(&cloud, &receiver, AgentInput::default()).await;
    let mut browser = sign_in_member(&cloud).await;
    let page = browser.get("/agents").await;
    let says = "All agents together have cost nothing so far this month (UTC).";
    assert!(page.text.contains(says), "{}", page.text);
    assert!(page.text.contains("no price: Assistant."), "{}", page.text);
    // when an owner sets a limit, then it is saved and shown;
    let limit = |dollars| [("action", "limit"), ("cost_per_month", dollars)];
    let saved = submit(&mut browser, "/agents", &limit("20")).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert_eq!(
        agents::cost_limit(&cloud.server.deps, cloud.organization).await.unwrap(),
        Some(MicroDollars(20_000_000))
    );
    assert!(browser.get("/agents").await.text.contains("value=\"20.00\""));
    // what is no amount is refused and stays typed;
    let refused = submit(&mut browser, "/agents", &limit("a lot")).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("value=\"a lot\""), "{}", refused.text);
    let wrong = agents::set_cost_limit(&cloud.server.deps, cloud.organization, "-1").await;
    assert!(matches!(wrong, Err(AgentError::Invalid { field: "cost_per_month", .. })));
    // the command line shows and sets it, and an empty field removes it.
    let organization = cloud.organization.to_string();
    let costs = ["agent", "costs", "--organization", &organization];
    let shown = admin(cloud.database_url(), &costs).await;
    assert_eq!(shown["cost_per_month"], "20.00");
    assert_eq!(shown["cost_this_month"], json!(null));
    let shown = admin(cloud.database_url(), &[&costs[..], &["--limit", "5.5"]].concat()).await;
    assert_eq!(shown["cost_per_month"], "5.50");
    // Like the page, it names the agents that the limit does not count.
    assert_eq!(shown["unpriced_agents"], json!(["Assistant"]));
    assert_eq!(submit(&mut browser, "/agents", &limit("")).await.status, 303);
    assert_eq!(agents::cost_limit(&cloud.server.deps, cloud.organization).await.unwrap(), None);
}

async fn the_highest_limit_of_agents_became_that_of_their_organization(cloud: Cloud) {
    // Given agents with limits of their own, as an earlier version stored them,
    let receiver = Receiver::that(saying("Hi")).await;
    let mut beside = cloud.beside().await;
    for limit in ["7000000", "5000000"] {
        model_agent(&cloud, &receiver, AgentInput::default()).await;
        let change = match &beside {
            DirectConnection::Postgres(_) => format!(
                "UPDATE agents SET settings = \
                 (settings::jsonb || '{{\"cost_per_month\": {limit}}}'::jsonb)::json \
                 WHERE settings::text NOT LIKE '%cost_per_month%'"
            ),
            DirectConnection::Sqlite(_) => format!(
                "UPDATE agents SET settings = json_set(settings, '$.cost_per_month', {limit}) \
                 WHERE settings NOT LIKE '%cost_per_month%'"
            ),
        };
        beside.execute(&change).await;
    }
    // and one that is off,
    let off = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let input = AgentInput { mode: Some(AgentMode::Off), ..AgentInput::default() };
    agents::update(&cloud.server.deps, cloud.organization, off, input).await.unwrap();
    // when the migration runs,
    let migration = match &beside {
        DirectConnection::Postgres(_) => {
            include_str!("../../../migrations/postgres/2026-11-27-104000_agent_cost_limits/up.sql")
        }
        DirectConnection::Sqlite(_) => {
            include_str!("../../../migrations/sqlite/2026-11-27-104000_agent_cost_limits/up.sql")
        }
    };
    let (_, values) = migration.split_once("INSERT INTO").expect("the part about existing agents");
    let migrate = format!("INSERT INTO{values}");
    beside.execute(&migrate).await;
    // then the highest limit is kept, and the settings are read as before.
    assert_eq!(
        agents::cost_limit(&cloud.server.deps, cloud.organization).await.unwrap(),
        Some(MicroDollars(7_000_000))
    );
    for (agent, _) in agents::list(&cloud.server.deps, cloud.organization).await.unwrap() {
        agent.settings().unwrap();
    }
    // With an agent that had no limit there is none.
    beside.execute("DELETE FROM agent_cost_limits").await;
    model_agent(&cloud, &receiver, AgentInput::default()).await;
    beside.execute(&migrate).await;
    assert_eq!(agents::cost_limit(&cloud.server.deps, cloud.organization).await.unwrap(), None);
}

on_both_clouds! {
    a_number_is_not_taken_away_from_another_agent,
    all_faults_of_a_new_agent_are_shown_at_once,
    business_hours_are_rows_of_days_and_times,
    each_page_saves_its_own_settings_and_keeps_the_others,
    the_highest_limit_of_agents_became_that_of_their_organization,
    the_limit_of_costs_is_one_for_all_agents,
    the_key_of_a_model_is_stored_for_a_model_only,
    the_temperature_and_the_length_of_answers_reach_the_model,
}
