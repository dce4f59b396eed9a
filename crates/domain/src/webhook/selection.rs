//! The kinds of events that are selected for a webhook endpoint.

use crate::event::EventKind;
use crate::keyword::Keyword as _;

/// The selected kinds of events: all, or some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All kinds of events, including kinds that later versions add.
    All,
    /// Some kinds of events. Each kind is one bit, in the order in which the kinds are declared.
    Some(u64),
}

/// The build fails if there are more kinds of events than bits in [`Selection::Some`].
const _: () = assert!(EventKind::ALL.len() <= u64::BITS as usize);

/// The reason why a list of names is not a selection of events.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSelection {
    /// The list is empty. An empty list does not select all events, because an empty list probably
    /// is a mistake.
    #[error("choose at least one event, or all events")]
    Empty,
    /// A name in the list is not the name of a kind of event, or is the name of a kind that cannot
    /// be selected.
    #[error("`{0}` is not an event to choose; `*` stands for all of them")]
    Unknown(String),
}

/// Whether events of this kind can be selected. Only the test event cannot: it is sent to one
/// endpoint that a member chooses.
#[must_use]
pub const fn is_selectable(kind: EventKind) -> bool {
    !matches!(kind, EventKind::WebhookTest)
}

impl Selection {
    /// Parses a list with at least one name. The name `*` selects all events.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidSelection> {
        let (mut bits, mut all) = (0, false);
        for name in names {
            if name == "*" {
                all = true;
                continue;
            }
            let kind = EventKind::from_keyword(name).filter(|kind| is_selectable(*kind));
            let kind = kind.ok_or_else(|| InvalidSelection::Unknown(name.to_owned()))?;
            bits |= 1 << kind as u64;
        }
        match (all, bits) {
            (true, _) => Ok(Self::All),
            (false, 0) => Err(InvalidSelection::Empty),
            (false, bits) => Ok(Self::Some(bits)),
        }
    }

    /// Parses the text in which a selection is stored: names separated by spaces, or `*`.
    ///
    /// # Errors
    ///
    /// The text contains a name that is not an event. Unknown names are not ignored.
    pub fn stored(text: &str) -> Result<Self, InvalidSelection> {
        Self::parse(text.split(' '))
    }

    /// Whether events of this kind are selected. The test event never is, because it is sent to one
    /// endpoint that a member chooses.
    #[must_use]
    pub fn includes(self, kind: EventKind) -> bool {
        let chosen = match self {
            Self::All => true,
            Self::Some(bits) => bits & (1 << kind as u64) != 0,
        };
        chosen && is_selectable(kind)
    }

    /// Returns the selected kinds of events, in the order in which they are declared. Returns an
    /// empty list if all are selected.
    #[must_use]
    pub fn chosen(self) -> Vec<EventKind> {
        match self {
            Self::All => Vec::new(),
            Self::Some(_) => {
                EventKind::ALL.iter().copied().filter(|kind| self.includes(*kind)).collect()
            }
        }
    }

    /// Returns the text in which the selection is stored: names separated by spaces, or `*`.
    #[must_use]
    pub fn written(self) -> String {
        match self {
            Self::All => "*".to_owned(),
            Self::Some(_) => {
                let names: Vec<&str> = self.chosen().iter().map(|kind| kind.as_str()).collect();
                names.join(" ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_unknown_name_is_named() {
        let wrong = Selection::parse(["message.sent", "message.send"]).unwrap_err();
        assert_eq!(wrong, InvalidSelection::Unknown("message.send".to_owned()));
        assert!(wrong.to_string().contains("`message.send`"));
        assert!(Selection::parse(["webhook.test"]).is_err());
    }

    #[test]
    fn no_name_is_no_selection() {
        assert_eq!(Selection::parse([]), Err(InvalidSelection::Empty));
    }

    #[test]
    fn the_asterisk_stands_for_all_but_the_test() {
        for names in [vec!["*"], vec!["message.sent", "*"]] {
            let all = Selection::parse(names).unwrap();
            assert_eq!(all, Selection::All);
            let wanted = EventKind::ALL.iter().filter(|kind| all.includes(**kind)).count();
            assert_eq!(wanted, EventKind::ALL.len() - 1);
        }
    }

    proptest! {
        #[test]
        fn wants_what_was_chosen_and_reads_what_it_writes(
            chosen in proptest::sample::subsequence(
                EventKind::ALL.iter().copied().filter(|kind| is_selectable(*kind)).collect::<Vec<_>>(),
                1..=EventKind::ALL.len() - 1,
            )
        ) {
            let selection = Selection::parse(chosen.iter().map(|kind| kind.as_str())).unwrap();
            for kind in EventKind::ALL {
                prop_assert_eq!(selection.includes(*kind), chosen.contains(kind));
            }
            let written = selection.written();
            prop_assert_eq!(Selection::stored(&written), Ok(selection));
            let unknown = Err(InvalidSelection::Unknown("message.sung".to_owned()));
            prop_assert_eq!(Selection::stored(&format!("{written} message.sung")), unknown);
        }
    }
}
