//! Mentions of members in notes: `@` and a name (`docs/contract.md#inbox`).

use crate::id::MemberId;
use std::collections::BTreeSet;

/// Returns the members whom a text mentions. A whole name counts before a first name, and a first name
/// means everybody who has it. Names are compared without regard to case.
pub fn mentioned<'a>(
    text: &str,
    members: impl IntoIterator<Item = (MemberId, &'a str)>,
) -> BTreeSet<MemberId> {
    let names: Vec<(MemberId, String)> =
        members.into_iter().map(|(id, name)| (id, name.trim().to_lowercase())).collect();
    let text = text.to_lowercase();
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices('@') {
        let (before, rest) = text.split_at(at);
        // An email address mentions nobody.
        if before.chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let rest = rest.trim_start_matches('@');
        let whole = names.iter().filter(|(_, name)| begins_with(rest, name));
        let longest = whole.clone().map(|(_, name)| name.len()).max();
        let of_first_name = |name: &str| name.split_whitespace().next().unwrap_or_default().len();
        match longest {
            Some(longest) => {
                found.extend(whole.filter(|(_, name)| name.len() == longest).map(|(id, _)| *id));
            }
            None => found.extend(names.iter().filter_map(|(id, name)| {
                let first = name.get(..of_first_name(name))?;
                begins_with(rest, first).then_some(*id)
            })),
        }
    }
    found
}

/// Whether a text begins with a name, and no letter or digit follows it.
fn begins_with(text: &str, name: &str) -> bool {
    let after = text.strip_prefix(name).filter(|_| !name.is_empty());
    after.is_some_and(|rest| !rest.chars().next().is_some_and(char::is_alphanumeric))
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
}
