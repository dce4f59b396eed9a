//! The pages of templates (`docs/contract.md#template-pages`).

use super::{csrf_token, form_control, member_of_another_organization, sign_in_member, text_in};
use crate::connect::{Browser, Page};
use crate::members::signed_in_as;
use crate::template_creation::{
    TEMPLATES, create_template, order_update, plain_template, read_template, template_names,
    template_with,
};
use crate::world::{World, on_both_databases};
use domain::role::Role;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

const PAGE: &str = "/templates";
const NEW: &str = "/templates/new";

fn path_of(template: &Value) -> String {
    format!("{PAGE}/{}", template["id"].as_str().unwrap())
}

/// The form of a template that the reviewer approves.
fn form_fields<'a>(token: &'a str, action: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("token", token),
        ("action", action),
        ("name", "order_update"),
        ("language", "en_US"),
        ("category", "utility"),
        ("header_text", "Your order {{1}} today"),
        ("header_example.1", "1024"),
        ("body", "Hello {{1}},\r\nyour order {{2}} is ready."),
        ("body_example.1", "Ada"),
        ("body_example.2", "1024"),
        ("footer", "Acme"),
        ("button_1_type", "QUICK_REPLY"),
        ("button_1_text", "Thanks"),
        ("button_2_type", "URL"),
        ("button_2_text", "Track it"),
        ("button_2_target", "https://acme.example/orders/{{1}}"),
        ("button_3_type", "PHONE_NUMBER"),
        ("button_3_text", "Call us"),
        ("button_3_target", "+12025550190"),
    ]
}

/// Replaces the value of a field.
fn with<'a>(fields: &[(&'a str, &'a str)], name: &str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    let fields = fields.iter().copied();
    fields.map(|(it, old)| (it, if it == name { value } else { old })).collect()
}

async fn names(world: &World) -> Vec<String> {
    template_names(world, &world.key, "").await
}

/// Returns the rows of a list.
fn rows(page: &Page) -> Vec<&str> {
    assert_eq!(page.status, 200, "{}", page.text);
    let body = page.text.split_once("<tbody>").map_or("", |(_, rest)| rest);
    let body = body.split("</tbody>").next().unwrap();
    body.split("<tr>").skip(1).collect()
}

async fn templates_are_listed_filtered_and_searched(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Without templates the page offers to create one.
    let empty = browser.get(PAGE).await;
    assert!(empty.text.contains("No templates yet"), "{}", empty.text);
    assert!(empty.text.contains("href=\"/templates/new\""), "{}", empty.text);

    // Given templates of several statuses, categories and languages,
    for name in ["hours", "sale_rejected_promotional", "news_pending"] {
        create_template(&world, &plain_template(name)).await;
        world.advance(Duration::from_secs(1));
    }
    let offer = json!({
        "name": "offer", "language": "de", "category": "marketing",
        "components": [{"type": "BODY", "text": "Heute ist <b>Brot</b> im Angebot."}],
    });
    create_template(&world, &offer).await;
    world.live_through(Duration::from_secs(3)).await;

    // when they are listed, then the newest is first, and each says its status in words;
    let page = browser.get(PAGE).await;
    let all = rows(&page);
    let expected = ["offer", "news_pending", "sale_rejected_promotional", "hours"];
    assert_eq!(all.len(), expected.len(), "{}", page.text);
    for (row, name) in all.iter().zip(expected) {
        assert!(row.contains(&format!(">{name}</a>")), "{name}: {row}");
    }
    for (row, word) in all.iter().zip(["Approved", "In review", "Rejected", "Approved"]) {
        assert!(row.contains(word), "{word}: {row}");
    }
    assert!(all[0].contains("Heute ist &#60;b&#62;Brot"), "{}", all[0]);
    assert!(page.text.contains("Rejected <span class=\"n\">1</span>"), "{}", page.text);

    // when a filter or a search stands in the URL, then only what matches is listed,
    for (query, expected) in [
        ("status=approved", vec!["offer", "hours"]),
        ("status=paused", vec![]),
        ("category=marketing", vec!["offer"]),
        ("language=en&status=approved", vec!["hours"]),
        ("q=hour", vec!["hours"]),
        ("q=BROT", vec!["offer"]),
        ("q=brot&language=en", vec![]),
        ("q=%00&language=%00&category=x&status=y&offset=-1", expected.to_vec()),
    ] {
        let page = browser.get(&format!("{PAGE}?{query}")).await;
        let found = rows(&page);
        assert_eq!(found.len(), expected.len(), "{query}: {}", page.text);
        for (row, name) in found.iter().zip(expected) {
            assert!(row.contains(&format!(">{name}</a>")), "{query}: {row}");
        }
    }
    let nothing = browser.get(&format!("{PAGE}?q=nothing")).await;
    assert!(nothing.text.contains("No templates match"), "{}", nothing.text);
    // and an id leads to its page.
    let hours = template_names(&world, &world.key, "name=hours").await;
    assert_eq!(hours, ["hours"]);
    let listed = world.get(&format!("{TEMPLATES}?name=hours"), &world.key).await.body;
    let path = path_of(&listed["data"][0]);
    let id = path.trim_start_matches("/templates/");
    assert_eq!(browser.get(&format!("{PAGE}?q={id}")).await.location(), path);
}

