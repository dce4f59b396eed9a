//! The content of a message as one line of a list, and as the text of a bubble.

use domain::content::{Content, MessageKind};
use domain::keyword::Keyword as _;
use domain::message::Direction;
use persistence::content::decode;
use persistence::content::erasure::is_erased;
use persistence::records::Message;
use serde_json::Value;
use service::templates::sent::SentTemplates;

/// Number of characters of a message that a list shows.
const LINE: usize = 140;

/// Returns the message as one line.
pub fn line(message: &Message, templates: &SentTemplates) -> String {
    one_line(&sent_file(message).unwrap_or_else(|| text(message, templates)))
}

/// Returns the beginning of a text as one line.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    match words.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default().trim_end()),
        None => words,
    }
}

/// Describes a file that was sent. A list has no room for its URL.
fn sent_file(message: &Message) -> Option<String> {
    let content = &message.content.0;
    if message.direction == Direction::Inbound || is_erased(message.kind, content) {
        return None;
    }
    let content = decode(message.content_format, message.kind, content).ok()?;
    let Content::Media(media) = content else { return None };
    let said = [media.filename.as_deref(), media.caption.as_deref()];
    Some(file(media.kind.as_str(), media.voice, &said.map(Option::unwrap_or_default)))
}

/// Returns the text that came with a file, or else the kind of the file.
fn file(media_type: &str, is_voice: bool, said: &[&str]) -> String {
    let said: Vec<&str> = said.iter().copied().filter(|it| !it.is_empty()).collect();
    if !said.is_empty() {
        return said.join("\n");
    }
    let kind = match media_type {
        _ if is_voice => "Voice message",
        "image" => "Picture",
        "video" => "Video",
        "audio" => "Audio",
        "sticker" => "Sticker",
        _ => "Document",
    };
    kind.to_owned()
}

/// Returns the message as text. Files and other content that is not text are described in words.
pub fn text(message: &Message, templates: &SentTemplates) -> String {
    if let Some(filled) = templates.fill(message) {
        return filled.text;
    }
    let content = &message.content.0;
    if is_erased(message.kind, content) {
        return "Deleted".to_owned();
    }
    match message.direction {
        Direction::Outbound => match decode(message.content_format, message.kind, content) {
            Ok(content) => outbound(&content),
            Err(error) => {
                tracing::error!(%error, message = %message.id, "a message cannot be shown");
                "This message can’t be shown.".to_owned()
            }
        },
        Direction::Inbound => {
            let content = serde_json::from_str(content).inspect_err(|error| {
                tracing::error!(%error, message = %message.id, "a message cannot be shown");
            });
            inbound(message.kind, &content.ok().unwrap_or(Value::Null))
        }
    }
}

/// Returns the content of a message of the organization as text.
pub fn outbound(content: &Content) -> String {
    match content {
        Content::Media(media) => {
            let file = media.filename.as_deref().unwrap_or(media.url.as_str());
            match media.caption.as_deref() {
                Some(caption) => format!("{file}\n{caption}"),
                None => file.to_owned(),
            }
        }
        Content::Template(template) => {
            format!("Template {} ({})", template.name, template.language)
        }
        other => other.words(),
    }
}

fn inbound(kind: MessageKind, content: &Value) -> String {
    let field = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default();
    match kind {
        MessageKind::Text => field("text").to_owned(),
        MessageKind::Reaction if field("text").is_empty() => "Removed a reaction".to_owned(),
        MessageKind::Reaction => format!("Reacted with {}", field("text")),
        MessageKind::Media => {
            let voice = content.get("voice").and_then(Value::as_bool).unwrap_or_default();
            let said = [field("filename"), field("caption"), field("transcript")];
            file(field("media_type"), voice, &said)
        }
        MessageKind::Interactive => {
            let answers = ["button_reply", "list_reply"];
            let chosen = answers.iter().find_map(|it| content.get(it)?.get("title")?.as_str());
            chosen.unwrap_or("Answered a form").to_owned()
        }
        MessageKind::Location => "Location".to_owned(),
        MessageKind::Contacts => contact_cards(content),
        MessageKind::Order => order(content),
        MessageKind::Template | MessageKind::Channel | MessageKind::Unsupported => {
            "A message of a type that can’t be shown".to_owned()
        }
    }
}

/// Returns the names and the phone numbers of contact cards.
fn contact_cards(content: &Value) -> String {
    let cards = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let heading = match cards.len() {
        0 | 1 => "Contact card".to_owned(),
        count => format!("{count} contact cards"),
    };
    let lines = cards.iter().map(contact_card).filter(|it| !it.is_empty());
    std::iter::once(heading).chain(lines).collect::<Vec<_>>().join("\n")
}

fn contact_card(card: &Value) -> String {
    let name = card.get("name").and_then(|it| it.get("formatted_name")).and_then(Value::as_str);
    let phones = card.get("phones").and_then(Value::as_array).into_iter().flatten();
    let numbers =
        phones.filter_map(|phone| ["phone", "wa_id"].iter().find_map(|it| phone.get(it)?.as_str()));
    let words = name.into_iter().filter(|it| !it.is_empty()).chain(numbers);
    words.collect::<Vec<_>>().join(" · ")
}

