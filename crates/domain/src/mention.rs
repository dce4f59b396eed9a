//! Mentions of members in notes. A mention is an `@` followed by a member's name
//! (`docs/contract.md#inbox`).

use crate::id::MemberId;
use std::collections::BTreeSet;

/// A part of a text: either a mention with its `@`, or text without mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MentionPart<'a> {
    pub text: &'a str,
    pub is_mention: bool,
}

/// A mention in a text. It begins at the `@` and ends after the name. Both positions are in bytes.
struct Mention {
    start: usize,
    end: usize,
    members: Vec<MemberId>,
}

/// Returns the members whom a text mentions. If a whole name and a first name match at the same
/// place, only the whole name counts. A first name mentions every member who has that first name.
/// Upper-case and lower-case letters count as the same.
pub fn mentioned<'a>(
    text: &str,
    members: impl IntoIterator<Item = (MemberId, &'a str)>,
) -> BTreeSet<MemberId> {
    mentions(text, members).into_iter().flat_map(|it| it.members).collect()
}

/// Splits a text into parts: the mentions of these members, and the texts before, between and after
/// them.
pub fn split_at_mentions<'a, 'n>(
    text: &'a str,
    members: impl IntoIterator<Item = (MemberId, &'n str)>,
) -> Vec<MentionPart<'a>> {
    let (mut parts, mut done) = (Vec::new(), 0);
    let all = mentions(text, members);
    let rest = std::iter::once((text.len(), text.len()));
    for (start, end) in all.iter().map(|it| (it.start, it.end)).chain(rest) {
        for (from, to, is_mention) in [(done, start, false), (start, end, true)] {
            let part = text.get(from..to).filter(|it| !it.is_empty());
            parts.extend(part.map(|text| MentionPart { text, is_mention }));
        }
        done = end;
    }
    parts
}

/// Returns the mentions of these members in a text, in the order of their places.
fn mentions<'n>(
    text: &str,
    members: impl IntoIterator<Item = (MemberId, &'n str)>,
) -> Vec<Mention> {
    let names: Vec<(MemberId, &str)> =
        members.into_iter().map(|(id, name)| (id, name.trim())).collect();
    let mut found: Vec<Mention> = Vec::new();
    for (start, _) in text.match_indices('@') {
        let (before, rest) = text.split_at(start);
        // An `@` after a letter or digit, as in an email address, does not begin a mention.
        if before.chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        // An `@` inside an earlier mention does not begin another mention.
        if found.last().is_some_and(|it| start < it.end) {
            continue;
        }
        let rest = rest.trim_start_matches('@');
        let by_whole = |(id, name): &(MemberId, &str)| Some((*id, length_of_name(rest, name)?));
        let by_first =
            |(id, name): &(MemberId, &str)| Some((*id, length_of_name(rest, first_name(name))?));
        let whole: Vec<(MemberId, usize)> = names.iter().filter_map(by_whole).collect();
        let longest = whole.iter().map(|(_, length)| *length).max();
        let meant: Vec<(MemberId, usize)> = match longest {
            Some(longest) => whole.into_iter().filter(|(_, length)| *length == longest).collect(),
            None => names.iter().filter_map(by_first).collect(),
        };
        if let Some(length) = meant.iter().map(|(_, length)| *length).max() {
            let end = text.len() - rest.len() + length;
            let members = meant.into_iter().map(|(id, _)| id).collect();
            found.push(Mention { start, end, members });
        }
    }
    found
}

fn first_name(name: &str) -> &str {
    name.split_whitespace().next().unwrap_or_default()
}

/// Returns the number of bytes of `text` that are `name` in upper or lower case, or `None` if
/// `text` does not begin with it. No letter or digit may follow the name.
fn length_of_name(text: &str, name: &str) -> Option<usize> {
    let mut expected = name.chars().flat_map(folded).peekable();
    expected.peek()?;
    let mut rest = text.chars();
    while expected.peek().is_some() {
        for letter in folded(rest.next()?) {
            if expected.next() != Some(letter) {
                return None;
            }
        }
    }
    let after = rest.as_str();
    let is_whole = !after.chars().next().is_some_and(char::is_alphanumeric);
    is_whole.then(|| text.len() - after.len())
}

/// Returns the lowercase form of a letter, for comparing names. The Greek letter sigma has a second
/// lowercase form at the end of a word, which counts as the same letter.
fn folded(letter: char) -> impl Iterator<Item = char> {
    letter.to_lowercase().map(|it| if it == 'ς' { 'σ' } else { it })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn a_name_after_an_at_sign_mentions_its_member() {
        let [ana, ana_maria, priya, other_priya] =
            [1, 2, 3, 4].map(|it| MemberId::new(Timestamp::from_seconds(it), [0; 10]));
        let members = [
            (ana, "Ana Silva"),
            (ana_maria, "Ana Silva Costa"),
            (priya, "Priya Shah"),
            (other_priya, "Priya"),
        ];
        let of = |text: &str| mentioned(text, members).into_iter().collect::<Vec<_>>();
        assert_eq!(of("@Ana Silva, can you look?"), [ana]);
        assert_eq!(of("ask @ana silva costa!"), [ana_maria]);
        assert_eq!(of("@Ana"), [ana, ana_maria]);
        assert_eq!(of("@priya"), [other_priya]);
        assert_eq!(of("@PRIYA SHAH and @ana silva"), [ana, priya]);
        for text in ["@Anabel", "me@priya.example", "Priya", "@", "@@", "@ Ana", "@Bo"] {
            assert_eq!(of(text), [], "{text}");
        }
        assert_eq!(mentioned("@", [(ana, "")]).len(), 0);
    }

    #[test]
    fn a_text_is_divided_at_its_mentions() {
        let [ana, osman, nikos] =
            [1, 2, 3].map(|it| MemberId::new(Timestamp::from_seconds(it), [0; 10]));
        let members = [(ana, "Ana Silva"), (osman, "İsmail Ak"), (nikos, "Νίκος")];
        let of = |text| {
            let parts = split_at_mentions(text, members);
            parts.iter().map(|it| (it.text, it.is_mention)).collect::<Vec<_>>()
        };
        assert!(of("").is_empty());
        assert_eq!(of("Hello"), [("Hello", false)]);
        assert_eq!(of("@Ana"), [("@Ana", true)]);
        let expected = [("ask ", false), ("@@ANA silva", true), (" or ", false), ("@ana", true)];
        assert_eq!(of("ask @@ANA silva or @ana"), expected);
        // The lowercase form of a letter may have more or fewer bytes than its uppercase form.
        assert_eq!(of("@İSMAIL AK!"), [("@İSMAIL AK", true), ("!", false)]);
        assert_eq!(of("@ΝΊΚΟΣ, me@ana.example"), [("@ΝΊΚΟΣ", true), (", me@ana.example", false)]);
    }
}
