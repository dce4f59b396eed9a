//! Interactive messages.

use super::FileLinkRow;
use super::carousel::CardsRow;
use super::parameters::{AddressParameterRow, FlowRow, OrderDetailsRow, OrderStatusRow};
use crate::Unreadable;
use domain::content::interactive::{InteractiveType, ProductList, ProductRef};
use domain::content::{Action, Button, Header, Interactive, List, ProductSection, Row, Section};
use domain::keyword::Keyword as _;
use domain::media::{MediaKind, WebAddress};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An interactive message. Only the part of the action that belongs to the type is decoded, because
/// rows of 2026 also hold incomplete parts of other types, as the request contained them.
#[derive(Serialize, Deserialize)]
struct InteractiveRow<A> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<HeaderRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<PlainTextRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    footer: Option<PlainTextRow>,
    action: A,
}

#[derive(Serialize, Deserialize)]
struct PlainTextRow {
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum HeaderRow {
    Text { text: String },
    Image { image: FileLinkRow },
    Video { video: FileLinkRow },
    Document { document: FileLinkRow },
}

#[derive(Serialize, Deserialize)]
struct ButtonsRow {
    buttons: Vec<ButtonRow>,
}

#[derive(Serialize, Deserialize)]
struct ButtonRow {
    #[serde(rename = "type", default = "reply")]
    kind: String,
    reply: ReplyRow,
}

fn reply() -> String {
    "reply".to_owned()
}

#[derive(Serialize, Deserialize)]
struct ReplyRow {
    id: String,
    title: String,
}

#[derive(Serialize, Deserialize)]
struct ListRow {
    button: String,
    sections: Vec<SectionRow>,
}

#[derive(Serialize, Deserialize)]
struct SectionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    rows: Vec<ChoiceRow>,
}