async fn a_long_list_has_pages(world: World) {
    let mut browser = sign_in_member(&world).await;
    for number in 0..27 {
        create_template(&world, &plain_template(&format!("hours_{number:02}"))).await;
        world.advance(Duration::from_secs(1));
    }
    for (query, search) in [("", ""), ("q=hours", "q=hours&#38;")] {
        let first = browser.get(&format!("{PAGE}?{query}")).await;
        assert_eq!(rows(&first).len(), 25);
        let older = format!("href=\"/templates?{search}offset=25\"");
        assert!(first.text.contains(&older), "{older}: {}", first.text);
        let second = browser.get(&format!("{PAGE}?{query}&offset=25")).await;
        assert_eq!(rows(&second).len(), 2);
        assert!(rows(&second)[1].contains("hours_00"), "{}", second.text);
        assert!(second.text.contains("Newest</a>") && !second.text.contains("Older"));
    }
}

async fn a_template_is_shown_as_the_customer_sees_it(world: World) {
    let mut browser = sign_in_member(&world).await;
    let template = create_template(&world, &template_with("order", &order_update())).await;
    let draft = browser.get(&path_of(&template)).await;
    assert!(draft.text.contains("Not submitted yet"), "{}", draft.text);
    world.live_through(Duration::from_secs(3)).await;
    let page = browser.get(&path_of(&template)).await;
    assert_eq!(page.status, 200, "{}", page.text);
    // The examples stand in the text, and the call sends them.
    let text = text_in(&page, "template-preview");
    assert_eq!(text, "Your order\nHello Ada, your order 1024 is on its way.\nAcme");
    let call = text_in(&page, "call-text").replace("&#34;", "\"").replace("&#39;", "'");
    let (_, body) = call.split_once("-d '").unwrap();
    let body: Value = serde_json::from_str(body.trim_end_matches('\'')).unwrap();
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(sent.status, 201, "{call}: {}", sent.text);
    for words in ["Approved", "Submitted for review", "Utility", "https://example.com/orders/"] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
}

