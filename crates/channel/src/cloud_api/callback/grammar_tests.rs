//! Tests with random callbacks, which have the fields of Meta's documentation. Optional fields are
//! left out at random or get an undocumented type, and unknown fields are added.

use super::*;
use domain::inbound::InboundContent;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A source of random yes-or-no decisions.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> bool {
        // A step of a linear congruential generator, which yields any number of bits.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 63 == 1
    }

    fn maybe(&mut self, value: Value) -> Option<Value> {
        self.next().then_some(value)
    }

    /// Returns the value, nothing, or a value of another type. It is for a field whose wrong type
    /// must not make the rest unreadable.
    fn loose(&mut self, value: Value) -> Option<Value> {
        match (self.next(), self.next()) {
            (true, _) => Some(value),
            (false, true) => None,
            (false, false) => Some(json!({ "later": [1] })),
        }
    }
}

/// Returns an object with these fields in random order, and sometimes with an unknown field.
fn object(fields: Vec<(&str, Option<Value>)>, bits: &mut Bits) -> Value {
    let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut there: Vec<(String, Value)> = there.collect();
    if bits.next() {
        there.push(("later_field".to_owned(), json!({ "a": [1, null], "type": "x" })));
    }
    if bits.next() {
        there.reverse();
    }
    Value::Object(there.into_iter().collect::<Map<_, _>>())
}

const KINDS: [&str; 21] = [
    "text",
    "image",
    "video",
    "audio",
    "sticker",
    "document",
    "location",
    "contacts",
    "order",
    "button",
    "button_reply",
    "list_reply",
    "nfm_reply",
    "call_permission_reply",
    "product",
    "reaction",
    "unsupported",
    "hologram",
    "request_welcome",
    "poll",
    "",
];

fn file(bits: &mut Bits) -> Value {
    let fields = vec![
        ("id", Some(json!("7"))),
        ("mime_type", bits.maybe(json!("image/png"))),
        ("sha256", bits.loose(json!("x"))),
        ("caption", bits.loose(json!("Look"))),
        ("filename", bits.loose(json!("a.pdf"))),
        ("voice", bits.loose(json!(true))),
        ("animated", bits.loose(json!(false))),
        ("url", bits.loose(json!("https://example.com"))),
    ];
    object(fields, bits)
}

fn place(bits: &mut Bits) -> Value {
    let fields = vec![
        ("latitude", Some(json!(1.5))),
        ("longitude", Some(if bits.next() { json!(-2) } else { json!("-2.5") })),
        ("name", bits.maybe(json!("HQ"))),
        ("address", bits.maybe(json!("1 Way"))),
        ("url", bits.maybe(json!("https://example.com"))),
    ];
    object(fields, bits)
}

fn card(bits: &mut Bits) -> Value {
    let name = vec![("formatted_name", bits.maybe(json!("A"))), ("suffix", bits.maybe(json!("B")))];
    let name = object(name, bits);
    let phone = vec![("phone", bits.maybe(json!("1"))), ("wa_id", bits.maybe(json!("1")))];
    let phone = object(phone, bits);
    let fields = vec![
        ("name", bits.maybe(name)),
        ("phones", bits.maybe(json!([phone]))),
        ("org", bits.maybe(json!({ "company": "A" }))),
        ("emails", bits.maybe(json!([{ "type": "WORK" }, { "email": "a@example.com" }]))),
        ("urls", bits.maybe(json!([{ "url": "https://example.com" }]))),
        ("addresses", bits.maybe(json!([{ "city": "Berlin" }]))),
        ("birthday", bits.maybe(json!("2012-08-18"))),
    ];
    object(fields, bits)
}

fn order(bits: &mut Bits) -> Value {
    let price = if bits.next() { json!(30) } else { json!("30.5") };
    let item = vec![
        ("product_retailer_id", Some(json!("a"))),
        ("quantity", Some(json!(1))),
        ("item_price", Some(price)),
        ("currency", Some(json!("EUR"))),
    ];
    let item = object(item, bits);
    let fields = vec![
        ("catalog_id", bits.maybe(json!("1"))),
        ("text", bits.maybe(json!(""))),
        ("product_items", Some(json!([item]))),
    ];
    object(fields, bits)
}

