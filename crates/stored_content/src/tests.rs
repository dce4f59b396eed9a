mod corpus;

use super::*;
use crate::samples::SampleSource;
use domain::content::{
    ActionParameter, ButtonKind, CardParameters, ComponentParameters, DateParts, Header,
    Interactive, MediaContent, Parameter, ParameterPlace, TapTarget, TemplateContent, TextContent,
};
use domain::keyword::Keyword as _;
use domain::location::Location;
use domain::media::MediaKind;
use domain::template::{Language, TemplateName};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(format: i32, kind: MessageKind, content: &Value) -> Result<Content, Unreadable> {
    decode(format, kind, &content.to_string())
}

#[test]
fn a_row_is_read_as_what_it_says() {
    let row = json!({"name": "coupon", "language": "pt_BR", "components": [
        {"type": "button", "sub_type": "copy_code", "index": 2, "parameters": [{"type": "text", "text": "SAVE10"}]},
    ]});
    let text = Parameter::Text { name: None, text: "SAVE10".to_owned() };
    let part =
        ComponentParameters::new(ParameterPlace::Button(ButtonKind::CopyCode, 2), vec![text]);
    let name = TemplateName::stored("coupon".to_owned());
    let expected =
        TemplateContent::stored(name, Language::stored("pt_BR".to_owned()), vec![part], vec![]);
    let read = read(1, MessageKind::Template, &row).unwrap();
    assert_eq!(read, Content::Template(expected));
}

#[test]
fn what_cannot_be_read_says_why() {
    let of = |format, kind, content| read(format, kind, &content).unwrap_err().to_string();
    assert!(of(2, MessageKind::Text, json!({"text": "a"})).contains("format 2"));
    assert!(of(1, MessageKind::Unsupported, json!({})).contains("unsupported"));
    assert!(of(1, MessageKind::Reaction, json!({"text": "a"})).contains("message_id"));
    assert!(of(1, MessageKind::Text, json!({})).contains("text"));
    let media = json!({"url": "https://a.b", "media_type": "hologram"});
    assert!(of(1, MessageKind::Media, media).contains("hologram"));
}

/// Returns a content of each type and shape, with arbitrary texts of any length.
fn contents(texts: &[String], number: usize) -> Vec<Content> {
    let source = SampleSource { texts, number };
    let text = |index| source.text(index);
    let (some, link) = (|index| source.some(index), |index| source.link(index));
    let kind = MediaKind::ALL[number % MediaKind::ALL.len()];
    let headers = [MediaKind::Image, MediaKind::Video, MediaKind::Document];
    let headers = headers.map(|kind| {
        let filename = some(10).filter(|_| kind == MediaKind::Document);
        Some(Header::Media { kind, url: link(6), filename })
    });
    let headers = headers.into_iter().chain([None, Some(Header::Text(text(7)))]).cycle();
    let interactive = source.actions().into_iter().zip(headers).map(|(action, header)| {
        Content::Interactive(Interactive::stored(header, some(8), some(9), action))
    });
    let parameters = vec![
        Parameter::Text { name: some(1), text: text(2) },
        Parameter::Image(link(3)),
        Parameter::Video(link(4)),
        Parameter::Document(link(5), some(6)),
        Parameter::Payload(text(7)),
        Parameter::Currency {
            name: some(1),
            fallback: text(2),
            code: text(3),
            amount_1000: i64::try_from(number).unwrap(),
        },
        Parameter::DateTime { name: some(4), fallback: text(5), parts: Box::default() },
        Parameter::DateTime {
            name: None,
            fallback: text(5),
            parts: Box::new(DateParts {
                day_of_week: Some(5),
                year: i64::try_from(number).ok(),
                month: Some(2),
                day_of_month: Some(25),
                hour: Some(15),
                minute: Some(33),
                calendar: some(3),
                timestamp: Some(225_000_000),
            }),
        },
        Parameter::Gif(link(6)),
        Parameter::Location(Location::stored(-12.5, 179.25, some(7), some(8))),
        Parameter::Product { catalog_id: text(9), product_retailer_id: text(10) },
        Parameter::OfferExpiration(i64::try_from(number).unwrap()),
        Parameter::CouponCode(text(11)),
        Parameter::Action(ActionParameter {
            thumbnail_product_retailer_id: some(1),
            sections: source.sections(),
            flow_token: some(5),
            flow_action_data: some(6).map(|text| json!({ "key": text }).to_string()),
            order_details: some(7).map(|text| json!({ "reference_id": text }).to_string()),
        }),
        Parameter::TtlMinutes(i64::try_from(number).unwrap()),
        Parameter::OrderStatus(json!({ "reference_id": text(8) }).to_string()),
        Parameter::TapTargets(vec![TapTarget { url: link(9), title: text(10) }]),
    ];
    let index = u8::try_from(number).unwrap();
    let buttons = ButtonKind::ALL.iter().map(|kind| ParameterPlace::Button(*kind, index));
    let others = [
        ParameterPlace::Header,
        ParameterPlace::Body,
        ParameterPlace::LimitedTimeOffer,
        ParameterPlace::OrderStatus,
        ParameterPlace::TapTargets,
        ParameterPlace::CallButton,
    ];
    let places = others.into_iter().chain(buttons);
    let parts: Vec<_> =
        places.map(|place| ComponentParameters::new(place, parameters.clone())).collect();
    let card = |index| CardParameters { index, components: parts.clone() };
    let cards = (0..index.min(2)).map(card).collect();
    let (name, language) = (TemplateName::stored(text(8)), Language::stored(text(9)));
    let voice = number.is_multiple_of(3);
    let mut all = vec![
        Content::Text(TextContent::stored(text(0), number.is_multiple_of(2))),
        Content::Media(MediaContent::stored(kind, link(1), some(2), some(3), voice)),
        Content::Template(TemplateContent::stored(name, language, parts.clone(), cards)),
    ];
    all.extend(interactive);
    all.extend(source.others());
    all
}

proptest! {
    /// Stored texts may be empty or of any length, because the bounds of requests do not apply to
    /// them.
    #[test]
    fn whatever_the_domain_can_hold_is_read_as_it_was(
        texts in prop::collection::vec(any::<String>(), 1..12),
        long in 0..5_000_usize,
        number in 0..8_usize,
    ) {
        let texts = [texts, vec!["x".repeat(long)]].concat();
        for content in contents(&texts, number) {
            let stored = encode(&content).unwrap();
            let read = decode(FORMAT, stored.kind, &stored.document);
            prop_assert_eq!(read.map_err(|why| why.to_string()), Ok(content));
        }
    }
}
