//! The cards of a carousel.

use super::FileLinkRow;
use domain::content::Button;
use domain::content::interactive::{Card, CardAction, ProductRef};
use domain::media::{MediaKind, WebAddress};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct CardsRow {
    cards: Vec<CarouselCardRow>,
}

#[derive(Serialize, Deserialize)]
struct CarouselCardRow {
    card_index: u8,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<PictureRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<CarouselTextRow>,
    action: CarouselActionRow,
}

#[derive(Serialize, Deserialize)]
struct CarouselTextRow {
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum PictureRow {
    Image { image: FileLinkRow },
    Video { video: FileLinkRow },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum CarouselActionRow {
    Link { name: String, parameters: LinkRow },
    Replies { buttons: Vec<CarouselButtonRow> },
    Product { product_retailer_id: String, catalog_id: String },
}

#[derive(Serialize, Deserialize)]
struct LinkRow {
    display_text: String,
    url: String,
}

#[derive(Serialize, Deserialize)]
struct CarouselButtonRow {
    #[serde(rename = "type")]
    kind: String,
    quick_reply: CarouselReplyRow,
}

#[derive(Serialize, Deserialize)]
struct CarouselReplyRow {
    id: String,
    title: String,
}

impl CardsRow {
    pub fn new(cards: &[Card]) -> Self {
        Self { cards: cards.iter().map(row).collect() }
    }

    pub fn read(self) -> Vec<Card> {
        self.cards.into_iter().map(card).collect()
    }
}

fn row(it: &Card) -> CarouselCardRow {
    let header = it.header.as_ref().map(|(kind, url)| match kind {
        MediaKind::Video => PictureRow::Video { video: FileLinkRow::to(url) },
        // The media of a card is an image or a video.
        _ => PictureRow::Image { image: FileLinkRow::to(url) },
    });
    let (kind, action) = match it.action.clone() {
        CardAction::Link { display_text, url } => {
            let parameters = LinkRow { display_text, url: url.as_str().to_owned() };
            ("cta_url", CarouselActionRow::Link { name: "cta_url".to_owned(), parameters })
        }
        CardAction::Replies(buttons) => {
            let button = |it: Button| CarouselButtonRow {
                kind: "quick_reply".to_owned(),
                quick_reply: CarouselReplyRow { id: it.id, title: it.title },
            };
            (
                "cta_url",
                CarouselActionRow::Replies { buttons: buttons.into_iter().map(button).collect() },
            )
        }
        CardAction::Product(ProductRef { catalog_id, product_retailer_id }) => {
            ("product", CarouselActionRow::Product { product_retailer_id, catalog_id })
        }
    };
    CarouselCardRow {
        card_index: it.index,
        kind: kind.to_owned(),
        header,
        body: it.body.clone().map(|text| CarouselTextRow { text }),
        action,
    }
}

fn card(row: CarouselCardRow) -> Card {
    let picture = |kind, link: FileLinkRow| (kind, WebAddress::stored(link.link));
    let action = match row.action {
        CarouselActionRow::Link { parameters: LinkRow { display_text, url }, .. } => {
            CardAction::Link { display_text, url: WebAddress::stored(url) }
        }
        CarouselActionRow::Replies { buttons } => {
            let button =
                |it: CarouselButtonRow| Button::stored(it.quick_reply.id, it.quick_reply.title);
            CardAction::Replies(buttons.into_iter().map(button).collect())
        }
        CarouselActionRow::Product { product_retailer_id, catalog_id } => {
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
