//! Parameters of templates.

use super::*;
use domain::content::parameter::{MAX_CALENDAR_LENGTH, MAX_TAP_TARGETS, MAX_TTL_MINUTES};
use domain::content::{ActionParameter, DateParts, ProductSection};

#[test]
fn a_parameter_is_read_by_its_type() {
    let words = read(|it| Parameter::text(&AT, Some("first_name"), Some("Ada"), it)).unwrap();
    assert_eq!(words.word(), "text");
    assert_eq!(words.words(), Some((Some("first_name"), "Ada")));
    let date = read(|it| Parameter::date_time(&AT, None, Some("today"), DateParts::default(), it))
        .unwrap();
    assert_eq!(date.word(), "date_time");
    assert_eq!(date.words(), Some((None, "today")));
    let product = read(|it| Parameter::product(&AT, Some("c"), Some("sku"), it)).unwrap();
    assert_eq!(product.word(), "product");
    assert_eq!(product.words(), None);
    let code = read(|it| Parameter::coupon_code(&AT, Some("CARIBE25"), it));
    assert_eq!(code, Ok(Parameter::CouponCode("CARIBE25".into())));
    let payload = read(|it| Parameter::payload(&AT, Some("yes"), it));
    assert_eq!(payload, Ok(Parameter::Payload("yes".into())));
    let link = |text| read(|it| Parameter::link(&AT, Some(text), it));
    assert_eq!(link("https://a.example/p"), Ok(url("https://a.example/p")));
    assert_eq!(link("/p").unwrap_err(), "x.link invalid_format");
}

/// The channel rejects text parameters with line breaks, tabs or more than four spaces in a row.
#[test]
fn the_value_of_a_variable_is_a_single_line() {
    let each = |text: &str| {
        [
            wrong(|it| Parameter::text(&AT, None, Some(text), it)),
            wrong(|it| Parameter::currency(&AT, None, Some(text), Some("USD"), Some(1000), it)),
            wrong(|it| Parameter::date_time(&AT, None, Some(text), DateParts::default(), it)),
            wrong(|it| Parameter::coupon_code(&AT, Some(text), it)),
        ]
    };
    for text in ["a    b", "    ", "a\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}b", "a    b    c", "x"] {
        assert_eq!(each(text), ["", "", "", ""], "{text:?}");
    }
    for text in ["a\nb", "\n", "a\r\nb", "a\rb", "a\tb", "a     b", "     ", "a    b      "] {
        let fields = ["text", "fallback_value", "fallback_value", "coupon_code"];
        assert_eq!(each(text), fields.map(|field| format!("x.{field} invalid_format")), "{text:?}");
    }
    // Payloads, which nobody reads, may contain them.
    assert!(read(|it| Parameter::payload(&AT, Some("a\nb"), it)).is_ok());
    let long = "x\n".repeat(4096);
    let found = wrong(|it| Parameter::text(&AT, None, Some(&long), it));
    assert_eq!(found, "x.text invalid_format, x.text too_long");
}

#[test]
fn a_date_may_come_in_parts() {
    let calendar = |length| DateParts {
        calendar: Some("x".repeat(length)),
        day_of_week: Some(5),
        ..DateParts::default()
    };
    let date = |parts| read(|it| Parameter::date_time(&AT, None, Some("today"), parts, it));
    assert!(date(calendar(MAX_CALENDAR_LENGTH)).is_ok());
    assert_eq!(date(calendar(MAX_CALENDAR_LENGTH + 1)).unwrap_err(), "x.calendar too_long");
}

#[test]
fn a_button_that_calls_stays_active_for_thirty_days_at_most() {
    let minutes = |minutes| read(|it| Parameter::ttl_minutes(&AT, minutes, it));
    assert_eq!(minutes(Some(1)), Ok(Parameter::TtlMinutes(1)));
    assert_eq!(minutes(Some(MAX_TTL_MINUTES)), Ok(Parameter::TtlMinutes(MAX_TTL_MINUTES)));
    assert_eq!(minutes(Some(0)).unwrap_err(), "x.ttl_minutes out_of_range");
    assert_eq!(minutes(Some(MAX_TTL_MINUTES + 1)).unwrap_err(), "x.ttl_minutes out_of_range");
    assert_eq!(minutes(None).unwrap_err(), "x.ttl_minutes required");
}

#[test]
fn an_order_has_the_senders_own_name() {
    let order = ActionParameter { order_details: Some("{}".into()), ..ActionParameter::default() };
    let named = |name| read(|it| Some(order.clone().parse(&AT, name, it)));
    assert_eq!(named(Some("abc.123_xyz-1")), Ok(order.clone()));
    assert_eq!(named(None).unwrap_err(), "x.order_details.reference_id required");
    assert_eq!(named(Some("a b")).unwrap_err(), "x.order_details.reference_id invalid_format");
    let status = |name| read(|it| Parameter::order_status(&AT, name, "{}".into(), it));
    assert_eq!(status(Some("1")), Ok(Parameter::OrderStatus("{}".into())));
    assert_eq!(status(Some(&"x".repeat(36))).unwrap_err(), "x.reference_id too_long");
}

#[test]
fn links_get_other_titles() {
    let targets = |count, url, title| {
        read(|it| {
            let given = vec![(Some(url), Some(title)); count];
            Some(Parameter::tap_targets(&AT, given.into_iter(), it))
        })
    };
    assert!(targets(MAX_TAP_TARGETS, "https://a.example/", "Details").is_ok());
    let found = targets(MAX_TAP_TARGETS + 1, "https://a.example/", "Details").unwrap_err();
    assert_eq!(found, "x too_long");
    assert_eq!(targets(0, "", "").unwrap_err(), "x empty");
    assert_eq!(targets(1, "a", "").unwrap_err(), "x[0].url invalid_format, x[0].title empty");
}

#[test]
fn money_is_in_a_currency_of_three_capitals() {
    let money =
        |code| read(|it| Parameter::currency(&AT, None, Some("$1"), Some(code), Some(1000), it));
    let dollars = money("USD").unwrap();
    assert_eq!(dollars.word(), "currency");
    assert_eq!(dollars.words(), Some((None, "$1")));
    for code in ["usd", "US", "USDX", "US1"] {
        assert_eq!(money(code).unwrap_err(), "x.code invalid_format", "{code}");
    }
}

#[test]
fn an_offer_ends_after_1970() {
    let ends = |at| read(|it| Parameter::offer_expiration(&AT, Some(at), it));
    assert_eq!(ends(1), Ok(Parameter::OfferExpiration(1)));
    assert_eq!(ends(0).unwrap_err(), "x.expiration_time_ms out_of_range");
    assert_eq!(ends(-1).unwrap_err(), "x.expiration_time_ms out_of_range");
}

#[test]
fn a_button_opens_with_products_in_sections() {
    let section = ProductSection { title: None, products: owned(&["sku"]) };
    let opened = ActionParameter { sections: vec![section], ..ActionParameter::default() };
    assert_eq!(read(|it| Some(opened.clone().parse(&AT, None, it))), Ok(opened.clone()));
    let empty = ProductSection { title: None, products: Vec::new() };
    let opened = ActionParameter { sections: vec![empty], ..opened };
    let found = wrong(|it| Some(opened.parse(&AT, None, it)));
    assert_eq!(found, "x.sections[0].product_items empty");
}
