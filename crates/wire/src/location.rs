//! Locations, in Meta's format.

use domain::location::{Location, MAX_PLACE_LENGTH};
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A location.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Location")]
pub struct LocationWire {
    /// The latitude in degrees.
    #[schemars(required, range(min = -90, max = 90))]
    latitude: Option<f64>,
    /// The longitude in degrees.
    #[schemars(required, range(min = -180, max = 180))]
    longitude: Option<f64>,
    /// The name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    name: Option<String>,
    /// The address of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    address: Option<String>,
}

impl LocationWire {
    /// Parses the location, and adds each violation to `faults`.
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Location> {
        let words = (self.name.as_deref(), self.address.as_deref());
        Location::parse(at, (self.latitude, self.longitude), words, faults)
    }
}
