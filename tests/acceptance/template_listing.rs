//! Reading templates: `GET /templates` and `GET /templates/{id}`
//! (`docs/contract.md#manage-templates`).

use crate::template_creation::{
    TEMPLATES, create_template, create_template_with_key, order_update, plain_template,
    read_template, template_names, template_with,
};
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

async fn list_templates(world: &World, query: &str) -> Answer {
    world.get(&format!("{TEMPLATES}?{query}"), &world.key).await
}

async fn list_names(world: &World, query: &str) -> Vec<String> {
    template_names(world, &world.key, query).await
}

/// Creates `count` templates, one second apart, and returns their names, newest first.
async fn create_templates(world: &World, count: usize) -> Vec<String> {
    let mut names = Vec::new();
    for number in 0..count {
        let name = format!("template_{number:03}");
        create_template(world, &plain_template(&name)).await;
        names.insert(0, name);
        world.advance(SECOND);
    }
    names
}

async fn create_other_key(world: &World) -> Pair {
    let organization = world.organization_on("Other", "Unlimited").await;
    world.number(organization, "+12025550192").await;
    world.key_of(organization).await
}

/// Creates four different templates, which are reviewed.
async fn create_four_templates(world: &World) {
    for (name, language, category) in [
        ("hello", "en", "utility"),
        ("hello", "de", "marketing"),
        ("hello_rejected_scam", "en", "marketing"),
        ("hello_pending", "en_US", "authentication"),
    ] {
        let mut body = plain_template(name);
        (body["language"], body["category"]) = (json!(language), json!(category));
        create_template(world, &body).await;
        world.advance(SECOND);
    }
    world.live_through(SECOND * 2).await;
}

async fn create_plain_template(world: &World, number: usize) {
    create_template(world, &plain_template(&format!("parallel_{number}"))).await;
}

async fn the_list_is_empty_without_templates(world: World) {
    let page = world.get(TEMPLATES, &world.key).await;
    assert_eq!(page.status, 200);
    assert_eq!(
        page.body,
        json!({
            "data": [],
            "pagination": {
                "limit": 50,
                "offset": 0,
                "total": 0,
                "has_more": false,
                "next_offset": null,
            },
        })
    );
}

async fn a_template_reads_alike_alone_and_in_the_list(world: World) {
    create_template(&world, &template_with("order_update", &order_update())).await;
    create_template(&world, &plain_template("sale_rejected_promotional")).await;
    world.live_through(SECOND * 2).await;
    let page = list_templates(&world, "").await;
    let records = page.body["data"].as_array().unwrap();
    assert_eq!(records.len(), 2);
    for record in records {
        let one = read_template(&world, &world.key, record["id"].as_str().unwrap()).await;
        assert_eq!(one.status, 200);
        assert_eq!(&one.body, record);
        let mut fields: Vec<&str> =
            record.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = vec![
            "id",
            "name",
            "language",
            "category",
            "status",
            "rejection_reason",
            "rejection_detail",
            "parameter_format",
            "components",
            "message_send_ttl_seconds",
            "quality",
            "account_id",
            "external_id",
            "submitted_at",
            "reviewed_at",
            "created_at",
            "updated_at",
        ];
        fields.sort_unstable();
        expected.sort_unstable();
        assert_eq!(fields, expected);
    }
}

async fn the_newest_come_first_and_page_by_page(world: World) {
    let all = create_templates(&world, 7).await;
    assert_eq!(list_names(&world, "").await, all);
    let cases = [
        (1, 0, 0..1, json!(1)),
        (7, 0, 0..7, json!(null)),
        (6, 0, 0..6, json!(6)),
        (3, 3, 3..6, json!(6)),
        (3, 4, 4..7, json!(null)),
        (100, 6, 6..7, json!(null)),
        (100, 7, 7..7, json!(null)),
        (1, 1000, 7..7, json!(null)),
    ];
    for (limit, offset, expected, next) in cases {
        let query = format!("limit={limit}&offset={offset}");
        assert_eq!(list_names(&world, &query).await, all[expected]);
        let page = list_templates(&world, &query).await;
        assert_eq!(
            page.body["pagination"],
            json!({
                "limit": limit,
                "offset": offset,
                "total": 7,
                "has_more": !next.is_null(),
                "next_offset": next,
            })
        );
    }
    // A later or repeated review does not move a template in the list.
    world.live_through(SECOND * 2).await;
    assert_eq!(list_names(&world, "").await, all);
}