async fn a_rejection_says_why_and_what_to_do(world: World) {
    let mut browser = sign_in_member(&world).await;
    let body =
        json!([{"type": "BODY", "text": "Hello, our sale begins: https://bit.ly/acme now."}]);
    let template = template_with("sale_rejected_promotional", &body);
    let template = create_template(&world, &template).await;
    world.live_through(Duration::from_secs(3)).await;
    let page = browser.get(&path_of(&template)).await;
    for words in [
        "The text advertises something",
        "choose the category marketing",
        "Has a link to bit.ly",
        "Rejected",
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
}

async fn a_template_is_created_once(world: World) {
    let mut browser = sign_in_member(&world).await;
    let page = browser.get(NEW).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let token = csrf_token(&page);
    // A preview shows the template and creates nothing.
    let preview = browser.post(NEW, &form_fields(&token, "preview")).await;
    assert_eq!(preview.status, 200, "{}", preview.text);
    let text = text_in(&preview, "template-preview");
    assert_eq!(text, "Your order 1024 today\nHello Ada,\nyour order 1024 is ready.\nAcme");
    assert!(form_control(&preview, "body_example-1").contains("value=\"1024\""));
    assert!(form_control(&preview, "button_4_text").contains("value=\"\""), "one more button");
    assert!(!preview.text.contains("class=\"err\""), "{}", preview.text);
    assert!(names(&world).await.is_empty());
    // Of several submissions of a form one creates the template.
    let clicks = (0..4).map(|_| {
        let (mut same, token) = (browser.clone(), token.clone());
        async move { same.post(NEW, &form_fields(&token, "create")).await.location().to_owned() }
    });
    let mut locations = join_all(clicks).await;
    locations.dedup();
    assert_eq!(locations.len(), 1, "{locations:?}");
    let created = browser.get(&locations[0]).await;
    assert!(created.text.contains("Template submitted"), "{}", created.text);
    assert_eq!(names(&world).await, ["order_update"]);
    // It is what the API would have created.
    let id = locations[0].trim_start_matches("/templates/").split('?').next().unwrap();
    let stored = read_template(&world, &world.key, id).await.body;
    let components = json!([
        {
            "type": "HEADER",
            "format": "TEXT",
            "text": "Your order {{1}} today",
            "example": {"header_text": ["1024"]},
        },
        {
            "type": "BODY",
            "text": "Hello {{1}},\nyour order {{2}} is ready.",
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
                    "url": "https://acme.example/orders/{{1}}",
                    "example": ["https://acme.example/orders/1"],
                },
                {"type": "PHONE_NUMBER", "text": "Call us", "phone_number": "+12025550190"},
            ],
        },
    ]);
    assert_eq!(stored["components"], components);
    assert_eq!(stored["account_id"], world.account.to_string());
    world.live_through(Duration::from_secs(3)).await;
    assert_eq!(read_template(&world, &world.key, id).await.body["status"], "approved");
}

async fn faults_are_beside_their_fields_and_what_was_typed_stays(world: World) {
    let mut browser = sign_in_member(&world).await;
    create_template(&world, &template_with("taken", &order_update())).await;
    let token = csrf_token(&browser.get(NEW).await);
    let right = form_fields(&token, "create");
    for (field, value, says) in [
        ("name", "Order Update", "lowercase letters"),
        ("language", "english", "en or en_US"),
        ("category", "gossip", "Must be one of"),
        ("header_text", "Your order {{1}}", "must not begin or end"),
        ("body", "", "Must not be empty"),
        ("body", "Hello {{2}}, your order is ready.", "gap"),
        ("footer", "For {{1}}", "no variables"),
        ("button_1_text", "", "Must not be empty"),
        ("button_2_target", "acme", "class=\"err\""),
        ("button_3_target", "12", "class=\"err\""),
    ] {
        let fields = with(&right, field, value);
        // A quick reply without a text is not a button, unless it has a URL.
        let fields = match field {
            "button_1_text" => {
                [&[("button_1_target", "https://acme.example/")], &fields[..]].concat()
            }
            _ => fields,
        };
        let refused = browser.post(NEW, &fields).await;
        assert_eq!(refused.status, 422, "{field}: {}", refused.text);
        let says = says.to_lowercase();
        assert!(refused.text.to_lowercase().contains(&says), "{field}: {}", refused.text);
        assert!(
            refused.text.contains(&format!("id=\"{field}-error\"")),
            "{field}: {}",
            refused.text
        );
        assert!(
            refused.text.contains("value=\"https://acme.example/orders/{{1}}\"")
                || field == "button_2_target"
        );
    }
    // Every variable needs an example.
    let refused = browser.post(NEW, &with(&right, "body_example.2", "")).await;
    assert!(refused.text.contains("id=\"examples-error\""), "{}", refused.text);
    // A name is taken in its language.
    let existing = with(&with(&right, "name", "taken"), "language", "en");
    let refused = browser.post(NEW, &existing).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(text_in(&refused, "name-error").contains("already"), "{}", refused.text);
    assert_eq!(names(&world).await, ["taken"]);
    // The corrected form is accepted.
    assert_eq!(browser.post(NEW, &right).await.status, 303);
}

