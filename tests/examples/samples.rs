//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
mod sample_0 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_1 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_2 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_3 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_4 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_5 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages/template")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
        .json(&json!({
          "to": "+12025550100",
          "template_name": "order_shipped",
          "language": "en_US",
          "components": [
            {
              "type": "body",
              "parameters": [
                {
                  "type": "text",
                  "text": "Ada"
                },
                {
                  "type": "text",
                  "text": "1042"
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
mod sample_6 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/messages/msg_01jd7qkz5tefrs7nn4j9m2h8xa")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_7 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/templates")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
        .json(&json!({
          "name": "order_shipped",
          "language": "en_US",
          "category": "utility",
          "components": [
            {
              "type": "BODY",
              "text": "Hello {{1}}, your order {{2}} is on its way.",
              "example": {
                "body_text": [
                  [
                    "Ada",
                    "1042"
                  ]
                ]
              }
            },
            {
              "type": "FOOTER",
              "text": "Thank you for shopping with us"
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
mod sample_8 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/templates?category=utility&limit=50")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_9 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/templates/tpl_01jd7qm4x8f0ta5b9c2e7h6jkr")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_10 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/media")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
        .json(&json!({
          "data": "JVBERi0xLjQKJSBhIHNtYWxsIGludm9pY2UKJSVFT0YK",
          "content_type": "application/pdf",
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
mod sample_11 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/conversations/history?phone_number=%2B12025550100&limit=50")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_12 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/conversations/history")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
        .json(&json!({
          "phone_number": "+12025550100",
          "order": "asc"
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
mod sample_13 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/events?after=0&type=conversation.created")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_14 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/me")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_15 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .delete("http://localhost:8080/api/v1/me")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_16 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/applications/swa_9hT2kVx5PqLm7RdYw3NcJz/revoke-connections")
        .header("x-client-id", std::env::var("APP_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("APP_CLIENT_SECRET")?)
        .json(&json!({
          "reason": "Our credentials were exposed.",
          "dry_run": true
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("0") => sample_0::run(),
        Some("1") => sample_1::run(),
        Some("2") => sample_2::run(),
        Some("3") => sample_3::run(),
        Some("4") => sample_4::run(),
        Some("5") => sample_5::run(),
        Some("6") => sample_6::run(),
        Some("7") => sample_7::run(),
        Some("8") => sample_8::run(),
        Some("9") => sample_9::run(),
        Some("10") => sample_10::run(),
        Some("11") => sample_11::run(),
        Some("12") => sample_12::run(),
        Some("13") => sample_13::run(),
        Some("14") => sample_14::run(),
        Some("15") => sample_15::run(),
        Some("16") => sample_16::run(),
        _ => Err("name a sample by its number".into()),
    }
}
