//! Meta's documented examples pass the checks, and deviations from them fail.

use super::{shapes, template_shapes};
use serde_json::{Value, json};

fn sent(kind: &str, content: &Value) -> Value {
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "+16505551234",
        "type": kind,
        (kind): content,
    })
}

/// Returns Meta's examples of messages.
fn examples() -> Vec<Value> {
    let link = json!({ "link": "https://www.luckyshrub.com/media/a.png" });
    let parameters = |given: Value| json!({ "type": "body", "parameters": given });
    vec![
        sent("text", &json!({ "preview_url": true, "body": "See https://www.meta.com/quest/" })),
        sent("image", &json!({ "id": "1479537139650973", "caption": "The best succulent ever?" })),
        sent("video", &json!({ "link": "https://a.b/c.mp4", "caption": "A succulent eclipse!" })),
        sent("audio", &json!({ "id": "1013859600285441" })),
        sent("sticker", &link),
        sent(
            "document",
            &json!({ "link": "http://a.b/c.pdf", "filename": "c.pdf", "caption": "Invoice" }),
        ),
        sent("interactive", &reply_buttons()),
        sent("interactive", &list()),
        sent(
            "interactive",
            &json!({
                "type": "cta_url",
                "header": {"type": "image", "image": link},
                "body": {"text": "Tap the button below to see available dates."},
                "action": {
                    "name": "cta_url",
                    "parameters": {
                        "display_text": "See Dates",
                        "url": "https://www.luckyshrub.com?clickID=kqDGWd24Q5",
                    },
                },
                "footer": {"text": "Dates subject to change."},
            }),
        ),
        sent("template", &json!({ "name": "hello_world", "language": { "code": "en_US" } })),
        sent(
            "template",
            &json!({ "name": "coupon_code_fall2023_25off", "language": { "code": "en_US" },
            "components": [
                { "type": "header", "parameters": [{ "type": "image", "image": link }] },
                parameters(json!([
                    {"type": "text", "text": "25OFF"},
                    {"type": "text", "text": "25%"},
                ])),
                { "type": "button", "sub_type": "COPY_CODE", "index": 1,
                    "parameters": [{ "type": "coupon_code", "coupon_code": "25OFF" }] },
                { "type": "button", "sub_type": "quick_reply", "index": "0",
                    "parameters": [{ "type": "payload", "payload": "stop" }] },
                { "type": "button", "sub_type": "url", "index": 2,
                    "parameters": [{ "type": "text", "text": "summer2023" }] },
            ] }),
        ),
        sent(
            "template",
            &json!({ "name": "named", "language": { "code": "pt_BR" },
            "components": [parameters(json!([
                { "type": "text", "parameter_name": "day", "text": "Saturday" },
                { "type": "text", "parameter_name": "date", "text": "August 30th, 2025" },
            ]))] }),
        ),
    ]
}

fn reply_buttons() -> Value {
    let button =
        |id: &str, title: &str| json!({ "type": "reply", "reply": { "id": id, "title": title } });
    json!({
        "type": "button",
        "header": {"type": "image", "image": {"id": "2762702990552401"}},
        "body": {"text": "Your gardening workshop is scheduled for 9am tomorrow."},
        "footer": {"text": "Lucky Shrub: Your gateway to succulents!"},
        "action": {
            "buttons": [button("change-button", "Change"), button("cancel-button", "Cancel")],
        },
    })
}

fn list() -> Value {
    let row = |id: &str| json!({ "id": id, "title": "Priority Mail", "description": "1-3 Days" });
    json!({
        "type": "list",
        "header": { "type": "text", "text": "Choose Shipping Option" },
        "body": { "text": "Which shipping option do you prefer?" },
        "action": { "button": "Shipping Options", "sections": [
            { "title": "I want it ASAP!", "rows": [row("express"), row("mail")] },
            { "title": "I can wait a bit", "rows": [row("ground"), row("media")] },
        ] },
    })
}

/// Replaces the value at a JSON pointer; `null` removes it.
fn with(mut value: Value, pointer: &str, other: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {pointer}"));
    match (parent, other) {
        (Value::Object(fields), Value::Null) => drop(fields.remove(key)),
        (Value::Array(entries), other) => entries[key.parse::<usize>().unwrap()] = other,
        (parent, other) => parent[key] = other,
    }
    value
}

