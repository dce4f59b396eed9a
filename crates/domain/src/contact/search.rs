//! Decides whether a search text matches a contact.

/// Minimum number of digits in a search for a part of a phone number.
const MIN_DIGITS: usize = 3;

/// Whether a search text matches a contact. If the text is a number of at least three digits, its
/// digits must be a part of the phone number. Otherwise, each word of the text must be the
/// beginning of a word in one of the names.
#[must_use]
pub fn is_named_by<'a>(
    names: impl IntoIterator<Item = &'a str>,
    phone_number: Option<&str>,
    search: &str,
) -> bool {
    let search = search.to_lowercase();
    let digits: String = search.chars().filter(char::is_ascii_digit).collect();
    let is_number = search.chars().all(|it| it.is_ascii_digit() || " +-().".contains(it));
    if is_number && digits.len() >= MIN_DIGITS {
        return phone_number.is_some_and(|number| number.contains(&digits));
    }
    let names: Vec<String> = names.into_iter().map(str::to_lowercase).collect();
    let mut words = search.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| {
            names.iter().flat_map(|it| it.split_whitespace()).any(|it| it.starts_with(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_found_by_the_beginnings_of_words_and_by_digits() {
        let is_found =
            |search| is_named_by(["Hannah Weiß", "hannah.w"], Some("+12025550110"), search);
        for search in ["han", "WEI", "weiß hannah", "hannah.w", "555 0110", "+1 (202) 555"] {
            assert!(is_found(search), "{search}");
        }
        for search in ["", "  ", "annah", "hannah x", "0111", "11", "+"] {
            assert!(!is_found(search), "{search}");
        }
        assert!(!is_named_by([], None, "202"));
    }
}
