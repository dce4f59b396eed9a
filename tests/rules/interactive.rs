//! The parts of an interactive message around its action, and the simpler actions.

use super::*;
use domain::content::interactive::{
    AddressRequest, FlowAction, FlowInput, HeaderRule, InteractiveType, ProductList, ProductRef,
    Row, Section,
};
use domain::content::parameter::{MAX_PRODUCT_SECTIONS, MAX_PRODUCTS};
use domain::content::{Header, ProductSection};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;

/// Parses a message of this type with a header and a footer, and returns its faults. The type's
/// action does not matter.
fn framed(kind: InteractiveType, header: Option<Header>, footer: Option<&str>) -> String {
    let (header, footer) = (Some(header), footer.map(Some));
    let action = Some(Action::RequestLocation);
    wrong(|it| Interactive::parse(&AT, Some(kind), header, Some("Hello"), footer, action, it))
}

fn line() -> Header {
    read(|it| Header::text(&AT, Some("Above"), it)).unwrap()
}

fn picture() -> Header {
    let link = Some("https://a.example/p");
    read(|it| Header::media(&AT, MediaKind::Image, link, None, it)).unwrap()
}

#[test]
fn a_type_says_what_may_stand_around_its_action() {
    use InteractiveType::{CallPermissionRequest, Carousel, ContactInfoRequest, LocationRequest};
    for kind in InteractiveType::ALL {
        let header = match kind.header() {
            HeaderRule::Never => "x.header not_allowed",
            HeaderRule::Text | HeaderRule::Optional => "",
        };
        assert_eq!(framed(*kind, Some(line()), None), header, "{kind}");
        let bare =
            [CallPermissionRequest, Carousel, ContactInfoRequest, LocationRequest].contains(kind);
        let footer = if bare { "x.footer not_allowed" } else { "" };
        let needed = if *kind == InteractiveType::ProductList { Some(line()) } else { None };
        assert_eq!(framed(*kind, needed, Some("Below")), footer, "{kind}");
    }
}

#[test]
fn products_need_a_line_above_and_a_product_no_body() {
    let list = InteractiveType::ProductList;
    assert_eq!(framed(list, None, None), "x.header required");
    assert_eq!(framed(list, Some(picture()), None), "x.header.type not_one_of");
    // A part that could not be parsed already has a fault of its own, so there is no second one.
    let found = wrong(|it| {
        let action = Some(Action::RequestLocation);
        let parsed = Interactive::parse(&AT, Some(list), None, Some("Hello"), None, action, it);
        assert!(it.is_empty());
        parsed
    });
    assert_eq!(found, " invalid_format");
    let bodiless = |kind| {
        wrong(|it| {
            Interactive::parse(
                &AT,
                Some(kind),
                Some(None),
                None,
                None,
                Some(Action::RequestLocation),
                it,
            )
        })
    };
    assert_eq!(bodiless(InteractiveType::Product), "");
    assert_eq!(bodiless(InteractiveType::Button), "x.body.text required");
}

#[test]
fn actions_have_the_names_that_meta_gives_them() {
    let named = InteractiveType::ALL.iter().filter_map(|it| Some((it.as_str(), it.action_name()?)));
    let expected = [
        ("cta_url", "cta_url"),
        ("flow", "flow"),
        ("location_request_message", "send_location"),
        ("request_contact_info", "request_contact_info"),
        ("call_permission_request", "call_permission_request"),
        ("address_message", "address_message"),
        ("catalog_message", "catalog_message"),
        ("order_details", "review_and_pay"),
        ("order_status", "review_order"),
    ];
    assert_eq!(named.collect::<Vec<_>>(), expected);
}

#[test]
fn a_message_is_told_line_by_line() {
    let link = read(|it| Action::link(&AT, Some("Open"), Some("https://a.example/1"), it)).unwrap();
    let (kind, header) = (Some(InteractiveType::Link), Some(Some(picture())));
    let footer = Some(Some("Below"));
    let whole =
        read(|it| Interactive::parse(&AT, kind, header, Some("Hello"), footer, Some(link), it));
    let told = "[image] https://a.example/p\nHello\nBelow\n[Open] https://a.example/1";
    let whole = whole.unwrap();
    assert_eq!(whole.words(), told);
    assert_eq!(Content::Interactive(whole).words(), told);
    let asked = Interactive::stored(Some(line()), None, None, Action::RequestLocation);
    assert_eq!(asked.words(), "Above\n[Send location]");
}

