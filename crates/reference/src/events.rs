//! The events in the reference: the data of each, and the envelope.

use domain::event::EventKind;
use domain::keyword::Keyword as _;
use wire::event::example;
use wire::json;

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
        example: format!("{:#}", json::value(&example(*kind))),
    };
    EventKind::ALL.iter().map(event_docs).collect()
}
