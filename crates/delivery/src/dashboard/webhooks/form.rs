//! The form that an endpoint is made and changed with.

use crate::browser::Form;
use crate::endpoints::{EndpointError, Wished};
use domain::event::{EventKind, Topic};
use domain::webhook::{Selection, UnknownEvent, is_selectable};
use domain::word::Word as _;

/// A box that can be ticked.
pub struct Choice {
    /// The event's name.
    pub name: &'static str,
    /// When it happens.
    pub about: &'static str,
    /// Whether it is ticked.
    pub ticked: bool,
}

/// The fields as they are shown.
pub struct Fields {
    /// Where events are sent.
    pub url: String,
    /// What the endpoint is for.
    pub description: String,
    /// Whether it wants all events.
    pub all: bool,
    /// The events by their subject.
    pub groups: Vec<(&'static str, Vec<Choice>)>,
}

impl Fields {
    /// With these values.
    pub fn of(url: &str, description: &str, selection: Selection) -> Self {
        let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
        for kind in EventKind::ALL.iter().copied().filter(|kind| is_selectable(*kind)) {
            let choice = Choice {
                name: kind.as_str(),
                about: kind.in_plain_words(),
                ticked: selection != Selection::All && selection.wants(kind),
            };
            let heading = heading(kind);
            match groups.iter_mut().find(|(group, _)| *group == heading) {
                Some((_, choices)) => choices.push(choice),
                None => groups.push((heading, vec![choice])),
            }
        }
        let all = selection == Selection::All;
        Self { url: url.to_owned(), description: description.to_owned(), all, groups }
    }

    /// As they came in, with what can be read of them.
    pub fn again(form: &Form) -> Self {
        let selection = selection(form).unwrap_or(Selection::All);
        Self::of(form.value("url"), form.value("description"), selection)
    }
}

const fn heading(kind: EventKind) -> &'static str {
    match kind.topic() {
        Topic::Message(_) => "Messages",
        Topic::Template => "Templates",
        Topic::Conversation(_) | Topic::Contact => "Conversations and contacts",
        Topic::Connection => "Connected apps",
        Topic::Plan | Topic::Endpoint => "Plan",
    }
}

/// What a form asks for.
pub fn read(form: &Form) -> Result<Wished<'_>, EndpointError> {
    let events = selection(form)?;
    Ok(Wished { url: form.value("url"), description: form.value("description"), events })
}

/// Who wants some events ticks them; no tick at all is taken for all.
fn selection(form: &Form) -> Result<Selection, UnknownEvent> {
    if form.value("which") == "all" {
        Ok(Selection::All)
    } else {
        Selection::parse(form.values("event"))
    }
}
