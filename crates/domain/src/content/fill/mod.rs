//! Fills in a template: checks the parameters and renders the text that the contact will read.

mod buttons;
mod example;
mod preview;

pub use example::render_examples;
pub use preview::render;

use super::parameter::MAX_ONE_TIME_CODE_LENGTH;
use super::{CardParameters, ComponentParameters, Parameter, ParameterPlace, TemplateContent};
use crate::media::MediaKind;
use crate::template::variables::variables;
use crate::template::{BodyPart, CardPart, Definition, HeaderPart};

/// A difference between the parameters that a template takes and those that a message has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The place in the template: `header`, `body`, `button 0`, `card 1, button 0` or `carousel`.
    pub place: String,
    /// The number of parameters that the template takes at this place.
    pub expected: usize,
    /// The number of parameters that the message has for this place.
    pub received: usize,
    /// The kind of parameter that the template takes at this place. Set only if the message has the
    /// right number of parameters, but of a wrong kind.
    pub wanted: Option<&'static str>,
}

/// Checks that `content` has the parameters that `template` takes, in the right number and of the
/// right kinds.
pub fn check(template: &Definition, content: &TemplateContent) -> Result<(), Mismatch> {
    let given = Given { components: &content.components, card: None };
    given.header(template.header.as_ref())?;
    match &template.body {
        BodyPart::Text(text) => given.words("body", text, ParameterPlace::Body)?,
        BodyPart::OneTimeCode { .. } => given.one_time_code()?,
    }
    let ends = template.offer.as_ref().is_some_and(|offer| offer.has_expiration);
    let offer = given.parameters(ParameterPlace::LimitedTimeOffer);
    let is_end = |it: &Parameter| matches!(it, Parameter::OfferExpiration(_));
    given.expect("limited_time_offer", usize::from(ends), offer, is_end, "limited_time_offer")?;
    given.buttons(&template.buttons)?;
    cards(&template.cards, &content.cards)
}

/// Checks that the message has parameters for each card of the template, and only once for each.
fn cards(template: &[CardPart], given: &[CardParameters]) -> Result<(), Mismatch> {
    let wrong = |received| Mismatch {
        place: "carousel".to_owned(),
        expected: template.len(),
        received,
        wanted: None,
    };
    if given.len() != template.len() {
        return Err(wrong(given.len()));
    }
    for (index, card) in template.iter().enumerate() {
        let mut filled = given.iter().filter(|it| usize::from(it.index) == index);
        let (Some(filled), None) = (filled.next(), filled.next()) else {
            return Err(wrong(
                given.iter().filter(|it| usize::from(it.index) < template.len()).count(),
            ));
        };
        let given = Given { components: &filled.components, card: Some(index) };
        given.header(card.header.as_ref())?;
        given.words("body", card.body.as_deref().unwrap_or(""), ParameterPlace::Body)?;
        given.buttons(&card.buttons)?;
    }
    Ok(())
}

/// The parameters of a message for the components of a template, or for those of one card.
struct Given<'a> {
    components: &'a [ComponentParameters],
    card: Option<usize>,
}

