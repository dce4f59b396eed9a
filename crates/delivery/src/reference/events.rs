//! The events, as the reference shows them: what each tells, and the envelope that it comes in.

use domain::event::EventKind;
use domain::word::Word as _;
use serde_json::Value;
use wire::event::example;

/// An event with an example.
pub struct Told {
    /// Its name.
    pub name: &'static str,
    /// When it happens.
    pub about: &'static str,
    /// An example of its envelope.
    pub example: String,
}

/// All events, in the order of their declaration.
pub fn told() -> Vec<Told> {
    let told = |kind: &EventKind| Told {
        name: kind.as_str(),
        about: kind.in_plain_words(),
        example: format!("{:#}", shown(*kind)),
    };
    EventKind::ALL.iter().map(told).collect()
}

fn shown(kind: EventKind) -> Value {
    serde_json::to_value(example(kind)).unwrap_or_default()
}
