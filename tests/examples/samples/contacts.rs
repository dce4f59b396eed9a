//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

#[rustfmt::skip]
pub mod sample_44 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/contacts?limit=50")
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
pub mod sample_45 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/contacts/ctc_01jd7qkz5refa9k3x7d5s2n0pg")
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
pub mod sample_46 {
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .get("http://localhost:8080/api/v1/contacts/ctc_01jd7qkz5refa9k3x7d5s2n0pg/export")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .send()
        .await?;
    println!("{} {:?}", response.status(), response.bytes().await?);
    Ok(())
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
}

#[rustfmt::skip]
pub mod sample_47 {
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .patch("http://localhost:8080/api/v1/contacts/ctc_01jd7qkz5refa9k3x7d5s2n0pg")
        .header("x-client-id", std::env::var("SWITCHBOARD_CLIENT_ID")?)
        .header("x-client-secret", std::env::var("SWITCHBOARD_CLIENT_SECRET")?)
        .json(&json!({
          "name": "Ada Lovelace"
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
pub mod sample_48 {
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::Client::new()
        .delete("http://localhost:8080/api/v1/contacts/ctc_01jd7qkzaefgrrn58vws3z14xd")
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
