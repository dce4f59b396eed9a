//! Tests of the stored rows in `tests/stored_content`. Every row must stay readable, and each type
//! that can be sent must have at least one row.

use super::read;
use crate::{FORMAT, decode, encode};
use domain::content::interactive::HEADERS;
use domain::content::interactive::{
    CardAction, FlowMode, FlowStart, GoodsType, InteractiveType, OrderState,
};
use domain::content::parameter::PARAMETERS;
use domain::content::template::{CAROUSEL, COMPONENTS};
use domain::content::{
    Action, ButtonKind, ComponentParameters, Content, ContentType, Header, Interactive,
    MessageKind, ParameterPlace, TemplateContent,
};
use domain::keyword::Keyword;
use domain::media::MediaKind;
use serde_json::Value;
use std::collections::BTreeSet;

/// Stored rows, one per line. Lines are added, never changed.
const FIRST: &str = include_str!("../../../../tests/stored_content/format_1.jsonl");

fn content_of(line: &str) -> (MessageKind, Content) {
    let row: Value = serde_json::from_str(line).unwrap();
    let kind = MessageKind::from_keyword(row["kind"].as_str().unwrap()).unwrap();
    let content = read(1, kind, &row["content"]);
    (kind, content.unwrap_or_else(|why| panic!("{why}: {line}")))
}

#[test]
fn every_row_that_was_ever_stored_can_be_read() {
    for line in FIRST.lines() {
        let (kind, content) = content_of(line);
        assert_eq!(MessageKind::from(content.content_type()), kind, "{line}");
    }
}

/// The lines that the present version would encode differently. They contain an index as a number,
/// a preview that is turned off, an incomplete part of another type, or a carousel that is not the
/// last component.
const WRITTEN_OTHERWISE: [usize; 8] = [2, 14, 16, 17, 18, 19, 20, 21];

/// The present version must encode a content as earlier versions did, so that the previous version
/// can decode it.
#[test]
fn a_row_is_written_as_it_always_was() {
    for (number, line) in FIRST.lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (kind, content) = content_of(line);
        let stored = encode(&content).unwrap();
        assert_eq!(stored.kind, kind, "{line}");
        if !WRITTEN_OTHERWISE.contains(&number) {
            assert_eq!(row["content"].to_string(), stored.document, "line {number}");
        }
        assert_eq!(decode(FORMAT, kind, &stored.document).unwrap(), content, "{line}");
    }
}

/// Returns the keywords of the domain that a content uses, each with its kind.
fn shown_by(content: &Content) -> Vec<(&'static str, &'static str)> {
    let mut shown = vec![("message", content.content_type().as_str())];
    match content {
        Content::Media(file) => {
            shown.push(("media", file.kind.as_str()));
            shown.extend(file.voice.then_some(("media", VOICE)));
        }
        Content::Interactive(it) => shown.extend(shown_by_interactive(it)),
        Content::Template(it) => shown.extend(shown_by_template(it)),
        Content::Text(_)
        | Content::Location(_)
        | Content::Contacts(_)
        | Content::Reaction(_)
        | Content::Channel(_) => {}
    }
    shown
}

fn shown_by_interactive(it: &Interactive) -> Vec<(&'static str, &'static str)> {
    let mut shown = vec![("interactive", it.action.interactive_type().as_str())];
    shown.extend(it.header.as_ref().map(|header| match header {
        Header::Text(_) => ("header", "text"),
        Header::Media { kind, .. } => ("header", kind.as_str()),
    }));
    match &it.action {
        Action::Flow(flow) => {
            shown.extend(flow.mode.map(|it| ("mode", it.as_str())));
            shown.extend(flow.start.map(|it| ("start", it.as_str())));
        }
        Action::Carousel(cards) => shown.extend(cards.iter().map(|card| match card.action {
            CardAction::Link { .. } => ("card", CARDS[0]),
            CardAction::Replies(_) => ("card", CARDS[1]),
            CardAction::Product(_) => ("card", CARDS[2]),
        })),
        Action::OrderDetails(order) => shown.push(("goods", order.goods.as_str())),
        Action::OrderStatus(order) => shown.push(("order", order.status.as_str())),
        _ => {}
    }
    shown
}

fn shown_by_template(it: &TemplateContent) -> Vec<(&'static str, &'static str)> {
    let of_part = |part: &ComponentParameters| {
        let place = match part.place {
            ParameterPlace::Header => vec![("component", "header")],
            ParameterPlace::Body => vec![("component", "body")],
            ParameterPlace::LimitedTimeOffer => vec![("component", "limited_time_offer")],
            ParameterPlace::OrderStatus => vec![("component", "order_status")],
            ParameterPlace::TapTargets => vec![("component", "tap_target_configuration")],
            ParameterPlace::CallButton => vec![("component", "button"), ("button", "voice_call")],
            ParameterPlace::Button(kind, _) => {
                vec![("component", "button"), ("button", kind.as_str())]
            }
        };
        let parameters = part.parameters.iter().map(|it| ("parameter", it.word()));
        place.into_iter().chain(parameters).collect::<Vec<_>>()
    };
    let cards = it.cards.iter().flat_map(|card| &card.components);
    let shown = it.components.iter().chain(cards).flat_map(of_part);
    shown.chain((!it.cards.is_empty()).then_some(("component", CAROUSEL))).collect()
}

const VOICE: &str = "voice";
/// The actions of a card. They have no keyword, because cards with buttons and cards with a link
/// are of the same type.
const CARDS: [&str; 3] = ["link", "replies", "product"];

fn words<K: Keyword>(of: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    K::ALL.iter().map(move |it| (of, it.as_str()))
}

#[test]
fn each_type_that_can_be_sent_has_a_row() {
    // Given all keywords of contents that can be sent,
    let listed = |of, all: &'static [&'static str]| all.iter().map(move |it| (of, *it));
    let expected: BTreeSet<_> = words::<ContentType>("message")
        .chain(words::<MediaKind>("media"))
        .chain(listed("media", &[VOICE]))
        .chain(words::<InteractiveType>("interactive"))
        .chain(listed("header", &HEADERS))
        .chain(words::<FlowMode>("mode"))
        .chain(words::<FlowStart>("start"))
        .chain(listed("card", &CARDS))
        .chain(words::<GoodsType>("goods"))
        .chain(words::<OrderState>("order"))
        .chain(listed("component", &COMPONENTS))
        .chain(words::<ButtonKind>("button"))
        .chain(listed("parameter", &PARAMETERS))
        .collect();
    // when all rows are read,
    let shown: BTreeSet<_> = FIRST.lines().flat_map(|line| shown_by(&content_of(line).1)).collect();
    // then each keyword occurs in some row.
    let missing: Vec<_> = expected.difference(&shown).collect();
    assert!(missing.is_empty(), "add a row as `encode` writes it for each of {missing:?}");
}
