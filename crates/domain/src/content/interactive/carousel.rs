//! Interactive messages with a carousel: cards side by side.

use super::products::ProductRef;
use super::{Button, MAX_LABEL_LENGTH, check_buttons, parse_address};
use crate::media::{MediaKind, WebAddress};
use crate::violation::{Fault, Field, Violations};
use std::mem::discriminant;

pub const MIN_CARDS: usize = 2;
pub const MAX_CARDS: usize = 10;
/// Maximum number of characters in the body of a card.
pub const MAX_CARD_BODY_LENGTH: usize = 160;
/// Maximum number of line breaks in the body of a card.
pub const MAX_CARD_LINE_BREAKS: usize = 2;
pub const MAX_CARD_BUTTONS: usize = 3;
pub const CARD_TYPES: [&str; 2] = ["cta_url", "product"];

/// A card of a carousel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The position of the card in the carousel, starting at 0.
    pub index: u8,
    /// The image or video above the card's text. A product card has none.
    pub header: Option<(MediaKind, WebAddress)>,
    pub body: Option<String>,
    pub action: CardAction,
}

/// The action that a card offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardAction {
    /// A button that opens a link.
    Link {
        /// The label of the button.
        display_text: String,
        url: WebAddress,
    },
    /// One or several reply buttons.
    Replies(Vec<Button>),
    Product(ProductRef),
}

impl CardAction {
    /// Parses a button that opens a link.
    pub fn link(
        at: &Field<'_>,
        display_text: Option<&str>,
        url: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("display_text");
        let display_text = faults.required_text(&field, display_text, MAX_LABEL_LENGTH);
        let url = parse_address(&at.key("url"), url, faults);
        Some(Self::Link { display_text: display_text?, url: url? })
    }
}

impl Card {
    /// Builds a card from its parsed parts.
    pub fn parse(
        at: &Field<'_>,
        index: Option<i64>,
        header: Option<(MediaKind, WebAddress)>,
        body: Option<&str>,
        action: Option<CardAction>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("card_index");
        let index = faults.require(&field, index);
        let index = index.and_then(|it| {
            let index = u8::try_from(it).ok().filter(|it| usize::from(*it) < MAX_CARDS);
            if index.is_none() {
                faults.add(&field, Fault::OutOfRange, format!("must be 0 to {}", MAX_CARDS - 1));
            }
            index
        });
        let body_at = at.key("body");
        let field = body_at.key("text");
        let body = faults.optional_text(&field, body, MAX_CARD_BODY_LENGTH);
        if body.as_deref().is_some_and(|it| it.matches('\n').count() > MAX_CARD_LINE_BREAKS) {
            let message = format!("has more than {MAX_CARD_LINE_BREAKS} line breaks");
            faults.add(&field, Fault::TooLong, message);
        }
        let action = action?;
        let is_product = matches!(action, CardAction::Product(_));
        if is_product {
            faults.forbid(&at.key("header"), header.as_ref(), "a card of a product");
            faults.forbid(&at.key("body"), body.as_ref(), "a card of a product");
        } else if !header.as_ref().is_some_and(|(kind, _)| is_picture(*kind)) {
            faults.add(&at.key("header"), Fault::Required, "needs an image or a video");
        }
        if let CardAction::Replies(buttons) = &action {
            check_buttons(&at.key("action"), buttons.len(), buttons, MAX_CARD_BUTTONS, faults);
        }
        Some(Self { index: index?, header, body, action })
    }

    /// Checks the cards of a message together. A message must have 2 to 10 cards, each at its own
    /// position. All cards must have buttons of the same type and number, or all must have products
    /// of the same catalog. `count` is the number of cards in the request. `cards` are the cards
    /// that could be parsed, each with its index in the request.
    pub fn check(
        at: &Field<'_>,
        count: usize,
        cards: Vec<(usize, Self)>,
        faults: &mut Violations,
    ) -> Option<Vec<Self>> {
        if !(MIN_CARDS..=MAX_CARDS).contains(&count) {
            let fault = if count < MIN_CARDS { Fault::Empty } else { Fault::TooLong };
            let message = format!("has {count} cards; {MIN_CARDS} to {MAX_CARDS} are allowed");
            faults.add(at, fault, message);
        }
        let ((_, first), others) = cards.split_first()?;
        for (earlier, (index, card)) in others.iter().enumerate() {
            let at = at.index(*index);
            if !first.is_like(card) {
                let message = "each card needs buttons of the same type and number, or a product of the same catalog";
                faults.add(&at.key("action"), Fault::NotAllowed, message);
            }
            if cards.iter().take(earlier + 1).any(|(_, earlier)| earlier.index == card.index) {
                let message = "the same place is taken twice";
                faults.add(&at.key("card_index"), Fault::Duplicate, message);
            }
        }
        Some(cards.into_iter().map(|(_, card)| card).collect())
    }

    fn is_like(&self, other: &Self) -> bool {
        match (&self.action, &other.action) {
            (CardAction::Replies(some), CardAction::Replies(others)) => some.len() == others.len(),
            (CardAction::Product(one), CardAction::Product(other)) => {
                one.catalog_id == other.catalog_id
            }
            (one, other) => discriminant(one) == discriminant(other),
        }
    }

    /// Renders the card as text that people can read.
    #[must_use]
    pub fn words(&self) -> String {
        let header = self.header.as_ref().map(|(kind, url)| format!("[{kind}] {url}"));
        let labels: Vec<String> = match &self.action {
            CardAction::Link { display_text, url } => vec![format!("[{display_text}] {url}")],
            CardAction::Replies(buttons) => {
                buttons.iter().map(|it| format!("[{}]", it.title)).collect()
            }
            CardAction::Product(product) => {
                vec![format!("[product] {}", product.product_retailer_id)]
            }
        };
        let words = header.into_iter().chain(self.body.clone()).chain(labels);
        words.collect::<Vec<_>>().join(" ")
    }
}

const fn is_picture(kind: MediaKind) -> bool {
    matches!(kind, MediaKind::Image | MediaKind::Video)
}
