//! A template that somebody wants made: every rule that holds before the reviewer sees it
//! (`docs/contract.md#templates`).

use super::parts::{self, PartInput};
use super::{Category, Definition, Language, ParameterFormat, TemplateName};
use crate::violation::{Field, Violations};

/// The fields as they came in.
#[derive(Clone, Debug, Default)]
pub struct TemplateInput<'a> {
    /// `name`.
    pub name: Option<&'a str>,
    /// `language`.
    pub language: Option<&'a str>,
    /// `category`.
    pub category: Option<&'a str>,
    /// `parameter_format`.
    pub parameter_format: Option<&'a str>,
    /// `components`.
    pub components: Option<Vec<PartInput<'a>>>,
}

/// A template within all bounds, to be kept and submitted for review.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewTemplate {
    /// Its name.
    pub name: TemplateName,
    /// Its language.
    pub language: Language,
    /// What it is for.
    pub category: Category,
    /// How its variables are written.
    pub parameter_format: ParameterFormat,
    /// Its parts.
    pub definition: Definition,
}

impl NewTemplate {
    /// Reads a proposal, with all its faults.
    pub fn parse(proposal: &TemplateInput<'_>, faults: &mut Violations) -> Option<Self> {
        let name = TemplateName::parse(&Field::root("name"), proposal.name, faults);
        let language = Language::parse(&Field::root("language"), proposal.language, faults);
        let at = Field::root("category");
        let category = faults.require(&at, proposal.category);
        let category = category.and_then(|word| faults.word(&at, word));
        let at = Field::root("parameter_format");
        let parameter_format = proposal
            .parameter_format
            .map_or(Some(ParameterFormat::Positional), |word| faults.word(&at, word));
        // Variables cannot be judged while nobody knows how they are written.
        let format = parameter_format.unwrap_or(ParameterFormat::Positional);
        let at = Field::root("components");
        let components = faults.require(&at, proposal.components.as_deref());
        let definition = components.map(|parts| parts::parse(&at, parts, format, faults));
        Some(Self {
            name: name?,
            language: language?,
            category: category?,
            parameter_format: parameter_format?,
            definition: definition?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{ButtonInput, Example};

    fn body<'a>(text: &'a str, examples: &'a [String]) -> PartInput<'a> {
        let example = Example { positional: Some(examples), named: Vec::new() };
        let kind = Some("BODY");
        PartInput { kind, text: Some(text), example: Some(example), ..PartInput::default() }
    }

    fn faults(components: Vec<PartInput<'_>>, format: &str) -> Vec<(String, String)> {
        let proposal = TemplateInput {
            name: Some("order_update"),
            language: Some("en_US"),
            category: Some("utility"),
            parameter_format: Some(format),
            components: Some(components),
        };
        let mut faults = Violations::default();
        let parsed = NewTemplate::parse(&proposal, &mut faults);
        let found = faults.settle(parsed).map_or_else(Violations::into_vec, |_| Vec::new());
        found.into_iter().map(|it| (it.field, it.fault.to_string())).collect()
    }

    fn one(field: &str, fault: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), fault.to_owned())]
    }

    #[test]
    fn a_body_with_its_examples_is_enough() {
        let examples = ["Ada".to_owned(), "1024".to_owned()];
        assert_eq!(faults(vec![body("Hello {{1}}, {{2}} is sent.", &examples)], "positional"), []);
    }

    #[test]
    fn gaps_ends_and_missing_examples_are_faults() {
        let one_example = ["Ada".to_owned()];
        let of_text = one("components[0].text", "invalid_format");
        let of_example = one("components[0].example.body_text", "required");
        assert_eq!(faults(vec![body("Hello {{2}}.", &one_example)], "positional"), of_text);
        assert_eq!(faults(vec![body("{{1}} hello", &one_example)], "positional"), of_text);
        assert_eq!(faults(vec![body("Hello {{1}}.", &[])], "positional"), of_example);
        assert_eq!(faults(vec![body("A {{1}}, {{2}}.", &one_example)], "positional"), of_example);
    }

    #[test]
    fn a_variable_at_an_end_does_not_hide_that_examples_are_missing() {
        let found = faults(vec![body("{{1}} hello {{2}}", &["Ada".to_owned()])], "positional");
        let expected = [
            one("components[0].text", "invalid_format"),
            one("components[0].example.body_text", "required"),
        ];
        assert_eq!(found, expected.concat());
    }

    #[test]
    fn there_is_one_body_and_at_most_one_of_the_others() {
        assert_eq!(faults(vec![], "positional"), one("components", "required"));
        let twice = vec![body("A", &[]), body("B", &[])];
        assert_eq!(faults(twice, "positional"), one("components[1]", "duplicate"));
    }

    #[test]
    fn named_variables_have_named_examples() {
        let mut part = body("Hello {{first_name}}.", &[]);
        let field = "components[0].example.body_text_named_params";
        assert_eq!(faults(vec![part.clone()], "named"), one(field, "required"));
        part.example =
            Some(Example { positional: None, named: vec![(Some("first_name"), Some("Ada"))] });
        assert_eq!(faults(vec![part], "named"), []);
    }

    #[test]
    fn ten_buttons_are_enough() {
        let button =
            ButtonInput { kind: Some("QUICK_REPLY"), text: Some("Yes"), ..ButtonInput::default() };
        let buttons = |count| PartInput {
            kind: Some("buttons"),
            buttons: Some(vec![button.clone(); count]),
            ..PartInput::default()
        };
        assert_eq!(faults(vec![body("A", &[]), buttons(10)], "positional"), []);
        let found = faults(vec![body("A", &[]), buttons(11)], "positional");
        assert_eq!(found, one("components[1].buttons", "too_long"));
    }
}
