//! Creating templates: `POST /templates` (`docs/contract.md#manage-templates`).

use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

pub const TEMPLATES: &str = "/api/v1/templates";

/// Returns the components of a template about an order: two variables in its body, none elsewhere.
pub fn order_update() -> Value {
    json!([
        {"type": "HEADER", "format": "TEXT", "text": "Your order"},
        {
            "type": "BODY",
            "text": "Hello {{1}}, your order {{2}} is on its way.",
            "example": {"body_text": [["Ada", "1024"]]},
        },
        {"type": "FOOTER", "text": "Acme"},
        {
            "type": "BUTTONS",
            "buttons": [
                {"type": "QUICK_REPLY", "text": "Thanks"},
                {
                    "type": "URL",
                    "text": "Track it",
                    "url": "https://example.com/orders/{{1}}",
                    "example": ["https://example.com/orders/1024"],
                },
                {"type": "PHONE_NUMBER", "text": "Call us", "phone_number": "+12025550190"},
            ],
        },
    ])
}

/// A template without variables.
pub fn plain_template(name: &str) -> Value {
    json!({
        "name": name, "language": "en", "category": "utility",
        "components": [{"type": "BODY", "text": "We are open again."}],
    })
}

pub fn template_with(name: &str, components: &Value) -> Value {
    json!({"name": name, "language": "en", "category": "utility", "components": components})
}

pub async fn post_template(world: &World, body: &Value) -> Answer {
    world.post(TEMPLATES, &world.key, body).await
}

/// Creates a template and returns it.
pub async fn create_template(world: &World, body: &Value) -> Value {
    create_template_with_key(world, &world.key, body).await
}

pub async fn create_template_with_key(world: &World, key: &Pair, body: &Value) -> Value {
    let answer = world.post(TEMPLATES, key, body).await;
    assert_eq!(answer.status, 201, "{body}: {}", answer.text);
    answer.body
}

/// Requests a template by its id.
pub async fn read_template(world: &World, key: &Pair, id: &str) -> Answer {
    let request = world.request(Method::GET, &format!("{TEMPLATES}/{id}"), key);
    Answer::of(request.header("x-request-id", "same")).await
}

