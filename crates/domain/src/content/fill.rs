//! Fills a template in: are the parameters those it wants, and what will a person read?

use super::{ButtonKind, Parameter, ParameterPlace, TemplateContent};
use crate::media::MediaKind;
use crate::template::variables::variables;
use crate::template::{Definition, HeaderPart};

/// The parameters do not match the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `header`, `body` or `button 0`.
    pub place: String,
    /// How many parameters the template wants there.
    pub expected: usize,
    /// How many came.
    pub received: usize,
    /// Which kind it wants there, where the number is right and the kind is not.
    pub wanted: Option<&'static str>,
}

/// Whether `content` brings the parameters that `template` wants, in number and kind.
pub fn check(template: &Definition, content: &TemplateContent) -> Result<(), Mismatch> {
    let header = content.parameters_of(ParameterPlace::Header);
    match &template.header {
        Some(HeaderPart::Media(kind)) => {
            let wanted = crate::keyword::Keyword::as_str(*kind);
            expect("header", 1, header, |parameter| is_file(parameter, *kind), wanted)?;
        }
        Some(HeaderPart::Text(text)) => words("header", text, header)?,
        None => words("header", "", header)?,
    }
    words("body", &template.body, content.parameters_of(ParameterPlace::Body))?;
    for part in &content.components {
        let ParameterPlace::Button(kind, index) = part.place else {
            continue;
        };
        let place = format!("button {index}");
        let button = template.buttons.get(usize::from(index));
        match (button, kind) {
            (None, _) => expect(&place, 0, &part.parameters, |_| true, "text")?,
            (Some(_), ButtonKind::QuickReply | ButtonKind::CopyCode) => {
                let fits = |p: &Parameter| {
                    !matches!(
                        p,
                        Parameter::Image(_) | Parameter::Video(_) | Parameter::Document(..)
                    )
                };
                expect(&place, 1, &part.parameters, fits, "payload")?;
            }
            (Some(button), ButtonKind::Url) => {
                words(&place, button.url.as_deref().unwrap_or_default(), &part.parameters)?;
            }
        }
    }
    for (index, button) in template.buttons.iter().enumerate() {
        let variables = button.url.as_deref().map_or(0, |url| variables(url).len());
        let place = u8::try_from(index).map(|index| ParameterPlace::Button(ButtonKind::Url, index));
        let given = place.map_or(0, |place| content.parameters_of(place).len());
        if variables != given && variables > 0 {
            let place = format!("button {index}");
            return Err(Mismatch { place, expected: variables, received: given, wanted: None });
        }
    }
    Ok(())
}

fn words(place: &str, text: &str, given: &[Parameter]) -> Result<(), Mismatch> {
    let names = variables(text);
    let is_text = |parameter: &Parameter| matches!(parameter, Parameter::Text { .. });
    expect(place, names.len(), given, is_text, "text")?;
    // Named variables are filled by name, each once.
    let positional = names.iter().all(|name| name.bytes().all(|b| b.is_ascii_digit()));
    let filled = |name: &&str| {
        let by_name =
            |p: &Parameter| matches!(p, Parameter::Text { name: Some(n), .. } if n == name);
        positional || given.iter().any(by_name)
    };
    let found = names.iter().copied().filter(|name| filled(name)).count();
    if found == names.len() {
        return Ok(());
    }
    Err(Mismatch {
        place: place.to_owned(),
        expected: names.len(),
        received: found,
        wanted: Some("text with a matching parameter_name"),
    })
}

fn expect(
    place: &str,
    expected: usize,
    given: &[Parameter],
    fits: impl Fn(&Parameter) -> bool,
    wanted: &'static str,
) -> Result<(), Mismatch> {
    let mismatch =
        |wanted| Mismatch { place: place.to_owned(), expected, received: given.len(), wanted };
    if given.len() != expected {
        return Err(mismatch(None));
    }
    if given.iter().all(fits) { Ok(()) } else { Err(mismatch(Some(wanted))) }
}

const fn is_file(parameter: &Parameter, kind: MediaKind) -> bool {
    matches!(
        (parameter, kind),
        (Parameter::Image(_), MediaKind::Image)
            | (Parameter::Video(_), MediaKind::Video)
            | (Parameter::Document(..), MediaKind::Document)
    )
}

