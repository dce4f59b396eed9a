//! Callbacks of Meta's for the load: signed beforehand, for Lua has no HMAC.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ring::hmac;
use serde_json::json;

use crate::clock;

/// What the server is told of Meta.
pub const APP_SECRET: &str = "bench-app-secret";
/// The number that the messages are for, as Meta knows it.
pub const PHONE_NUMBER_ID: &str = "106540352242922";
/// Its business account.
pub const BUSINESS_ID: &str = "102290129340398";

/// So many people write, one after the other.
const PEOPLE: usize = 10_000;
/// More than are asked for in a second, times the seconds: none comes twice.
const PER_SECOND: usize = 15_000;

/// Writes callbacks of a text message each into `file`, enough for that many seconds: a line with the signature, a tab
/// and the body.
pub fn write(file: &Path, seconds: u32) -> Result<()> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, APP_SECRET.as_bytes());
    let now = clock::now();
    let (run, second) = (now.unix_timestamp_nanos(), now.unix_timestamp());
    let mut lines = String::new();
    for number in 0..PER_SECOND * usize::try_from(seconds)? {
        let body = body(number % PEOPLE, &format!("wamid.{run}.{number}"), second);
        let signature = hmac::sign(&key, body.as_bytes());
        for byte in signature.as_ref() {
            write!(lines, "{byte:02x}")?;
        }
        writeln!(lines, "\t{body}")?;
    }
    fs::write(file, lines).with_context(|| format!("cannot write {}", file.display()))
}

fn body(person: usize, id: &str, second: i64) -> String {
    let from = format!("1202600{person:04}");
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "12025550198", "phone_number_id": PHONE_NUMBER_ID},
        "contacts": [{"profile": {"name": "Ada"}, "wa_id": from}],
        "messages": [{
            "from": from, "id": id, "timestamp": second.to_string(), "type": "text",
            "text": {"body": "Has my order left the warehouse?"},
        }],
    });
    let entry = json!({"id": BUSINESS_ID, "changes": [{"field": "messages", "value": value}]});
    json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string()
}
