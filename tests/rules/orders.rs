//! Orders to be paid.

use super::*;
use domain::content::interactive::{
    AmountInput, Charge, Expiration, MAX_ITEMS, Order, OrderDetails, OrderDetailsInput, OrderInput,
    OrderItem, OrderItemInput, OrderStatus,
};

#[expect(clippy::unnecessary_wraps, reason = "an amount may be missing")]
const fn rupees(value: i64) -> AmountInput {
    Some((Some(value), Some(100)))
}

/// A charge as a caller passes it: `None` if it could not be parsed, `Some(None)` if there is none.
type Read = Option<Option<Charge>>;

fn charge(value: i64) -> Read {
    read(|it| Charge::parse(&AT, rupees(value), None, None, it)).ok().map(Some)
}

fn item(price: AmountInput, quantity: i64) -> Result<OrderItem, String> {
    let input = OrderItemInput {
        retailer_id: Some("sku"),
        name: Some("Cake"),
        price,
        quantity: Some(quantity),
        ..OrderItemInput::default()
    };
    read(|it| OrderItem::parse(&AT, input, it))
}

fn order(status: &str, count: usize, charges: [Read; 3]) -> Result<Order, String> {
    let [tax, shipping, discount] = charges;
    let input = OrderInput {
        status: Some(status),
        catalog_id: None,
        item_count: count,
        items: vec![item(rupees(1), 1).unwrap()],
        subtotal: rupees(1000),
        tax,
        shipping,
        discount,
        expiration: Some(None),
    };
    read(|it| Order::parse(&AT, input, it))
}

fn details(
    reference: &str,
    goods: &str,
    currency: &str,
    total: i64,
    order: Option<Order>,
) -> Result<OrderDetails, String> {
    let input = OrderDetailsInput {
        reference_id: Some(reference),
        goods: Some(goods),
        currency: Some(currency),
        total: rupees(total),
        order: Some(order),
        ..OrderDetailsInput::default()
    };
    read(|it| OrderDetails::parse(&AT, input, it))
}

#[test]
fn an_amount_is_not_below_zero_and_counts_hundredths() {
    assert_eq!(item(rupees(0), 1).unwrap().amount, 0);
    assert_eq!(item(rupees(1250), 1).unwrap().amount, 1250);
    assert_eq!(item(rupees(-1), 1).unwrap_err(), "x.amount.value out_of_range");
    assert_eq!(item(Some((Some(1), Some(10))), 1).unwrap_err(), "x.amount.offset not_one_of");
    assert_eq!(item(rupees(1), 0).unwrap_err(), "x.quantity out_of_range");
}

#[test]
fn an_order_is_pending_and_has_one_to_999_items() {
    let none = || [Some(None), Some(None), Some(None)];
    assert!(order("pending", MAX_ITEMS, none()).is_ok());
    assert_eq!(order("shipped", 1, none()).unwrap_err(), "x.status not_one_of");
    assert_eq!(order("pending", 0, none()).unwrap_err(), "x.items empty");
    assert_eq!(order("pending", MAX_ITEMS + 1, none()).unwrap_err(), "x.items too_long");
}

#[test]
fn the_total_is_what_the_parts_come_to() {
    let parts = order("pending", 1, [charge(100), charge(50), charge(30)]).unwrap();
    let details = |total, order| details("order_1.A-2", "digital-goods", "INR", total, order);
    let paid = details(1120, Some(parts.clone())).unwrap();
    assert_eq!(paid.reference_id.as_str(), "order_1.A-2");
    assert_eq!(paid.total, 1120);
    for total in [1119, 1121, 0] {
        let found = details(total, Some(parts.clone())).unwrap_err();
        assert_eq!(found, "x.total_amount.value out_of_range", "{total}");
    }
    let endless = Order { subtotal: i64::MAX, ..parts };
    assert_eq!(details(1120, Some(endless)).unwrap_err(), "x.total_amount.value out_of_range");
    assert!(details(5, None).is_ok(), "a message may name the total alone");
}

#[test]
fn a_currency_has_three_capitals_and_a_reference_no_spaces() {
    for currency in ["INRS", "IN", "inr", "IN1"] {
        let found = details("a", "digital-goods", currency, 1, None).unwrap_err();
        assert_eq!(found, "x.currency invalid_format", "{currency}");
    }
    for reference in ["a b", "é", "a/b"] {
        let found = details(reference, "digital-goods", "INR", 1, None).unwrap_err();
        assert_eq!(found, "x.reference_id invalid_format", "{reference}");
    }
}

#[test]
fn an_order_expires_at_a_second_and_its_status_is_one_of_six() {
    let ends = |at: &str| read(|it| Expiration::parse(&AT, Some(at), Some("too late"), it));
    assert_eq!(ends("1").unwrap().at, 1);
    for at in ["0", "-1", "soon"] {
        assert_eq!(ends(at).unwrap_err(), "x.timestamp invalid_format", "{at}");
    }
    let status = |word| read(|it| OrderStatus::parse(&AT, Some("a"), Some(word), None, it));
    assert_eq!(status("shipped").unwrap().reference_id, "a");
    assert_eq!(status("lost").unwrap_err(), "x.order.status not_one_of");
}

#[test]
fn an_order_is_told_with_its_amount() {
    let told = |action| Interactive::stored(None, None, None, action).words();
    let paid = details("a", "physical-goods", "INR", 12_305, None).unwrap();
    assert_eq!(told(Action::OrderDetails(Box::new(paid))), "[order a] 123.05 INR");
    let status =
        read(|it| OrderStatus::parse(&AT, Some("a"), Some("shipped"), Some("by train"), it));
    let status = status.unwrap();
    assert_eq!(told(Action::OrderStatus(status)), "[order a] shipped: by train");
}
