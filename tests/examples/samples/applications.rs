//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_66 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .post("http://localhost:8080/api/v1/applications/swa_9hT2kVx5PqLm7RdYw3NcJz/revoke-connections")
        .header("x-client-id", std::env::var("APP_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("APP_CLIENT_SECRET")?)
        .header("idempotency-key", uuid::Uuid::new_v4().to_string())
        .json(&json!({
          "reason": "Our client secret was exposed.",
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