fn assert_wrong(
    check: fn(&Value) -> Result<(), String>,
    right: &Value,
    places: Vec<(&str, Value, &str)>,
) {
    check(right).unwrap();
    for (pointer, other, expected) in places {
        let wrong = check(&with(right.clone(), pointer, other)).expect_err(pointer);
        assert!(wrong.contains(expected), "{pointer}: {wrong}");
    }
}

#[test]
fn documented_messages_are_right() {
    for message in examples() {
        shapes::message(&message).unwrap_or_else(|wrong| panic!("{wrong}\n{message}"));
    }
}

#[test]
fn wrong_frames_and_files() {
    let text =
        with(sent("text", &json!({ "body": "a" })), "/context", json!({ "message_id": "wamid.A" }));
    assert_wrong(
        shapes::message,
        &text,
        vec![
            ("/messaging_product", Value::Null, "messaging_product: is required"),
            ("/messaging_product", json!("sms"), "messaging_product: must be one of whatsapp"),
            ("/recipient_type", json!("group"), "recipient_type"),
            ("/to", json!("1650-555"), "to: must be a number"),
            ("/to", json!(16_505_551_234_u64), "to: must be a string"),
            ("/type", json!("poll"), "type: must be one of"),
            ("/type", json!("image"), "text: no such field"),
            ("/status", json!("read"), "status: no such field"),
            ("/image", json!({ "id": "1" }), "image: no such field"),
            ("/context/message_id", Value::Null, "context.message_id: is required"),
            ("/biz_opaque_callback_data", json!("x".repeat(513)), "1 to 512"),
            ("/text/body", json!(""), "text.body: must have 1 to 4096"),
            ("/text/body", json!("é".repeat(4097)), "text.body"),
            ("/text/preview_url", json!("true"), "text.preview_url: must be true or false"),
            ("/text/x", json!(1), "text.x: no such field"),
        ],
    );
    shapes::message(&with(text, "/text/body", json!("é".repeat(4096)))).unwrap();
    let link = json!({ "link": "https://a.b/c" });
    assert_wrong(
        shapes::message,
        &sent("image", &link),
        vec![
            ("/image/link", json!("ftp://a.b/c"), "image.link"),
            ("/image/link", json!("https://"), "image.link"),
            ("/image/link", Value::Null, "image: must have either link or id"),
            ("/image/id", json!("1"), "image: must have either link or id"),
            ("/image/filename", json!("c.png"), "image.filename: no such field"),
            ("/image/caption", json!("x".repeat(1025)), "image.caption"),
        ],
    );
    for kind in ["audio", "sticker"] {
        let caption = json!("c");
        let pointer = format!("/{kind}/caption");
        assert_wrong(
            shapes::message,
            &sent(kind, &link),
            vec![(&pointer, caption, "no such field")],
        );
    }
}

