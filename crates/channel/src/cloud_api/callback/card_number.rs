//! Reads the phone number that a contact shares because the business asked for it.

use super::shape::{InboundMessage, forgiving};
use domain::phone::PhoneNumber;
use serde::Deserialize;

/// The `origin` of a contact card that a contact shares because the business asked for the number.
const ASKED_FOR: &str = "contact_request";

#[derive(Deserialize)]
struct CarouselCard {
    /// The `origin` is in the card or beside the cards.
    #[serde(default, deserialize_with = "forgiving")]
    origin: Option<String>,
    #[serde(default, deserialize_with = "forgiving")]
    phones: Option<Vec<CardPhonePart>>,
    /// The whole card in the format of RFC 2426.
    #[serde(default, deserialize_with = "forgiving")]
    vcard: Option<String>,
}

#[derive(Deserialize)]
struct CardPhonePart {
    /// The number as it is written on the card.
    #[serde(default, deserialize_with = "forgiving")]
    phone: Option<String>,
    /// The number as the channel knows it.
    #[serde(default, deserialize_with = "forgiving")]
    wa_id: Option<String>,
}

/// Returns the number that a contact shared on request. The message must have exactly one card. The
/// channel's form of the number is preferred, then the number written on the card, then the vCard.
/// If the preferred form has several numbers, it is unknown which one is the contact's, and nothing
/// is returned.
pub fn shared_number(message: &InboundMessage) -> Option<PhoneNumber> {
    if message.kind != "contacts" || message.is_echo {
        return None;
    }
    let cards: Vec<CarouselCard> =
        serde_json::from_value(message.rest.get("contacts")?.clone()).ok()?;
    let [card] = cards.as_slice() else { return None };
    if card.origin.as_deref().or(message.origin.as_deref()) != Some(ASKED_FOR) {
        return None;
    }
    let phones = card.phones.as_deref().unwrap_or_default();
    let vcard = card.vcard.as_deref().map(vcard_phones).unwrap_or_default();
    let forms = [
        channel_numbers(phones),
        written_numbers(phones),
        channel_numbers(&vcard),
        written_numbers(&vcard),
    ];
    let mut numbers = forms.into_iter().find(|numbers| !numbers.is_empty())?;
    numbers.sort();
    numbers.dedup();
    let [number] = <[PhoneNumber; 1]>::try_from(numbers).ok()?;
    Some(number)
}

fn channel_numbers(phones: &[CardPhonePart]) -> Vec<PhoneNumber> {
    let numbers = phones.iter().filter_map(|it| it.wa_id.as_deref());
    numbers.filter_map(|text| PhoneNumber::parse(text).ok()).collect()
}

fn written_numbers(phones: &[CardPhonePart]) -> Vec<PhoneNumber> {
    phones.iter().filter_map(|it| it.phone.as_deref()).filter_map(written_number).collect()
}

/// Returns the number in a text such as `+1 (650) 555-1234`. Returns nothing for a text without a
/// country code, because it could be a number of any country.
fn written_number(text: &str) -> Option<PhoneNumber> {
    // In `+44 (0)20 7946 0958`, the zero is dialed only within the country.
    let mut number = text.replace("(0)", "");
    number.retain(|letter| !matches!(letter, '(' | ')' | '.' | '/'));
    if !number.contains(['+', '\u{ff0b}']) {
        return None;
    }
    PhoneNumber::parse(&number).ok()
}

/// Returns the numbers in the `TEL` properties of a vCard, for example
/// `item1.TEL;type=CELL;waid=16505551234:+1 650-555-1234`.
fn vcard_phones(vcard: &str) -> Vec<CardPhonePart> {
    // In a vCard, a line that begins with a space continues the line before it.
    let unfolded = vcard.replace("\r\n", "\n").replace("\n ", "");
    unfolded.lines().filter_map(vcard_phone).collect()
}

fn vcard_phone(line: &str) -> Option<CardPhonePart> {
    let (property, value) = line.split_once(':')?;
    let mut parts = property.split(';');
    let name = parts.next()?;
    let name = name.split_once('.').map_or(name, |(_group, name)| name);
    if !name.trim().eq_ignore_ascii_case("TEL") {
        return None;
    }
    let wa_id = parts.filter_map(|it| it.split_once('=')).find_map(|(parameter, value)| {
        let is_id = parameter.trim().eq_ignore_ascii_case("waid");
        is_id.then(|| value.trim_matches('"').to_owned())
    });
    let phone = value.strip_prefix("tel:").unwrap_or(value).to_owned();
    Some(CardPhonePart { phone: Some(phone), wa_id })
}
