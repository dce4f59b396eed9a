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
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_6 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_7 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_8 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_9 {
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

#[rustfmt::skip]
mod sample_10 {
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
mod sample_11 {
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
mod sample_12 {
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
mod sample_13 {
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
mod sample_14 {
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
mod sample_15 {
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
mod sample_16 {
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
mod sample_17 {
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

#[rustfmt::skip]
mod sample_18 {
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
mod sample_19 {
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
mod sample_20 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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
mod sample_21 {
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
mod sample_22 {
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
mod sample_23 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/messages/msg_01jd7qkz5tefrs7nn4j9m2h8xb/read")
        .header("x-client-id", std::env::var("CLIENT_ID")?)
        .header("x-client-secret", std::env::var("CLIENT_SECRET")?)
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

#[rustfmt::skip]
mod sample_24 {
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
mod sample_25 {
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
mod sample_26 {
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
mod sample_27 {
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
mod sample_28 {
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
mod sample_29 {
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
mod sample_30 {
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
mod sample_31 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/accounts?limit=50")
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
mod sample_32 {
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
mod sample_33 {
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
mod sample_34 {
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
        Some("17") => sample_17::run(),
        Some("18") => sample_18::run(),
        Some("19") => sample_19::run(),
        Some("20") => sample_20::run(),
        Some("21") => sample_21::run(),
        Some("22") => sample_22::run(),
        Some("23") => sample_23::run(),
        Some("24") => sample_24::run(),
        Some("25") => sample_25::run(),
        Some("26") => sample_26::run(),
        Some("27") => sample_27::run(),
        Some("28") => sample_28::run(),
        Some("29") => sample_29::run(),
        Some("30") => sample_30::run(),
        Some("31") => sample_31::run(),
        Some("32") => sample_32::run(),
        Some("33") => sample_33::run(),
        Some("34") => sample_34::run(),
        _ => Err("name a sample by its number".into()),
    }
}
