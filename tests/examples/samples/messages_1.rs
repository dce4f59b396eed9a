//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_0 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "text",
          "phone_number": "+12025550100",
          "text": "Your order is on its way.",
          "client_ref": "order-1042"
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_1 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "media",
          "phone_number": "+12025550100",
          "media_url": "https://example.com/invoice-1042.pdf",
          "caption": "Your invoice",
          "filename": "invoice.pdf"
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_2 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "interactive",
          "phone_number": "+12025550108",
          "interactive": {
            "type": "button",
            "body": {
              "text": "Is Tuesday at ten fine?"
            },
            "footer": {
              "text": "Delivery of order 1042"
            },
            "action": {
              "buttons": [
                {
                  "type": "reply",
                  "reply": {
                    "id": "yes",
                    "title": "Yes"
                  }
                },
                {
                  "type": "reply",
                  "reply": {
                    "id": "no",
                    "title": "Another day"
                  }
                }
              ]
            }
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_3 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "interactive",
          "phone_number": "+12025550108",
          "interactive": {
            "type": "list",
            "header": {
              "type": "text",
              "text": "Delivery"
            },
            "body": {
              "text": "When should we come?"
            },
            "action": {
              "button": "Choose a time",
              "sections": [
                {
                  "title": "Tuesday",
                  "rows": [
                    {
                      "id": "tue-10",
                      "title": "10:00",
                      "description": "Until 11:00"
                    },
                    {
                      "id": "tue-14",
                      "title": "14:00"
                    }
                  ]
                },
                {
                  "title": "Wednesday",
                  "rows": [
                    {
                      "id": "wed-10",
                      "title": "10:00"
                    }
                  ]
                }
              ]
            }
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_4 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "interactive",
          "phone_number": "+12025550100",
          "interactive": {
            "type": "cta_url",
            "body": {
              "text": "Your order is on its way."
            },
            "action": {
              "name": "cta_url",
              "parameters": {
                "display_text": "Track order",
                "url": "https://example.com/orders/1042"
              }
            }
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_5 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "media",
          "phone_number": "+12025550100",
          "media_url": "https://example.com/greeting.ogg",
          "voice": true
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_6 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "location",
          "phone_number": "+12025550100",
          "location": {
            "latitude": 37.4847,
            "longitude": -122.1486,
            "name": "Depot",
            "address": "1 Hacker Way, Menlo Park, CA 94025"
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_7 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "contacts",
          "phone_number": "+12025550100",
          "contacts": [
            {
              "name": {
                "formatted_name": "Ada Lovelace",
                "first_name": "Ada",
                "last_name": "Lovelace"
              },
              "phones": [
                {
                  "phone": "+1 202-555-0123",
                  "type": "WORK"
                }
              ],
              "emails": [
                {
                  "email": "ada@example.com",
                  "type": "WORK"
                }
              ]
            }
          ]
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_8 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "reaction",
          "phone_number": "+12025550100",
          "reaction": {
            "message_id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa",
            "emoji": "👍"
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_9 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "interactive",
          "phone_number": "+12025550108",
          "interactive": {
            "type": "flow",
            "body": {
              "text": "Book an appointment."
            },
            "action": {
              "name": "flow",
              "parameters": {
                "flow_message_version": "3",
                "flow_id": "1042",
                "flow_cta": "Book",
                "flow_token": "order-1042",
                "flow_action": "navigate",
                "flow_action_payload": {
                  "screen": "DATE",
                  "data": {
                    "name": "Ada"
                  }
                }
              }
            }
          }
        }))
        .send()
        .await?;
    println!("{} {}", response.status(), response.json::<Value>().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}
