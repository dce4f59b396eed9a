//! The callbacks match Meta's documented examples.

use super::callbacks::{self, Inbound, Media};
use serde_json::json;

#[test]
fn callbacks_have_metas_shape() {
    let at = Inbound::new("106540352242922", "16505551234", "wamid.B", 1_714_510_003);
    let expected = json!({
        "object": "whatsapp_business_account",
        "entry": [
            {
                "id": "102290129340398",
                "changes": [
                    {
                        "value": {
                            "messaging_product": "whatsapp",
                            "metadata": {
                                "display_phone_number": "15550783881",
                                "phone_number_id": "106540352242922",
                            },
                            "contacts": [
                                {"profile": {"name": "Sheena Nelson"}, "wa_id": "16505551234"},
                            ],
                            "messages": [
                                {
                                    "context": {"from": "15550783881", "id": "wamid.A"},
                                    "from": "16505551234",
                                    "id": "wamid.B",
                                    "timestamp": "1714510003",
                                    "type": "interactive",
                                    "interactive": {
                                        "type": "button_reply",
                                        "button_reply": {"id": "change", "title": "Change"},
                                    },
                                },
                            ],
                        },
                        "field": "messages",
                    },
                ],
            },
        ],
    });
    assert_eq!(at.answering("wamid.A").button_reply("change", "Change"), expected);

    let failed = callbacks::status("1", "wamid.A", Some("m1"), "failed", 5, Some((131_049, "No")));
    let status = &failed["entry"][0]["changes"][0]["value"]["statuses"][0];
    assert_eq!(status["biz_opaque_callback_data"], "m1");
    assert_eq!(status["timestamp"], "5");
    assert_eq!(status["errors"][0]["code"], json!(131_049));
    assert_eq!(status.get("pricing"), None);

    let judged = callbacks::template_status("9", "77", "a", "en", "REJECTED", Some("SCAM"));
    let change = &judged["entry"][0]["changes"][0];
    assert_eq!(judged["entry"][0]["id"], "9");
    assert_eq!(change["field"], "message_template_status_update");
    assert_eq!(change["value"]["message_template_id"], 77);
    assert_eq!(change["value"]["reason"], "SCAM");
}

#[test]
fn callbacks_of_each_kind_have_an_object_of_that_name() {
    let at = Inbound::new("1", "16505551234", "wamid.B", 1);
    let file = Media { kind: "document", id: "7", mime_type: "text/csv", ..Media::default() };
    for (kind, callback) in [
        ("text", at.text("hi")),
        ("document", at.media(&file)),
        ("sticker", at.media(&Media { kind: "sticker", ..file })),
        ("interactive", at.list_reply("a", "b", None)),
        ("button", at.quick_reply_button("stop", "Stop")),
        ("reaction", at.reaction(Some("\u{1f44d}"), "wamid.A")),
        ("location", at.location(37.5, -122.25, Some("Here"))),
        ("contacts", at.contacts("Barbara", "+14125550829")),
        ("unsupported", at.unknown()),
    ] {
        let message = &callback["entry"][0]["changes"][0]["value"]["messages"][0];
        assert_eq!(message["type"], kind);
        assert!(!message[kind].is_null(), "{message}");
    }
}

#[test]
fn many_callbacks_share_an_envelope() {
    let one = |id: &str| callbacks::status("1", id, None, "sent", 1, None);
    let other = callbacks::at_waba("9", one("c"));
    let merged = callbacks::merge(vec![one("a"), one("b"), other, one("d")]);
    let reported: Vec<(&str, usize)> = merged["entry"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["id"].as_str().unwrap(), entry["changes"].as_array().unwrap().len()))
        .collect();
    assert_eq!(reported, [(callbacks::WABA, 2), ("9", 1), (callbacks::WABA, 1)]);
}

/// The vector is test case 2 of RFC 4231.
#[test]
fn the_signature_is_that_of_a_known_vector() {
    assert_eq!(
        callbacks::signature("Jefe", "what do ya want for nothing?"),
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}