#[test]
fn wrong_interactive_messages() {
    let long = |count: usize| json!("x".repeat(count));
    assert_wrong(
        shapes::message,
        &sent("interactive", &reply_buttons()),
        vec![
            ("/interactive/type", json!("poll"), "interactive.type"),
            ("/interactive/body", Value::Null, "interactive.body: is required"),
            ("/interactive/body/text", long(1025), "interactive.body.text"),
            ("/interactive/footer/text", long(61), "interactive.footer.text"),
            (
                "/interactive/header",
                json!({ "type": "text", "text": "x".repeat(61) }),
                "header.text",
            ),
            ("/interactive/header/type", json!("audio"), "interactive.header.type"),
            ("/interactive/header/image/caption", json!("c"), "no such field"),
            ("/interactive/action/buttons", json!([]), "must have 1 to 3 entries"),
            ("/interactive/action/buttons/0/type", json!("url"), "buttons[0].type"),
            ("/interactive/action/buttons/0/reply/title", long(21), "buttons[0].reply.title"),
            ("/interactive/action/buttons/0/reply/title", json!("Cancel"), "has \"Cancel\" twice"),
            ("/interactive/action/buttons/0/reply/id", long(257), "buttons[0].reply.id"),
            ("/interactive/action/buttons/0/reply/id", json!("cancel-button"), "twice"),
        ],
    );
    let rows: Vec<Value> = (0..9).map(|id| json!({ "id": id.to_string(), "title": "t" })).collect();
    assert_wrong(
        shapes::message,
        &sent("interactive", &list()),
        vec![
            (
                "/interactive/header",
                json!({ "type": "image", "image": { "id": "1" } }),
                "header.type",
            ),
            ("/interactive/body/text", long(4097), "interactive.body.text"),
            ("/interactive/action/button", long(21), "action.button"),
            ("/interactive/action/sections", json!([]), "sections: must have 1 to 10"),
            ("/interactive/action/sections/0/title", Value::Null, "sections[0].title: is required"),
            ("/interactive/action/sections/0/rows", json!([]), "rows: must have 1 to 10"),
            ("/interactive/action/sections/0/rows", json!(rows), "at most 10 rows in all"),
            ("/interactive/action/sections/0/rows/0/id", json!("media"), "has \"media\" twice"),
            ("/interactive/action/sections/0/rows/0/title", long(25), "rows[0].title"),
            ("/interactive/action/sections/0/rows/0/description", long(73), "rows[0].description"),
        ],
    );
    assert_wrong(
        shapes::message,
        &examples()[8],
        vec![
            ("/interactive/action/name", json!("url"), "action.name"),
            ("/interactive/action/parameters/url", json!("a.b"), "parameters.url"),
            ("/interactive/action/parameters/display_text", long(21), "parameters.display_text"),
        ],
    );
}

#[test]
fn wrong_template_messages() {
    let text = |name: &str| json!({ "type": "text", "text": "a", "parameter_name": name });
    assert_wrong(
        shapes::message,
        &examples()[10],
        vec![
            ("/template/name", json!("Hello"), "template.name"),
            ("/template/namespace", json!("n"), "template.namespace: no such field"),
            ("/template/language", json!("en"), "template.language: must be an object"),
            ("/template/language/code", json!("english!"), "template.language.code"),
            ("/template/components/0/type", json!("HEADER"), "components[0].type"),
            ("/template/components/0/parameters", json!([]), "parameters: must have 1 to 1"),
            ("/template/components/0/parameters/0/type", json!("payload"), "parameters[0].type"),
            ("/template/components/0/parameters/0/image/caption", json!("c"), "no such field"),
            ("/template/components/1/parameters/0/text", json!(""), "parameters[0].text"),
            ("/template/components/1/parameters/0", text("a"), "either all or none"),
            ("/template/components/1/parameters", json!([text("a"), text("a")]), "has \"a\" twice"),
            ("/template/components/1/index", json!(0), "components[1].index: no such field"),
            ("/template/components/2/sub_type", json!("song"), "sub_type"),
            ("/template/components/2/index", json!("x"), "index: must be 0 to 9"),
            ("/template/components/2/index", json!("0"), "has \"button 0\" twice"),
            ("/template/components/2/parameters/0/type", json!("text"), "parameters[0].type"),
            (
                "/template/components/2/parameters/0/coupon_code",
                json!("x".repeat(16)),
                "coupon_code",
            ),
        ],
    );
}

/// Returns Meta's example with all four components.
fn positional() -> Value {
    json!({
        "name": "seasonal_promotion",
        "language": "en_US",
        "category": "MARKETING",
        "components": [
            {
                "type": "HEADER",
                "format": "TEXT",
                "text": "Our {{1}} is on!",
                "example": {"header_text": ["Summer Sale"]},
            },
            {
                "type": "BODY",
                "text": "Shop through {{1}} and use code {{2}} to get {{3}} off.",
                "example": {"body_text": [["the end of August", "25OFF", "25%"]]},
            },
            {"type": "FOOTER", "text": "Use the buttons below to manage your subscriptions"},
            {
                "type": "BUTTONS",
                "buttons": [
                    {"type": "QUICK_REPLY", "text": "Unsubscribe from Promos"},
                    {"type": "QUICK_REPLY", "text": "Unsubscribe from All"},
                    {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "15550051310"},
                    {
                        "type": "URL",
                        "text": "Shop",
                        "url": "https://a.b/?promo={{1}}",
                        "example": ["summer"],
                    },
                    {"type": "COPY_CODE", "example": "250FF"},
                ],
            },
        ],
    })
}

