//! Contact cards, which a message sends to a contact. A card describes a person or a business.

use crate::time::is_date;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of cards in a message.
pub const MAX_CARDS: usize = 257;
/// Maximum number of entries in each list of a card, such as its e-mail addresses.
pub const MAX_ENTRIES: usize = 100;
/// Maximum number of characters in each field of a card.
pub const MAX_FIELD_LENGTH: usize = 1000;

/// The card of a person or a business, as in an address book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactCard {
    pub name: CardName,
    pub phones: Vec<CardPhone>,
    /// The e-mail addresses.
    pub emails: Vec<CardEntry>,
    /// The web addresses.
    pub urls: Vec<CardEntry>,
    pub addresses: Vec<CardAddress>,
    /// The organization that the person works for.
    pub org: Option<CardOrganization>,
    /// The date of birth, such as `2012-08-18`.
    pub birthday: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardName {
    /// The full name of the person or the business.
    pub formatted_name: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub middle_name: Option<String>,
    /// The suffix of the name, such as `Jr`.
    pub suffix: Option<String>,
    /// The prefix of the name, such as `Dr`.
    pub prefix: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardPhone {
    /// The phone number, in any notation.
    pub phone: Option<String>,
    /// The type of the phone number, such as `HOME` or `WORK`.
    pub kind: Option<String>,
    /// The channel's id of the person. If it is set, the card has a button with which the reader
    /// can write to the person.
    pub wa_id: Option<String>,
}

/// An e-mail address or a web address on a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardEntry {
    pub value: String,
    /// The type of the e-mail address or web address, such as `HOME` or `WORK`.
    pub kind: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardAddress {
    /// The street and house number.
    pub street: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub country: Option<String>,
    /// The country code of ISO 3166, in two letters.
    pub country_code: Option<String>,
    /// The type of the postal address, such as `HOME` or `WORK`.
    pub kind: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardOrganization {
    pub company: Option<String>,
    pub department: Option<String>,
    /// The person's job title.
    pub title: Option<String>,
}

/// Checks the cards of a message. A message must have 1 to 257 cards, and each card must be within
/// the bounds of this module.
pub fn check_cards(
    at: &Field<'_>,
    count: usize,
    cards: Vec<ContactCard>,
    faults: &mut Violations,
) -> Option<Vec<ContactCard>> {
    if count == 0 {
        faults.add(at, Fault::Empty, format!("needs 1 to {MAX_CARDS} cards"));
    } else if count > MAX_CARDS {
        let message = format!("has {count} cards; at most {MAX_CARDS} are allowed");
        faults.add(at, Fault::TooLong, message);
    }
    for (index, card) in cards.iter().take(MAX_CARDS).enumerate() {
        card.check(&at.index(index), faults);
    }
    (!cards.is_empty()).then_some(cards)
}

/// Renders contact cards as text that people can read, with one line for each card.
#[must_use]
pub fn words(cards: &[ContactCard]) -> String {
    let lines: Vec<String> = cards.iter().map(ContactCard::words).collect();
    lines.join("\n")
}

impl ContactCard {
    fn words(&self) -> String {
        let phone = self.phones.iter().find_map(|it| it.phone.as_deref());
        let phone = phone.map(|phone| format!(" {phone}")).unwrap_or_default();
        format!("[contact] {}{phone}", self.name.formatted_name)
    }

    fn check(&self, at: &Field<'_>, faults: &mut Violations) {
        self.name.check(&at.key("name"), faults);
        let lists = [
            ("phones", self.phones.len()),
            ("emails", self.emails.len()),
            ("urls", self.urls.len()),
            ("addresses", self.addresses.len()),
        ];
        for (name, count) in lists {
            if count > MAX_ENTRIES {
                let message = format!("has {count} entries; at most {MAX_ENTRIES} are allowed");
                faults.add(&at.key(name), Fault::TooLong, message);
            }
        }
        for (index, phone) in self.phones.iter().take(MAX_ENTRIES).enumerate() {
            let list = at.key("phones");
            let at = list.index(index);
            if phone.phone.is_none() && phone.wa_id.is_none() {
                faults.add(&at.key("phone"), Fault::Required, "this field is required");
            }
            bound(
                &at,
                &[("phone", &phone.phone), ("type", &phone.kind), ("wa_id", &phone.wa_id)],
                faults,
            );
        }
        for (name, value, entries) in
            [("emails", "email", &self.emails), ("urls", "url", &self.urls)]
        {
            for (index, entry) in entries.iter().take(MAX_ENTRIES).enumerate() {
                let list = at.key(name);
                let at = list.index(index);
                faults.text(&at.key(value), &entry.value, MAX_FIELD_LENGTH);
                bound(&at, &[("type", &entry.kind)], faults);
            }
        }
        for (index, address) in self.addresses.iter().take(MAX_ENTRIES).enumerate() {
            let list = at.key("addresses");
            address.check(&list.index(index), faults);
        }
        if let Some(CardOrganization { company, department, title }) = &self.org {
            let parts = [("company", company), ("department", department), ("title", title)];
            bound(&at.key("org"), &parts, faults);
        }
        if self.birthday.as_deref().is_some_and(|day| !is_date(day)) {
            let message = "must be a date, such as 2012-08-18";
            faults.add(&at.key("birthday"), Fault::InvalidFormat, message);
        }
    }
}

impl CardName {
    /// Checks the name on a card. Meta requires the full name and at least one of its parts.
    fn check(&self, at: &Field<'_>, faults: &mut Violations) {
        faults.text(&at.key("formatted_name"), &self.formatted_name, MAX_FIELD_LENGTH);
        let parts = [
            ("first_name", &self.first_name),
            ("last_name", &self.last_name),
            ("middle_name", &self.middle_name),
            ("suffix", &self.suffix),
            ("prefix", &self.prefix),
        ];
        if parts.iter().all(|(_, part)| part.is_none()) {
            let message = "one part of the name is required beside formatted_name";
            faults.add(&at.key("first_name"), Fault::Required, message);
        }
        bound(at, &parts, faults);
    }
}

impl CardAddress {
    fn check(&self, at: &Field<'_>, faults: &mut Violations) {
        let parts = [
            ("street", &self.street),
            ("city", &self.city),
            ("state", &self.state),
            ("zip", &self.zip),
            ("country", &self.country),
            ("country_code", &self.country_code),
            ("type", &self.kind),
        ];
        bound(at, &parts, faults);
    }
}

fn bound(at: &Field<'_>, fields: &[(&'static str, &Option<String>)], faults: &mut Violations) {
    for (name, value) in fields {
        faults.optional_text(&at.key(name), value.as_deref(), MAX_FIELD_LENGTH);
    }
}
