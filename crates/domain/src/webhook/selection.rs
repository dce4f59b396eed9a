//! The events that a webhook endpoint selects.

use crate::event::EventKind;
use crate::keyword::Keyword as _;

/// The selected events: some events, or all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All events, including those added by later versions.
    All,
    /// Some events. Each has a bit, in order of declaration.
    Some(u64),
}

/// The build fails if there are more events than bits.
const _: () = assert!(EventKind::ALL.len() <= u64::BITS as usize);

/// The reason why names are not a selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSelection {
    /// There are no names. An empty list does not select all events, because it probably is a
    /// mistake.
    #[error("choose at least one event, or all events")]
    Empty,
    /// A name is not an event, or is that of an event that cannot be selected.
    #[error("`{0}` is not an event to choose; `*` stands for all of them")]
    Unknown(String),
}

/// Whether an event can be selected. Only the test event cannot, because it is sent to one given
/// endpoint.
#[must_use]
pub const fn is_selectable(kind: EventKind) -> bool {
    !matches!(kind, EventKind::WebhookTest)
}

impl Selection {
    /// Parses at least one name. `*` selects all events.
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

    /// Parses the stored form: names separated by spaces, or `*`.
    ///
    /// # Errors
    ///
    /// A name is not an event. Unknown names are not ignored.
    pub fn stored(text: &str) -> Result<Self, InvalidSelection> {
        Self::parse(text.split(' '))
    }

    /// Whether events of this kind are selected. A test event never is, because it is sent to one
    /// given endpoint.
    #[must_use]
    pub fn includes(self, kind: EventKind) -> bool {
        let chosen = match self {
            Self::All => true,
            Self::Some(bits) => bits & (1 << kind as u64) != 0,
        };
        chosen && is_selectable(kind)
    }

    /// Returns the selected events in order of declaration. Empty if all are selected.
    #[must_use]
    pub fn chosen(self) -> Vec<EventKind> {
        match self {
            Self::All => Vec::new(),
            Self::Some(_) => {
                EventKind::ALL.iter().copied().filter(|kind| self.includes(*kind)).collect()
            }
        }
    }

    /// Returns the stored form: names separated by spaces, or `*`.
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