fn interactive(kind: &'static str, bits: &mut Bits) -> Value {
    let part = match kind {
        "nfm_reply" => vec![
            ("response_json", Some(json!(if bits.next() { "{\"a\":1}" } else { "no json" }))),
            ("body", bits.maybe(json!("Sent"))),
            ("name", bits.maybe(json!("flow"))),
        ],
        "call_permission_reply" => vec![
            ("response", Some(json!("accept"))),
            ("is_permanent", bits.maybe(json!(true))),
            ("expiration_timestamp", bits.loose(json!("1795267200"))),
            ("response_source", bits.maybe(json!("automatic"))),
        ],
        _ => vec![
            ("id", Some(json!("1"))),
            ("title", Some(json!("Yes"))),
            ("description", bits.maybe(json!("d"))),
        ],
    };
    let part = object(part, bits);
    object(vec![("type", Some(json!(kind))), (kind, Some(part))], bits)
}

/// Returns the type and the content of a message: the field with the name of the type.
fn said(kind: &'static str, bits: &mut Bits) -> (&'static str, Value) {
    match kind {
        "text" => (kind, object(vec![("body", Some(json!("Hi")))], bits)),
        "image" | "video" | "audio" | "sticker" | "document" => (kind, file(bits)),
        "location" => (kind, place(bits)),
        "contacts" => (kind, json!([card(bits), card(bits)])),
        "order" => (kind, order(bits)),
        "button" => {
            let fields =
                vec![("payload", bits.maybe(json!("p"))), ("text", bits.maybe(json!("t")))];
            (kind, object(fields, bits))
        }
        "button_reply" | "list_reply" | "nfm_reply" | "call_permission_reply" | "product" => {
            ("interactive", interactive(kind, bits))
        }
        "reaction" => {
            let emoji = bits.maybe(json!("👍"));
            let fields = vec![("message_id", Some(json!("wamid.X"))), ("emoji", emoji)];
            (kind, object(fields, bits))
        }
        other => (other, json!({ "body": "x" })),
    }
}

/// Whether this version knows this kind of content.
fn is_known(kind: &str) -> bool {
    !matches!(kind, "product" | "unsupported" | "hologram" | "request_welcome" | "poll" | "")
}

/// Returns a message with the fields that every message may have. The person is identified by a
/// number, a user id, or both.
fn message(id: &str, kind: &str, part: (&str, Value), is_echo: bool, bits: &mut Bits) -> Value {
    let context = vec![
        ("from", bits.loose(json!("1"))),
        ("id", bits.loose(json!("wamid.Y"))),
        ("forwarded", bits.loose(json!(true))),
        ("frequently_forwarded", bits.loose(json!(true))),
        ("referred_product", bits.loose(json!({"catalog_id": "1", "product_retailer_id": "a"}))),
    ];
    let context = object(context, bits);
    let (number, user) = if is_echo { ("to", "to_user_id") } else { ("from", "from_user_id") };
    let by_number = bits.maybe(json!("16505551234"));
    let by_user = if by_number.is_some() { bits.maybe(json!("US.1")) } else { Some(json!("US.1")) };
    let fields = vec![
        ("id", Some(json!(id))),
        (number, by_number),
        (user, by_user),
        ("type", Some(json!(kind))),
        ("timestamp", bits.loose(json!("1749416383"))),
        ("context", bits.loose(context)),
        ("referral", bits.loose(json!({"source_type": "ad", "source_id": 7}))),
        (part.0, Some(part.1)),
    ];
    object(fields.into_iter().filter(|(name, _)| !name.is_empty()).collect(), bits)
}