impl<'a> Given<'a> {
    /// Returns the parameters for the component at `place`, or an empty list if the message has
    /// none.
    fn parameters(&self, place: ParameterPlace) -> &'a [Parameter] {
        parameters_of(self.components, place)
    }

    fn header(&self, template: Option<&HeaderPart>) -> Result<(), Mismatch> {
        let header = self.parameters(ParameterPlace::Header);
        let (fits, wanted): (fn(&Parameter) -> bool, _) = match template {
            None => return self.words("header", "", ParameterPlace::Header),
            Some(HeaderPart::Text(text)) => {
                return self.words("header", text, ParameterPlace::Header);
            }
            Some(HeaderPart::Unknown) => return Ok(()),
            Some(HeaderPart::Media(MediaKind::Image)) => {
                (|it| matches!(it, Parameter::Image(_)), "image")
            }
            Some(HeaderPart::Media(MediaKind::Video)) => {
                (|it| matches!(it, Parameter::Video(_)), "video")
            }
            Some(HeaderPart::Media(_)) => (|it| matches!(it, Parameter::Document(..)), "document"),
            Some(HeaderPart::Gif) => (|it| matches!(it, Parameter::Gif(_)), "gif"),
            Some(HeaderPart::Location) => (|it| matches!(it, Parameter::Location(_)), "location"),
            Some(HeaderPart::Product) => (|it| matches!(it, Parameter::Product { .. }), "product"),
        };
        self.expect("header", 1, header, fits, wanted)
    }

    /// Checks the one-time code that the message has for the body. The code is a text of at most 15
    /// characters. [`Given::buttons`] checks that the button has the same code.
    fn one_time_code(&self) -> Result<(), Mismatch> {
        let code = self.parameters(ParameterPlace::Body);
        let is_code = |it: &Parameter| {
            let text = it.words().map(|(_, text)| text);
            text.is_some_and(|text| text.chars().count() <= MAX_ONE_TIME_CODE_LENGTH)
        };
        self.expect("body", 1, code, is_code, "text of at most 15 characters")
    }

    fn words(&self, place: &str, text: &str, of: ParameterPlace) -> Result<(), Mismatch> {
        let (names, given) = (variables(text), self.parameters(of));
        self.expect(place, names.len(), given, |it| it.words().is_some(), "text")?;
        // Named variables are filled in by name, so each name needs a parameter of that name.
        let positional = names.iter().all(|name| name.bytes().all(|b| b.is_ascii_digit()));
        let filled = |name: &&str| {
            let by_name = |it: &Parameter| it.words().is_some_and(|(of, _)| of == Some(*name));
            positional || given.iter().any(by_name)
        };
        let found = names.iter().filter(|name| filled(name)).count();
        if found == names.len() {
            return Ok(());
        }
        let wanted = Some("text with a matching parameter_name");
        Err(self.mismatch(place, names.len(), found, wanted))
    }

    fn expect(
        &self,
        place: &str,
        expected: usize,
        given: &[Parameter],
        fits: impl Fn(&Parameter) -> bool,
        wanted: &'static str,
    ) -> Result<(), Mismatch> {
        if given.len() != expected {
            return Err(self.mismatch(place, expected, given.len(), None));
        }
        if given.iter().all(fits) {
            Ok(())
        } else {
            Err(self.mismatch(place, expected, given.len(), Some(wanted)))
        }
    }

    fn mismatch(
        &self,
        place: &str,
        expected: usize,
        received: usize,
        wanted: Option<&'static str>,
    ) -> Mismatch {
        let place = match self.card {
            Some(card) => format!("card {card}, {place}"),
            None => place.to_owned(),
        };
        Mismatch { place, expected, received, wanted }
    }
}