async fn known_objections_are_shown_and_refuse_nothing(world: World) {
    let mut browser = sign_in_member(&world).await;
    let token = csrf_token(&browser.get(NEW).await);
    let fields = form_fields(&token, "preview");
    let body = "Hello {{1}}, your order {{2}} is at https://bit.ly/acme now.";
    let preview = browser.post(NEW, &with(&fields, "body", body)).await;
    assert_eq!(preview.status, 200, "{}", preview.text);
    assert!(preview.text.contains("Has a link to bit.ly"), "{}", preview.text);
    let fields = with(&form_fields(&token, "create"), "body", body);
    assert_eq!(browser.post(NEW, &fields).await.status, 303);
}

async fn a_rejected_template_is_changed_and_submitted_again(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Given a template that was rejected,
    let token = csrf_token(&browser.get(NEW).await);
    let fields = with(&form_fields(&token, "create"), "name", "sale_rejected_promotional");
    let created = browser.post(NEW, &fields).await.location().to_owned();
    let path = created.split('?').next().unwrap().to_owned();
    let id = path.trim_start_matches("/templates/").to_owned();
    let edit = format!("{path}/edit");
    // (in review it cannot be changed)
    let waiting = browser.get(&path).await;
    assert!(!waiting.text.contains(&edit), "{}", waiting.text);
    let early = browser.get(&edit).await;
    assert_eq!(early.status, 303, "{}", early.text);
    assert!(early.location().starts_with(&path), "{}", early.location());
    world.live_through(Duration::from_secs(3)).await;
    let rejected = browser.get(&path).await;
    assert!(rejected.text.contains(&format!("href=\"{edit}\"")), "{}", rejected.text);
    // when a member opens the form, then it has what the template has;
    let form = browser.get(&edit).await;
    assert_eq!(form.status, 200, "{}", form.text);
    for (id, value) in [
        ("header_text", "Your order {{1}} today"),
        ("header_example-0", "1024"),
        ("body_example-1", "1024"),
        ("footer", "Acme"),
        ("button_2_target", "https://acme.example/orders/{{1}}"),
        ("button_3_target", "+12025550190"),
    ] {
        let control = form_control(&form, id);
        assert!(control.contains(&format!("value=\"{value}\"")), "{id}: {control}");
    }
    assert!(!form.text.contains("name=\"name\"") && !form.text.contains("name=\"language\""));
    let shown = text_in(&form, "template-preview");
    assert_eq!(shown, "Your order 1024 today\nHello Ada,\nyour order 1024 is ready.\nAcme");
    // a preview changes nothing, and a fault is beside its field;
    let token = csrf_token(&form);
    let changed = with(&form_fields(&token, "create"), "body", "Hi {{1}},\r\norder {{2}} is here.");
    let preview = browser.post(&edit, &with(&changed, "action", "preview")).await;
    let text = text_in(&preview, "template-preview");
    assert_eq!(text, "Your order 1024 today\nHi Ada,\norder 1024 is here.\nAcme");
    let refused = browser.post(&edit, &with(&changed, "body", "Hi {{2}}.")).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("id=\"body-error\""), "{}", refused.text);
    let before = read_template(&world, &world.key, &id).await.body;
    assert_eq!(before["status"], "rejected");
    // (a colleague has the form open, too)
    let colleague = csrf_token(&browser.get(&edit).await);
    // and of several submissions one changes it, whatever name and language the form claims.
    let clicks = (0..4).map(|_| {
        let (mut same, changed, edit) = (browser.clone(), changed.clone(), edit.clone());
        async move { same.post(&edit, &changed).await.location().to_owned() }
    });
    let mut locations = join_all(clicks).await;
    locations.dedup();
    assert_eq!(locations.len(), 1, "{locations:?}");
    let page = browser.get(&locations[0]).await;
    assert!(page.text.contains("Template submitted again"), "{}", page.text);
    let after = read_template(&world, &world.key, &id).await.body;
    assert_eq!(after["status"], "pending");
    assert_eq!(after["name"], "sale_rejected_promotional");
    assert_eq!(after["components"][1]["text"], "Hi {{1}},\norder {{2}} is here.");
    assert_eq!(after["components"][3], before["components"][3]);
    // A form that was left open is too late.
    let late = browser.get(&edit).await;
    assert_eq!(late.status, 303, "{}", late.text);
    let other = with(&with(&changed, "footer", "Bakery"), "token", &colleague);
    let late = browser.post(&edit, &other).await;
    assert_eq!(late.status, 422, "{}", late.text);
    assert!(late.text.contains("can’t be changed here now"), "{}", late.text);
}

