//! The sandbox's callbacks. They have Meta's format, with our own ids for the account and the
//! business.

use crate::callback::{CallbackEventKind, CallbackPart, ChannelRef, NumbersRef, PartContent};
use crate::cloud_api::callback;
use std::collections::BTreeSet;

/// Parses a callback into all of its parts, in order.
#[must_use]
pub fn parse(payload: &str) -> Vec<CallbackPart> {
    let mut parts = callback::parse(payload);
    for part in &mut parts {
        let PartContent::Event(event) = &mut part.content else { continue };
        let (CallbackEventKind::Progress { number: of, .. }
        | CallbackEventKind::Message { number: of, .. }
        | CallbackEventKind::Handover { number: of, .. }
        | CallbackEventKind::Revision { number: of, .. }
        | CallbackEventKind::Identity { number: of, .. }
        | CallbackEventKind::Preferences { number: of, .. }
        | CallbackEventKind::Account { numbers: NumbersRef { business: of, .. }, .. }
        | CallbackEventKind::Template { business: of, .. }
        | CallbackEventKind::TemplateUpdated { business: of, .. }) = &mut event.what;
        let ours = match of {
            ChannelRef::Theirs(text) => text.parse().ok(),
            ChannelRef::Ours(_) => None,
        };
        if let Some(ours) = ours {
            *of = ChannelRef::Ours(ours);
        }
    }
    parts
}

/// Returns the parts with these indexes, each as a callback of its own.
#[must_use]
pub fn parts_of(payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    callback::parts_of(payload, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Any text gives parts, and each part that is written as a callback of its own can be
        /// parsed again.
        #[test]
        fn anything_can_be_read(payload in "\\PC{0,40}|(\\{\"(entry|id|changes|value|field|statuses)\":|\\[|\"[a-z_0-9]{0,9}\"|[0-9]{1,3}|[\\]},]){0,20}") {
            let parts = parse(&payload);
            proptest::prop_assert!(!parts.is_empty());
            let all: BTreeSet<usize> = (0..parts.len()).collect();
            for alone in parts_of(&payload, &all) {
                proptest::prop_assert!(!parse(&alone).is_empty());
            }
        }
    }
}