/// All templates have the same time, so that their order cannot come from times alone.
async fn each_template_is_on_exactly_one_page(world: World) {
    for number in 0..25 {
        create_template(&world, &plain_template(&format!("template_{number}"))).await;
    }
    let mut found = Vec::new();
    for offset in [0, 10, 20] {
        found.extend(list_names(&world, &format!("limit=10&offset={offset}")).await);
    }
    assert_eq!(found, list_names(&world, "").await);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 25);
}

async fn filters_are_exact(world: World) {
    create_four_templates(&world).await;
    let all = ["hello_pending", "hello_rejected_scam", "hello", "hello"];
    assert_eq!(list_names(&world, "").await, all);
    let cases: [(&str, &[&str]); 17] = [
        ("status=approved", &all[2..]),
        ("status=rejected", &all[1..2]),
        ("status=pending", &all[..1]),
        ("status=paused", &[]),
        ("category=marketing", &all[1..3]),
        ("category=utility", &all[3..]),
        ("category=authentication", &all[..1]),
        ("language=en", &[all[1], all[3]]),
        ("language=en_US", &all[..1]),
        ("language=de", &all[2..3]),
        ("language=fr", &[]),
        ("name=hello", &all[2..]),
        ("name=hello_pending", &all[..1]),
        ("name=hell", &[]),
        ("name=nobody", &[]),
        ("name=hello&language=de", &all[2..3]),
        ("status=approved&category=marketing&language=en", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(list_names(&world, query).await, expected, "{query}");
        assert_eq!(
            list_templates(&world, query).await.body["pagination"]["total"],
            expected.len(),
            "{query}"
        );
    }
    // Templates that change, or are created concurrently, are counted once.
    world.advance(SECOND * 61);
    world.live_through(SECOND * 2).await;
    join_all((0..12).map(|number| create_plain_template(&world, number))).await;
    world.live_through(SECOND * 2).await;
    assert_eq!(list_names(&world, "limit=100").await.len(), 16);
    assert_eq!(list_templates(&world, "").await.body["pagination"]["total"], 16);
    let wrong = "SELECT count(*) AS number FROM template_counts WHERE templates <> \
        (SELECT count(*) FROM templates WHERE templates.organization_id = template_counts.organization_id \
        AND templates.status = template_counts.status AND templates.category = template_counts.category \
        AND templates.language = template_counts.language)";
    assert_eq!(world.beside().await.number(wrong).await, 0);
    // With any filter the pages are parts of one list, from either end.
    for query in
        ["", "status=approved", "category=utility", "language=en", "status=approved&language=en"]
    {
        let all = list_names(&world, &format!("{query}&limit=100")).await;
        for offset in 0..=all.len() {
            let part = list_names(&world, &format!("{query}&limit=3&offset={offset}")).await;
            assert_eq!(part, all[offset..all.len().min(offset + 3)], "{query} {offset}");
        }
    }
    // The totals of the pages are right,
    let page = list_templates(&world, "name=hello&limit=1").await;
    assert_eq!(
        page.body["pagination"],
        json!({"limit": 1, "offset": 0, "total": 2, "has_more": true, "next_offset": 1})
    );
    // and wildcards are ordinary characters here.
    for query in ["name=%25", "name=hell%25", "name=hell_", "name=*", "name=hello_______"] {
        let answer = list_templates(&world, query).await;
        assert!(
            answer.status == 422 || answer.body["data"] == json!([]),
            "{query}: {}",
            answer.text
        );
    }
}

async fn invalid_parameters_are_rejected(world: World) {
    for (query, field, code) in [
        ("limit=0", "limit", "out_of_range"),
        ("limit=101", "limit", "out_of_range"),
        ("limit=-1", "limit", "out_of_range"),
        ("offset=-1", "offset", "out_of_range"),
        ("limit=ten", "limit", "wrong_type"),
        ("limit=", "limit", "wrong_type"),
        ("status=nonsense", "status", "not_one_of"),
        ("status=APPROVED", "status", "not_one_of"),
        ("status=", "status", "not_one_of"),
        ("category=nonsense", "category", "not_one_of"),
        ("state=approved", "state", "unknown_field"),
        ("limit=5&limit=5", "limit", "duplicate"),
        ("status=draft&status=draft", "status", "duplicate"),
    ] {
        list_templates(&world, query).await.has_faults(&[(field, code)]);
    }
    list_templates(&world, "limit=0&offset=-1&status=x&category=y&z=1").await.has_faults(&[
        ("limit", "out_of_range"),
        ("offset", "out_of_range"),
        ("status", "not_one_of"),
        ("category", "not_one_of"),
        ("z", "unknown_field"),
    ]);
}

async fn another_organization_sees_nothing(world: World) {
    let record = create_template(&world, &plain_template("hello")).await;
    let stranger = create_other_key(&world).await;
    for query in ["", "name=hello", "status=draft", "status=pending"] {
        assert_eq!(template_names(&world, &stranger, query).await, Vec::<String>::new());
    }
    let theirs = read_template(&world, &stranger, record["id"].as_str().unwrap()).await;
    theirs.is_problem(404, "not_found");
    for id in [
        "tpl_01h2xcejqtf2nbrexx3vqjhp41",
        "nonsense",
        "msg_01h2xcejqtf2nbrexx3vqjhp41",
        "%00",
        "hello",
    ] {
        let not_found_answer = read_template(&world, &stranger, id).await;
        assert_eq!(not_found_answer.status, 404, "{id}");
        assert_eq!(not_found_answer.text, theirs.text, "{id}");
        assert_eq!(read_template(&world, &world.key, id).await.text, theirs.text, "{id}");
    }
    // Neither organization sees the other's templates.
    create_template_with_key(&world, &stranger, &plain_template("hello")).await;
    assert_eq!(list_names(&world, "").await, ["hello"]);
    assert_eq!(template_names(&world, &stranger, "").await, ["hello"]);
}

async fn reading_needs_its_scope(world: World) {
    let record = create_template(&world, &plain_template("hello")).await;
    let id = record["id"].as_str().unwrap();
    let scopes: Vec<Scope> =
        Scope::ALL.iter().copied().filter(|it| *it != Scope::TemplatesRead).collect();
    let key = world.key_with(world.organization, &scopes, None, 0).await;
    for answer in [
        world.get(TEMPLATES, &key).await,
        read_template(&world, &key, id).await,
        read_template(&world, &key, "nonsense").await,
    ] {
        assert_eq!(
            answer.is_problem(403, "insufficient_scope").body["required_scope"],
            "templates.read"
        );
    }
    let key = world.key_with(world.organization, &[Scope::TemplatesRead], None, 0).await;
    assert_eq!(template_names(&world, &key, "").await, ["hello"]);
    assert_eq!(read_template(&world, &key, id).await.status, 200);
}

async fn templates_are_made_and_read_and_nothing_else(world: World) {
    let record = create_template(&world, &plain_template("hello")).await;
    let one = format!("{TEMPLATES}/{}", record["id"].as_str().unwrap());
    for (method, path, allowed) in [
        (Method::PUT, TEMPLATES, "GET, HEAD, POST"),
        (Method::DELETE, TEMPLATES, "GET, HEAD, POST"),
        (Method::POST, one.as_str(), "DELETE, GET, HEAD, PATCH"),
        (Method::PUT, &one, "DELETE, GET, HEAD, PATCH"),
    ] {
        let answer = Answer::of(world.request(method, path, &world.key)).await;
        let mut found: Vec<_> =
            answer.is_problem(405, "method_not_allowed").header("allow").split(", ").collect();
        found.sort_unstable();
        assert_eq!(found.join(", "), allowed, "{path}");
    }
    let kept: Value = read_template(&world, &world.key, record["id"].as_str().unwrap()).await.body;
    assert_eq!(kept["name"], "hello");
}

on_both_databases! {
    the_list_is_empty_without_templates,
    a_template_reads_alike_alone_and_in_the_list,
    the_newest_come_first_and_page_by_page,
    each_template_is_on_exactly_one_page,
    filters_are_exact,
    invalid_parameters_are_rejected,
    another_organization_sees_nothing,
    reading_needs_its_scope,
    templates_are_made_and_read_and_nothing_else,
}
