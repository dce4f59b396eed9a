//! Tests of the rules in `domain`, at their bounds and just beyond them, through its public API.
//! Mutation testing of `domain` uses these tests and its own (CONTRIBUTING.md).
#![expect(clippy::unwrap_used, reason = "a rule that refuses what it has to take is to stop there")]

mod buttons;
mod cards;
mod contacts;
mod interactive;
mod numbers;
mod orders;
mod parameters;
mod proposals;
mod recognition;
mod small;

use domain::content::template::refuse_repeated;
use domain::content::{
    Action, Button, ButtonKind, ComponentParameters, ContactCard, Content, Interactive, Parameter,
    ParameterPlace, PassthroughContent, ReactionContent, TemplateContent, TextContent,
    contacts as card_rules, passthrough,
};
use domain::location::Location;
use domain::violation::{Field, Violations};

const AT: Field<'static> = Field::root("x");

/// Parses, and returns each fault as `field fault`.
fn read<T>(read: impl FnOnce(&mut Violations) -> Option<T>) -> Result<T, String> {
    let mut faults = Violations::default();
    let value = read(&mut faults);
    faults.finish(value).map_err(|faults| {
        let told = faults.into_vec().into_iter().map(|it| format!("{} {}", it.field, it.fault));
        told.collect::<Vec<_>>().join(", ")
    })
}

/// Returns the faults, or an empty text.
fn wrong<T>(reads: impl FnOnce(&mut Violations) -> Option<T>) -> String {
    read(reads).err().unwrap_or_default()
}

fn url(text: &str) -> domain::media::WebAddress {
    domain::media::WebAddress::parse(text).unwrap()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn a_template_alone_is_not_free_form() {
    let text = TextContent::stored("hi".into(), false);
    assert!(Content::Text(text.clone()).is_free_form());
    let channel =
        |kind: &str| Content::Channel(PassthroughContent::stored(kind.into(), "{}".into()));
    assert!(channel("text").is_free_form());
    assert!(!channel("template").is_free_form());
    assert_eq!(channel("contacts").words(), "[contacts]");
    let (name, language) = (Some("t"), Some("en_US"));
    let template =
        read(|it| TemplateContent::parse(name, language, Vec::new(), Vec::new(), it)).unwrap();
    let template = Content::Template(template);
    assert!(!template.is_free_form());
    assert_eq!(template.words(), "[template t en_US]");
    assert_eq!(read(|it| TextContent::parse(Some("hi"), None, it)), Ok(text));
}

#[test]
fn a_body_of_the_channels_own_names_its_type_and_no_recipient() {
    let parse = |kind: &str, names: &[&'static str], body: usize| {
        let (names, body) = (names.to_vec(), "x".repeat(body));
        wrong(|it| PassthroughContent::parse(&AT, Some(kind), names.into_iter(), body, it))
    };
    assert_eq!(parse("order_details_2", &["type", "text"], passthrough::MAX_BODY_BYTES), "");
    assert_eq!(
        parse("text", &["to"], passthrough::MAX_BODY_BYTES + 1),
        "x.to not_allowed, x too_long"
    );
    for kind in ["Text", "a-b", "a b", "é"] {
        assert_eq!(parse(kind, &[], 2), "x.type invalid_format", "{kind}");
    }
}

#[test]
fn a_reaction_is_one_emoji_or_none() {
    let message = domain::id::MessageId::new(domain::time::Timestamp::from_seconds(1), [7; 10]);
    let id = message.to_string();
    let react = |emoji: &str| read(|it| ReactionContent::parse(&AT, Some(&id), Some(emoji), it));
    assert_eq!(react("👍").unwrap().words(), "👍");
    let back = react("").unwrap();
    assert_eq!(back.message, message);
    assert_eq!(back.words(), "[reaction taken back]");
    assert_eq!(react("❤").unwrap(), react("❤\u{fe0f}").unwrap());
    assert_eq!(react("❤").unwrap().words(), "❤\u{fe0f}");
    assert_eq!(react("a").unwrap_err(), "x.emoji invalid_format");
}

#[test]
fn a_place_has_degrees_within_the_world_and_is_told_by_its_name() {
    let place = |north, east, name| {
        read(|it| Location::parse(&AT, Some(north), Some(east), name, None, it))
    };
    assert_eq!(place(-90.0, 180.0, None).unwrap().words(), "-90, 180");
    assert_eq!(place(0.5, 0.25, Some("Pier")).unwrap().words(), "Pier");
    let beyond = "x.latitude out_of_range, x.longitude out_of_range";
    assert_eq!(place(90.1, -180.1, None).unwrap_err(), beyond);
    let both = Location::stored(0.0, 0.0, Some("Pier".into()), Some("39".into()));
    assert_eq!(both.words(), "Pier, 39");
}

#[test]
fn a_component_of_a_template_comes_once_and_a_button_has_an_index() {
    let place = |kind, sub: Option<&str>, index| {
        read(|it| ParameterPlace::parse(&AT, Some(kind), sub, index, it))
    };
    assert_eq!(place("header", None, None), Ok(ParameterPlace::Header));
    assert_eq!(place("body", None, None), Ok(ParameterPlace::Body));
    assert_eq!(place("limited_time_offer", None, None), Ok(ParameterPlace::LimitedTimeOffer));
    let button = |kind, index| ParameterPlace::Button(kind, index);
    assert_eq!(place("button", Some("url"), Some(9)), Ok(button(ButtonKind::Url, 9)));
    assert_eq!(place("button", Some("url"), Some(10)).unwrap_err(), "x.index out_of_range");
    // In Meta's own example, a button that calls has no index.
    assert_eq!(place("button", Some("voice_call"), None), Ok(ParameterPlace::CallButton));
    assert_eq!(place("button", Some("url"), None).unwrap_err(), "x.index required");
    assert_eq!(place("order_status", None, None), Ok(ParameterPlace::OrderStatus));
    assert_eq!(place("tap_target_configuration", None, None), Ok(ParameterPlace::TapTargets));
    assert_eq!(place("buttons", None, None).unwrap_err(), "x.type not_one_of");
    let twice = |places: &[ParameterPlace]| {
        let parts: Vec<_> =
            places.iter().map(|it| ComponentParameters::new(*it, Vec::new())).collect();
        wrong(|it| {
            refuse_repeated(&AT, &parts, it);
            Some(())
        })
    };
    let (url, flow) = (button(ButtonKind::Url, 0), button(ButtonKind::Flow, 0));
    let (header, body) = (ParameterPlace::Header, ParameterPlace::Body);
    assert_eq!(twice(&[header, body, url, button(ButtonKind::Url, 1)]), "");
    assert_eq!(twice(&[header, body, header]), "x[2] duplicate");
    assert_eq!(twice(&[url, flow]), "x[1] duplicate", "a button is one whatever it does");
    let call = button(ButtonKind::VoiceCall, 1);
    assert_eq!(twice(&[url, ParameterPlace::CallButton]), "");
    assert_eq!(twice(&[call, ParameterPlace::CallButton]), "x[1] duplicate");
}
