//! Locations, in Meta's format.

use domain::location::{Location, MAX_PLACE_LENGTH};
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A location.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Location")]
pub struct LocationWire {
    /// Degrees north. A numeric string is accepted too.
    #[schemars(required, with = "f64", range(min = -90, max = 90))]
    latitude: Option<Degrees>,
    /// Degrees east. A numeric string is accepted too.
    #[schemars(required, with = "f64", range(min = -180, max = 180))]
    longitude: Option<Degrees>,
    /// The name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    name: Option<String>,
    /// The address of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PLACE_LENGTH))]
    address: Option<String>,
}

/// Degrees. Meta accepts a number or a string; this service always writes a number.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "DegreesInput")]
struct Degrees(f64);

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number")]
enum DegreesInput {
    Number(f64),
    Text(String),
}

impl TryFrom<DegreesInput> for Degrees {
    type Error = &'static str;

    fn try_from(given: DegreesInput) -> Result<Self, Self::Error> {
        match given {
            DegreesInput::Number(degrees) => Ok(Self(degrees)),
            // A string can parse as infinity or NaN.
            DegreesInput::Text(text) => {
                let degrees: Option<f64> = text.trim().parse().ok();
                degrees.filter(|it| it.is_finite()).map(Self).ok_or("must be a number")
            }
        }
    }
}

impl LocationWire {
    /// Parses the location, and adds each violation to `faults`.
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Location> {
        Location::parse(
            at,
            self.latitude.map(|it| it.0),
            self.longitude.map(|it| it.0),
            self.name.as_deref(),
            self.address.as_deref(),
            faults,
        )
    }
}
