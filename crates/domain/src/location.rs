//! A place on a map.

use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the name of a place, and also in its address.
pub const MAX_PLACE_LENGTH: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Location {
    /// The latitude: degrees north of the equator, from −90 to 90.
    pub latitude: f64,
    /// The longitude: degrees east of Greenwich, from −180 to 180.
    pub longitude: f64,
    pub name: Option<String>,
    pub address: Option<String>,
}

impl Location {
    /// Builds a place from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(
        latitude: f64,
        longitude: f64,
        name: Option<String>,
        address: Option<String>,
    ) -> Self {
        Self { latitude, longitude, name, address }
    }

    pub fn parse(
        at: &Field<'_>,
        latitude: Option<f64>,
        longitude: Option<f64>,
        name: Option<&str>,
        address: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let latitude = degrees(&at.key("latitude"), latitude, 90.0, faults);
        let longitude = degrees(&at.key("longitude"), longitude, 180.0, faults);
        let name = faults.optional_text(&at.key("name"), name, MAX_PLACE_LENGTH);
        let address = faults.optional_text(&at.key("address"), address, MAX_PLACE_LENGTH);
        Some(Self { latitude: latitude?, longitude: longitude?, name, address })
    }

    /// Renders the place as text that people can read: its name and address, or its coordinates if
    /// it has neither.
    #[must_use]
    pub fn words(&self) -> String {
        match (&self.name, &self.address) {
            (None, None) => format!("{}, {}", self.latitude, self.longitude),
            (name, address) => {
                let words: Vec<&str> = name.iter().chain(address).map(String::as_str).collect();
                words.join(", ")
            }
        }
    }
}

fn degrees(at: &Field<'_>, value: Option<f64>, most: f64, faults: &mut Violations) -> Option<f64> {
    let value = faults.require(at, value)?;
    if value.abs() <= most {
        return Some(value);
    }
    faults.add(at, Fault::OutOfRange, format!("must be -{most} to {most}"));
    None
}
