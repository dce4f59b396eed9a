//! The form that an endpoint is made and changed with.

use crate::browser::Form;
use domain::event::{EventKind, Topic};
use domain::keyword::Keyword as _;
use domain::webhook::{InvalidSelection, Selection, is_selectable};
use service::endpoints::{EndpointError, EndpointInput};

/// What the form says where all events are wanted.
const ALL: &str = "all";

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
    /// With these values; nothing is ticked where the selection cannot be read.
    pub fn of(url: &str, description: &str, selection: Option<Selection>) -> Self {
        let all = selection == Some(Selection::All);
        let ticked = |kind| !all && selection.is_some_and(|it| it.wants(kind));
        Self {
            url: url.to_owned(),
            description: description.to_owned(),
            all,
            groups: groups(ticked),
        }
    }

    /// As they came in.
    pub fn again(form: &Form) -> Self {
        Self {
            url: form.value("url").to_owned(),
            description: form.value("description").to_owned(),
            all: form.value("which") == ALL,
            groups: groups(|kind| form.values("event").any(|event| event == kind.as_str())),
        }
    }
}

fn groups(ticked: impl Fn(EventKind) -> bool) -> Vec<(&'static str, Vec<Choice>)> {
    let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
    for kind in EventKind::ALL.iter().copied().filter(|kind| is_selectable(*kind)) {
        let choice =
            Choice { name: kind.as_str(), about: kind.plain_description(), ticked: ticked(kind) };
        let heading = heading(kind);
        match groups.iter_mut().find(|(group, _)| *group == heading) {
            Some((_, choices)) => choices.push(choice),
            None => groups.push((heading, vec![choice])),
        }
    }
    groups
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
pub fn read(form: &Form) -> Result<EndpointInput<'_>, EndpointError> {
    let events = selection(form)?;
    Ok(EndpointInput { url: form.value("url"), description: form.value("description"), events })
}

fn selection(form: &Form) -> Result<Selection, InvalidSelection> {
    if form.value("which") == ALL {
        Ok(Selection::All)
    } else {
        Selection::parse(form.values("event"))
    }
}
