//! Which events an endpoint wants.

use crate::event::EventKind;
use crate::keyword::Keyword as _;

/// The events an endpoint wants: some, or all there are and will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All, also those that a later version adds.
    All,
    /// These and no others, as bits in the order of their declaration.
    Some(u32),
}

/// Each event has a bit of its own.
const _: () = assert!(EventKind::ALL.len() <= u32::BITS as usize);

/// Why names are no selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSelection {
    /// No name at all. It does not stand for all events: who chooses none has overlooked something.
    #[error("choose at least one event, or all events")]
    Empty,
    /// A name that is no event's, or of one that cannot be chosen.
    #[error("`{0}` is not an event to choose; `*` stands for all of them")]
    Unknown(String),
}

/// What can be chosen: all but the test, which goes where it is meant to.
#[must_use]
pub const fn is_selectable(kind: EventKind) -> bool {
    !matches!(kind, EventKind::WebhookTest)
}

impl Selection {
    /// Reads names: at least one. `*` stands for all events.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidSelection> {
        let (mut bits, mut all) = (0, false);
        for name in names {
            if name == "*" {
                all = true;
                continue;
            }
            let kind = EventKind::from_keyword(name).filter(|kind| is_selectable(*kind));
            let kind = kind.ok_or_else(|| InvalidSelection::Unknown(name.to_owned()))?;
            bits |= 1 << kind as u32;
        }
        match (all, bits) {
            (true, _) => Ok(Self::All),
            (false, 0) => Err(InvalidSelection::Empty),
            (false, bits) => Ok(Self::Some(bits)),
        }
    }

    /// Reads what was stored: names with spaces between, or `*`. A name that is no event's is an error, not an event less.
    pub fn stored(text: &str) -> Result<Self, InvalidSelection> {
        Self::parse(text.split(' '))
    }

    /// Whether events of this kind are selected. A test never is: it goes to its own endpoint.
    #[must_use]
    pub fn includes(self, kind: EventKind) -> bool {
        let chosen = match self {
            Self::All => true,
            Self::Some(bits) => bits & (1 << kind as u32) != 0,
        };
        chosen && is_selectable(kind)
    }

    /// The chosen events, in the order of their declaration; none stands for all.
    #[must_use]
    pub fn chosen(self) -> Vec<EventKind> {
        match self {
            Self::All => Vec::new(),
            Self::Some(_) => {
                EventKind::ALL.iter().copied().filter(|kind| self.includes(*kind)).collect()
            }
        }
    }

    /// As it is kept: the names with spaces between, or `*`.
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
