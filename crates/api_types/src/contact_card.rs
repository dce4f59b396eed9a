//! Contact cards, in Meta's format.

use crate::object::Object;
use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, ContactCard, MAX_CARDS,
    MAX_ENTRIES, MAX_FIELD_LENGTH, check_cards,
};
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A contact card: a person or a business, as in an address book.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCard")]
pub struct ContactCardWire {
    /// The name.
    #[schemars(required)]
    name: Option<Object<NameWire>>,
    /// The phone numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_ENTRIES))]
    phones: Option<Vec<Object<PhoneWire>>>,
    /// The email addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_ENTRIES))]
    emails: Option<Vec<Object<EmailWire>>>,
    /// The web addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_ENTRIES))]
    urls: Option<Vec<Object<UrlWire>>>,
    /// The postal addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_ENTRIES))]
    addresses: Option<Vec<Object<AddressWire>>>,
    /// The organization that the person works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<Object<OrganizationWire>>,
    /// The date of birth, such as `2012-08-18`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    birthday: Option<String>,
}

/// A name: the full name, and at least one of its parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardName")]
struct NameWire {
    /// The full name.
    #[schemars(required, length(min = 1, max = MAX_FIELD_LENGTH))]
    formatted_name: Option<String>,
    /// The first name.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
    /// The middle name.
    #[serde(skip_serializing_if = "Option::is_none")]
    middle_name: Option<String>,
    /// The suffix, such as `Jr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
    /// The prefix, such as `Dr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
}

/// A phone number.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardPhone")]
struct PhoneWire {
    /// The phone number, in any format. Required if there is no `wa_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    /// The type, such as `HOME` or `WORK`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// The channel's id of the person. With it, the card offers to send them a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    wa_id: Option<String>,
}

/// An email address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardEmail")]
struct EmailWire {
    /// The email address.
    #[schemars(required, length(min = 1, max = MAX_FIELD_LENGTH))]
    email: Option<String>,
    /// The type, such as `HOME` or `WORK`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A web address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardUrl")]
struct UrlWire {
    /// The URL.
    #[schemars(required, length(min = 1, max = MAX_FIELD_LENGTH))]
    url: Option<String>,
    /// The type, such as `HOME` or `WORK`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A postal address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardAddress")]
struct AddressWire {
    /// The street and house number.
    #[serde(skip_serializing_if = "Option::is_none")]
    street: Option<String>,
    /// The city.
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    /// The state.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The ZIP code.
    #[serde(skip_serializing_if = "Option::is_none")]
    zip: Option<String>,
    /// The country.
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    /// The two-letter country code (ISO 3166).
    #[serde(skip_serializing_if = "Option::is_none")]
    country_code: Option<String>,
    /// The type, such as `HOME` or `WORK`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// The organization that a person works for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContactCardOrganization")]
struct OrganizationWire {
    /// The company.
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<String>,
    /// The department.
    #[serde(skip_serializing_if = "Option::is_none")]
    department: Option<String>,
    /// The job title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

/// Parses the cards of a message, and adds each violation to `faults`.
pub fn parse(
    at: &Field<'_>,
    cards: &[Object<ContactCardWire>],
    faults: &mut Violations,
) -> Option<Vec<ContactCard>> {
    let parsed = cards.iter().take(MAX_CARDS).map(|card| card.card()).collect();
    check_cards(at, cards.len(), parsed, faults)
}

/// Conversion to the domain. A missing required field becomes an empty one, which the domain
/// rejects.
impl ContactCardWire {
    fn card(&self) -> ContactCard {
        let address = |it: &Object<AddressWire>| CardAddress {
            street: it.street.clone(),
            city: it.city.clone(),
            state: it.state.clone(),
            zip: it.zip.clone(),
            country: it.country.clone(),
            country_code: it.country_code.clone(),
            kind: it.kind.clone(),
        };
        let phone = |it: &Object<PhoneWire>| CardPhone {
            phone: it.phone.clone(),
            kind: it.kind.clone(),
            wa_id: it.wa_id.clone(),
        };
        let entry = |value: &Option<String>, kind: &Option<String>| CardEntry {
            value: value.clone().unwrap_or_default(),
            kind: kind.clone(),
        };
        let org = |it: &Object<OrganizationWire>| CardOrganization {
            company: it.company.clone(),
            department: it.department.clone(),
            title: it.title.clone(),
        };
        ContactCard {
            name: self.name.as_ref().map(|it| it.name()).unwrap_or_default(),
            phones: self.phones.iter().flatten().map(phone).collect(),
            emails: self.emails.iter().flatten().map(|it| entry(&it.email, &it.kind)).collect(),
            urls: self.urls.iter().flatten().map(|it| entry(&it.url, &it.kind)).collect(),
            addresses: self.addresses.iter().flatten().map(address).collect(),
            org: self.org.as_ref().map(org),
            birthday: self.birthday.clone(),
        }
    }
}

impl NameWire {
    fn name(&self) -> CardName {
        CardName {
            formatted_name: self.formatted_name.clone().unwrap_or_default(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            middle_name: self.middle_name.clone(),
            suffix: self.suffix.clone(),
            prefix: self.prefix.clone(),
        }
    }
}