/// Returns the products of an order, and what the contact wrote with it.
fn order(content: &Value) -> String {
    let items = content.get("product_items").and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let heading = match items.len() {
        0 => "Order from the catalog".to_owned(),
        1 => "Order of 1 product".to_owned(),
        count => format!("Order of {count} products"),
    };
    let text = content.get("text").and_then(Value::as_str).filter(|it| !it.is_empty());
    let lines = items.iter().map(ordered_item).chain(text.map(str::to_owned));
    std::iter::once(heading).chain(lines).collect::<Vec<_>>().join("\n")
}

fn ordered_item(item: &Value) -> String {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| item.get(name).and_then(Value::as_f64).unwrap_or_default();
    let (quantity, price) = (number("quantity"), number("item_price"));
    let (product, currency) = (text("product_retailer_id"), text("currency"));
    format!("{quantity} × {product}, {price} {currency} each")
}

/// Returns the path of a file that this server stores, or `None` for a file on another server.
/// Pages load nothing from other servers.
pub fn own_file<'url>(url: &'url str, base_url: &str) -> Option<&'url str> {
    url.strip_prefix(base_url).filter(|path| path.starts_with("/media/"))
}

/// Returns the ad or the post that led the contact to the organization, if the message came from one.
pub fn referral(message: &Message) -> Option<String> {
    referral_in(&message.context.as_ref()?.0)
}

fn referral_in(context: &str) -> Option<String> {
    let context: Value = serde_json::from_str(context).ok()?;
    let referral = context.get("referral")?;
    let field = |name: &str| referral.get(name).and_then(Value::as_str);
    let is_post = field("source_type") == Some("post");
    let heading = if is_post { "Came from a post" } else { "Came from an ad" };
    let words = [Some(heading), field("headline"), field("body"), field("source_url")];
    Some(words.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inbound_messages_are_named_in_words() {
        let text = |kind, content| inbound(kind, &content);
        assert_eq!(text(MessageKind::Text, json!({"text": "Hello"})), "Hello");
        let voice = json!({"media_type": "audio", "voice": true});
        assert_eq!(text(MessageKind::Media, voice), "Voice message");
        let transcribed =
            json!({"media_type": "audio", "voice": true, "transcript": "Is it ready?"});
        assert_eq!(text(MessageKind::Media, transcribed), "Is it ready?");
        let named =
            json!({"media_type": "document", "filename": "cake.pdf", "caption": "The cake"});
        assert_eq!(text(MessageKind::Media, named), "cake.pdf\nThe cake");
        let tapped = json!({"type": "button_reply", "button_reply": {"id": "y", "title": "Yes"}});
        assert_eq!(text(MessageKind::Interactive, tapped), "Yes");
        assert_eq!(text(MessageKind::Reaction, json!({"text": ""})), "Removed a reaction");
        assert_eq!(text(MessageKind::Text, Value::Null), "");
    }

    #[test]
    fn only_files_of_this_server_have_a_path() {
        let path = |url| own_file(url, "https://api.example");
        assert_eq!(path("https://api.example/media/med_1/a.png"), Some("/media/med_1/a.png"));
        assert_eq!(path("https://api.example/account"), None);
        assert_eq!(path("https://api.example.org/media/med_1/a.png"), None);
    }

    #[test]
    fn cards_and_orders_say_what_is_in_them() {
        let text = |kind, content| inbound(kind, &content);
        let ada = json!({
            "name": {"formatted_name": "Ada"},
            "phones": [{"phone": "+1 650", "wa_id": "1650"}, {"wa_id": "1917"}, {"type": "HOME"}],
        });
        let nobody = json!({"name": {"formatted_name": ""}});
        let expected = "2 contact cards\nAda · +1 650 · 1917";
        assert_eq!(text(MessageKind::Contacts, json!([ada, nobody])), expected);
        assert_eq!(text(MessageKind::Contacts, json!([nobody])), "Contact card");
        let item = |id: &str, quantity: f64, price: f64| {
            json!({
                "product_retailer_id": id,
                "quantity": quantity,
                "item_price": price,
                "currency": "EUR",
            })
        };
        let items = json!({
            "product_items": [item("bread", 2.0, 3.5), item("roll", 1.0, 1.0)],
            "text": "Soon",
        });
        let expected = "Order of 2 products\n2 × bread, 3.5 EUR each\n1 × roll, 1 EUR each\nSoon";
        assert_eq!(text(MessageKind::Order, items), expected);
        assert_eq!(text(MessageKind::Order, Value::Null), "Order from the catalog");
    }

    #[test]
    fn a_referral_says_what_the_ad_said() {
        let context = json!({"referral": {"source_type": "ad", "headline": "Cakes", "body": 7}});
        assert_eq!(referral_in(&context.to_string()).unwrap(), "Came from an ad\nCakes");
        let context =
            json!({"referral": {"source_type": "post", "source_url": "https://a.example"}});
        let expected = "Came from a post\nhttps://a.example";
        assert_eq!(referral_in(&context.to_string()).unwrap(), expected);
        assert_eq!(referral_in(r#"{"forwarded":true}"#), None);
    }

    #[test]
    fn a_file_is_named_by_what_was_said_with_it_or_by_its_kind() {
        assert_eq!(file("image", false, &["", ""]), "Picture");
        assert_eq!(file("audio", true, &["", ""]), "Voice message");
        assert_eq!(file("document", false, &["menu.pdf", ""]), "menu.pdf");
        assert_eq!(file("image", false, &["", "Two tiers"]), "Two tiers");
    }
}
