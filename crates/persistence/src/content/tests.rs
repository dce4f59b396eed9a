use super::*;
use domain::content::{
    Action, ActionParameter, Button, ButtonKind, CardParameters, ComponentParameters, Header,
    Interactive, MediaContent, Parameter, ParameterPlace, ProductSection, Row, Section,
    TemplateContent, TextContent,
};
use domain::keyword::Keyword;
use domain::location::Location;
use domain::media::{MediaKind, WebAddress};
use domain::template::{Language, TemplateName};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Rows as they were stored, one on each line. Lines are added, and never changed.
const FIRST: &str = include_str!("../../../../tests/stored_content/format_1.jsonl");

fn read(format: i32, kind: MessageKind, content: &Value) -> Result<Content, Unreadable> {
    decode(format, kind, &Document(content.to_string()))
}

#[test]
fn every_row_that_was_ever_stored_can_be_read() {
    for line in FIRST.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let kind = MessageKind::from_keyword(row["kind"].as_str().unwrap()).unwrap();
        let content = read(1, kind, &row["content"]);
        let content = content.unwrap_or_else(|why| panic!("{why}: {line}"));
        assert_eq!(MessageKind::from(content.content_type()), kind, "{line}");
    }
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
    assert!(of(1, MessageKind::Reaction, json!({})).contains("reaction"));
    assert!(of(1, MessageKind::Text, json!({})).contains("text"));
    let media = json!({"url": "https://a.b", "media_type": "hologram"});
    assert!(of(1, MessageKind::Media, media).contains("hologram"));
}

/// What format 1 is: written here as the API has written it.
fn written(content: &Content) -> Value {
    match content {
        Content::Text(it) => json!({"text": it.text, "preview_url": it.preview_url}),
        Content::Media(it) => json!({
            "url": it.url.as_str(), "media_type": it.kind.as_str(), "caption": it.caption, "filename": it.filename,
        }),
        Content::Interactive(it) => {
            let header = it.header.as_ref().map(|header| match header {
                Header::Text(text) => json!({"type": "text", "text": text}),
                Header::Media(kind, link) => {
                    json!({"type": kind.as_str(), kind.as_str(): {"link": link.as_str()}})
                }
            });
            let (kind, action) = match &it.action {
                Action::Buttons(buttons) => {
                    let button = |it: &Button| json!({"type": "reply", "reply": {"id": it.id, "title": it.title}});
                    ("button", json!({"buttons": buttons.iter().map(button).collect::<Vec<_>>()}))
                }
                Action::List(list) => {
                    let row = |it: &Row| json!({"id": it.id, "title": it.title, "description": it.description});
                    let section = |it: &Section| json!({"title": it.title, "rows": it.rows.iter().map(row).collect::<Vec<_>>()});
                    let sections: Vec<_> = list.sections.iter().map(section).collect();
                    ("list", json!({"button": list.button, "sections": sections}))
                }
                Action::Link { display_text, url } => {
                    let parameters = json!({"display_text": display_text, "url": url.as_str()});
                    ("cta_url", json!({"name": "cta_url", "parameters": parameters}))
                }
                Action::RequestContactInfo => {
                    ("request_contact_info", json!({"name": "request_contact_info"}))
                }
            };
            let footer = it.footer.as_ref().map(|text| json!({"text": text}));
            json!({"type": kind, "header": header, "body": {"text": it.body}, "footer": footer, "action": action})
        }
        Content::Template(it) => {
            let mut parts: Vec<_> = it.components.iter().map(component).collect();
            let card = |it: &CardParameters| {
                let parts: Vec<_> = it.components.iter().map(component).collect();
                json!({"card_index": it.index, "components": parts})
            };
            if !it.cards.is_empty() {
                let cards: Vec<_> = it.cards.iter().map(card).collect();
                parts.push(json!({"type": "carousel", "cards": cards}));
            }
            json!({"name": it.name.as_str(), "language": it.language.as_str(), "components": parts})
        }
    }
}

fn component(part: &ComponentParameters) -> Value {
    let parameters: Vec<_> = part.parameters.iter().map(parameter).collect();
    match part.place {
        ParameterPlace::Header => json!({"type": "header", "parameters": parameters}),
        ParameterPlace::Body => json!({"type": "body", "parameters": parameters}),
        ParameterPlace::LimitedTimeOffer => {
            json!({"type": "limited_time_offer", "parameters": parameters})
        }
        ParameterPlace::Button(kind, index) => json!({
            "type": "button", "sub_type": kind.as_str(), "index": index.to_string(), "parameters": parameters,
        }),
    }
}

