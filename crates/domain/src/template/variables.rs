//! The variables in a template's text: `{{1}}` or `{{first_name}}`.

use super::ParameterFormat;

/// Returns the names (or numbers) of the variables in a text, in the order of first use. Each is
/// returned once.
#[must_use]
pub fn variables(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for piece in text.split("{{").skip(1) {
        if let Some((name, _)) = piece.split_once("}}")
            && !names.contains(&name.trim())
        {
            names.push(name.trim());
        }
    }
    names
}

/// Returns a sentence that tells people the first fault of the variables in a text, or `None` if
/// they have no fault.
#[must_use]
pub fn fault(text: &str, format: ParameterFormat) -> Option<String> {
    if !is_balanced(text) {
        let message = "has braces that do not pair; a variable is written {{1}}, or {{first_name}} where \
                       parameter_format is named";
        return Some(message.to_owned());
    }
    let names = variables(text);
    match format {
        ParameterFormat::Positional => {
            let mut numbers = Vec::with_capacity(names.len());
            for name in &names {
                match name.parse::<u32>() {
                    Ok(number) if number > 0 && number.to_string() == *name => numbers.push(number),
                    _ => {
                        return Some(format!(
                            "has the variable {{{{{name}}}}}; positional ones are written {{{{1}}}}, {{{{2}}}} …"
                        ));
                    }
                }
            }
            numbers.sort_unstable();
            let gap = (1_u32..).zip(&numbers).find(|(place, number)| place != *number);
            gap.map(|(place, _)| {
                format!("has a gap in its variables: {{{{{place}}}}} is missing")
            })
        }
        ParameterFormat::Named => {
            names.iter().find(|name| !is_name(name)).map(|name| {
                format!(
                    "has the variable {{{{{name}}}}}; a name has lowercase letters, digits and underscores and begins with a letter"
                )
            })
        }
    }
}

/// Whether a text begins or ends with a variable. The reviewer rejects such texts.
#[must_use]
pub fn at_an_end(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("{{") || text.ends_with("}}")
}

/// Whether the braces of a text are in order. Every `{{` must be closed by `}}` before the next
/// `{{`. Between them there must be a name without white space or braces.
fn is_balanced(text: &str) -> bool {
    let mut pieces = text.split("{{");
    let before = pieces.next().unwrap_or_default();
    !before.contains("}}")
        && pieces.all(|piece| {
            piece.split_once("}}").is_some_and(|(name, after)| {
                !name.is_empty()
                    && !name.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}'))
                    && !after.contains("}}")
            })
        })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParameterFormat::{Named, Positional};
    use proptest::prelude::*;

    #[test]
    fn positional_variables_count_from_one_without_gaps() {
        for good in ["", "a", "a {{1}} b", "a {{2}} b {{1}} c {{1}} d", "{ } {a}"] {
            assert_eq!(fault(good, Positional), None, "{good}");
        }
        for bad in [
            "{{2}}",
            "{{1}} {{3}}",
            "{{0}} {{1}}",
            "{{01}}",
            "{{a}}",
            "{{ 1 }}",
            "{{}}",
            "{{1",
            "1}}",
            "{{1}}}}",
            "{{{1}}}",
            "{{1} }",
            "{{-1}}",
            "{{{{1}}}}",
            "{{99999999999}}",
        ] {
            assert!(fault(bad, Positional).is_some(), "{bad}");
        }
    }

    #[test]
    fn names_are_lowercase() {
        assert_eq!(fault("Hi {{first_name}}, {{x2}}", Named), None);
        for bad in ["{{First}}", "{{1}}", "{{a-b}}", "{{é}}"] {
            assert!(fault(bad, Named).is_some(), "{bad}");
        }
    }

    #[test]
    fn ends_are_found_past_spaces() {
        assert!(at_an_end(" {{1}} a") && at_an_end("a {{1}} \n") && !at_an_end("a {{1}}."));
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[{}0-9a-c ]{0,20}") {
            let right = fault(&text, Positional).is_none();
            if right {
                let count = variables(&text).len();
                for number in 1..=count {
                    prop_assert!(text.contains(&format!("{{{{{number}}}}}")), "{}", text);
                }
            }
        }
    }
}