/// Returns the parameters for the component at `place`, or an empty list if there are none.
fn parameters_of(components: &[ComponentParameters], place: ParameterPlace) -> &[Parameter] {
    let found = components.iter().find(|part| part.place == place);
    found.map_or(&[], |part| &part.parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{ButtonKind, ComponentParameters};
    use crate::template::{ButtonType, CardPart, FooterPart, TemplateButton};
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
        TemplateContent::parse(Some("t"), Some("en"), components, Vec::new(), &mut faults).unwrap()
    }

    fn body(parameters: Vec<Parameter>) -> TemplateContent {
        content(vec![ComponentParameters::new(ParameterPlace::Body, parameters)])
    }

    fn order() -> Definition {
        let body = BodyPart::Text("Hello {{1}}, order {{2}} for {{1}} is on its way".into());
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
        assert_eq!(wrong.place, "body");
        assert_eq!(wrong.expected, 2);
        assert_eq!(wrong.received, 1);
        assert_eq!(check(&order(), &content(vec![])).unwrap_err().received, 0);
    }

    #[test]
    fn a_file_header_wants_its_kind_of_file() {
        let header = Some(HeaderPart::Media(MediaKind::Image));
        let template =
            Definition { header, body: BodyPart::Text("Hi".into()), ..Definition::default() };
        let wrong =
            content(vec![ComponentParameters::new(ParameterPlace::Header, vec![text("x")])]);
        assert_eq!(check(&template, &wrong).unwrap_err().wanted, Some("image"));
    }

    #[test]
    fn parameters_for_a_button_that_is_not_there_are_too_many() {
        let place = ParameterPlace::Button(ButtonKind::Url, 3);
        let part = ComponentParameters::new(place, vec![text("x")]);
        let wrong = check(&Definition::default(), &content(vec![part])).unwrap_err();
        assert_eq!(wrong.expected, 0);
        assert_eq!(wrong.received, 1);
    }

    #[test]
    fn named_variables_are_filled_by_name() {
        let template = Definition {
            body: BodyPart::Text("Hello {{first_name}}!".into()),
            ..Definition::default()
        };
        let named = Parameter::Text { name: Some("first_name".into()), text: "Ada".into() };
        assert_eq!(check(&template, &body(vec![named.clone()])), Ok(()));
        assert_eq!(render(&template, &body(vec![named])), "Hello Ada!");
        assert!(check(&template, &body(vec![text("Ada")])).is_err());
    }

    fn button(kind: ButtonType, url: Option<&str>) -> TemplateButton {
        TemplateButton { kind: Some(kind), text: "Go".into(), url: url.map(str::to_owned) }
    }

    fn code() -> Definition {
        Definition {
            body: BodyPart::OneTimeCode { with_recommendation: true },
            footer: Some(FooterPart::CodeExpiration(5)),
            buttons: vec![button(ButtonType::OneTimeCode, None)],
            ..Definition::default()
        }
    }

    fn of_button(kind: ButtonKind, parameter: Parameter) -> ComponentParameters {
        ComponentParameters::new(ParameterPlace::Button(kind, 0), vec![parameter])
    }

    #[test]
    fn a_one_time_code_comes_in_the_body_and_in_the_button() {
        let body = ComponentParameters::new(ParameterPlace::Body, vec![text("123456")]);
        let with = |parameter| content(vec![body.clone(), of_button(ButtonKind::Url, parameter)]);
        let right = with(text("123456"));
        assert_eq!(check(&code(), &right), Ok(()));
        let read = "123456 is your verification code. For your security, do not share this code.\n\
                    This code expires in 5 minutes.";
        assert_eq!(render(&code(), &right), read);
        let other = check(&code(), &with(text("654321"))).unwrap_err();
        assert_eq!(other.place, "button 0");
        assert_eq!(other.wanted, Some("text that is the code of the body"));
        let missing = check(&code(), &content(vec![body.clone()])).unwrap_err();
        assert_eq!(missing.expected, 1);
        assert_eq!(missing.received, 0);
        let long = ComponentParameters::new(ParameterPlace::Body, vec![text("1234567890123456")]);
        assert_eq!(check(&code(), &content(vec![long])).unwrap_err().place, "body");
    }

    #[test]
    fn every_card_of_a_carousel_is_filled_in_once() {
        let card = || CardPart {
            header: Some(HeaderPart::Media(MediaKind::Image)),
            body: Some("For {{1}} only".into()),
            buttons: vec![button(ButtonType::Url, Some("https://a.example/{{1}}"))],
        };
        let template = Definition { cards: vec![card(), card()], ..Definition::default() };
        let picture = crate::media::WebAddress::parse("https://a.example/1.png").unwrap();
        let filled = |index, url: &str| CardParameters {
            index,
            components: vec![
                ComponentParameters::new(
                    ParameterPlace::Header,
                    vec![Parameter::Image(picture.clone())],
                ),
                ComponentParameters::new(ParameterPlace::Body, vec![text("Ada")]),
                of_button(ButtonKind::Url, text(url)),
            ],
        };
        let with = |cards| TemplateContent { cards, ..content(vec![]) };
        let right = with(vec![filled(1, "b"), filled(0, "a")]);
        assert_eq!(check(&template, &right), Ok(()));
        assert_eq!(
            render(&template, &right),
            "\n[card 1] [image] For Ada only\n[card 2] [image] For Ada only"
        );
        let one = check(&template, &with(vec![filled(0, "a")])).unwrap_err();
        assert_eq!(one.place, "carousel");
        assert_eq!(one.expected, 2);
        assert_eq!(one.received, 1);
        assert!(check(&template, &with(vec![filled(0, "a"), filled(0, "a")])).is_err());
        let mut bare = filled(1, "b");
        bare.components.pop();
        let bare = check(&template, &with(vec![filled(0, "a"), bare])).unwrap_err();
        assert_eq!(bare.place, "card 1, button 0");
        assert_eq!(bare.expected, 1);
        assert_eq!(bare.received, 0);
    }

    #[test]
    fn an_offer_says_when_it_ends_and_brings_its_code() {
        let offer =
            Some(crate::template::OfferPart { text: "Expires!".into(), has_expiration: true });
        let buttons = vec![button(ButtonType::CopyCode, None)];
        let template = Definition { offer, buttons, ..Definition::default() };
        let coupon = || of_button(ButtonKind::CopyCode, Parameter::CouponCode("CARIBE25".into()));
        let end = Parameter::OfferExpiration(1_800_000_000_000);
        let end = ComponentParameters::new(ParameterPlace::LimitedTimeOffer, vec![end]);
        assert_eq!(check(&template, &content(vec![end.clone(), coupon()])), Ok(()));
        assert_eq!(
            check(&template, &content(vec![coupon()])).unwrap_err().place,
            "limited_time_offer"
        );
        assert_eq!(check(&template, &content(vec![end])).unwrap_err().place, "button 0");
    }

    #[test]
    fn what_this_version_does_not_know_is_left_to_the_channel() {
        let unknown = TemplateButton { kind: None, text: "Dance".into(), url: None };
        let template = Definition {
            header: Some(HeaderPart::Unknown),
            buttons: vec![unknown],
            ..Definition::default()
        };
        let header = ComponentParameters::new(ParameterPlace::Header, vec![text("x")]);
        let parts = vec![header, of_button(ButtonKind::Url, text("x"))];
        assert_eq!(check(&template, &content(parts)), Ok(()));
        assert_eq!(check(&template, &content(vec![])), Ok(()));
    }
}