#[test]
fn buttons_and_rows_have_an_id_and_a_title() {
    let button = read(|it| Button::parse(&AT, Some("1"), Some("Yes"), it));
    assert_eq!(button, Ok(Button::stored("1".into(), "Yes".into())));
    let row = read(|it| Row::parse(&AT, Some("1"), Some("Yes"), None, it)).unwrap();
    assert_eq!(row, Row::stored("1".into(), "Yes".into(), None));
    let buttons = read(|it| Action::buttons(&AT, 1, vec![button.unwrap()], it));
    assert!(matches!(buttons, Ok(Action::Buttons(all)) if all.len() == 1));
    let list = |titles: &[Option<&str>]| {
        let rows = |n: usize| vec![Row::stored(n.to_string(), "Row".into(), None)];
        let sections = titles.iter().enumerate();
        let sections =
            sections.map(|(n, title)| Section::stored(title.map(str::to_owned), rows(n)));
        let count = titles.len();
        wrong(|it| Action::list(&AT, Some("Open"), sections.collect(), count, count, it))
    };
    assert_eq!(list(&[None]), "");
    assert_eq!(list(&[Some("A"), Some("B")]), "");
    assert_eq!(list(&[Some("A"), None]), "x.sections[1].title required");
}

#[test]
fn an_address_is_asked_for_in_a_country_of_two_capitals() {
    let ask =
        |country| read(|it| AddressRequest::parse(&AT, Some(country), [None, None, None], it));
    assert_eq!(ask("IN").unwrap().country, "IN");
    for country in ["in", "I", "IND", "I1"] {
        assert_eq!(ask(country).unwrap_err(), "x.country invalid_format", "{country}");
    }
}

#[test]
fn a_flow_is_of_version_3_and_begins_at_a_screen_or_at_the_business() {
    let given = || FlowInput {
        version: Some("3"),
        id: Some("7"),
        label: Some("Open"),
        ..FlowInput::default()
    };
    let flow = |given| read(|it| FlowAction::parse(&AT, given, it));
    assert_eq!(flow(given()).unwrap().label, "Open");
    let old = FlowInput { version: Some("2"), ..given() };
    assert_eq!(flow(old).unwrap_err(), "x.flow_message_version not_one_of");
    let at = |start, has_payload| {
        flow(FlowInput { start: Some(start), has_payload, ..given() }).err().unwrap_or_default()
    };
    assert_eq!(at("navigate", true), "");
    assert_eq!(at("data_exchange", false), "");
    assert_eq!(at("data_exchange", true), "x.flow_action_payload not_allowed");
}

#[test]
fn products_come_in_one_to_ten_sections_with_thirty_in_all() {
    let list = |sections: &[(Option<&str>, usize)]| {
        let section = |(title, count): &(Option<&str>, usize)| ProductSection {
            title: title.map(str::to_owned),
            products: (0..*count).map(|it| it.to_string()).collect(),
        };
        let sections = sections.iter().map(section).collect();
        wrong(|it| ProductList::parse(&AT, Some("c"), sections, it))
    };
    assert_eq!(list(&[(None, MAX_PRODUCTS)]), "");
    assert_eq!(list(&[(None, MAX_PRODUCTS + 1)]), "x.sections too_long");
    assert_eq!(list(&[(Some("A"), 1); MAX_PRODUCT_SECTIONS]), "");
    assert_eq!(list(&[(Some("A"), 1); MAX_PRODUCT_SECTIONS + 1]), "x.sections too_long");
    assert_eq!(list(&[]), "x.sections empty");
    assert_eq!(list(&[(None, 0)]), "x.sections[0].product_items empty");
    assert_eq!(list(&[(Some("A"), 1), (None, 1)]), "x.sections[1].title required");
    let product = read(|it| ProductRef::parse(&AT, Some("c"), Some("sku"), it)).unwrap();
    assert_eq!(product.product_retailer_id, "sku");
}
