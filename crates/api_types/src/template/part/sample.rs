//! Template components for the examples of the reference.

use super::{ExampleRows, ExampleWire, PartWire};
use crate::object::Object;
use domain::keyword::Keyword as _;
use domain::template::ComponentType;

fn part(kind: ComponentType, text: &str) -> PartWire {
    let (kind, text) = (Some(kind.as_str().to_owned()), Some(text.to_owned()));
    PartWire { kind, text, ..PartWire::default() }
}

/// Returns a body with two variables, and a footer.
#[must_use]
pub fn components() -> Vec<Object<PartWire>> {
    let texts = ExampleRows(vec![vec!["Ada".to_owned(), "1042".to_owned()]]);
    let example = ExampleWire { body_text: Some(texts), ..ExampleWire::default() };
    let body = part(ComponentType::Body, "Hello {{1}}, your order {{2}} is on its way.");
    vec![
        Object(PartWire { example: Some(Object(example)), ..body }),
        Object(part(ComponentType::Footer, "Thank you for shopping with us")),
    ]
}
