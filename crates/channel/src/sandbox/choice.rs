//! The simulated contacts' replies to interactive messages.

use crate::OutboundMessage;
use domain::content::interactive::CardAction;
use domain::content::{Action, Button, Content, Row};
use serde_json::{Value, json};

/// A reply button, or a row of a list, that a customer can tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerChoice {
    /// `button_reply` or `list_reply`.
    kind: &'static str,
    /// The value that comes back when the choice is tapped.
    pub id: String,
    /// The label.
    pub title: String,
    /// The text below the label of a row.
    pub description: Option<String>,
}

/// Returns the buttons or rows of a message that a customer can tap.
#[must_use]
pub fn choices(content: &Content) -> Vec<CustomerChoice> {
    let Content::Interactive(interactive) = content else { return Vec::new() };
    match &interactive.action {
        Action::Buttons(buttons) => {
            let button = |it: &Button| CustomerChoice {
                kind: "button_reply",
                id: it.id.clone(),
                title: it.title.clone(),
                description: None,
            };
            buttons.iter().map(button).collect()
        }
        Action::List(list) => {
            let rows = list.sections.iter().flat_map(|section| &section.rows);
            let row = |it: &Row| CustomerChoice {
                kind: "list_reply",
                id: it.id.clone(),
                title: it.title.clone(),
                description: it.description.clone(),
            };
            rows.map(row).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the reply of a customer who taps a choice.
pub fn choice_reply(choice: &CustomerChoice) -> Value {
    let kind = choice.kind;
    let mut reply = json!({"id": choice.id, "title": choice.title});
    if let Some(description) = &choice.description {
        reply["description"] = json!(description);
    }
    json!({"type": "interactive", "interactive": {"type": kind, kind: reply}})
}

/// Returns the reply of a contact who taps the first button or row.
pub fn first_choice(handover: &OutboundMessage<'_>) -> Option<Value> {
    let Content::Interactive(interactive) = handover.content else {
        return None;
    };
    let (kind, choice) = match &interactive.action {
        Action::Buttons(buttons) => {
            let button = buttons.first()?;
            ("button_reply", json!({"id": button.id, "title": button.title}))
        }
        Action::List(list) => {
            let row = list.sections.first()?.rows.first()?;
            (
                "list_reply",
                json!({"id": row.id, "title": row.title, "description": row.description}),
            )
        }
        Action::Carousel(cards) => {
            let CardAction::Replies(buttons) = &cards.first()?.action else { return None };
            let button = buttons.first()?;
            ("button_reply", json!({"id": button.id, "title": button.title}))
        }
        Action::RequestLocation => {
            let place = json!({"latitude": 37.7749, "longitude": -122.4194, "name": "Sandbox"});
            return Some(json!({"type": "location", "location": place}));
        }
        Action::RequestCallPermission => {
            ("call_permission_reply", json!({"response": "accept", "is_permanent": false}))
        }
        Action::Flow(flow) => {
            let answer = json!({ "flow_token": flow.token.as_deref().unwrap_or("unused") });
            ("nfm_reply", form("flow", &answer))
        }
        Action::Address(_) => {
            let answer = json!({"values": {"name": "Sandbox", "city": "San Francisco"}});
            ("nfm_reply", form("address_message", &answer))
        }
        // The contact replies to these with a contact card, or not at all.
        Action::RequestContactInfo
        | Action::Link { .. }
        | Action::Catalog { .. }
        | Action::Product(_)
        | Action::ProductList(_)
        | Action::OrderDetails(_)
        | Action::OrderStatus(_) => return None,
    };
    Some(json!({"type": "interactive", "interactive": {"type": kind, kind: choice}}))
}

fn form(name: &str, answer: &Value) -> Value {
    json!({"name": name, "body": "Sent", "response_json": answer.to_string()})
}
