//! The cards of a carousel.

use super::Link;
use domain::content::Button;
use domain::content::interactive::{Card, CardAction, ProductRef};
use domain::media::{MediaKind, WebAddress};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct CardsRow {
    cards: Vec<CardRow>,
}

#[derive(Serialize, Deserialize)]
struct CardRow {
    card_index: u8,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<PictureRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Words>,
    action: ActionRow,
}

#[derive(Serialize, Deserialize)]
struct Words {
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum PictureRow {
    Image { image: Link },
    Video { video: Link },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ActionRow {
    Link { name: String, parameters: LinkRow },
    Replies { buttons: Vec<ButtonRow> },
    Product { product_retailer_id: String, catalog_id: String },
}

#[derive(Serialize, Deserialize)]
struct LinkRow {
    display_text: String,
    url: String,
}

#[derive(Serialize, Deserialize)]
struct ButtonRow {
    #[serde(rename = "type")]
    kind: String,
    quick_reply: Reply,
}

#[derive(Serialize, Deserialize)]
struct Reply {
    id: String,
    title: String,
}

impl CardsRow {
    pub fn of(cards: &[Card]) -> Self {
        Self { cards: cards.iter().map(row).collect() }
    }

    pub fn read(self) -> Vec<Card> {
        self.cards.into_iter().map(card).collect()
    }
}

fn row(it: &Card) -> CardRow {
    let header = it.header.as_ref().map(|(kind, url)| match kind {
        MediaKind::Video => PictureRow::Video { video: Link::to(url) },
        // A card has an image or a video above it, no other media.
        _ => PictureRow::Image { image: Link::to(url) },
    });
    let (kind, action) = match it.action.clone() {
        CardAction::Link { display_text, url } => {
            let parameters = LinkRow { display_text, url: url.as_str().to_owned() };
            ("cta_url", ActionRow::Link { name: "cta_url".to_owned(), parameters })
        }
        CardAction::Replies(buttons) => {
            let button = |it: Button| ButtonRow {
                kind: "quick_reply".to_owned(),
                quick_reply: Reply { id: it.id, title: it.title },
            };
            ("cta_url", ActionRow::Replies { buttons: buttons.into_iter().map(button).collect() })
        }
        CardAction::Product(ProductRef { catalog_id, product_retailer_id }) => {
            ("product", ActionRow::Product { product_retailer_id, catalog_id })
        }
    };
    CardRow {
        card_index: it.index,
        kind: kind.to_owned(),
        header,
        body: it.body.clone().map(|text| Words { text }),
        action,
    }
}

fn card(row: CardRow) -> Card {
    let picture = |kind, link: Link| (kind, WebAddress::stored(link.link));
    let action = match row.action {
        ActionRow::Link { parameters: LinkRow { display_text, url }, .. } => {
            CardAction::Link { display_text, url: WebAddress::stored(url) }
        }
        ActionRow::Replies { buttons } => {
            let button = |it: ButtonRow| Button::stored(it.quick_reply.id, it.quick_reply.title);
            CardAction::Replies(buttons.into_iter().map(button).collect())
        }
        ActionRow::Product { product_retailer_id, catalog_id } => {
            CardAction::Product(ProductRef { catalog_id, product_retailer_id })
        }
    };
    Card {
        index: row.card_index,
        header: row.header.map(|header| match header {
            PictureRow::Image { image } => picture(MediaKind::Image, image),
            PictureRow::Video { video } => picture(MediaKind::Video, video),
        }),
        body: row.body.map(|it| it.text),
        action,
    }
}