#[derive(Serialize, Deserialize)]
struct ChoiceRow {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// An action with a name and parameters.
#[derive(Serialize, Deserialize)]
struct Named<P> {
    #[serde(default)]
    name: String,
    parameters: P,
}

#[derive(Serialize, Deserialize)]
struct NameOnly {
    name: String,
}

#[derive(Serialize, Deserialize)]
struct LinkParameters {
    display_text: String,
    url: String,
}

#[derive(Serialize, Deserialize)]
struct CatalogRow {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ThumbnailRow>,
}

#[derive(Serialize, Deserialize)]
struct ThumbnailRow {
    thumbnail_product_retailer_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct ProductRow {
    catalog_id: String,
    product_retailer_id: String,
}

#[derive(Serialize, Deserialize)]
struct ProductListRow {
    catalog_id: String,
    sections: Vec<ProductSectionRow>,
}

#[derive(Serialize, Deserialize)]
struct ProductSectionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    product_items: Vec<ProductItemRow>,
}

#[derive(Serialize, Deserialize)]
struct ProductItemRow {
    product_retailer_id: String,
}

pub fn decode(json: &str) -> Result<Interactive, Unreadable> {
    let row: InteractiveRow<Value> = serde_json::from_str(json)?;
    let InteractiveRow { kind, header, body, footer, action } = row;
    let file = |kind, file: FileLinkRow| {
        let url = WebAddress::stored(file.link);
        Header::Media { kind, url, filename: file.filename }
    };
    let header = header.map(|header| match header {
        HeaderRow::Text { text } => Header::Text(text),
        HeaderRow::Image { image } => file(MediaKind::Image, image),
        HeaderRow::Video { video } => file(MediaKind::Video, video),
        HeaderRow::Document { document } => file(MediaKind::Document, document),
    });
    let kind = InteractiveType::from_keyword(&kind)
        .ok_or(Unreadable::Keyword(kind, "an interactive message"))?;
    let (body, footer) = (body.map(|it| it.text), footer.map(|it| it.text));
    Ok(Interactive::stored(header, body, footer, read(kind, action)?))
}

fn read(kind: InteractiveType, action: Value) -> Result<Action, Unreadable> {
    Ok(match kind {
        InteractiveType::Button => {
            let ButtonsRow { buttons } = serde_json::from_value(action)?;
            let buttons = buttons.into_iter().map(|it| Button::stored(it.reply.id, it.reply.title));
            Action::Buttons(buttons.collect())
        }
        InteractiveType::List => {
            let ListRow { button, sections } = serde_json::from_value(action)?;
            let row = |it: ChoiceRow| Row::stored(it.id, it.title, it.description);
            let section =
                |it: SectionRow| Section::stored(it.title, it.rows.into_iter().map(row).collect());
            Action::stored_list(button, sections.into_iter().map(section).collect())
        }
        InteractiveType::Link => {
            let LinkParameters { display_text, url } = parameters(action)?;
            Action::Link { display_text, url: WebAddress::stored(url) }
        }
        InteractiveType::Flow => Action::Flow(parameters::<FlowRow>(action)?.read()?),
        InteractiveType::LocationRequest => Action::RequestLocation,
        InteractiveType::ContactInfoRequest => Action::RequestContactInfo,
        InteractiveType::CallPermissionRequest => Action::RequestCallPermission,
        InteractiveType::Address => {
            Action::Address(parameters::<AddressParameterRow>(action)?.read())
        }
        InteractiveType::Catalog => {
            let CatalogRow { parameters, .. } = serde_json::from_value(action)?;
            let thumbnail = parameters.and_then(|it| it.thumbnail_product_retailer_id);
            Action::Catalog { thumbnail }
        }
        InteractiveType::Product => {
            let ProductRow { catalog_id, product_retailer_id } = serde_json::from_value(action)?;
            Action::Product(ProductRef { catalog_id, product_retailer_id })
        }
        InteractiveType::ProductList => {
            let ProductListRow { catalog_id, sections } = serde_json::from_value(action)?;
            let section = |it: ProductSectionRow| ProductSection {
                title: it.title,
                products: it.product_items.into_iter().map(|it| it.product_retailer_id).collect(),
            };
            let sections = sections.into_iter().map(section).collect();
            Action::ProductList(ProductList { catalog_id, sections })
        }
        InteractiveType::Carousel => {
            Action::Carousel(serde_json::from_value::<CardsRow>(action)?.read())
        }
        InteractiveType::OrderDetails => {
            Action::OrderDetails(Box::new(parameters::<OrderDetailsRow>(action)?.read()?))
        }
        InteractiveType::OrderStatus => {
            Action::OrderStatus(parameters::<OrderStatusRow>(action)?.read()?)
        }
    })
}

fn parameters<P: DeserializeOwned>(action: Value) -> serde_json::Result<P> {
    serde_json::from_value(action).map(|Named { parameters, .. }: Named<P>| parameters)
}

pub fn encode(it: &Interactive) -> serde_json::Result<String> {
    match &it.action {
        Action::Buttons(buttons) => {
            let button = |it: &Button| ButtonRow {
                kind: reply(),
                reply: ReplyRow { id: it.id.clone(), title: it.title.clone() },
            };
            write(it, ButtonsRow { buttons: buttons.iter().map(button).collect() })
        }
        Action::List(list) => write(it, rows(list)),
        Action::Link { display_text, url } => {
            let (display_text, url) = (display_text.clone(), url.as_str().to_owned());
            named(it, LinkParameters { display_text, url })
        }
        Action::Flow(flow) => named(it, FlowRow::new(flow)?),
        Action::RequestLocation | Action::RequestContactInfo | Action::RequestCallPermission => {
            write(it, NameOnly { name: name(it) })
        }
        Action::Address(address) => named(it, AddressParameterRow::new(address)?),
        Action::Catalog { thumbnail } => {
            let thumbnail = thumbnail
                .clone()
                .map(|id| ThumbnailRow { thumbnail_product_retailer_id: Some(id) });
            write(it, CatalogRow { name: name(it), parameters: thumbnail })
        }
        Action::Product(ProductRef { catalog_id, product_retailer_id }) => {
            let (catalog_id, product_retailer_id) =
                (catalog_id.clone(), product_retailer_id.clone());
            write(it, ProductRow { catalog_id, product_retailer_id })
        }
        Action::ProductList(list) => write(it, products(list)),
        Action::Carousel(cards) => write(it, CardsRow::new(cards)),
        Action::OrderDetails(order) => named(it, OrderDetailsRow::new(order)?),
        Action::OrderStatus(order) => named(it, OrderStatusRow::new(order)),
    }
}

fn rows(list: &List) -> ListRow {
    let row = |it: &Row| ChoiceRow {
        id: it.id.clone(),
        title: it.title.clone(),
        description: it.description.clone(),
    };
    let section = |it: &Section| SectionRow {
        title: it.title.clone(),
        rows: it.rows.iter().map(row).collect(),
    };
    ListRow { button: list.button.clone(), sections: list.sections.iter().map(section).collect() }
}

fn products(list: &ProductList) -> ProductListRow {
    let item = |id: &String| ProductItemRow { product_retailer_id: id.clone() };
    let section = |it: &ProductSection| ProductSectionRow {
        title: it.title.clone(),
        product_items: it.products.iter().map(item).collect(),
    };
    let sections = list.sections.iter().map(section).collect();
    ProductListRow { catalog_id: list.catalog_id.clone(), sections }
}

fn name(it: &Interactive) -> String {
    it.action.interactive_type().action_name().unwrap_or_default().to_owned()
}

fn named<P: Serialize>(it: &Interactive, parameters: P) -> serde_json::Result<String> {
    write(it, Named { name: name(it), parameters })
}

fn write<A: Serialize>(it: &Interactive, action: A) -> serde_json::Result<String> {
    serde_json::to_string(&InteractiveRow {
        kind: it.action.interactive_type().as_str().to_owned(),
        header: it.header.as_ref().map(header),
        body: it.body.clone().map(|text| PlainTextRow { text }),
        footer: it.footer.clone().map(|text| PlainTextRow { text }),
        action,
    })
}

fn header(header: &Header) -> HeaderRow {
    match header {
        Header::Text(text) => HeaderRow::Text { text: text.clone() },
        Header::Media { kind: MediaKind::Image, url, .. } => {
            HeaderRow::Image { image: FileLinkRow::to(url) }
        }
        Header::Media { kind: MediaKind::Video, url, .. } => {
            HeaderRow::Video { video: FileLinkRow::to(url) }
        }
        // The media of a header is an image, a video or a document.
        Header::Media { url, filename, .. } => {
            let document = FileLinkRow { filename: filename.clone(), ..FileLinkRow::to(url) };
            HeaderRow::Document { document }
        }
    }
}
