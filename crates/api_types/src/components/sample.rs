//! Template parameters for the examples of the reference.

use super::ComponentWire;
use super::parameter::ParameterWire;
use crate::object::Object;

/// Returns a body component with `texts` as its parameters, in order.
#[must_use]
pub fn body(texts: &[&str]) -> ComponentWire {
    ComponentWire {
        kind: Some("body".to_owned()),
        parameters: texts.iter().map(|text| Object(ParameterWire::text(text))).collect(),
        ..ComponentWire::default()
    }
}
