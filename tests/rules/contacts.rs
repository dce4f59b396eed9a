//! Contact cards.

use super::*;
use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, MAX_CARDS, MAX_ENTRIES,
    check_cards, words,
};

fn ada() -> ContactCard {
    let name = CardName {
        formatted_name: "Ada Lovelace".into(),
        first_name: Some("Ada".into()),
        ..CardName::default()
    };
    ContactCard { name, ..ContactCard::default() }
}

fn check(card: ContactCard) -> String {
    wrong(|it| check_cards(&AT, 1, vec![card], it))
}

#[test]
fn there_are_one_to_257_cards_and_their_names_are_what_is_read() {
    assert_eq!(read(|it| check_cards(&AT, 1, vec![ada()], it)), Ok(vec![ada()]));
    let of = |count: usize| wrong(|it| check_cards(&AT, count, vec![ada(); count], it));
    assert_eq!(of(0), "x empty");
    assert_eq!(of(MAX_CARDS), "");
    assert_eq!(of(MAX_CARDS + 1), "x too_long");
    let phone = CardPhone { phone: Some("+1 202".into()), ..CardPhone::default() };
    let called = ContactCard { phones: vec![CardPhone::default(), phone], ..ada() };
    assert_eq!(words(&[ada(), called]), "[contact] Ada Lovelace\n[contact] Ada Lovelace +1 202");
}

#[test]
fn a_card_has_a_whole_name_and_a_part_of_it() {
    let bare = CardName { first_name: None, ..ada().name };
    assert_eq!(check(ContactCard { name: bare, ..ada() }), "x[0].name.first_name required");
}

#[test]
fn a_phone_of_a_card_has_a_number_or_the_channels_id() {
    let phones = |phone: Option<&str>, id: Option<&str>| {
        let (phone, wa_id) = (phone.map(str::to_owned), id.map(str::to_owned));
        check(ContactCard { phones: vec![CardPhone { phone, wa_id, kind: None }], ..ada() })
    };
    assert_eq!(phones(Some("1"), None), "");
    assert_eq!(phones(None, Some("1")), "");
    assert_eq!(phones(None, None), "x[0].phones[0].phone required");
}

#[test]
fn lists_and_fields_of_a_card_are_bounded_and_a_birthday_is_a_day() {
    let entry = || CardEntry { value: "a@b.c".into(), kind: None };
    let mails = |count| check(ContactCard { emails: vec![entry(); count], ..ada() });
    assert_eq!(mails(MAX_ENTRIES), "");
    assert_eq!(mails(MAX_ENTRIES + 1), "x[0].emails too_long");
    let long = Some("x".repeat(card_rules::MAX_FIELD_LENGTH + 1));
    let address = CardAddress { city: long.clone(), ..CardAddress::default() };
    let org = CardOrganization { title: long, ..CardOrganization::default() };
    let card = ContactCard { addresses: vec![address], org: Some(org), ..ada() };
    assert_eq!(check(card), "x[0].addresses[0].city too_long, x[0].org.title too_long");
    let born = |day: &str| check(ContactCard { birthday: Some(day.into()), ..ada() });
    assert_eq!(born("2012-02-29"), "");
    for day in
        ["2013-02-29", "12-02-2012", "2012-2-29", "2012-02-9", "+012-02-29", "2012-+2-01", "2012"]
    {
        assert_eq!(born(day), "x[0].birthday invalid_format", "{day}");
    }
}
