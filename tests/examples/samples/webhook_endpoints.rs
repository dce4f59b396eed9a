//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_53 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/webhook-endpoints?limit=50")
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
pub mod sample_54 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/webhook-endpoints")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "url": "https://example.com/webhooks/switchboard",
          "description": "Order status",
          "events": [
            "message.received",
            "message.failed"
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
pub mod sample_55 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp")
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
pub mod sample_56 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .patch("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .json(&json!({
          "description": "Order status",
          "state": "enabled"
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
pub mod sample_57 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp/rotate")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
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
pub mod sample_58 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp/test")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
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
pub mod sample_59 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp/deliveries?status=succeeded&limit=50")
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
pub mod sample_60 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp/deliveries/dlv_01jd7pz6e4f8k9m2n3p4q5r6s7/resend")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
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
pub mod sample_61 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp/replay")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "since": "2026-11-20T09:30:00.000Z",
          "until": "2026-11-21T12:00:00.000Z"
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
pub mod sample_62 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .delete("http://localhost:8080/api/v1/webhook-endpoints/whe_01jd7qkz00fmjrp15j17dm43cp")
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
