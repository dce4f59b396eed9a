//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_18 {
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
            "type": "order_details",
            "body": {
              "text": "Your order is ready to be paid."
            },
            "action": {
              "name": "review_and_pay",
              "parameters": {
                "reference_id": "order-1042",
                "type": "physical-goods",
                "payment_configuration": "main",
                "currency": "INR",
                "total_amount": {
                  "value": 5500,
                  "offset": 100
                },
                "order": {
                  "status": "pending",
                  "items": [
                    {
                      "retailer_id": "shoe-1",
                      "name": "Shoes",
                      "amount": {
                        "value": 5000,
                        "offset": 100
                      },
                      "quantity": 1
                    }
                  ],
                  "subtotal": {
                    "value": 5000,
                    "offset": 100
                  },
                  "tax": {
                    "value": 500,
                    "offset": 100,
                    "description": "GST"
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

#[rustfmt::skip]
pub mod sample_19 {
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
            "type": "order_status",
            "body": {
              "text": "Your order is on its way."
            },
            "action": {
              "name": "review_order",
              "parameters": {
                "reference_id": "order-1042",
                "order": {
                  "status": "shipped"
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

#[rustfmt::skip]
pub mod sample_20 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "type": "channel",
          "phone_number": "+12025550100",
          "channel": {
            "type": "text",
            "text": {
              "body": "Your order is on its way."
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
pub mod sample_21 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages/template")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
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
pub mod sample_22 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages/batch")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "messages": [
            {
              "type": "text",
              "phone_number": "+12025550100",
              "text": "Your order is on its way.",
              "client_ref": "order-1042"
            },
            {
              "type": "text",
              "phone_number": "+12025550108",
              "text": "Your order is on its way."
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
pub mod sample_23 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/messages?status=delivered&limit=50")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
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
pub mod sample_24 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/messages/scheduled?limit=50")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
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
pub mod sample_25 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/messages/msg_01jd7qkz5tefrs7nn4j9m2h8xa")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
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
pub mod sample_26 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .delete("http://localhost:8080/api/v1/messages/msg_01jd7qkz5tefrs7nn4j9m2h8xc")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
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
pub mod sample_27 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages/msg_01jd7qkz5tefrs7nn4j9m2h8xb/read")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "typing": true
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
