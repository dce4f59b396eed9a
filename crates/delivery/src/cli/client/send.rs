//! `switchboard send`: sends a text, for a first try.

use super::ServerArguments;
use crate::cli::results::Output;
use anyhow::Result;
use clap::Args;
use platform::entropy::Entropy;
use serde_json::{Value, json};
use std::fmt::Write as _;

#[derive(Debug, Args)]
pub struct SendArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// The recipient's phone number, such as +12025550100.
    #[arg(long, value_name = "NUMBER")]
    to: String,
    /// The text.
    #[arg(long)]
    text: String,
    #[command(flatten)]
    output: Output,
}

pub async fn run(arguments: SendArguments) -> Result<()> {
    let SendArguments { server, to, text, output } = arguments;
    let client = server.client()?;
    let body = json!({"type": "text", "phone_number": to, "text": text});
    let answer = client.post("/api/v1/messages", &body, &random_key()).await?;
    let message: Value = answer.parse()?;
    let sentence = format!("The server accepted the message to {to} and hands it to the channel.");
    output.object(&message, &sentence)
}

/// Returns a key for `Idempotency-Key`.
pub fn random_key() -> String {
    let bytes = Entropy::system().bytes::<16>();
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
