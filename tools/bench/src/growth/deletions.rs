//! The deletion of contacts.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::measure::{Measured, middle};
use super::server::Server;
use super::workers::{until, until_drained, until_followed};
use crate::client::{Answer, Client};
use crate::fill::{self, Filled};
use servers::clock::{self, Stopwatch};

/// The numbers of messages of the contacts that are deleted, and how many such contacts are deleted.
const CONTACTS: [(usize, usize); 2] = [(3, 9), (1000, 1)];
/// The text of the contacts' messages.
const TEXT: &str = "The parcel is at the neighbors' house.";
/// The interval at which the database is asked whether the worker has erased a contact.
const LOOK: Duration = Duration::from_millis(20);
/// The number of contacts that the worker has not erased once. It erases each contact a second time
/// half a minute later, for requests that were under way.
const UNERASED: &str = "SELECT count(*) FROM contact_deletions WHERE round = 0";

/// Measures the requests, and the time from a request until the worker has erased the contact.
pub fn deletions(server: &Server, binary: &Path, filled: &Filled) -> Result<Vec<Measured>> {
    let mut client = server.with_key(&key(binary, filled)?);
    let mut measured = Vec::new();
    for (messages, times) in CONTACTS {
        let (mut answered, mut erased) = (Vec::new(), Vec::new());
        for _ in 0..times {
            let contact = Contact::create(&mut client, messages)?;
            until_drained(&filled.database)?;
            until_followed(&filled.database)?;
            let watch = Stopwatch::start();
            answered.push(contact.delete(&mut client)?.took);
            until("the erasure of a contact", || {
                thread::sleep(LOOK);
                Ok(filled.database.number(UNERASED)? == 0)
            })?;
            erased.push(watch.elapsed());
            contact.is_erased(&mut client)?;
        }
        let of = format!("of a contact with {messages} messages");
        let name = format!("DELETE /api/v1/contacts/{{id}} {of}");
        measured.push(Measured { status: Some(200), ..Measured::once(name, middle(answered)) });
        let name = format!("worker: from the deletion {of} until all is erased");
        measured.push(Measured::once(name, middle(erased)));
    }
    Ok(measured)
}

/// Creates a key that may delete contacts.
fn key(binary: &Path, filled: &Filled) -> Result<(String, String)> {
    let (organization, url) = (filled.organization(), filled.database.url());
    let scopes = "messages.send,conversations.read,contacts.delete";
    let key = ["key", "create", "--organization", organization.as_str(), "--name", "Deletions"];
    let rest = ["--scopes", scopes, "--rate-limit", "0"];
    let made = filled.binary(binary, &url).admin(&[&key[..], &rest].concat())?;
    Ok((fill::text(&made, "client_id")?, fill::text(&made, "client_secret")?))
}

/// A contact that has received messages.
struct Contact {
    id: String,
    /// The id of the last message.
    message: String,
}

impl Contact {
    /// Sends this many messages to a new contact.
    fn create(client: &mut Client, messages: usize) -> Result<Self> {
        // The microsecond makes the number unique.
        let micros = clock::now().unix_timestamp_nanos() / 1000 % 100_000_000_000;
        let body = json!({
            "type": "text", "phone_number": format!("+1202{micros:011}"), "text": TEXT,
        });
        let mut last = Value::Null;
        for _ in 0..messages {
            let answer = client.ask("POST", "/api/v1/messages", &[], &body.to_string())?;
            let (status, body) = (answer.status, answer.body);
            ensure!(status == 201, "a message is answered {status}: {body}");
            last = serde_json::from_str(&body)?;
        }
        let text = |name: &str| last.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("contact_id").context("a message without contact_id")?;
        Ok(Self { id, message: text("id").context("a message without id")? })
    }

    fn delete(&self, client: &mut Client) -> Result<Answer> {
        let answer = client.ask("DELETE", &format!("/api/v1/contacts/{}", self.id), &[], "")?;
        let (status, body) = (answer.status, &answer.body);
        ensure!(status == 200, "a deletion is answered {status}: {body}");
        Ok(answer)
    }

    /// Checks that the text of the last message is gone.
    fn is_erased(&self, client: &mut Client) -> Result<()> {
        let answer = client.ask("GET", &format!("/api/v1/messages/{}", self.message), &[], "")?;
        let status = answer.status;
        ensure!(matches!(status, 200 | 404), "an erased message is answered {status}");
        ensure!(!answer.body.contains(TEXT), "a message is not erased: {}", answer.body);
        Ok(())
    }
}
