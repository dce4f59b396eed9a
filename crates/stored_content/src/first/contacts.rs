//! Contact cards.

use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, ContactCard,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct ContactRow {
    name: NameRow,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    phones: Vec<PhoneRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    emails: Vec<EmailRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    urls: Vec<UrlRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    addresses: Vec<AddressRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<OrganizationRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    birthday: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct NameRow {
    formatted_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    middle_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct PhoneRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wa_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct EmailRow {
    email: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct UrlRow {
    url: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct AddressRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    street: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_code: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct OrganizationRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    department: Option<String>,
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
