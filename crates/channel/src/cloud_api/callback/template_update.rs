//! Changes that Meta itself makes to a template: its quality, its category, its components.

use super::envelope::EnvelopePart;
use super::{Readable, second_of_entry, shape, unreadable};
use crate::callback::{CallbackEvent, CallbackEventKind, ChannelRef, UnsupportedPart};
use domain::keyword::Keyword as _;
use domain::template::{ButtonText, Category, ComponentTexts, TemplateQuality, TemplateUpdate};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct TemplateUpdateChange {
    field: String,
    value: TemplateUpdateValue,
}

/// The value of a change. Each of the three webhook fields sets only some of its members.
#[derive(Deserialize)]
struct TemplateUpdateValue {
    message_template_id: Value,
    #[serde(default)]
    message_template_name: String,
    #[serde(default)]
    message_template_language: String,
    previous_quality_score: Option<String>,
    new_quality_score: Option<String>,
    new_category: Option<String>,
    correct_category: Option<String>,
    message_template_title: Option<String>,
    message_template_element: Option<String>,
    message_template_footer: Option<String>,
    #[serde(default)]
    message_template_buttons: Vec<TemplateUpdateButton>,
}

#[derive(Deserialize)]
struct TemplateUpdateButton {
    #[serde(rename = "message_template_button_type")]
    kind: String,
    #[serde(rename = "message_template_button_text", default)]
    text: String,
    #[serde(rename = "message_template_button_url")]
    url: Option<String>,
    #[serde(rename = "message_template_button_phone_number")]
    phone_number: Option<String>,
}

/// Parses a change of one of the webhook fields about templates.
pub fn read(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let (business, time) = piece.entry();
    let TemplateUpdateChange { field, value } =
        serde_json::from_str(piece.json).map_err(|error| unreadable(&error))?;
    // Meta announces a new category a day in advance. The announcement changes nothing.
    if field == "template_category_update"
        && value.new_category.is_none()
        && value.correct_category.is_some()
    {
        return Ok(Readable::Nothing);
    }
    let what = CallbackEventKind::TemplateUpdated {
        business: ChannelRef::Theirs(business.map(shape::text_of_json).unwrap_or_default()),
        external_id: shape::text_of(&value.message_template_id),
        name: value.message_template_name.clone(),
        language: value.message_template_language.clone(),
        update: update(&field, value)?,
    };
    Ok(CallbackEvent { second: second_of_entry(time), what }.into())
}

fn update(field: &str, value: TemplateUpdateValue) -> Result<TemplateUpdate, UnsupportedPart> {
    match field {
        "message_template_quality_update" => {
            let quality =
                |score: Option<&str>| TemplateQuality::from_keyword(&score?.to_ascii_lowercase());
            let previous = quality(value.previous_quality_score.as_deref());
            let current = quality(value.new_quality_score.as_deref());
            current.map(|current| TemplateUpdate::Quality { previous, current })
        }
        "template_category_update" => {
            let category = value.new_category.as_deref().unwrap_or("").to_ascii_lowercase();
            Category::from_keyword(&category).map(TemplateUpdate::Category)
        }
        "message_template_components_update" => Some(TemplateUpdate::Components(components(value))),
        field => return Err(UnsupportedPart::unknown_field(field)),
    }
    .ok_or_else(|| {
        let detail = format!("this version does not know the value of the field {field:?}");
        UnsupportedPart::unknown(detail)
    })
}

fn components(value: TemplateUpdateValue) -> ComponentTexts {
    let buttons = value.message_template_buttons.into_iter().map(|button| {
        let TemplateUpdateButton { kind, text, url, phone_number } = button;
        ButtonText { kind, text, url, phone_number }
    });
    ComponentTexts {
        header: value.message_template_title,
        body: value.message_template_element,
        footer: value.message_template_footer,
        buttons: buttons.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::callback::PartContent;
    use serde_json::json;

    fn read(field: &str, mut value: Value) -> Result<TemplateUpdate, UnsupportedPart> {
        value["message_template_id"] = json!(806_312_974_732_579_u64);
        value["message_template_name"] = json!("welcome");
        value["message_template_language"] = json!("en_US");
        let change = json!({"field": field, "value": value});
        let entry = json!({"id": "102290129340398", "time": 1_674_864_290, "changes": [change]});
        let callback = json!({"object": "whatsapp_business_account", "entry": [entry]});
        let mut parts = parse(&callback.to_string());
        assert_eq!(parts.len(), 1);
        match parts.remove(0).content {
            PartContent::Event(CallbackEvent {
                second: Some(1_674_864_290),
                what: CallbackEventKind::TemplateUpdated { external_id, name, update, .. },
            }) => {
                assert_eq!(external_id, "806312974732579");
                assert_eq!(name, "welcome");
                Ok(update)
            }
            PartContent::NotUnderstood(fault) => Err(fault),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_announcement_changes_nothing() {
        let value = json!({"message_template_id": 1, "correct_category": "MARKETING"});
        let change = json!({"field": "template_category_update", "value": value});
        let callback = json!({"entry": [{"id": "1", "changes": [change]}]});
        assert_eq!(parse(&callback.to_string()).remove(0).content, PartContent::Nothing);
    }

    #[test]
    fn each_of_the_three_changes_is_read() {
        let quality = json!({"previous_quality_score": "GREEN", "new_quality_score": "YELLOW"});
        let quality = read("message_template_quality_update", quality);
        let (previous, current) = (Some(TemplateQuality::Green), TemplateQuality::Yellow);
        assert_eq!(quality, Ok(TemplateUpdate::Quality { previous, current }));
        // The new quality is read even if the previous one is missing or unknown.
        for value in [
            json!({"new_quality_score": "YELLOW"}),
            json!({"previous_quality_score": "PURPLE", "new_quality_score": "YELLOW"}),
        ] {
            let quality = read("message_template_quality_update", value);
            assert_eq!(quality, Ok(TemplateUpdate::Quality { previous: None, current }));
        }
        let category = json!({"previous_category": "UTILITY", "new_category": "MARKETING"});
        let category = read("template_category_update", category);
        assert_eq!(category, Ok(TemplateUpdate::Category(Category::Marketing)));
        let components = read(
            "message_template_components_update",
            json!({
                "message_template_title": "Your order is confirmed!",
                "message_template_element": "Thank you, {{1}}!",
                "message_template_buttons": [
                    {
                        "message_template_button_type": "URL",
                        "message_template_button_text": "Support",
                        "message_template_button_url": "https://a.example/",
                    },
                ],
            }),
        );
        let button = ButtonText {
            kind: "URL".to_owned(),
            text: "Support".to_owned(),
            url: Some("https://a.example/".to_owned()),
            phone_number: None,
        };
        let expected = ComponentTexts {
            header: Some("Your order is confirmed!".to_owned()),
            body: Some("Thank you, {{1}}!".to_owned()),
            footer: None,
            buttons: vec![button],
        };
        assert_eq!(components, Ok(TemplateUpdate::Components(expected)));
    }

    #[test]
    fn a_change_or_a_word_of_a_later_time_is_kept() {
        assert!(read("message_template_mood_update", json!({})).is_err());
        let score = json!({"new_quality_score": "PURPLE"});
        assert!(read("message_template_quality_update", score).is_err());
    }
}
