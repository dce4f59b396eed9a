//! Carousels.

use super::*;
use domain::content::interactive::{Card, CardAction, MAX_CARDS, ProductRef};
use domain::media::MediaKind;

fn link() -> CardAction {
    read(|it| CardAction::link(&AT, Some("Open"), Some("https://a.example/1"), it)).unwrap()
}

fn replies(count: usize) -> CardAction {
    let button = |n: usize| Button::stored(n.to_string(), format!("Say {n}"));
    CardAction::Replies((0..count).map(button).collect())
}

fn product(catalog: &str) -> CardAction {
    let product = read(|it| ProductRef::parse(&AT, Some(catalog), Some("sku"), it));
    CardAction::Product(product.unwrap())
}

fn card(
    index: i64,
    kind: Option<MediaKind>,
    body: Option<&str>,
    action: CardAction,
) -> Result<Card, String> {
    let header = kind.map(|kind| (kind, url("https://a.example/p")));
    read(|it| Card::parse(&AT, Some(index), header, body, Some(action), it))
}

fn plain(index: i64, action: CardAction) -> Card {
    card(index, Some(MediaKind::Image), None, action).unwrap()
}

fn check(cards: Vec<Card>) -> Result<Vec<Card>, String> {
    let (count, cards) = (cards.len(), cards.into_iter().enumerate().collect());
    read(|it| Card::check(&AT, count, cards, it))
}

#[test]
fn a_card_has_a_place_below_ten_a_picture_and_at_most_two_line_breaks() {
    let (image, video) = (Some(MediaKind::Image), Some(MediaKind::Video));
    assert_eq!(card(9, video, Some("a\nb\nc"), link()).unwrap().index, 9);
    assert_eq!(card(10, image, None, link()).unwrap_err(), "x.card_index out_of_range");
    assert_eq!(card(-1, image, None, link()).unwrap_err(), "x.card_index out_of_range");
    assert_eq!(card(0, image, Some("a\nb\nc\nd"), link()).unwrap_err(), "x.body.text too_long");
    for kind in [None, Some(MediaKind::Audio), Some(MediaKind::Document)] {
        assert_eq!(card(0, kind, None, link()).unwrap_err(), "x.header required");
    }
    assert_eq!(card(0, image, None, replies(4)).unwrap_err(), "x.action.buttons too_long");
    assert!(card(0, None, None, product("c")).is_ok());
    let beside = "x.header not_allowed, x.body not_allowed";
    assert_eq!(card(0, image, Some("hi"), product("c")).unwrap_err(), beside);
}

#[test]
fn a_carousel_has_two_to_ten_cards_each_with_a_place_of_its_own() {
    let of =
        |count: usize| check((0..10).cycle().take(count).map(|it| plain(it, link())).collect());
    assert_eq!(of(1).unwrap_err(), "x empty");
    assert_eq!(of(2).unwrap(), [plain(0, link()), plain(1, link())]);
    assert!(of(MAX_CARDS).is_ok());
    assert_eq!(of(11).unwrap_err(), "x too_long, x[10].card_index duplicate");
    let twice = check(vec![plain(0, link()), plain(1, link()), plain(1, link())]);
    assert_eq!(twice.unwrap_err(), "x[2].card_index duplicate");
}

#[test]
fn cards_of_a_carousel_are_alike() {
    let two = |one, other| check(vec![plain(0, one), plain(1, other)]).err().unwrap_or_default();
    assert_eq!(two(replies(2), replies(2)), "");
    assert_eq!(two(replies(2), replies(1)), "x[1].action not_allowed");
    assert_eq!(two(link(), replies(1)), "x[1].action not_allowed");
    let shown = |one, other| {
        let card = |index, catalog| card(index, None, None, product(catalog)).unwrap();
        check(vec![card(0, one), card(1, other)]).err().unwrap_or_default()
    };
    assert_eq!(shown("c", "c"), "");
    assert_eq!(shown("c", "d"), "x[1].action not_allowed");
}

#[test]
fn a_card_is_told_by_what_it_shows_and_its_labels() {
    let told = plain(0, replies(2)).words();
    assert_eq!(told, "[image] https://a.example/p [Say 0] [Say 1]");
    let cards = vec![card(0, None, None, product("c")).unwrap()];
    let whole = Interactive::stored(None, Some("Look".into()), None, Action::Carousel(cards));
    assert_eq!(whole.words(), "Look\n[product] sku");
}
