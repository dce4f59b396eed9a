//! The parameters that a template's buttons require of a message.

use super::*;
use domain::content::{
    ActionParameter, CardParameters, DateParts, Mismatch, ProductSection, check, render,
};
use domain::template::{ButtonType, CardPart, Definition, HeaderPart, TemplateButton};

fn text(text: &str) -> Parameter {
    Parameter::Text { name: None, text: text.into() }
}

fn content(components: Vec<ComponentParameters>, cards: Vec<CardParameters>) -> TemplateContent {
    read(|it| TemplateContent::parse(Some("t"), Some("en"), components, cards, it)).unwrap()
}

/// Checks a message against a template with one button of type `kind`. The message fills the button
/// as a `sub_type`.
fn fill(kind: ButtonType, sub_type: ButtonKind, given: Vec<Parameter>) -> Result<(), Mismatch> {
    let address = (kind == ButtonType::Url).then(|| "https://a.example/{{1}}".to_owned());
    let button = TemplateButton { kind: Some(kind), text: "Go".into(), url: address };
    let template = Definition { buttons: vec![button], ..Definition::default() };
    let place = ParameterPlace::Button(sub_type, 0);
    check(&template, &content(vec![ComponentParameters::new(place, given)], Vec::new()))
}

fn opened(thumbnail: Option<&str>, sections: usize) -> Parameter {
    let section = ProductSection { title: None, products: owned(&["sku"]) };
    Parameter::Action(ActionParameter {
        thumbnail_product_retailer_id: thumbnail.map(str::to_owned),
        sections: vec![section; sections],
        ..ActionParameter::default()
    })
}

#[test]
fn a_button_takes_the_parameters_of_its_own_kind_only() {
    use ButtonKind as Kind;
    let kinds = [
        (ButtonType::QuickReply, Kind::QuickReply, Parameter::Payload("yes".into())),
        (ButtonType::Url, Kind::Url, text("1")),
        (ButtonType::CopyCode, Kind::CopyCode, Parameter::CouponCode("CARIBE25".into())),
        (ButtonType::Flow, Kind::Flow, opened(None, 0)),
        (ButtonType::Catalog, Kind::Catalog, opened(None, 0)),
        (ButtonType::MultiProduct, Kind::MultiProduct, opened(Some("sku"), 1)),
        (ButtonType::SingleProduct, Kind::SingleProduct, opened(None, 0)),
        (ButtonType::VoiceCall, Kind::VoiceCall, Parameter::Payload("call".into())),
    ];
    for (button, own, parameter) in &kinds {
        for (_, kind, _) in &kinds {
            let filled = fill(*button, *kind, vec![parameter.clone()]);
            assert_eq!(filled.is_ok(), own == kind, "{button} as {kind}: {filled:?}");
        }
    }
}

#[test]
fn a_button_that_calls_is_found_without_an_index() {
    let button = |kind| TemplateButton { kind: Some(kind), text: "Go".into(), url: None };
    let buttons = vec![button(ButtonType::QuickReply), button(ButtonType::VoiceCall)];
    let template = Definition { buttons, ..Definition::default() };
    let fill = |place, given: Vec<Parameter>| {
        check(&template, &content(vec![ComponentParameters::new(place, given)], Vec::new()))
    };
    let (active, payload) = (Parameter::TtlMinutes(100), Parameter::Payload("call".into()));
    for place in [ParameterPlace::CallButton, ParameterPlace::Button(ButtonKind::VoiceCall, 1)] {
        assert_eq!(fill(place, vec![active.clone(), payload.clone()]), Ok(()));
        assert_eq!(fill(place, vec![active.clone()]), Ok(()));
        let told = fill(place, vec![text("a"), text("b"), text("c")]).unwrap_err();
        assert_eq!(told.place.as_str(), "button 1");
        assert_eq!(told.expected, 2);
        assert_eq!(told.received, 3);
    }
}

#[test]
fn several_products_need_a_picture_and_sections() {
    let filled =
        |parameter| fill(ButtonType::MultiProduct, ButtonKind::MultiProduct, vec![parameter]);
    assert_eq!(filled(opened(Some("sku"), 1)), Ok(()));
    for wrong in [opened(None, 1), opened(Some("sku"), 0), opened(None, 0), text("sku")] {
        assert!(filled(wrong).unwrap_err().wanted.unwrap().starts_with("action with thumbnail"));
    }
}

#[test]
fn too_few_and_too_many_are_told_by_what_is_expected() {
    let reply = |count: usize| {
        let given = vec![Parameter::Payload("yes".into()); count];
        fill(ButtonType::QuickReply, ButtonKind::QuickReply, given).unwrap_err()
    };
    let too_few = reply(0);
    assert_eq!(too_few.expected, 1, "a component that names a button fills it in");
    assert_eq!(too_few.received, 0);
    let too_many = reply(2);
    assert_eq!(too_many.expected, 1);
    assert_eq!(too_many.received, 2);
    let phone = fill(ButtonType::PhoneNumber, ButtonKind::Url, vec![text("1")]).unwrap_err();
    assert_eq!(phone.expected, 0);
    assert_eq!(phone.received, 1);
}

#[test]
fn each_card_is_filled_in_by_its_own_parameters() {
    let card = || CardPart { header: None, body: Some("For {{1}}".into()), buttons: Vec::new() };
    let template = Definition { cards: vec![card(), card()], ..Definition::default() };
    let filled = |index, name: &str| {
        let words = ComponentParameters::new(ParameterPlace::Body, vec![text(name)]);
        CardParameters { index, components: vec![words] }
    };
    let given = content(Vec::new(), vec![filled(1, "Bob"), filled(0, "Ada")]);
    assert_eq!(check(&template, &given), Ok(()));
    assert_eq!(render(&template, &given), "\n[card 1] For Ada\n[card 2] For Bob");
    for (cards, received) in [([0, 2], 1), ([2, 3], 0), ([0, 0], 2)] {
        let given = content(Vec::new(), cards.map(|it| filled(it, "Ada")).to_vec());
        let told = check(&template, &given).unwrap_err();
        assert_eq!(told.place.as_str(), "carousel");
        assert_eq!(told.expected, 2);
        assert_eq!(told.received, received);
    }
}

#[test]
fn money_and_dates_fill_in_words() {
    let template =
        Definition { header: Some(HeaderPart::Text("On {{1}}".into())), ..Definition::default() };
    let date = read(|it| Parameter::date_time(&AT, None, Some("Monday"), DateParts::default(), it))
        .unwrap();
    let header = ComponentParameters::new(ParameterPlace::Header, vec![date]);
    assert_eq!(check(&template, &content(vec![header], Vec::new())), Ok(()));
}
