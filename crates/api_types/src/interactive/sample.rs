//! Interactive messages for the examples of the reference.

use super::{
    ActionWire, ButtonWire, HeaderWire, InteractiveWire, ParametersWire, ReplyWire, RowWire,
    SectionWire, TextWire,
};
use crate::object::Object;

fn text(text: &str) -> Object<TextWire> {
    Object(TextWire { text: Some(text.to_owned()) })
}

fn button(id: &str, title: &str) -> Object<ButtonWire> {
    let reply = ReplyWire { id: Some(id.to_owned()), title: Some(title.to_owned()) };
    Object(ButtonWire { kind: Some("reply".to_owned()), reply: Some(Object(reply)) })
}

fn row(id: &str, title: &str, description: Option<&str>) -> Object<RowWire> {
    Object(RowWire {
        id: Some(id.to_owned()),
        title: Some(title.to_owned()),
        description: description.map(str::to_owned),
    })
}

fn section(title: &str, rows: Vec<Object<RowWire>>) -> Object<SectionWire> {
    Object(SectionWire { title: Some(title.to_owned()), rows: Some(rows), product_items: None })
}

/// Returns a message with two reply buttons.
#[must_use]
pub fn buttons() -> InteractiveWire {
    let action = ActionWire {
        buttons: Some(vec![button("yes", "Yes"), button("no", "Another day")]),
        ..ActionWire::default()
    };
    InteractiveWire {
        kind: Some("button".to_owned()),
        header: None,
        body: Some(text("Is Tuesday at ten fine?")),
        footer: Some(text("Delivery of order 1042")),
        action: Some(Object(action)),
    }
}

/// Returns a list of three rows in two sections.
#[must_use]
pub fn list() -> InteractiveWire {
    let tuesday = vec![row("tue-10", "10:00", Some("Until 11:00")), row("tue-14", "14:00", None)];
    let wednesday = vec![row("wed-10", "10:00", None)];
    let header = HeaderWire {
        kind: Some("text".to_owned()),
        text: Some("Delivery".to_owned()),
        ..HeaderWire::default()
    };
    let action = ActionWire {
        button: Some("Choose a time".to_owned()),
        sections: Some(vec![section("Tuesday", tuesday), section("Wednesday", wednesday)]),
        ..ActionWire::default()
    };
    InteractiveWire {
        kind: Some("list".to_owned()),
        header: Some(Object(header)),
        body: Some(text("When should we come?")),
        footer: None,
        action: Some(Object(action)),
    }
}

/// Returns a message with a link.
#[must_use]
pub fn link() -> InteractiveWire {
    let parameters = ParametersWire {
        display_text: Some("Track order".to_owned()),
        url: Some("https://example.com/orders/1042".to_owned()),
        ..ParametersWire::default()
    };
    let action = ActionWire {
        name: Some("cta_url".to_owned()),
        parameters: Some(Object(parameters)),
        ..ActionWire::default()
    };
    InteractiveWire {
        kind: Some("cta_url".to_owned()),
        header: None,
        body: Some(text("Your order is on its way.")),
        footer: None,
        action: Some(Object(action)),
    }
}