/// Returns the names of all templates that the key can read, newest first.
pub async fn template_names(world: &World, key: &Pair, query: &str) -> Vec<String> {
    let page = world.get(&format!("{TEMPLATES}?{query}"), key).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let data = page.body["data"].as_array().unwrap().iter();
    data.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

async fn a_template_comes_back_as_a_draft(world: World) {
    // When a template is created,
    let body = template_with("order_update", &order_update());
    let record = create_template(&world, &body).await;

    // then the response contains all of it, not yet submitted,
    let id = record["id"].as_str().unwrap();
    assert!(id.starts_with("tpl_"), "{id}");
    insta::assert_compact_json_snapshot!(with_numbered_ids(&record), @r#"
    {
      "id": "tpl_1",
      "name": "order_update",
      "language": "en",
      "category": "utility",
      "status": "draft",
      "rejection_reason": null,
      "rejection_detail": null,
      "parameter_format": "positional",
      "components": [
        {
          "type": "HEADER",
          "format": "TEXT",
          "text": "Your order"
        },
        {
          "type": "BODY",
          "text": "Hello {{1}}, your order {{2}} is on its way.",
          "example": {
            "body_text": [
              [
                "Ada",
                "1024"
              ]
            ]
          }
        },
        {
          "type": "FOOTER",
          "text": "Acme"
        },
        {
          "type": "BUTTONS",
          "buttons": [
            {
              "type": "QUICK_REPLY",
              "text": "Thanks"
            },
            {
              "type": "URL",
              "text": "Track it",
              "url": "https://example.com/orders/{{1}}",
              "example": [
                "https://example.com/orders/1024"
              ]
            },
            {
              "type": "PHONE_NUMBER",
              "text": "Call us",
              "phone_number": "+12025550190"
            }
          ]
        }
      ],
      "message_send_ttl_seconds": null,
      "quality": null,
      "account_id": "acc_1",
      "external_id": null,
      "submitted_at": null,
      "reviewed_at": null,
      "created_at": "2026-11-21T12:00:00.000Z",
      "updated_at": "2026-11-21T12:00:00.000Z",
      "warnings": [],
      "lint": []
    }
    "#);
    assert_eq!(record["components"], order_update());

    // and it can be read, whatever its status is by then.
    let read = read_template(&world, &world.key, id).await;
    assert_eq!(read.status, 200, "{}", read.text);
    for field in [
        "id",
        "name",
        "language",
        "category",
        "parameter_format",
        "components",
        "account_id",
        "created_at",
    ] {
        assert_eq!(read.body[field], record[field], "{field}");
    }
    assert!(["draft", "pending"].contains(&read.body["status"].as_str().unwrap()), "{}", read.text);
}

async fn variables_may_have_names(world: World) {
    let example = |name: &str, value: &str| json!([{"param_name": name, "example": value}]);
    let components = json!([
        {
            "type": "HEADER",
            "format": "TEXT",
            "text": "For {{first_name}} only",
            "example": {"header_text_named_params": example("first_name", "Ada")},
        },
        {
            "type": "BODY",
            "text": "Your code {{order_2}} is here.",
            "example": {"body_text_named_params": example("order_2", "1024")},
        },
    ]);
    let mut body = template_with("named", &components);
    body["parameter_format"] = json!("named");
    let record = create_template(&world, &body).await;
    assert_eq!(record["parameter_format"], "named");
    assert_eq!(record["components"], components);
}

async fn types_are_read_in_either_case(world: World) {
    let components = json!([
        {"type": "header", "format": "text", "text": "Your order"},
        {"type": "body", "text": "It is on its way."},
        {"type": "Footer", "text": "Acme"},
        {"type": "buttons", "buttons": [{"type": "quick_reply", "text": "Thanks"}]},
    ]);
    let record = create_template(&world, &template_with("small", &components)).await;
    assert_eq!(record["components"].as_array().unwrap().len(), 4);
}

async fn a_header_may_be_a_file(world: World) {
    for format in ["IMAGE", "VIDEO", "DOCUMENT"] {
        let components =
            json!([{"type": "HEADER", "format": format}, {"type": "BODY", "text": "See above."}]);
        let name = format!("file_{}", format.to_ascii_lowercase());
        assert_eq!(
            create_template(&world, &template_with(&name, &components)).await["components"],
            components
        );
    }
}

async fn a_template_is_for_the_number_of_its_key(world: World) {
    let second = world.number(world.organization, "+12025550191").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(second), 0).await;
    assert_eq!(
        create_template(&world, &plain_template("default")).await["account_id"],
        world.account.to_string()
    );
    assert_eq!(
        create_template_with_key(&world, &bound, &plain_template("bound")).await["account_id"],
        second.to_string()
    );

    // The name is taken in the whole organization, because a send finds the template by
    // organization.
    world
        .post(TEMPLATES, &bound, &plain_template("default"))
        .await
        .is_problem(409, "template_exists");
    post_template(&world, &plain_template("bound")).await.is_problem(409, "template_exists");
}

async fn an_organization_without_a_number_has_nowhere_to_hand_it_in(world: World) {
    let other = world.organization_on("Other", "Unlimited").await;
    let key = world.key_of(other).await;
    world
        .post(TEMPLATES, &key, &plain_template("hello"))
        .await
        .is_problem(422, "no_messaging_account");
    assert_eq!(template_names(&world, &key, "").await, Vec::<String>::new());
    // The body is checked nevertheless.
    world.post(TEMPLATES, &key, &json!({})).await.is_problem(422, "validation_failed");
}

async fn a_name_is_taken_once_in_each_language_of_an_organization(world: World) {
    // Given a template,
    let first = create_template(&world, &template_with("order_update", &order_update())).await;

    // when another template with the same name and language is created, then it is rejected as
    // a duplicate, however different it is,
    let mut other = plain_template("order_update");
    other["category"] = json!("marketing");
    for _ in 0..2 {
        post_template(&world, &other).await.is_problem(409, "template_exists");
    }
    // also later, when the first one has been reviewed.
    world.live_through(std::time::Duration::from_secs(2)).await;
    post_template(&world, &other).await.is_problem(409, "template_exists");
    // Faults in the body are reported first.
    other["category"] = json!("nonsense");
    post_template(&world, &other).await.has_faults(&[("category", "not_one_of")]);

    // In another language the name is free,
    for language in ["en_US", "de"] {
        let mut body = plain_template("order_update");
        body["language"] = json!(language);
        assert_eq!(create_template(&world, &body).await["language"], language);
        post_template(&world, &body).await.is_problem(409, "template_exists");
    }
    // and so it is in another organization.
    let organization = world.organization_on("Other", "Unlimited").await;
    world.number(organization, "+12025550192").await;
    let key = world.key_of(organization).await;
    create_template_with_key(&world, &key, &plain_template("order_update")).await;

    assert_eq!(template_names(&world, &key, "").await, ["order_update"]);
    assert_eq!(template_names(&world, &world.key, "").await, ["order_update"; 3]);
    let kept = read_template(&world, &world.key, first["id"].as_str().unwrap()).await;
    assert_eq!(kept.body["components"], order_update());
    assert_eq!(kept.body["category"], "utility");
}

async fn one_of_many_concurrent_creations_succeeds(world: World) {
    for round in 0..3 {
        let name = format!("round_{round}");
        let body = plain_template(&name);
        let answers = join_all((0..30).map(|_| post_template(&world, &body))).await;
        let (made, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 201);
        assert_eq!(made.len(), 1, "{:?}", answers.iter().map(|it| it.status).collect::<Vec<_>>());
        for answer in refused {
            answer.is_problem(409, "template_exists");
        }
        assert_eq!(template_names(&world, &world.key, &format!("name={name}")).await, [name]);
    }
}

async fn a_template_that_comes_again_is_answered_and_not_made_twice(world: World) {
    let first = world.post_once(TEMPLATES, "hello", &plain_template("hello")).await;
    assert_eq!(first.status, 201, "{}", first.text);
    for _ in 0..2 {
        // After the review a replay still returns the stored response.
        world.live_through(std::time::Duration::from_secs(2)).await;
        let again = world.post_once(TEMPLATES, "hello", &plain_template("hello")).await;
        assert_eq!(again.status, 201, "{}", again.text);
        assert_eq!(again.header("idempotent-replayed"), "true", "{}", again.text);
        assert_eq!(again.text, first.text);
    }
    world
        .post_once(TEMPLATES, "hello", &plain_template("goodbye"))
        .await
        .is_problem(422, "idempotency_key_reused");
    assert_eq!(template_names(&world, &world.key, "").await, ["hello"]);

    // A rejection is replayed too, and of concurrent requests only one creates the template.
    let refused = world.post_once(TEMPLATES, "again", &plain_template("hello")).await;
    refused.is_problem(409, "template_exists");
    let again = world.post_once(TEMPLATES, "again", &plain_template("hello")).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.text, refused.text);
    let body = plain_template("many");
    let answers = join_all((0..20).map(|_| world.post_once(TEMPLATES, "many", &body))).await;
    assert!(answers.iter().any(|it| it.status == 201), "one is made");
    for answer in answers.iter().filter(|it| it.status != 201) {
        answer.is_problem(409, "idempotency_in_progress");
    }
    assert_eq!(template_names(&world, &world.key, "name=many").await, ["many"]);
}

