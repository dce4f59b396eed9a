//! The events in the reference: the data of each event, and the envelope.

use api_types::event::example;
use api_types::json;
use domain::event::EventKind;
use domain::keyword::Keyword as _;

/// The documentation of one kind of event.
pub struct EventDoc {
    pub name: &'static str,
    /// A sentence that says when the event happens.
    pub about: &'static str,
    /// An example of the event's envelope, as JSON.
    pub example: String,
}

/// Returns all events in the order of their declaration.
pub fn event_docs() -> Vec<EventDoc> {
    let event_docs = |kind: &EventKind| EventDoc {
        name: kind.as_str(),
        about: kind.plain_description(),
        example: format!("{:#}", json::value(&example(*kind))),
    };
    EventKind::ALL.iter().map(event_docs).collect()
}
