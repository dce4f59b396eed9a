//! Parameters of a template in a send, in Meta's format.

mod parameter;
pub mod sample;

use crate::object::Object;
use crate::schema::OneOf;
use domain::content::template::{CAROUSEL, COMPONENTS, MAX_CARD_INDEX, refuse_repeated};
use domain::content::{ButtonKind, CardParameters, ComponentParameters, ParameterPlace};
use domain::template::parts::MAX_CARDS;
use domain::violation::{Fault, Field, Violations};
use parameter::ParameterWire;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of one component of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateComponent")]
pub struct ComponentWire {
    /// The type of component that the parameters are for.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = COMPONENTS))]
    kind: Option<String>,
    /// For a button: the type of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<ButtonKind>>")]
    sub_type: Option<SubType>,
    /// For a button: its index, from `0` to `9`. A number is accepted too. Optional for `voice_call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    index: Option<Index>,
    /// The values of the variables, in order.
    #[serde(default)]
    #[schemars(length(max = MAX_PARAMETERS))]
    parameters: Vec<Object<ParameterWire>>,
    /// For `carousel`: the parameters of each card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_CARDS))]
    cards: Option<Vec<Object<CardWire>>>,
}

/// The parameters of one card of a carousel.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CardComponents")]
struct CardWire {
    /// The index of the card, from 0 to 9.
    #[schemars(required, range(min = 0, max = MAX_CARD_INDEX))]
    card_index: Option<i64>,
    /// The parameters of the card's components.
    #[schemars(required, length(max = MAX_COMPONENTS))]
    components: Option<Vec<Object<ComponentWire>>>,
}

/// A button type in lower case. Meta's own examples write it in either case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String")]
struct SubType(String);

impl From<String> for SubType {
    fn from(given: String) -> Self {
        Self(given.to_ascii_lowercase())
    }
}

/// A button index as a string. Meta writes it as a number or a string, but generated clients cannot
/// read a field of two types.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "IndexInput")]
struct Index(String);

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a string or an integer")]
enum IndexInput {
    Number(i64),
    Text(String),
}

impl From<IndexInput> for Index {
    fn from(given: IndexInput) -> Self {
        match given {
            IndexInput::Number(number) => Self(number.to_string()),
            IndexInput::Text(text) => Self(text),
        }
    }
}

/// Maximum number of components: one each of header, body, limited-time offer, order status, link
/// titles and carousel, and ten buttons.
pub const MAX_COMPONENTS: usize = 16;
/// Maximum number of parameters of a component. A template of 1024 characters has fewer variables.
const MAX_PARAMETERS: usize = 256;

/// The parameters of a template, and those of the cards of its carousel.
pub type TemplateParameters = (Vec<ComponentParameters>, Vec<CardParameters>);

/// Parses `components` of a send, and adds each violation to `faults`.
pub fn parse(components: &[Object<ComponentWire>], faults: &mut Violations) -> TemplateParameters {
    let all = Field::root("components");
    let (mut parsed, mut cards) = (Vec::new(), Vec::new());
    let mut has_carousel = false;
    for (at, component) in bounded(&all, components, MAX_COMPONENTS, faults) {
        let at = all.index(at);
        if component.kind.as_deref() == Some(CAROUSEL) {
            if has_carousel {
                faults.add(&at, Fault::Duplicate, "the same component is repeated");
            }
            has_carousel = true;
            cards = component.cards(&at, faults);
        } else {
            faults.forbid(
                &at.key("cards"),
                component.cards.as_ref(),
                "a component other than carousel",
            );
            parsed.extend(component.parse(&at, faults));
        }
    }
    (parsed, cards)
}

/// Returns the first `most` entries of a list with their indexes. Adds a violation if there are
/// more.
fn bounded<'a, T>(
    at: &Field<'_>,
    list: &'a [T],
    most: usize,
    faults: &mut Violations,
) -> impl Iterator<Item = (usize, &'a T)> + use<'a, T> {
    if list.len() > most {
        let message = format!("has {} entries; at most {most} are allowed", list.len());
        faults.add(at, Fault::TooLong, message);
    }
    list.iter().take(most).enumerate()
}

impl ComponentWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<ComponentParameters> {
        #[expect(clippy::disallowed_methods, reason = "what is no number is refused as -1 is")]
        let index = self.index.as_ref().map(|index| index.0.parse().unwrap_or(-1));
        let kind = self.kind.as_deref();
        let sub_type = self.sub_type.as_ref().map(|word| word.0.as_str());
        let place = ParameterPlace::parse(at, kind, sub_type, index, faults);
        let list = at.key("parameters");
        let entries = bounded(&list, &self.parameters, MAX_PARAMETERS, faults);
        let parameters = entries.filter_map(|(i, it)| it.parse(&list.index(i), faults)).collect();
        place.map(|place| ComponentParameters::new(place, parameters))
    }

    fn cards(&self, at: &Field<'_>, faults: &mut Violations) -> Vec<CardParameters> {
        let list = at.key("cards");
        let context = "a carousel; its cards have their own components";
        let parameters = self.parameters.first();
        faults.forbid(&at.key("parameters"), parameters, context);
        faults.forbid(&at.key("sub_type"), self.sub_type.as_ref(), context);
        faults.forbid(&at.key("index"), self.index.as_ref(), context);
        let Some(cards) = faults.require(&list, self.cards.as_deref()) else { return Vec::new() };
        if cards.is_empty() {
            faults.add(&list, Fault::Empty, "must not be empty");
        }
        let mut parsed: Vec<CardParameters> = Vec::new();
        for (place, card) in bounded(&list, cards, MAX_CARDS, faults) {
            let at = list.index(place);
            let Some(card) = card.parse(&at, faults) else { continue };
            if parsed.iter().any(|earlier| earlier.index == card.index) {
                let message = "the same card is filled in twice";
                faults.add(&at.key("card_index"), Fault::Duplicate, message);
            }
            parsed.push(card);
        }
        parsed
    }
}

impl CardWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<CardParameters> {
        let (field, list) = (at.key("card_index"), at.key("components"));
        let index = faults.require(&field, self.card_index);
        if index.is_some_and(|index| !(0..=MAX_CARD_INDEX).contains(&index)) {
            faults.add(&field, Fault::OutOfRange, format!("must be 0 to {MAX_CARD_INDEX}"));
        }
        let components = faults.require(&list, self.components.as_deref())?;
        let mut parsed = Vec::new();
        for (place, component) in bounded(&list, components, MAX_COMPONENTS, faults) {
            let at = list.index(place);
            if component.kind.as_deref() == Some(CAROUSEL) {
                faults.add(&at.key("type"), Fault::NotAllowed, "a card has no carousel");
                continue;
            }
            faults.forbid(&at.key("cards"), component.cards.as_ref(), "a card");
            parsed.extend(component.parse(&at, faults));
        }
        refuse_repeated(&list, &parsed, faults);
        Some(CardParameters { index: u8::try_from(index?).ok()?, components: parsed })
    }
}
