//! The events in the reference: the data of each, and the envelope.

use domain::event::EventKind;
use domain::keyword::Keyword as _;
use serde_json::Value;
use wire::event::example;

/// An event with an example.
pub struct EventDoc {
    /// Its name.
    pub name: &'static str,
    /// When it happens.
    pub about: &'static str,
    /// An example of its envelope.
    pub example: String,
}

/// All events, in the order of their declaration.
pub fn event_docs() -> Vec<EventDoc> {
    let event_docs = |kind: &EventKind| EventDoc {
        name: kind.as_str(),
        about: kind.plain_description(),
        example: format!("{:#}", shown(*kind)),
    };
    EventKind::ALL.iter().map(event_docs).collect()
}

fn shown(kind: EventKind) -> Value {
    #[expect(clippy::disallowed_methods, reason = "what is made of our own types is JSON")]
    serde_json::to_value(example(kind)).unwrap_or_default()
}