/// The part that is expected for a message: its kind and its id.
type Expected = (&'static str, String);

/// Returns a message, an edit or a deletion, and the part that is expected for it.
fn one(
    index: usize,
    kind: &'static str,
    how: u8,
    is_echo: bool,
    bits: &mut Bits,
) -> (Value, Expected) {
    let (id, original) = (format!("wamid.{index}"), format!("wamid.O{index}"));
    let (field, part) = said(kind, bits);
    match how {
        0 => {
            let kind = if is_known(kind) { "message" } else { "unsupported" };
            (message(&id, field, (field, part), is_echo, bits), (kind, id))
        }
        1 => {
            let now = vec![
                ("type", Some(json!(field))),
                ("context", bits.loose(json!({ "id": "M0" }))),
                (field, Some(part)),
            ];
            let now = object(now.into_iter().filter(|(name, _)| !name.is_empty()).collect(), bits);
            let edit = vec![("original_message_id", Some(json!(original))), ("message", Some(now))];
            let edit = object(edit, bits);
            (message(&id, "edit", ("edit", edit), is_echo, bits), ("edit", original))
        }
        _ => {
            let revoke = object(vec![("original_message_id", Some(json!(original)))], bits);
            (message(&id, "revoke", ("revoke", revoke), is_echo, bits), ("revoke", original))
        }
    }
}

fn status(index: usize, bits: &mut Bits) -> (Value, Expected) {
    let id = format!("wamid.S{index}");
    let state = ["sent", "delivered", "read", "failed"][index % 4];
    let errors = json!([{"code": 131_026, "title": "t", "error_data": {"details": "d"}}]);
    let fields = vec![
        ("id", Some(json!(id))),
        ("status", Some(json!(state))),
        ("timestamp", bits.loose(json!("1749416383"))),
        ("recipient_id", bits.maybe(json!("16505551234"))),
        ("recipient_user_id", bits.maybe(json!("US.1"))),
        ("biz_opaque_callback_data", bits.maybe(json!("msg_01jd7qm4x8f0ta5b9c2e7h6jkr"))),
        ("conversation", bits.loose(json!({"id": "1", "origin": {"type": "service"}}))),
        ("pricing", bits.loose(json!({"billable": true}))),
        ("errors", if state == "failed" { bits.maybe(errors) } else { None }),
    ];
    (object(fields, bits), ("status", id))
}

/// Returns the [`Expected`] of a parsed part.
fn reported(part: &CallbackPart) -> Option<(Expected, Option<Direction>)> {
    let PartContent::Event(event) = &part.content else { return None };
    Some(match &event.what {
        CallbackEventKind::Message { message, .. } => {
            let is_known = !matches!(message.said, InboundContent::Unsupported { .. });
            let kind = if is_known { "message" } else { "unsupported" };
            ((kind, message.channel_id.clone()), Some(message.author.direction()))
        }
        CallbackEventKind::Revision { revision, .. } => {
            let kind = if revision.said.is_some() { "edit" } else { "revoke" };
            ((kind, revision.message.clone()), Some(revision.direction))
        }
        CallbackEventKind::Progress { channel_id, .. } => (("status", channel_id.clone()), None),
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// No message, edit, deletion, echo or status is lost. Each becomes an event with its id, in
    /// the order of the callback. A part that is written as a callback of its own is parsed to the
    /// same event.
    #[test]
    fn nothing_that_meta_documents_is_lost(
        seed: u64,
        kinds in proptest::collection::vec((0..KINDS.len(), 0..4_u8), 0..8),
        is_echo: bool,
        statuses in 0..5_usize,
    ) {
        let mut bits = Bits(seed);
        let (mut messages, mut expected) = (Vec::new(), Vec::new());
        for (index, (kind, how)) in kinds.into_iter().enumerate() {
            let (message, message_expected) = one(index, KINDS[kind], how % 3, is_echo, &mut bits);
            messages.push(message);
            expected.push(message_expected);
        }
        let list = if is_echo { "message_echoes" } else { "messages" };
        let mut value = vec![("metadata", Some(json!({
            "display_phone_number": "1",
            "phone_number_id": "2",
        })))];
        value.push((list, Some(Value::from(messages))));
        if !is_echo {
            let all: Vec<(Value, Expected)> = (0..statuses).map(|it| status(it, &mut bits)).collect();
            let (all, statuses_expected): (Vec<_>, Vec<_>) = all.into_iter().unzip();
            value.push(("statuses", Some(Value::from(all))));
            expected.extend(statuses_expected);
        }
        value.push(("messaging_product", bits.maybe(json!("whatsapp"))));
        value.push(("contacts", bits.loose(json!([
            {"wa_id": "16505551234", "profile": {"name": "A"}, "user_id": "US.1"},
        ]))));
        if expected.is_empty() {
            return Ok(());
        }
        let value = object(value, &mut bits);
        let field = if is_echo { "smb_message_echoes" } else { "messages" };
        let change = object(vec![("field", Some(json!(field))), ("value", Some(value))], &mut bits);
        let time = bits.maybe(json!(1));
        let entry = object(vec![("id", Some(json!("1"))), ("time", time), ("changes", Some(json!([
            change,
        ])))], &mut bits);
        let whole = vec![("object", Some(json!("whatsapp_business_account"))), ("entry", Some(json!([
            entry,
        ])))];
        let payload = object(whole, &mut bits).to_string();

        let mut found = Vec::new();
        for (place, part) in parse(&payload).into_iter().enumerate() {
            let Some((item, direction)) = reported(&part) else {
                return Err(TestCaseError::fail(format!("{part:?} of {payload}")));
            };
            let expected = if is_echo { Direction::Outbound } else { Direction::Inbound };
            prop_assert!(direction.is_none_or(|it| it == expected), "{}", payload);
            let alone = parts_of(&payload, &BTreeSet::from([place])).pop();
            prop_assert_eq!(alone.map(|it| parse(&it)), Some(vec![part]));
            found.push(item);
        }
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected, "{}", payload);
    }
}
