//! Lints messages: finds texts that the channel is known to reject, or to show differently than
//! they are written (`docs/contract.md#lint`). A message with findings is accepted all the same.

use super::{Content, Header};
use crate::template::{Category, Language, LintFinding, lint_text};
use crate::violation::Field;

/// Lints the texts of a message. `category` is the category of the template that the message uses.
/// It is `None` if the category is not known or the message uses no template.
#[must_use]
pub fn lint(content: &Content, category: Option<Category>) -> Vec<LintFinding> {
    let free = |at: &Field<'_>, text: &str| lint_text(None, at, text);
    match content {
        Content::Text(text) => free(&Field::root("text"), &text.text),
        Content::Media(media) => {
            media.caption.iter().flat_map(|it| free(&Field::root("caption"), it)).collect()
        }
        Content::Interactive(interactive) => {
            let root = Field::root("interactive");
            let (header, body) = (root.key("header"), root.key("body"));
            let footer = root.key("footer");
            let title = match &interactive.header {
                Some(Header::Text(text)) => Some(text),
                _ => None,
            };
            let texts = [
                (header, title),
                (body, interactive.body.as_ref()),
                (footer, interactive.footer.as_ref()),
            ];
            let texts = texts.into_iter().filter_map(|(at, text)| Some((at, text?)));
            texts.flat_map(|(at, text)| free(&at.key("text"), text)).collect()
        }
        Content::Template(template) => {
            // The category is not known for a template that was not created here. The rules for
            // marketing templates are the least strict, so they are applied.
            let category = category.unwrap_or(Category::Marketing);
            let of: (Category, &Language) = (category, &template.language);
            let root = Field::root("components");
            let mut found = Vec::new();
            for (index, part) in template.components.iter().enumerate() {
                let component = root.index(index);
                let parameters = component.key("parameters");
                for (index, parameter) in part.parameters.iter().enumerate() {
                    if let Some((_, text)) = parameter.words() {
                        let at = parameters.index(index);
                        found.extend(lint_text(Some(of), &at.key("text"), text));
                    }
                }
            }
            found
        }
        Content::Location(_)
        | Content::Contacts(_)
        | Content::Reaction(_)
        | Content::Channel(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{
        ComponentParameters, Parameter, ParameterPlace, TemplateContent, TextContent,
    };
    use crate::keyword::Keyword as _;
    use crate::violation::Violations;

    fn found(content: &Content, category: Option<Category>) -> Vec<(&'static str, String)> {
        lint(content, category).into_iter().map(|it| (it.rule.as_str(), it.field)).collect()
    }

    #[test]
    fn a_text_is_checked_without_the_rules_of_templates() {
        let text = |text: &str| {
            let text = TextContent::parse(Some(text), None, &mut Violations::default());
            Content::Text(text.unwrap())
        };
        assert_eq!(found(&text("Our sale begins today"), None), []);
        let expected =
            [("url_shortener", "text".to_owned()), ("unbalanced_formatting", "text".to_owned())];
        assert_eq!(found(&text("*See https://bit.ly/x"), None), expected);
    }

    #[test]
    fn parameters_are_checked_by_the_category_and_the_language_of_the_template() {
        let text = |text: &str| Parameter::Text { name: None, text: text.to_owned() };
        let parts = vec![
            ComponentParameters::new(ParameterPlace::Header, vec![text("1042")]),
            ComponentParameters::new(
                ParameterPlace::Body,
                vec![text("Ada"), text("10% discount"), text("Здравствуйте")],
            ),
        ];
        let mut faults = Violations::default();
        let content =
            TemplateContent::parse(Some("order"), Some("en"), parts, Vec::new(), &mut faults);
        let content = Content::Template(content.unwrap());
        let mismatch = ("language_mismatch", "components[1].parameters[2].text".to_owned());
        let promotion = ("promotional_word", "components[1].parameters[1].text".to_owned());
        let utility = found(&content, Some(Category::Utility));
        assert_eq!(utility, [promotion, mismatch.clone()]);
        assert_eq!(found(&content, None), [mismatch]);
    }
}
