//! Parses the texts of a template's components, with their variables and examples.

use super::{LocatedPart, MAX_LINE_LENGTH};
use crate::template::ParameterFormat;
use crate::template::variables::{at_an_end, fault, variables};
use crate::template::warning::Findings;
use crate::violation::Fault;

/// A component whose text may have variables, with the data that a check needs.
pub struct TextComponent<'a> {
    pub place: &'a LocatedPart<'a>,
    pub format: ParameterFormat,
    /// The names of two fields of the request: with examples for numbered variables, and with
    /// examples for named variables.
    pub examples: (&'static str, &'static str),
}

impl TextComponent<'_> {
    /// Parses the text of a header: one line with at most one variable.
    pub fn header(&self, findings: &mut Findings<'_>) -> Option<String> {
        let at = self.place.at.key("text");
        let text = findings.faults.required_text(&at, self.place.part.text, MAX_LINE_LENGTH)?;
        if variables(&text).len() > 1 {
            let message = "a header has at most one variable";
            findings.faults.add(&at, Fault::InvalidFormat, message);
            return None;
        }
        with_variables(self, &text, findings);
        Some(text)
    }
}

/// Parses the text of a footer: one line without variables.
pub fn footer(place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<String> {
    let at = place.at.key("text");
    let text = findings.faults.required_text(&at, place.part.text, MAX_LINE_LENGTH)?;
    if text.contains("{{") {
        findings.faults.add(&at, Fault::InvalidFormat, "a footer has no variables");
    }
    Some(text)
}

/// Checks the variables in a text. They must be well formed, must not be at the beginning or end of
/// the text, and must have examples.
pub fn with_variables(of: &TextComponent<'_>, text: &str, findings: &mut Findings<'_>) {
    let (place, (positional, named)) = (of.place, of.examples);
    let at = place.at.key("text");
    if let Some(message) = fault(text, of.format) {
        findings.faults.add(&at, Fault::InvalidFormat, message);
        return;
    }
    if at_an_end(text) {
        let message = "must not begin or end with a variable; put a word there";
        findings.faults.add(&at, Fault::InvalidFormat, message);
    }
    let wanted = variables(text);
    let example = place.part.example.as_ref();
    let at = place.at.key("example");
    let (at, given) = match of.format {
        ParameterFormat::Positional => {
            let examples = example.and_then(|it| it.positional).unwrap_or_default();
            let given = examples.iter().filter(|it| !it.is_empty()).count();
            (at.key(positional), given.min(wanted.len()))
        }
        ParameterFormat::Named => {
            let has = |name: &&&str| {
                example.into_iter().flat_map(|it| &it.named).any(|(of, value)| {
                    *of == Some(**name) && value.is_some_and(|value| !value.is_empty())
                })
            };
            (at.key(named), wanted.iter().filter(has).count())
        }
    };
    if given < wanted.len() {
        let count = wanted.len();
        let message = format!("needs an example for each of the {count} variables; {given} came");
        findings.faults.add(&at, Fault::Required, message);
    }
}