async fn an_approved_template_keeps_its_category_and_examples(world: World) {
    let mut browser = sign_in_member(&world).await;
    // Given an approved template with the API's own example of a link,
    let template = create_template(&world, &template_with("order", &order_update())).await;
    world.live_through(Duration::from_secs(3)).await;
    let edit = format!("{}/edit", path_of(&template));
    let form = browser.get(&edit).await;
    assert_eq!(form.status, 200, "{}", form.text);
    assert!(form.text.contains("The category stays Utility"), "{}", form.text);
    // when its footer is changed, and the form claims another category,
    let token = csrf_token(&form);
    let fields = [
        ("token", token.as_str()),
        ("action", "create"),
        ("category", "marketing"),
        ("header_text", "Your order"),
        ("body", "Hello {{1}}, your order {{2}} is on its way."),
        ("body_example.1", "Ada"),
        ("body_example.2", "1024"),
        ("footer", "The bakery"),
        ("button_1_type", "QUICK_REPLY"),
        ("button_1_text", "Thanks"),
        ("button_2_type", "URL"),
        ("button_2_text", "Track it"),
        ("button_2_target", "https://example.com/orders/{{1}}"),
        ("button_2_example", "https://example.com/orders/1024"),
        ("button_3_type", "PHONE_NUMBER"),
        ("button_3_text", "Call us"),
        ("button_3_target", "+12025550190"),
    ];
    let kept = "name=\"button_2_example\" value=\"https://example.com/orders/1024\"";
    assert!(form.text.contains(kept), "{}", form.text);
    let answer = browser.post(&edit, &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    // then the category and the example stay.
    let id = template["id"].as_str().unwrap();
    let after = read_template(&world, &world.key, id).await.body;
    assert_eq!(after["category"], "utility");
    assert_eq!(after["status"], "pending");
    let mut expected = order_update();
    expected[2]["text"] = json!("The bakery");
    assert_eq!(after["components"], expected);
}

async fn what_the_form_cannot_describe_is_changed_through_the_api(world: World) {
    let mut browser = sign_in_member(&world).await;
    let code = json!([{"type": "BODY", "add_security_recommendation": true}, {
        "type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy"}],
    }]);
    let mut template = template_with("code", &code);
    template["category"] = json!("authentication");
    let template = create_template(&world, &template).await;
    world.live_through(Duration::from_secs(3)).await;
    let path = path_of(&template);
    let page = browser.get(&path).await;
    assert!(page.text.contains("Approved"), "{}", page.text);
    assert!(!page.text.contains(&format!("{path}/edit")), "{}", page.text);
    let form = browser.get(&format!("{path}/edit")).await;
    assert_eq!(form.status, 303, "{}", form.text);
    let page = browser.get(form.location()).await;
    assert!(page.text.contains("can’t be changed here now"), "{}", page.text);
    // A form that is posted anyway changes nothing.
    let token = csrf_token(&browser.get(NEW).await);
    let posted = browser.post(&format!("{path}/edit"), &form_fields(&token, "create")).await;
    assert_eq!(posted.status, 422, "{}", posted.text);
    let id = template["id"].as_str().unwrap();
    let after = read_template(&world, &world.key, id).await.body;
    assert_eq!(after["status"], "approved");
    assert_eq!(after["components"], template["components"]);
}