/// The text a person will read: header, body and footer, a line apart, filled in.
#[must_use]
pub fn render(template: &Definition, content: &TemplateContent) -> String {
    let mut lines = Vec::new();
    match &template.header {
        Some(HeaderPart::Text(text)) => {
            lines.push(filled(text, content.parameters_of(ParameterPlace::Header)));
        }
        Some(HeaderPart::Media(kind)) => lines.push(format!("[{kind}]")),
        None => {}
    }
    lines.push(filled(&template.body, content.parameters_of(ParameterPlace::Body)));
    lines.extend(template.footer.clone());
    lines.join("\n")
}

fn filled(text: &str, parameters: &[Parameter]) -> String {
    let mut pieces = text.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((name, rest)) = piece.split_once("}}") else {
            out.push_str("{{");
            out.push_str(piece);
            continue;
        };
        out.push_str(value(name.trim(), parameters).unwrap_or(name));
        out.push_str(rest);
    }
    out
}

fn value<'a>(variable: &str, parameters: &'a [Parameter]) -> Option<&'a str> {
    let by_position =
        variable.parse::<usize>().ok().and_then(|n| parameters.get(n.checked_sub(1)?));
    let by_name = || {
        let called = |p: &&Parameter| matches!(p, Parameter::Text { name: Some(name), .. } if name == variable);
        parameters.iter().find(called)
    };
    match by_position.or_else(by_name)? {
        Parameter::Text { text, .. } => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ComponentParameters;
    use crate::template::{Language, TemplateName};
    use crate::violation::{Field, Violations};

    fn text(text: &str) -> Parameter {
        Parameter::Text { name: None, text: text.into() }
    }

    fn content(components: Vec<ComponentParameters>) -> TemplateContent {
        let mut faults = Violations::default();
        let at = Field::root("x");
        assert!(Language::parse(&at, Some("en"), &mut faults).is_some());
        assert!(TemplateName::parse(&at, Some("t"), &mut faults).is_some());
        TemplateContent::parse(Some("t"), Some("en"), components, &mut faults).unwrap()
    }

    fn body(parameters: Vec<Parameter>) -> TemplateContent {
        content(vec![ComponentParameters::new(ParameterPlace::Body, parameters)])
    }

    fn order() -> Definition {
        let body = "Hello {{1}}, order {{2}} for {{1}} is on its way".into();
        Definition { body, ..Definition::default() }
    }

    #[test]
    fn variables_are_counted_once_and_filled_everywhere() {
        let full = body(vec![text("Ada"), text("42")]);
        assert_eq!(check(&order(), &full), Ok(()));
        assert_eq!(render(&order(), &full), "Hello Ada, order 42 for Ada is on its way");
    }

    #[test]
    fn a_wrong_number_says_both_numbers() {
        let wrong = check(&order(), &body(vec![text("Ada")])).unwrap_err();
        assert_eq!((wrong.place.as_str(), wrong.expected, wrong.received), ("body", 2, 1));
        assert_eq!(check(&order(), &content(vec![])).unwrap_err().received, 0);
    }

    #[test]
    fn a_file_header_wants_its_kind_of_file() {
        let header = Some(HeaderPart::Media(MediaKind::Image));
        let template = Definition { header, body: "Hi".into(), ..Definition::default() };
        let wrong =
            content(vec![ComponentParameters::new(ParameterPlace::Header, vec![text("x")])]);
        assert_eq!(check(&template, &wrong).unwrap_err().wanted, Some("image"));
    }

    #[test]
    fn parameters_for_a_button_that_is_not_there_are_too_many() {
        let part =
            ComponentParameters::new(ParameterPlace::Button(ButtonKind::Url, 3), vec![text("x")]);
        let wrong = check(&Definition::default(), &content(vec![part])).unwrap_err();
        assert_eq!((wrong.expected, wrong.received), (0, 1));
    }

    #[test]
    fn named_variables_are_filled_by_name() {
        let template = Definition { body: "Hello {{first_name}}!".into(), ..Definition::default() };
        let named = Parameter::Text { name: Some("first_name".into()), text: "Ada".into() };
        assert_eq!(check(&template, &body(vec![named.clone()])), Ok(()));
        assert_eq!(render(&template, &body(vec![named])), "Hello Ada!");
        assert!(check(&template, &body(vec![text("Ada")])).is_err());
    }
}
