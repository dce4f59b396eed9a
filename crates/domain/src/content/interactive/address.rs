//! A form for a postal address.

use crate::violation::{Fault, Field, Violations};

/// A form for a postal address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRequest {
    /// The country as ISO 3166 writes it, in two letters: it decides what is asked for.
    pub country: String,
    /// What is filled in already: a JSON object.
    pub values: Option<String>,
    /// Addresses to choose from: a JSON array.
    pub saved_addresses: Option<String>,
    /// What was wrong with an earlier answer: a JSON object.
    pub validation_errors: Option<String>,
}

impl AddressRequest {
    /// Reads the parameters of a form.
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
