//! A place on the map, in Meta's shape.

use domain::location::{Location, MAX_PLACE_LENGTH};
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place on the map.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Location")]
pub struct LocationWire {
    /// Degrees north.
    #[schemars(required, range(min = -90, max = 90))]
    latitude: Option<f64>,
    /// Degrees east.
    #[schemars(required, range(min = -180, max = 180))]
    longitude: Option<f64>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    name: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    address: Option<String>,
}

impl LocationWire {
    /// Reads it, with all its faults.
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Location> {
        let words = (self.name.as_deref(), self.address.as_deref());
        Location::parse(at, (self.latitude, self.longitude), words, faults)
    }
}
