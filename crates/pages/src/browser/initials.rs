//! The letters that stand for a person or an application where there is no picture.

/// Returns one or two capital letters: the first letters of the first two words, or the first two
/// letters of a single word. For a phone number, returns the last two digits.
#[must_use]
pub fn initials(name: &str) -> String {
    if name.starts_with('+') {
        let first = name.len().saturating_sub(2);
        return name.get(first..).unwrap_or_default().to_owned();
    }
    let words: Vec<&str> =
        name.split([' ', '.', '-', '_', '@']).filter(|it| !it.is_empty()).collect();
    let letters: String = match words.as_slice() {
        [first, second, ..] if !name.contains('@') => {
            first.chars().take(1).chain(second.chars().take(1)).collect()
        }
        [first, ..] => first.chars().take(2).collect(),
        [] => String::new(),
    };
    letters.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_letters_stand_for_a_name() {
        let names = ["Ana Ruiz", "Partner CRM", "ada@acme.example", "X", "", "+12025550143", "+"];
        assert_eq!(names.map(initials), ["AR", "PC", "AD", "X", "", "43", "+"]);
    }
}