async fn a_template_is_deleted_after_a_confirmation(world: World) {
    let mut browser = sign_in_member(&world).await;
    let template = create_template(&world, &plain_template("hours")).await;
    world.live_through(Duration::from_secs(3)).await;
    let path = path_of(&template);
    let link = format!("href=\"{path}/delete\"");
    assert!(browser.get(&path).await.text.contains(&link));
    let confirm = browser.get(&format!("{path}/delete")).await;
    assert!(confirm.text.contains("Delete hours (en)?"), "{}", confirm.text);
    let token = csrf_token(&confirm);
    let other = [("token", token.as_str()), ("action", "save")];
    assert_eq!(browser.post(&format!("{path}/delete"), &other).await.status, 400);
    let form = [("token", token.as_str()), ("action", "delete")];
    for _ in 0..2 {
        let deleted = browser.post(&format!("{path}/delete"), &form).await;
        assert_eq!(deleted.status, 303, "{}", deleted.text);
        let list = browser.get(deleted.location()).await;
        assert!(list.text.contains("Template deleted"), "{}", list.text);
    }
    let page = browser.get(&path).await;
    assert!(page.text.contains("This template is deleted"), "{}", page.text);
    assert!(!page.text.contains(&link), "{}", page.text);
    let id = template["id"].as_str().unwrap();
    assert_eq!(read_template(&world, &world.key, id).await.body["status"], "deleted");
}

async fn support_reads_templates_only(world: World) {
    let template = create_template(&world, &plain_template("hours")).await;
    let path = path_of(&template);
    let mut support = signed_in_as(&world, "sam@acme.example", Role::Support).await;
    for (path, status) in [
        (PAGE.to_owned(), 200),
        (path.clone(), 200),
        (NEW.to_owned(), 403),
        (format!("{path}/edit"), 403),
        (format!("{path}/delete"), 403),
    ] {
        let page = support.get(&path).await;
        assert_eq!(page.status, status, "{path}: {}", page.text);
        let (_, main) = page.text.split_once("<main").unwrap();
        assert!(!main.contains(NEW) && !main.contains("/delete\""), "{path}: {main}");
        assert!(!main.contains("/edit\""), "{path}: {main}");
    }
    // A form that support sends all the same shows and changes nothing.
    let token = csrf_token(&support.get("/account").await);
    for action in ["preview", "create"] {
        for path in [NEW, &format!("{path}/edit")] {
            let refused = support.post(path, &form_fields(&token, action)).await;
            assert_eq!(refused.status, 403, "{path} {action}: {}", refused.text);
        }
    }
    let delete = [("token", token.as_str()), ("action", "delete")];
    assert_eq!(support.post(&format!("{path}/delete"), &delete).await.status, 403);
    assert_eq!(names(&world).await, ["hours"]);
    // A developer creates templates.
    let mut developer = signed_in_as(&world, "dev@acme.example", Role::Developer).await;
    let token = csrf_token(&developer.get(NEW).await);
    assert_eq!(developer.post(NEW, &form_fields(&token, "create")).await.status, 303);
}

