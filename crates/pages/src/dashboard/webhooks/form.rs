//! The form that creates or changes a webhook endpoint.

use crate::browser::Form;
use crate::dashboard::fields::{DESCRIPTION, URL};
use domain::event::{EventKind, Topic};
use domain::keyword::Keyword as _;
use domain::webhook::{InvalidSelection, Selection, is_selectable};
use http_layer::deps::ServerDeps;
use service::endpoints::{self, EndpointError, EndpointInput};

/// The value of the field `which` if all events are selected.
const ALL: &str = "all";

/// The checkbox of an event.
pub struct Choice {
    pub name: &'static str,
    /// The description of the event.
    pub about: &'static str,
    pub selected: bool,
}

/// The content of the form.
pub struct EndpointFields {
    pub url: String,
    pub description: String,
    /// Whether all events are selected.
    pub all: bool,
    /// The checkboxes of events, grouped under headings.
    pub groups: Vec<(&'static str, Vec<Choice>)>,
}

impl EndpointFields {
    /// Fills the form with these values. If `selection` is `None`, no checkbox is checked.
    pub fn of(url: &str, description: &str, selection: Option<Selection>) -> Self {
        let all = selection == Some(Selection::All);
        let selected = |kind| !all && selection.is_some_and(|it| it.includes(kind));
        Self {
            url: url.to_owned(),
            description: description.to_owned(),
            all,
            groups: groups(selected),
        }
    }

    /// Fills the form with the submitted values.
    pub fn again(form: &Form) -> Self {
        Self {
            url: URL.of(form).to_owned(),
            description: DESCRIPTION.of(form).to_owned(),
            all: form.value("which") == ALL,
            groups: groups(|kind| form.values("event").any(|event| event == kind.as_str())),
        }
    }
}

fn groups(selected: impl Fn(EventKind) -> bool) -> Vec<(&'static str, Vec<Choice>)> {
    let mut groups: Vec<(&'static str, Vec<Choice>)> = Vec::new();
    for kind in EventKind::ALL.iter().copied().filter(|kind| is_selectable(*kind)) {
        let choice = Choice {
            name: kind.as_str(),
            about: kind.plain_description(),
            selected: selected(kind),
        };
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
        Topic::Message(_) | Topic::MessageRevision | Topic::ScheduledMessage => "Messages",
        Topic::Template | Topic::TemplateChange => "Templates",
        Topic::Account => "Numbers",
        Topic::Conversation(_)
        | Topic::Contact
        | Topic::ContactUpdate
        | Topic::ContactMerge
        | Topic::ContactDeletion
        | Topic::ConversationUpdate
        | Topic::ConversationWindow
        | Topic::Note
        | Topic::Handover
        | Topic::Turn => "Conversations and contacts",
        Topic::Connection | Topic::Key => "Connected apps",
        Topic::EndpointHealth => "Webhook endpoints",
        Topic::Plan | Topic::Endpoint => "Plan",
    }
}

/// Parses a submitted form.
pub fn read<'a>(deps: &ServerDeps, form: &'a Form) -> Result<EndpointInput<'a>, EndpointError> {
    let (url, description) = (URL.of(form), DESCRIPTION.of(form));
    match selection(form) {
        Ok(events) => Ok(EndpointInput { url, description, events }),
        Err(why) => Err(endpoints::without_events(deps, url, description, why)),
    }
}

fn selection(form: &Form) -> Result<Selection, InvalidSelection> {
    if form.value("which") == ALL {
        Ok(Selection::All)
    } else {
        Selection::parse(form.values("event"))
    }
}