fn named() -> Value {
    let example = |name: &str| json!({ "param_name": name, "example": "4" });
    json!({
        "name": "reservation_confirmation",
        "language": "en_US",
        "category": "UTILITY",
        "parameter_format": "named",
        "components": [
            {
                "type": "HEADER",
                "format": "TEXT",
                "text": "On {{day}}!",
                "example": {"header_text_named_params": [example("day")]},
            },
            {
                "type": "BODY",
                "text": "Yours for {{number_of_guests}} on {{day}} is confirmed.",
                "example": {
                    "body_text_named_params": [example("number_of_guests"), example("day")],
                },
            },
        ],
    })
}

#[test]
fn documented_templates_are_right() {
    let right = |template: Value| template_shapes::template(&template).unwrap();
    right(positional());
    right(named());
    right(with(named(), "/parameter_format", json!("NAMED")));
    right(with(positional(), "/parameter_format", json!("POSITIONAL")));
    let image =
        json!({ "type": "HEADER", "format": "IMAGE", "example": { "header_handle": ["4::aW"] } });
    right(with(positional(), "/components/0", image));
    right(with(positional(), "/components/0", json!({ "type": "HEADER", "format": "LOCATION" })));
}

#[test]
fn wrong_templates() {
    let reply = json!({ "type": "QUICK_REPLY", "text": "No" });
    let call = json!({ "type": "PHONE_NUMBER", "text": "Call", "phone_number": "15550051310" });
    let buttons = "/components/3/buttons";
    assert_wrong(
        template_shapes::template,
        &positional(),
        vec![
            ("/name", json!("Seasonal promotion"), "name"),
            ("/category", json!("marketing"), "category"),
            ("/language", json!({ "code": "en_US" }), "language: must be a string"),
            ("/parameter_format", json!("Named"), "parameter_format"),
            ("/messaging_product", json!("whatsapp"), "messaging_product: no such field"),
            ("/components/1/type", json!("body"), "components[1].type"),
            ("/components/1", json!({ "type": "FOOTER", "text": "f" }), "a FOOTER already"),
            ("/components", json!([{ "type": "FOOTER", "text": "f" }]), "a BODY is required"),
            ("/components/0/text", json!("{{1}} and {{2}}"), "at most one variable"),
            ("/components/0/example", Value::Null, "components[0].example: is required"),
            ("/components/0/format", json!("IMAGE"), "components[0].text: no such field"),
            ("/components/1/text", json!("Only {{2}} is here"), "variables must be"),
            ("/components/1/text", json!("A {{name}} is here"), "not a variable"),
            ("/components/1/text", json!("it ends with {{1}}"), "begin or end"),
            ("/components/1/text", json!("x".repeat(1025)), "components[1].text"),
            ("/components/1/example", Value::Null, "components[1].example: is required"),
            ("/components/1/example/body_text", json!(["a", "b", "c"]), "body_text"),
            ("/components/1/example/body_text/0", json!(["a", "b"]), "must have 3 to 3"),
            ("/components/2/text", json!("a {{1}} b"), "no variables"),
            (buttons, json!([]), "must have 1 to 10"),
            (buttons, json!([reply, call, reply]), "stand together"),
            (buttons, json!([call, call]), "at most 1 of type PHONE_NUMBER"),
            ("/components/3/buttons/0/type", json!("quick_reply"), "buttons[0].type"),
            ("/components/3/buttons/0/text", json!("x".repeat(26)), "buttons[0].text"),
            ("/components/3/buttons/3/url", json!("https://a.b/{{1}}/c"), "at its end"),
            ("/components/3/buttons/3/example", Value::Null, "buttons[3].example: is required"),
            ("/components/3/buttons/4/text", json!("Copy"), "no such field"),
        ],
    );
    assert_wrong(
        template_shapes::template,
        &named(),
        vec![
            ("/parameter_format", Value::Null, "not a variable"),
            (
                "/components/1/example/body_text_named_params/0/param_name",
                json!("x"),
                "none for number",
            ),
            (
                "/components/1/example",
                json!({ "body_text": [["4", "day"]] }),
                "body_text: no such field",
            ),
        ],
    );
}
