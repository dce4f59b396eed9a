//! Receives webhooks with axum: cargo add axum serde_json standardwebhooks tokio -F tokio/full
use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use serde_json::{Deserializer, Value, json};
use standardwebhooks::Webhook;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::{collections::HashSet, env, process, sync::Arc};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A line for each event that was received, and one for each that was handled. A table whose key is
/// the id of the event does the same.
struct Journal {
    file: File,
    received: HashSet<String>,
}

impl Journal {
    /// Opens the journal. Returns it with the events that were received and not handled.
    fn open(path: &str) -> io::Result<(Self, Vec<Value>)> {
        let mut options = OpenOptions::new();
        let mut file = options.create(true).truncate(false).read(true).write(true).open(path)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        // A last line without its end was not written completely. Its event was not accepted, or is
        // handled again.
        let end = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        content.truncate(end);
        file.set_len(end as u64)?;
        file.seek(SeekFrom::End(0))?;
        let (mut received, mut waiting) = (HashSet::new(), Vec::new());
        for entry in Deserializer::from_slice(&content).into_iter::<Value>() {
            let entry = entry?;
            if let Some(handled) = entry.get("handled") {
                waiting.retain(|event: &Value| event.get("id") != Some(handled));
            } else {
                received.insert(text(&entry, &["/id"]).to_owned());
                waiting.push(entry);
            }
        }
        Ok((Self { file, received }, waiting))
    }

    /// Writes a line. If that fails the line may be incomplete, and nothing can follow it: the
    /// program ends, and the next start removes the line.
    fn write(&mut self, entry: &Value) {
        let written = self.file.write_all(format!("{entry}\n").as_bytes());
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            eprintln!("{error}");
            process::exit(1);
        }
    }
}

struct Receiver {
    webhook: Webhook,
    journal: Mutex<Journal>,
    waiting: UnboundedSender<Value>,
}

impl Receiver {
    /// Stores an event, unless it is there already: the same event may arrive again.
    async fn store(&self, event: Value) -> io::Result<()> {
        let id = text(&event, &["/id"]).to_owned();
        let mut journal = self.journal.lock().await;
        if journal.received.contains(&id) {
            return Ok(());
        }
        journal.write(&event);
        journal.received.insert(id);
        self.waiting.send(event).map_err(io::Error::other)
    }

    /// Handles the events that wait, one after the other.
    async fn work(&self, mut waiting: UnboundedReceiver<Value>) {
        while let Some(event) = waiting.recv().await {
            handle(&event);
            let handled = json!({"handled": text(&event, &["/id"])});
            self.journal.lock().await.write(&handled);
        }
    }
}

/// Your work. It may take its time, because the event is answered already.
fn handle(event: &Value) {
    let sequence = event.get("sequence").and_then(Value::as_i64).unwrap_or_default();
    let kind = text(event, &["/type"]);
    if kind == "message.received" {
        let names = ["/data/contact/name", "/data/contact/username", "/data/contact/phone_number"];
        let (who, what) = (text(event, &names), text(event, &["/data/text", "/data/type"]));
        println!("{sequence} {who}: {what}");
    } else {
        println!("{sequence} {kind} {}", text(event, &["/data/id"]));
    }
}

/// Returns the first text that the event has in one of these places.
fn text<'a>(event: &'a Value, places: &[&str]) -> &'a str {
    places.iter().find_map(|place| event.pointer(place)?.as_str()).unwrap_or_default()
}

type Shared = State<Arc<Receiver>>;

async fn receive(State(receiver): Shared, headers: HeaderMap, body: Bytes) -> (StatusCode, String) {
    // The signature is that of the body as it arrived: an object that was parsed and written again
    // has other bytes. The library also refuses a timestamp that is more than five minutes away.
    if let Err(error) = receiver.webhook.verify(&body, &headers) {
        return (StatusCode::BAD_REQUEST, error.to_string());
    }
    let event = match serde_json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()),
    };
    // The event is stored before the answer, which says that you have it.
    match receiver.store(event).await {
        Ok(()) => (StatusCode::NO_CONTENT, String::new()),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let secret = env::var("WEBHOOK_SECRET").map_err(io::Error::other)?;
    let port = env::var("PORT").unwrap_or_else(|_| "3000".to_owned());
    let path = env::var("JOURNAL").unwrap_or_else(|_| "events.jsonl".to_owned());
    let webhook = Webhook::new(&secret).map_err(io::Error::other)?;
    let (journal, unhandled) = Journal::open(&path)?;
    let (sender, waiting) = unbounded_channel();
    for event in unhandled {
        sender.send(event).map_err(io::Error::other)?;
    }
    let receiver = Arc::new(Receiver { webhook, journal: Mutex::new(journal), waiting: sender });
    let app = Router::new().route("/webhooks", post(receive)).with_state(receiver.clone());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("Receiving at http://localhost:{port}/webhooks");
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served,
        () = receiver.work(waiting) => Ok(()),
    }
}
