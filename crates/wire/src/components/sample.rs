//! What fills in the template of the examples.

use super::ComponentWire;
use super::parameter::ParameterWire;
use crate::object::Object;

/// Texts that fill in the variables of a body, in order.
#[must_use]
pub fn body(texts: &[&str]) -> ComponentWire {
    ComponentWire {
        kind: Some("body".to_owned()),
        parameters: texts.iter().map(|text| Object(ParameterWire::text(text))).collect(),
        ..ComponentWire::default()
    }
}