async fn templates_of_another_organization_are_not_found(world: World) {
    let template = create_template(&world, &plain_template("hours")).await;
    let path = path_of(&template);
    let mut eve = member_of_another_organization(&world).await;
    let none = format!("{PAGE}/tpl_00000000000000000000000000");
    let [edit, delete] = ["edit", "delete"].map(|it| format!("{path}/{it}"));
    for path in [path.clone(), edit.clone(), delete, none, format!("{PAGE}/hours")] {
        assert_eq!(eve.get(&path).await.status, 404, "{path}");
    }
    let token = csrf_token(&eve.get("/account").await);
    assert_eq!(eve.post(&edit, &form_fields(&token, "create")).await.status, 404);
    let delete = [("token", token.as_str()), ("action", "delete")];
    assert_eq!(eve.post(&format!("{path}/delete"), &delete).await.status, 404);
    let list = eve.get(&format!("{PAGE}?q=hours")).await;
    assert!(!list.text.contains(path.as_str()), "{}", list.text);
    // A number of another organization is not one of the choices.
    let account = world.account.to_string();
    let fields = [&form_fields(&token, "create")[..], &[("account", account.as_str())]].concat();
    let refused = eve.post(NEW, &fields).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert_eq!(names(&world).await, ["hours"]);
}

async fn html_in_every_field_is_escaped(world: World) {
    const HTML: &str = "<b>\"x\"</b>";
    let mut browser: Browser = sign_in_member(&world).await;
    let token = csrf_token(&browser.get(NEW).await);
    let mut fields = form_fields(&token, "preview");
    for (name, value) in &mut fields {
        if !matches!(*name, "token" | "action") {
            *value = HTML;
        }
    }
    fields.push(("account", HTML));
    let refused = browser.post(NEW, &fields).await;
    assert_eq!(refused.status, 200, "{}", refused.text);
    assert!(refused.text.contains("&#60;b&#62;&#34;x&#34;") && !refused.text.contains("<b>\"x"));
    // A variable is HTML too.
    let fields = form_fields(&token, "preview");
    let variable = with(&fields, "body", "Hi {{<b>\"x\"</b>}}, yes");
    let refused = browser.post(NEW, &variable).await;
    assert!(!refused.text.contains("<b>\"x"), "{}", refused.text);
    // A stored template is shown as it is written.
    let components = json!([
        {"type": "HEADER", "format": "TEXT", "text": HTML},
        {"type": "BODY", "text": format!("Hi {{{{1}}}}, {HTML} yes"), "example": {"body_text": [[HTML]]}},
        {"type": "FOOTER", "text": HTML},
        {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": HTML}]},
    ]);
    let template = create_template(&world, &template_with("html", &components)).await;
    for path in [path_of(&template), PAGE.to_owned()] {
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains("&#60;b&#62;"), "{path}: {}", page.text);
        assert!(!page.text.contains("<b>\"x"), "{path}: {}", page.text);
    }
}

on_both_databases! {
    templates_are_listed_filtered_and_searched,
    a_long_list_has_pages,
    a_template_is_shown_as_the_customer_sees_it,
    a_rejection_says_why_and_what_to_do,
    a_template_is_created_once,
    faults_are_beside_their_fields_and_what_was_typed_stays,
    known_objections_are_shown_and_refuse_nothing,
    a_rejected_template_is_changed_and_submitted_again,
    an_approved_template_keeps_its_category_and_examples,
    what_the_form_cannot_describe_is_changed_through_the_api,
    a_template_is_deleted_after_a_confirmation,
    support_reads_templates_only,
    templates_of_another_organization_are_not_found,
    html_in_every_field_is_escaped,
}
