//! Parameters of templates.

use super::*;
use domain::content::{ActionParameter, ProductSection};

#[test]
fn a_parameter_is_read_by_its_type() {
    let words = read(|it| Parameter::text(&AT, Some("first_name"), Some("Ada"), it)).unwrap();
    assert_eq!((words.word(), words.words()), ("text", Some((Some("first_name"), "Ada"))));
    let date = read(|it| Parameter::date_time(&AT, None, Some("today"), it)).unwrap();
    assert_eq!((date.word(), date.words()), ("date_time", Some((None, "today"))));
    let product = read(|it| Parameter::product(&AT, Some("c"), Some("sku"), it)).unwrap();
    assert_eq!((product.word(), product.words()), ("product", None));
    let code = read(|it| Parameter::coupon_code(&AT, Some("CARIBE25"), it));
    assert_eq!(code, Ok(Parameter::CouponCode("CARIBE25".into())));
    let payload = read(|it| Parameter::payload(&AT, Some("yes"), it));
    assert_eq!(payload, Ok(Parameter::Payload("yes".into())));
    let link = |text| read(|it| Parameter::link(&AT, Some(text), it));
    assert_eq!(link("https://a.example/p"), Ok(url("https://a.example/p")));
    assert_eq!(link("/p").unwrap_err(), "x.link invalid_format");
}

#[test]
fn money_is_in_a_currency_of_three_capitals() {
    let money =
        |code| read(|it| Parameter::currency(&AT, None, (Some("$1"), Some(code), Some(1000)), it));
    let dollars = money("USD").unwrap();
    assert_eq!((dollars.word(), dollars.words()), ("currency", Some((None, "$1"))));
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
    assert_eq!(read(|it| Some(opened.clone().parse(&AT, it))), Ok(opened.clone()));
    let empty = ProductSection { title: None, products: Vec::new() };
    let opened = ActionParameter { sections: vec![empty], ..opened };
    let found = wrong(|it| Some(opened.parse(&AT, it)));
    assert_eq!(found, "x.sections[0].product_items empty");
}
