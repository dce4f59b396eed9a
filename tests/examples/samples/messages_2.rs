//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_10 {
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
            "type": "location_request_message",
            "body": {
              "text": "Where should we deliver?"
            },
            "action": {
              "name": "send_location"
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
pub mod sample_11 {
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
            "type": "request_contact_info",
            "body": {
              "text": "Which number can we reach you on?"
            },
            "action": {
              "name": "request_contact_info"
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
pub mod sample_12 {
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
            "type": "call_permission_request",
            "body": {
              "text": "May we call you about your order?"
            },
            "action": {
              "name": "call_permission_request"
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
pub mod sample_13 {
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
            "type": "address_message",
            "body": {
              "text": "Where should we deliver?"
            },
            "action": {
              "name": "address_message",
              "parameters": {
                "country": "IN",
                "values": {
                  "city": "Bangalore"
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
pub mod sample_14 {
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
            "type": "catalog_message",
            "body": {
              "text": "Have a look at our catalog."
            },
            "action": {
              "name": "catalog_message",
              "parameters": {
                "thumbnail_product_retailer_id": "shoe-1"
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
pub mod sample_15 {
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
            "type": "product",
            "body": {
              "text": "These are back."
            },
            "action": {
              "catalog_id": "194836987003835",
              "product_retailer_id": "shoe-1"
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
pub mod sample_16 {
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
            "type": "product_list",
            "header": {
              "type": "text",
              "text": "Autumn"
            },
            "body": {
              "text": "What is new."
            },
            "action": {
              "sections": [
                {
                  "title": "Shoes",
                  "product_items": [
                    {
                      "product_retailer_id": "shoe-1"
                    },
                    {
                      "product_retailer_id": "shoe-2"
                    }
                  ]
                },
                {
                  "title": "Hats",
                  "product_items": [
                    {
                      "product_retailer_id": "hat-1"
                    }
                  ]
                }
              ],
              "catalog_id": "194836987003835"
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
pub mod sample_17 {
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
            "type": "carousel",
            "body": {
              "text": "Which ones do you like?"
            },
            "action": {
              "cards": [
                {
                  "card_index": 0,
                  "type": "cta_url",
                  "header": {
                    "type": "image",
                    "image": {
                      "link": "https://example.com/shoe-1.png"
                    }
                  },
                  "action": {
                    "name": "cta_url",
                    "parameters": {
                      "display_text": "View",
                      "url": "https://example.com/shoes/1"
                    }
                  }
                },
                {
                  "card_index": 1,
                  "type": "cta_url",
                  "header": {
                    "type": "image",
                    "image": {
                      "link": "https://example.com/shoe-2.png"
                    }
                  },
                  "action": {
                    "name": "cta_url",
                    "parameters": {
                      "display_text": "View",
                      "url": "https://example.com/shoes/2"
                    }
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
