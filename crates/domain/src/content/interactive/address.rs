//! An interactive message with a form for a postal address.

use crate::violation::{Fault, Field, Violations};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRequest {
    /// The country code (ISO 3166, two letters). The country decides which fields the form has.
    pub country: String,
    /// The initial values of the form's fields: a JSON object.
    pub values: Option<String>,
    /// The addresses that the contact can choose from: a JSON array.
    pub saved_addresses: Option<String>,
    /// The errors in the contact's earlier answer to the form: a JSON object.
    pub validation_errors: Option<String>,
}

impl AddressRequest {
    /// Parses the parameters of a form for a postal address.
    pub fn parse(
        at: &Field<'_>,
        country: Option<&str>,
        [values, saved_addresses, validation_errors]: [Option<String>; 3],
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("country");
        let country = faults.require(&field, country)?;
        if country.len() != 2 || !country.bytes().all(|it| it.is_ascii_uppercase()) {
            let message = "must be two capital letters, as in IN (ISO 3166)";
            faults.add(&field, Fault::InvalidFormat, message);
        }
        Some(Self { country: country.to_owned(), values, saved_addresses, validation_errors })
    }
}
