//! Contact cards. Message history shows them as they are stored, so their API schema is derived
//! here.

use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, ContactCard,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person or a business, as an address book holds it and history shows it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCard")]
pub struct ContactRow {
    /// The name.
    name: NameRow,
    /// The phone numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<PhoneRow>>")]
    phones: Vec<PhoneRow>,
    /// The email addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<EmailRow>>")]
    emails: Vec<EmailRow>,
    /// The web addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<UrlRow>>")]
    urls: Vec<UrlRow>,
    /// The postal addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<AddressRow>>")]
    addresses: Vec<AddressRow>,
    /// The person's company and position.
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<OrganizationRow>,
    /// The birthday, such as `2012-08-18`.
    #[serde(skip_serializing_if = "Option::is_none")]
    birthday: Option<String>,
}

/// The name on a contact card.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardName")]
struct NameRow {
    /// The full name; empty if the sender's phone did not provide it.
    formatted_name: String,
    /// The first name.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
    /// The middle name.
    #[serde(skip_serializing_if = "Option::is_none")]
    middle_name: Option<String>,
    /// A suffix, such as `Jr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
    /// A prefix, such as `Dr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
}

/// A phone number on a contact card.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardPhone")]
struct PhoneRow {
    /// The number, as the card shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    /// `HOME`, `WORK` and the like.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// The channel's id of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    wa_id: Option<String>,
}

/// An email address on a contact card.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardEmail")]
struct EmailRow {
    /// The email address.
    email: String,
    /// `HOME`, `WORK` and the like.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A web address on a contact card.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardUrl")]
struct UrlRow {
    /// The URL.
    url: String,
    /// `HOME`, `WORK` and the like.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A postal address on a contact card.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardAddress")]
struct AddressRow {
    /// The street and number.
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
    /// `HOME`, `WORK` and the like.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A person's company and position.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageContactCardOrganization")]
struct OrganizationRow {
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

impl From<ContactCard> for ContactRow {
    fn from(it: ContactCard) -> Self {
        let CardName { formatted_name, first_name, last_name, middle_name, suffix, prefix } =
            it.name;
        let phone = |CardPhone { phone, kind, wa_id }| PhoneRow { phone, kind, wa_id };
        let address = |it: CardAddress| {
            let CardAddress { street, city, state, zip, country, country_code, kind } = it;
            AddressRow { street, city, state, zip, country, country_code, kind }
        };
        let email = |CardEntry { value, kind }| EmailRow { email: value, kind };
        let url = |CardEntry { value, kind }| UrlRow { url: value, kind };
        Self {
            name: NameRow { formatted_name, first_name, last_name, middle_name, suffix, prefix },
            phones: it.phones.into_iter().map(phone).collect(),
            emails: it.emails.into_iter().map(email).collect(),
            urls: it.urls.into_iter().map(url).collect(),
            addresses: it.addresses.into_iter().map(address).collect(),
            org: it.org.map(|CardOrganization { company, department, title }| OrganizationRow {
                company,
                department,
                title,
            }),
            birthday: it.birthday,
        }
    }
}

impl From<ContactRow> for ContactCard {
    fn from(it: ContactRow) -> Self {
        let NameRow { formatted_name, first_name, last_name, middle_name, suffix, prefix } =
            it.name;
        let phone = |PhoneRow { phone, kind, wa_id }| CardPhone { phone, kind, wa_id };
        let address = |it: AddressRow| {
            let AddressRow { street, city, state, zip, country, country_code, kind } = it;
            CardAddress { street, city, state, zip, country, country_code, kind }
        };
        let email = |EmailRow { email, kind }| CardEntry { value: email, kind };
        let url = |UrlRow { url, kind }| CardEntry { value: url, kind };
        Self {
            name: CardName { formatted_name, first_name, last_name, middle_name, suffix, prefix },
            phones: it.phones.into_iter().map(phone).collect(),
            emails: it.emails.into_iter().map(email).collect(),
            urls: it.urls.into_iter().map(url).collect(),
            addresses: it.addresses.into_iter().map(address).collect(),
            org: it.org.map(|OrganizationRow { company, department, title }| CardOrganization {
                company,
                department,
                title,
            }),
            birthday: it.birthday,
        }
    }
}
