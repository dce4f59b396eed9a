//! Parses the cards of a carousel in a template.

use super::text::{TextComponent, with_variables};
use super::{
    LocatedPart, MAX_CARD_BODY_LENGTH, MAX_CARD_BUTTONS, MAX_CARDS, MAX_PARTS, MIN_CARDS,
    TemplateFacts, button, known_type, part_unknown,
};
use crate::keyword::Keyword as _;
use crate::media::MediaKind;
use crate::template::input::CardInput;
use crate::template::warning::Findings;
use crate::template::{ButtonType, CardPart, ComponentType, HeaderPart};
use crate::violation::{Fault, Field};

/// The types of buttons that a card may have if its header is a picture or a video.
const OF_MEDIA_CARDS: [ButtonType; 3] =
    [ButtonType::QuickReply, ButtonType::Url, ButtonType::PhoneNumber];
/// The types of buttons that a card may have if its header is a product.
const OF_PRODUCT_CARDS: [ButtonType; 2] = [ButtonType::SingleProduct, ButtonType::Url];

impl TemplateFacts {
    /// Parses the cards of a carousel. Each card must have a picture, a video or a product. All
    /// cards must have the same parts and buttons.
    pub(super) fn cards(
        &self,
        place: &LocatedPart<'_>,
        findings: &mut Findings<'_>,
    ) -> Vec<CardPart> {
        let list = place.at.key("cards");
        let Some(cards) = findings.faults.require(&list, place.part.cards.as_deref()) else {
            return Vec::new();
        };
        if cards.len() < MIN_CARDS {
            let message = format!("needs {MIN_CARDS} cards at least");
            findings.faults.add(&list, Fault::Required, message);
        }
        if cards.len() > MAX_CARDS {
            let message = format!("has {} entries; at most {MAX_CARDS} are allowed", cards.len());
            findings.faults.add(&list, Fault::TooLong, message);
        }
        let mut first: Option<Makeup> = None;
        let mut parsed = Vec::new();
        for (index, card) in cards.iter().take(MAX_CARDS).enumerate() {
            let at = list.index(index);
            let card = self.card(&at, card, findings);
            let makeup = Makeup::from_card(&card);
            if first.get_or_insert_with(|| makeup.clone()) != &makeup {
                let message = "must have the same parts and buttons as the first card";
                findings.faults.add(&at.key("components"), Fault::InvalidFormat, message);
            }
            parsed.push(card);
        }
        parsed
    }

    fn card(&self, at: &Field<'_>, card: &CardInput<'_>, findings: &mut Findings<'_>) -> CardPart {
        findings.unknown_fields(at, &card.unknown);
        let list = at.key("components");
        let mut parsed = CardPart::default();
        let Some(parts) = findings.faults.require(&list, card.components.as_deref()) else {
            return parsed;
        };
        let mut seen = Vec::new();
        for (index, part) in parts.iter().take(MAX_PARTS).enumerate() {
            let at = list.index(index);
            part_unknown(&at, part, findings);
            let Some(kind) = known_type::<ComponentType>(&at.key("type"), part.kind, findings)
            else {
                continue;
            };
            let place = LocatedPart { at: &at, part };
            place.forbid_foreign_fields(kind, false, findings);
            if seen.contains(&kind) {
                findings.faults.add(&at, Fault::Duplicate, format!("there is a {kind} already"));
            }
            seen.push(kind);
            match kind {
                ComponentType::Header => parsed.header = self.card_header(&place, findings),
                ComponentType::Body => parsed.body = self.card_body(&place, findings),
                ComponentType::Buttons => {
                    parsed.buttons = button::list(&place, MAX_CARD_BUTTONS, findings);
                }
                ComponentType::Footer
                | ComponentType::Carousel
                | ComponentType::LimitedTimeOffer => {
                    let message = format!("a card has no {kind}");
                    findings.faults.add(&at.key("type"), Fault::NotAllowed, message);
                }
            }
        }
        if parts.len() > MAX_PARTS {
            let message = format!("has {} entries; at most {MAX_PARTS} are allowed", parts.len());
            findings.faults.add(&list, Fault::TooLong, message);
        }
        let is_product = parsed.header == Some(HeaderPart::Product);
        for (kind, is_needed) in
            [(ComponentType::Header, true), (ComponentType::Buttons, is_product)]
        {
            if is_needed && !seen.contains(&kind) {
                let message = format!("a card needs a component of type {kind}");
                findings.faults.add(&list, Fault::Required, message);
            }
        }
        let allowed: &[ButtonType] = if is_product { &OF_PRODUCT_CARDS } else { &OF_MEDIA_CARDS };
        let mut kinds = parsed.buttons.iter().filter_map(|button| button.kind);
        if let Some(kind) = kinds.find(|kind| !allowed.contains(kind)) {
            let words: Vec<&str> = allowed.iter().map(|kind| kind.as_str()).collect();
            let message =
                format!("has a button of type {kind}; this card may have {}", words.join(", "));
            findings.faults.add(&list, Fault::NotAllowed, message);
        }
        parsed
    }

    fn card_header(
        &self,
        place: &LocatedPart<'_>,
        findings: &mut Findings<'_>,
    ) -> Option<HeaderPart> {
        let header = self.header(place, findings)?;
        let fits = matches!(
            header,
            HeaderPart::Media(MediaKind::Image | MediaKind::Video)
                | HeaderPart::Product
                | HeaderPart::Unknown
        );
        if !fits {
            let message = "must be IMAGE, VIDEO or PRODUCT in a card";
            findings.faults.add(&place.at.key("format"), Fault::NotOneOf, message);
        }
        Some(header)
    }

    fn card_body(&self, place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<String> {
        let at = place.at.key("text");
        let text = findings.faults.required_text(&at, place.part.text, MAX_CARD_BODY_LENGTH)?;
        let examples = ("body_text", "body_text_named_params");
        with_variables(&TextComponent { place, format: self.format, examples }, &text, findings);
        Some(text)
    }
}

/// The parts and buttons of a card. They must be the same in all cards of a carousel.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Makeup {
    header: Option<HeaderPart>,
    has_body: bool,
    buttons: Vec<Option<ButtonType>>,
}

impl Makeup {
    fn from_card(card: &CardPart) -> Self {
        let header = card.header.clone().filter(|it| !matches!(it, HeaderPart::Text(_)));
        let buttons = card.buttons.iter().map(|it| it.kind).collect();
        Self { header, has_body: card.body.is_some(), buttons }
    }
}