async fn to_make_a_template_needs_its_scope_and_is_no_message(world: World) {
    let scopes: Vec<Scope> =
        Scope::ALL.iter().copied().filter(|it| *it != Scope::TemplatesWrite).collect();
    let reader = world.key_with(world.organization, &scopes, None, 0).await;
    let refused = world.post(TEMPLATES, &reader, &plain_template("hello")).await;
    assert_eq!(
        refused.is_problem(403, "insufficient_scope").body["required_scope"],
        "templates.write"
    );
    assert_eq!(template_names(&world, &reader, "").await, Vec::<String>::new());

    let writer = world.key_with(world.organization, &[Scope::TemplatesWrite], None, 0).await;
    let record = create_template_with_key(&world, &writer, &plain_template("hello")).await;
    let id = record["id"].as_str().unwrap();
    for refused in [world.get(TEMPLATES, &writer).await, read_template(&world, &writer, id).await] {
        assert_eq!(
            refused.is_problem(403, "insufficient_scope").body["required_scope"],
            "templates.read"
        );
    }
    assert_eq!(read_template(&world, &reader, id).await.status, 200);
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
}

async fn a_rejected_template_is_not_created(world: World) {
    for body in [
        json!({}),
        template_with("Order", &order_update()),
        template_with("order", &json!([])),
        template_with("order", &json!([{"type": "BODY", "text": "{{1}}"}])),
    ] {
        post_template(&world, &body).await.is_problem(422, "validation_failed");
    }
    world.live_through(std::time::Duration::from_secs(2)).await;
    assert_eq!(template_names(&world, &world.key, "").await, Vec::<String>::new());
    create_template(&world, &template_with("order", &order_update())).await;
}

on_both_databases! {
    a_template_comes_back_as_a_draft,
    variables_may_have_names,
    types_are_read_in_either_case,
    a_header_may_be_a_file,
    a_template_is_for_the_number_of_its_key,
    an_organization_without_a_number_has_nowhere_to_hand_it_in,
    a_name_is_taken_once_in_each_language_of_an_organization,
    one_of_many_concurrent_creations_succeeds,
    a_template_that_comes_again_is_answered_and_not_made_twice,
    to_make_a_template_needs_its_scope_and_is_no_message,
    a_rejected_template_is_not_created,
}
