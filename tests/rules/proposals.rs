//! Templates that are to be created.

use super::*;
use domain::template::{
    AppInput, BodyPart, ButtonInput, ButtonType, CardInput, ExampleInput, FlowButtonInput,
    FooterPart, HeaderPart, NewTemplate, OfferInput, PartInput, TemplateInput,
};
use domain::violation::MAX_VIOLATIONS;

fn propose(category: &str, format: &str, parts: Vec<PartInput<'_>>) -> Result<NewTemplate, String> {
    let proposal = TemplateInput {
        name: Some("order_update"),
        language: Some("en_US"),
        category: Some(category),
        parameter_format: Some(format),
        components: Some(parts),
        message_send_ttl_seconds: None,
    };
    read(|it| NewTemplate::parse(&proposal, it))
}

/// Returns the faults of a marketing template with these parts, or an empty text.
fn faults(parts: Vec<PartInput<'_>>) -> String {
    propose("marketing", "positional", parts).err().unwrap_or_default()
}

fn part(kind: &str) -> PartInput<'_> {
    PartInput { kind: Some(kind), ..PartInput::default() }
}

fn body() -> PartInput<'static> {
    PartInput { text: Some("Hello"), ..part("BODY") }
}

fn line<'a>(kind: &'a str, text: &'a str) -> PartInput<'a> {
    let format = (kind == "HEADER").then_some("TEXT");
    PartInput { text: Some(text), format, ..part(kind) }
}

fn buttons(buttons: Vec<ButtonInput<'_>>) -> PartInput<'_> {
    PartInput { buttons: Some(buttons), ..part("BUTTONS") }
}

fn reply() -> ButtonInput<'static> {
    ButtonInput { kind: Some("QUICK_REPLY"), text: Some("Yes"), ..ButtonInput::default() }
}

fn one_time_code() -> ButtonInput<'static> {
    ButtonInput { kind: Some("OTP"), otp_type: Some("COPY_CODE"), ..ButtonInput::default() }
}

fn card(format: &'static str) -> CardInput<'static> {
    let header = PartInput { format: Some(format), ..part("HEADER") };
    let components = Some(vec![header, buttons(vec![reply()])]);
    CardInput { components, ..CardInput::default() }
}

fn carousel(cards: Vec<CardInput<'_>>) -> PartInput<'_> {
    PartInput { cards: Some(cards), ..part("CAROUSEL") }
}

fn offer(has_expiration: bool) -> PartInput<'static> {
    let offer = OfferInput {
        text: Some("Soon"),
        has_expiration: Some(has_expiration),
        ..OfferInput::default()
    };
    PartInput { limited_time_offer: Some(offer), ..part("LIMITED_TIME_OFFER") }
}

#[test]
fn a_proposal_is_kept_unchanged() {
    let (name, address) = (["Ada".to_owned()], ["1".to_owned()]);
    let example = Some(ExampleInput { positional: Some(&name), ..ExampleInput::default() });
    let header = PartInput { example, ..line("HEADER", "For {{1}} now") };
    let link = ButtonInput {
        kind: Some("URL"),
        text: Some("Open"),
        url: Some("https://a.example/{{1}}"),
        example: Some(&address),
        ..ButtonInput::default()
    };
    let parts = vec![header, body(), line("FOOTER", "Bye"), buttons(vec![link, reply()])];
    let made = propose("marketing", "positional", parts).unwrap().definition;
    assert_eq!(made.header, Some(HeaderPart::Text("For {{1}} now".into())));
    assert_eq!(made.body, BodyPart::Text("Hello".into()));
    assert_eq!(made.footer, Some(FooterPart::Text("Bye".into())));
    let told: Vec<_> = made
        .buttons
        .iter()
        .map(|it| (it.kind.unwrap(), it.text.as_str(), it.url.as_deref()))
        .collect();
    let expected = [
        (ButtonType::Url, "Open", Some("https://a.example/{{1}}")),
        (ButtonType::QuickReply, "Yes", None),
    ];
    assert_eq!(told, expected);
    let made = propose("marketing", "positional", vec![body(), offer(true)]).unwrap().definition;
    assert!(made.offer.unwrap().has_expiration);
    let made = propose("marketing", "positional", vec![body(), offer(false)]).unwrap().definition;
    assert!(!made.offer.unwrap().has_expiration);
    let cards = vec![body(), carousel(vec![card("IMAGE"), card("IMAGE")])];
    let made = propose("marketing", "positional", cards).unwrap().definition;
    assert!(made.cards.iter().all(|it| matches!(it.header, Some(HeaderPart::Media(_)))));
}

#[test]
fn a_header_has_one_variable_and_a_footer_none() {
    assert_eq!(
        faults(vec![body(), line("HEADER", "A {{1}} b {{2}} c")]),
        "components[1].text invalid_format"
    );
    assert_eq!(
        faults(vec![body(), line("FOOTER", "A {{1}} b")]),
        "components[1].text invalid_format"
    );
}

#[test]
fn an_example_has_the_name_of_its_variable_and_a_value() {
    let with = |name, value| {
        let example = Some(ExampleInput {
            named: vec![(Some(name), Some(value))],
            ..ExampleInput::default()
        });
        let part = PartInput { text: Some("Dear {{first_name}}."), example, ..part("BODY") };
        propose("marketing", "named", vec![part]).err().unwrap_or_default()
    };
    assert_eq!(with("first_name", "Ada"), "");
    let missing = "components[0].example.body_text_named_params required";
    assert_eq!(with("last_name", "Ada"), missing);
    assert_eq!(with("first_name", ""), missing);
}

#[test]
fn there_are_twelve_parts_at_most_and_a_body_beside_an_offer_is_shorter() {
    let many =
        |count: usize| faults(std::iter::once(body()).chain(vec![part("DANCE"); count]).collect());
    assert_eq!(many(11), "");
    assert_eq!(many(12), "components too_long");
    let long = "x".repeat(601);
    assert_eq!(faults(vec![line("BODY", &long)]), "");
    assert_eq!(faults(vec![line("BODY", &long), offer(true)]), "components[0].text too_long");
    assert_eq!(faults(vec![line("BODY", &long[1..]), offer(true)]), "");
}

#[test]
fn variables_are_counted_from_one_and_warnings_are_as_many_as_are_read() {
    let zero = TemplateInput {
        components: Some(vec![line("BODY", "A {{0}} b")]),
        ..TemplateInput::default()
    };
    let mut faults = Violations::default();
    assert_eq!(NewTemplate::parse(&zero, &mut faults), None);
    let told = faults.into_vec().into_iter().find(|it| it.field == "components[0].text").unwrap();
    assert!(told.message.starts_with("has the variable {{0}}"), "{}", told.message);
    let unknown = PartInput { unknown: vec!["steps"; MAX_VIOLATIONS + 1], ..body() };
    let made = propose("marketing", "positional", vec![unknown]).unwrap();
    assert_eq!(made.warnings.len(), MAX_VIOLATIONS);
}

#[test]
fn a_part_has_its_own_fields_only() {
    let spoken = PartInput { text: Some("Hi"), ..buttons(vec![reply()]) };
    assert_eq!(faults(vec![body(), spoken]), "components[1].text not_allowed");
    let shared = PartInput { add_security_recommendation: Some(true), ..body() };
    assert_eq!(faults(vec![shared]), "components[0].add_security_recommendation not_allowed");
    let timed = PartInput { code_expiration_minutes: Some(5), ..line("FOOTER", "Bye") };
    assert_eq!(faults(vec![body(), timed]), "components[1].code_expiration_minutes not_allowed");
    let timed = PartInput { code_expiration_minutes: Some(5), ..body() };
    assert_eq!(faults(vec![timed]), "components[0].code_expiration_minutes not_allowed");
}

#[test]
fn a_one_time_code_has_a_body_a_footer_and_one_button() {
    let code = |recommended, more: Vec<PartInput<'static>>, count| {
        let words = PartInput { add_security_recommendation: recommended, ..part("BODY") };
        let parts = vec![words, buttons(vec![one_time_code(); count])];
        propose("authentication", "positional", parts.into_iter().chain(more).collect())
    };
    for (recommended, with_recommendation) in
        [(Some(true), true), (Some(false), false), (None, false)]
    {
        let made = code(recommended, vec![], 1).unwrap().definition;
        assert_eq!(made.body, BodyPart::OneTimeCode { with_recommendation });
    }
    assert_eq!(code(None, vec![], 2).unwrap_err(), "components not_allowed");
    let header = code(None, vec![line("HEADER", "Code")], 1);
    assert_eq!(header.unwrap_err(), "components not_allowed");
    let cards = code(None, vec![carousel(vec![card("IMAGE"), card("IMAGE")])], 1).unwrap_err();
    assert_eq!(cards.matches("components not_allowed").count(), 2, "{cards}");
    let offer = code(None, vec![offer(true)], 1).unwrap_err();
    assert_eq!(offer, "category not_allowed, components not_allowed");
}

