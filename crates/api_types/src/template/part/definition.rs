//! The definition of a stored template, which the parameters of a send are checked against.

use super::{PartWire, TemplateButtonWire};
use crate::object::Object;
use domain::template::parts::in_either_case;
use domain::template::{
    BodyPart, CardPart, ComponentType, Definition, FooterPart, HeaderFormat, HeaderPart, OfferPart,
    TemplateButton,
};

impl PartWire {
    /// Returns the type of the component, if this version knows it.
    pub(super) fn known_type(&self) -> Option<ComponentType> {
        self.kind.as_deref().and_then(in_either_case)
    }

    fn header(&self) -> Option<HeaderPart> {
        let format = self.format.as_deref()?;
        let Some(format) = in_either_case::<HeaderFormat>(format) else {
            return Some(HeaderPart::Unknown);
        };
        format.without_text().or_else(|| self.text.clone().map(HeaderPart::Text))
    }

    fn buttons(&self) -> Vec<TemplateButton> {
        let buttons = self.buttons.iter().flatten();
        let button = |it: &Object<TemplateButtonWire>| TemplateButton {
            kind: it.kind.as_deref().and_then(in_either_case),
            // Some buttons have no text, because the channel writes their label.
            text: it.text.clone().unwrap_or_default(),
            url: it.url.clone(),
        };
        buttons.map(button).collect()
    }

    fn cards(&self) -> Vec<CardPart> {
        let cards = self.cards.iter().flatten();
        cards.map(|card| card_part(card.components.as_deref().unwrap_or(&[]))).collect()
    }
}

fn card_part(parts: &[Object<PartWire>]) -> CardPart {
    let mut card = CardPart::default();
    for part in parts {
        match part.known_type() {
            Some(ComponentType::Header) => card.header = part.header(),
            Some(ComponentType::Body) => card.body.clone_from(&part.text),
            Some(ComponentType::Buttons) => card.buttons = part.buttons(),
            _ => {}
        }
    }
    card
}

/// Parses stored components into the definition that the parameters of a send are checked against.
/// Components that this version does not know are checked only by the channel.
pub fn definition(components: &str) -> Result<Definition, serde_json::Error> {
    let parts: Vec<PartWire> = serde_json::from_str(components)?;
    let mut definition = Definition::default();
    for part in parts {
        match part.known_type() {
            Some(ComponentType::Header) => definition.header = part.header(),
            Some(ComponentType::Body) => {
                definition.body = match part.text {
                    Some(text) => BodyPart::Text(text),
                    None => BodyPart::OneTimeCode {
                        with_recommendation: part.add_security_recommendation == Some(true),
                    },
                };
            }
            Some(ComponentType::Footer) => {
                let minutes = part.code_expiration_minutes.and_then(|it| u8::try_from(it).ok());
                let expires = minutes.map(FooterPart::CodeExpiration);
                definition.footer = expires.or_else(|| part.text.clone().map(FooterPart::Text));
            }
            Some(ComponentType::Buttons) => definition.buttons = part.buttons(),
            Some(ComponentType::Carousel) => definition.cards = part.cards(),
            Some(ComponentType::LimitedTimeOffer) => {
                definition.offer = part.limited_time_offer.and_then(|offer| {
                    let has_expiration = offer.has_expiration == Some(true);
                    offer.0.text.map(|text| OfferPart { text, has_expiration })
                });
            }
            None => {}
        }
    }
    Ok(definition)
}
