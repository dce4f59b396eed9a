//! Contact cards in the format of the Cloud API.

use super::json::set;
use domain::content::contacts::{CardEntry, ContactCard};
use serde_json::{Value, json};

pub fn contacts(cards: &[ContactCard]) -> Value {
    cards.iter().map(card).collect()
}

fn fields(all: &[(&str, &Option<String>)]) -> Value {
    let mut shape = json!({});
    for (name, value) in all {
        set(&mut shape, name, (*value).clone().map(Value::from));
    }
    shape
}

fn card(it: &ContactCard) -> Value {
    let name = &it.name;
    let mut shape = fields(&[
        ("first_name", &name.first_name),
        ("last_name", &name.last_name),
        ("middle_name", &name.middle_name),
        ("suffix", &name.suffix),
        ("prefix", &name.prefix),
    ]);
    set(&mut shape, "formatted_name", Some(Value::from(name.formatted_name.clone())));
    let mut card = json!({ "name": shape });
    let phones = it.phones.iter();
    let phones =
        phones.map(|it| fields(&[("phone", &it.phone), ("type", &it.kind), ("wa_id", &it.wa_id)]));
    list(&mut card, "phones", phones.collect());
    list(&mut card, "emails", it.emails.iter().map(|it| entry("email", it)).collect());
    list(&mut card, "urls", it.urls.iter().map(|it| entry("url", it)).collect());
    let addresses = it.addresses.iter().map(|it| {
        fields(&[
            ("street", &it.street),
            ("city", &it.city),
            ("state", &it.state),
            ("zip", &it.zip),
            ("country", &it.country),
            ("country_code", &it.country_code),
            ("type", &it.kind),
        ])
    });
    list(&mut card, "addresses", addresses.collect());
    let org = it.org.as_ref().map(|it| {
        fields(&[("company", &it.company), ("department", &it.department), ("title", &it.title)])
    });
    set(&mut card, "org", org);
    set(&mut card, "birthday", it.birthday.clone().map(Value::from));
    card
}

fn entry(name: &str, it: &CardEntry) -> Value {
    let mut shape = fields(&[("type", &it.kind)]);
    set(&mut shape, name, Some(Value::from(it.value.clone())));
    shape
}

fn list(card: &mut Value, name: &str, entries: Vec<Value>) {
    set(card, name, (!entries.is_empty()).then(|| Value::from(entries)));
}