#[test]
fn an_application_gets_a_code_without_typing_it() {
    let code = |count: usize| {
        let app = AppInput {
            package_name: Some("com.example"),
            signature_hash: Some("K8a/AINcGX7"),
            ..AppInput::default()
        };
        let supported_apps = Some(vec![app; count]);
        let button = ButtonInput { otp_type: Some("ONE_TAP"), supported_apps, ..one_time_code() };
        let parts = vec![part("BODY"), buttons(vec![button])];
        propose("authentication", "positional", parts).err().unwrap_or_default()
    };
    assert_eq!(code(5), "");
    assert_eq!(code(6), "components[1].buttons[0].supported_apps too_long");
}

#[test]
fn a_button_says_something_and_has_its_own_fields_only() {
    let one = |button| faults(vec![body(), buttons(vec![button])]);
    let silent = ButtonInput { text: None, ..reply() };
    assert_eq!(one(silent), "components[1].buttons[0].text required");
    let address = ButtonInput { url: Some("https://a.example"), ..reply() };
    assert_eq!(one(address), "components[1].buttons[0].url not_allowed");
    let flow = |flow| one(ButtonInput { kind: Some("FLOW"), flow, ..reply() });
    let named = FlowButtonInput { id: Some("7"), ..FlowButtonInput::default() };
    assert_eq!(flow(named), "");
    assert_eq!(flow(FlowButtonInput::default()), "components[1].buttons[0].flow_id required");
    assert_eq!(
        flow(FlowButtonInput { name: Some("f"), ..named }),
        "components[1].buttons[0] not_allowed"
    );
    let button = ButtonInput { kind: Some("URL"), url: Some("https://a.example/{{1}}"), ..reply() };
    assert_eq!(one(button), "components[1].buttons[0].example required");
}

#[test]
fn cards_are_up_to_ten_of_up_to_twelve_parts_and_all_show_the_same() {
    let of = |cards| faults(vec![body(), carousel(cards)]);
    assert_eq!(of(vec![card("IMAGE"); 10]), "");
    assert_eq!(
        of(vec![card("IMAGE"), card("VIDEO")]),
        "components[1].cards[1].components invalid_format"
    );
    let parts = |count: usize| {
        let mut long = card("IMAGE");
        long.components.as_mut().unwrap().extend(vec![part("DANCE"); count - 2]);
        of(vec![card("IMAGE"), long])
    };
    assert_eq!(parts(12), "");
    assert_eq!(parts(13), "components[1].cards[1].components too_long");
}
