//! Renders the text of a template, filled in with the examples of its variables.

use super::preview::render;
use crate::content::{
    CardParameters, ComponentParameters, Parameter, ParameterPlace, TemplateContent,
};
use crate::template::parts::in_either_case;
use crate::template::variables::variables;
use crate::template::{
    BodyPart, ComponentType, Definition, ExampleInput, HeaderPart, Language, PartInput,
    TemplateName,
};

/// The highest number of a numbered variable for which an example is filled in. A text of the
/// maximum length cannot have more variables.
const MAX_POSITION: usize = 256;
/// The example code, which is shown in the text of a template for one-time codes.
const ONE_TIME_CODE: &str = "123456";

/// Renders the text of a template, in which each variable is replaced with its example. A variable
/// without an example stays as it is written, such as `{{1}}`.
#[must_use]
pub fn render_examples(template: &Definition, parts: &[PartInput<'_>]) -> String {
    let example = |kind: ComponentType| {
        let of_kind =
            |it: &&PartInput<'_>| it.kind.and_then(in_either_case::<ComponentType>) == Some(kind);
        parts.iter().find(of_kind).and_then(|it| it.example.as_ref())
    };
    let mut components = Vec::new();
    if let Some(HeaderPart::Text(text)) = &template.header {
        components.push(filled(ParameterPlace::Header, text, example(ComponentType::Header)));
    }
    components.push(match &template.body {
        BodyPart::Text(text) => filled(ParameterPlace::Body, text, example(ComponentType::Body)),
        BodyPart::OneTimeCode { .. } => {
            let code = Parameter::Text { name: None, text: ONE_TIME_CODE.to_owned() };
            ComponentParameters::new(ParameterPlace::Body, vec![code])
        }
    });
    let cards = template.cards.iter().enumerate().filter_map(|(index, card)| {
        let body = filled(ParameterPlace::Body, card.body.as_deref()?, None);
        Some(CardParameters { index: u8::try_from(index).ok()?, components: vec![body] })
    });
    let (name, language) = (TemplateName::stored(String::new()), Language::stored(String::new()));
    render(template, &TemplateContent::stored(name, language, components, cards.collect()))
}

/// Returns parameters for the variables of `text`. Their values are the examples.
fn filled(
    place: ParameterPlace,
    text: &str,
    example: Option<&ExampleInput<'_>>,
) -> ComponentParameters {
    let names = variables(text);
    let value = |name: &str| {
        let example = example.and_then(|it| it.of(name));
        example.map_or_else(|| format!("{{{{{name}}}}}"), str::to_owned)
    };
    let last = names.iter().filter_map(|name| position(name)).max().unwrap_or_default();
    let by_position = (1..=last).map(|number| {
        let text = value(&number.to_string());
        Parameter::Text { name: None, text }
    });
    let by_name = names.iter().filter(|name| position(name).is_none());
    let by_name =
        by_name.map(|name| Parameter::Text { name: Some((*name).to_owned()), text: value(name) });
    ComponentParameters::new(place, by_position.chain(by_name).collect())
}

/// Returns the number of a numbered variable. Returns `None` for a named variable, and for a number
/// that is 0 or larger than [`MAX_POSITION`].
fn position(name: &str) -> Option<usize> {
    name.parse().ok().filter(|number| (1..=MAX_POSITION).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{CardPart, FooterPart};

    fn part<'a>(kind: &'a str, example: ExampleInput<'a>) -> PartInput<'a> {
        PartInput { kind: Some(kind), example: Some(example), ..PartInput::default() }
    }

    fn positional(examples: &[String]) -> ExampleInput<'_> {
        ExampleInput { positional: Some(examples), ..ExampleInput::default() }
    }

    #[test]
    fn examples_stand_in_the_place_of_their_variables() {
        let template = Definition {
            header: Some(HeaderPart::Text("For {{1}}".to_owned())),
            body: BodyPart::Text("Order {{2}} of {{1}}, {{3}} and {{99999999999}}.".to_owned()),
            footer: Some(FooterPart::Text("Acme".to_owned())),
            ..Definition::default()
        };
        let (header, body) = (["Ada".to_owned()], ["May".to_owned(), "{{3}}".to_owned()]);
        let parts = [part("header", positional(&header)), part("BODY", positional(&body))];
        assert_eq!(
            render_examples(&template, &parts),
            "For Ada\nOrder {{3}} of May, {{3}} and {{99999999999}}.\nAcme"
        );
    }

    #[test]
    fn named_variables_have_named_examples() {
        let body = BodyPart::Text("Hi {{first_name}}, {{day}}.".to_owned());
        let template = Definition { body, ..Definition::default() };
        let named = vec![(Some("first_name"), Some("Ada")), (Some("day"), Some(""))];
        let example = ExampleInput { named, ..ExampleInput::default() };
        assert_eq!(render_examples(&template, &[part("BODY", example)]), "Hi Ada, {{day}}.");
    }

    #[test]
    fn codes_and_cards_have_a_text() {
        let body = BodyPart::OneTimeCode { with_recommendation: false };
        let template = Definition { body, ..Definition::default() };
        assert_eq!(render_examples(&template, &[]), "123456 is your verification code.");
        let card = CardPart { body: Some("Only {{1}}".to_owned()), ..CardPart::default() };
        let body = BodyPart::Text("Look".to_owned());
        let template = Definition { body, cards: vec![card], ..Definition::default() };
        assert_eq!(render_examples(&template, &[]), "Look\n[card 1] Only {{1}}");
    }
}