fn parameter(it: &Parameter) -> Value {
    let kind = it.word();
    let with = |content: Value| json!({"type": kind, kind: content});
    let named = |name: &Option<String>, content: Value| json!({"type": kind, "parameter_name": name, kind: content});
    match it {
        Parameter::Text { name, text } => named(name, json!(text)),
        Parameter::Currency { name, fallback, code, amount_1000 } => {
            let money =
                json!({"fallback_value": fallback, "code": code, "amount_1000": amount_1000});
            named(name, money)
        }
        Parameter::DateTime { name, fallback } => named(name, json!({"fallback_value": fallback})),
        Parameter::Image(link) | Parameter::Video(link) | Parameter::Gif(link) => {
            with(json!({"link": link.as_str()}))
        }
        Parameter::Document(link, name) => with(json!({"link": link.as_str(), "filename": name})),
        Parameter::Location(it) => with(json!({
            "latitude": it.latitude, "longitude": it.longitude, "name": it.name, "address": it.address,
        })),
        Parameter::Product { catalog_id, product_retailer_id } => {
            with(json!({"catalog_id": catalog_id, "product_retailer_id": product_retailer_id}))
        }
        Parameter::OfferExpiration(end) => with(json!({"expiration_time_ms": end})),
        Parameter::CouponCode(text) | Parameter::Payload(text) => with(json!(text)),
        Parameter::Action(it) => {
            let item = |id: &String| json!({"product_retailer_id": id});
            let section = |it: &ProductSection| json!({"title": it.title, "product_items": it.products.iter().map(item).collect::<Vec<_>>()});
            let data = it
                .flow_action_data
                .as_ref()
                .map(|data| serde_json::from_str::<Value>(data).unwrap());
            with(json!({
                "thumbnail_product_retailer_id": it.thumbnail_product_retailer_id,
                "sections": it.sections.iter().map(section).collect::<Vec<_>>(),
                "flow_token": it.flow_token, "flow_action_data": data,
            }))
        }
    }
}

fn some(texts: &[String], index: usize) -> Option<String> {
    texts.get(index).filter(|text| text.len().is_multiple_of(2)).cloned()
}

fn section_of_products(texts: &[String]) -> ProductSection {
    let products = [3, 4].map(|index| texts[index % texts.len()].clone()).into();
    ProductSection { title: some(texts, 2), products }
}

/// A content of each type and shape, made of any texts of any length.
fn contents(texts: &[String], number: usize) -> Vec<Content> {
    let text = |index: usize| texts[index % texts.len()].clone();
    let link = |index| WebAddress::stored(text(index));
    let kind = MediaKind::ALL[number % MediaKind::ALL.len()];
    let row = |index| Row::stored(text(index), text(index + 1), some(texts, index));
    let section = |index| Section::stored(some(texts, index), vec![row(index), row(index + 2)]);
    let actions = [
        Action::Buttons((0..number).map(|it| Button::stored(text(it), text(it + 1))).collect()),
        Action::stored_list(text(3), (0..number).map(section).collect()),
        Action::Link { display_text: text(4), url: link(5) },
        Action::RequestContactInfo,
    ];
    let headers = [MediaKind::Image, MediaKind::Video, MediaKind::Document];
    let headers = headers.map(|kind| Some(Header::Media(kind, link(6))));
    let headers = headers.into_iter().chain([None, Some(Header::Text(text(7)))]);
    let interactive = headers.zip(actions.iter().cycle()).map(|(header, action)| {
        Content::Interactive(Interactive::stored(header, text(8), some(texts, 9), action.clone()))
    });
    let parameters = vec![
        Parameter::Text { name: some(texts, 1), text: text(2) },
        Parameter::Image(link(3)),
        Parameter::Video(link(4)),
        Parameter::Document(link(5), some(texts, 6)),
        Parameter::Payload(text(7)),
        Parameter::Currency {
            name: some(texts, 1),
            fallback: text(2),
            code: text(3),
            amount_1000: i64::try_from(number).unwrap(),
        },
        Parameter::DateTime { name: some(texts, 4), fallback: text(5) },
        Parameter::Gif(link(6)),
        Parameter::Location(Location::stored(-12.5, 179.25, some(texts, 7), some(texts, 8))),
        Parameter::Product { catalog_id: text(9), product_retailer_id: text(10) },
        Parameter::OfferExpiration(i64::try_from(number).unwrap()),
        Parameter::CouponCode(text(11)),
        Parameter::Action(ActionParameter {
            thumbnail_product_retailer_id: some(texts, 1),
            sections: vec![section_of_products(texts)],
            flow_token: some(texts, 5),
            flow_action_data: some(texts, 6).map(|text| json!({ "key": text }).to_string()),
        }),
    ];
    let index = u8::try_from(number).unwrap();
    let buttons = ButtonKind::ALL.iter().map(|kind| ParameterPlace::Button(*kind, index));
    let others = [ParameterPlace::Header, ParameterPlace::Body, ParameterPlace::LimitedTimeOffer];
    let places = others.into_iter().chain(buttons);
    let parts: Vec<_> =
        places.map(|place| ComponentParameters::new(place, parameters.clone())).collect();
    let card = |index| CardParameters { index, components: parts.clone() };
    let cards = (0..index).map(card).collect();
    let (name, language) = (TemplateName::stored(text(8)), Language::stored(text(9)));
    let mut all = vec![
        Content::Text(TextContent::stored(text(0), number.is_multiple_of(2))),
        Content::Media(MediaContent::stored(kind, link(1), some(texts, 2), some(texts, 3))),
        Content::Template(TemplateContent::stored(name, language, parts.clone(), cards)),
    ];
    all.extend(interactive);
    all
}

proptest! {
    /// No bound of a request stands in the way: texts are as long as they like, and empty.
    #[test]
    fn whatever_the_domain_can_hold_is_read_as_it_was(
        texts in prop::collection::vec(any::<String>(), 1..12),
        long in 0..20_000_usize,
        number in 0..20_usize,
    ) {
        let texts = [texts, vec!["x".repeat(long)]].concat();
        for content in contents(&texts, number) {
            let read = read(1, content.content_type().into(), &written(&content));
            prop_assert_eq!(read.map_err(|why| why.to_string()), Ok(content));
        }
    }
}
