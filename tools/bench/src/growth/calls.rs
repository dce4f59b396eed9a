//! The measured API calls: every GET in the reference, with every parameter that it declares.

use anyhow::{Context, Result, bail};
use domain::id::{MemberId, NoteId};
use domain::time::Timestamp;
use serde_json::Value;

use super::measure::Measured;
use crate::client::Client;
use crate::fill::{Filled, World};
use servers::clock::Stopwatch;
use servers::interrupt;

/// Lists that are read for an organization without messages, while another organization is large.
pub const LISTS: [&str; 6] = [
    "/api/v1/messages",
    "/api/v1/contacts",
    "/api/v1/conversations",
    "/api/v1/templates",
    "/api/v1/events",
    "/api/v1/webhook-endpoints",
];

/// A request that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name in the report. It is the same at every size.
    pub name: String,
    /// Path and query.
    pub path: String,
}

/// Values of a parameter, each with its name.
type Samples = Vec<(&'static str, String)>;

/// Returns every GET of the API: once without parameters, and once with each value of each
/// parameter.
pub fn reads(reference: &str, filled: &Filled) -> Result<Vec<Call>> {
    let reference: Value = serde_json::from_str(reference).context("docs/openapi.json")?;
    let paths = reference.get("paths").and_then(Value::as_object).context("no paths")?;
    let mut calls = Vec::new();
    for (path, operations) in paths.iter().filter(|(path, _)| path.starts_with("/api/v1/")) {
        let Some(operation) = operations.get("get") else { continue };
        let none = Vec::new();
        let declared = operation.get("parameters").and_then(Value::as_array).unwrap_or(&none);
        let real = real_path(path, filled)?;
        let always = always(path, filled);
        let whole = |query: &str| {
            let joined = [always.as_str(), query].into_iter().filter(|part| !part.is_empty());
            let query = joined.collect::<Vec<_>>().join("&");
            if query.is_empty() { real.clone() } else { format!("{real}?{query}") }
        };
        calls.push(Call { name: format!("GET {path}"), path: whole("") });
        for parameter in declared.iter().filter(|it| text(it, "in") == "query") {
            let name = text(parameter, "name");
            for (what, value) in samples(path, parameter, filled)? {
                let shown = format!("GET {path}?{name}={what}");
                // The query must name the contact only once, and `always` has already named the
                // contact of a history.
                let names_person = is_person(name) && path.ends_with("/history");
                let query = format!("{name}={}", escape(&value));
                let path = if names_person { format!("{real}?{query}") } else { whole(&query) };
                calls.push(Call { name: shown, path });
            }
        }
    }
    calls.extend(together(filled));
    Ok(calls)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_person(name: &str) -> bool {
    ["phone_number", "channel_user_id", "contact_id", "conversation_id"].contains(&name)
}

/// Returns the parameters that a path requires in each call.
fn always(path: &str, filled: &Filled) -> String {
    if path.ends_with("/conversations/history") {
        format!("conversation_id={}", filled.world.conversation(0))
    } else {
        String::new()
    }
}

/// Fills in each parameter of the path with an existing id.
fn real_path(path: &str, filled: &Filled) -> Result<String> {
    if !path.contains('{') {
        return Ok(path.to_owned());
    }
    let counts = filled.counts();
    let id = match path {
        "/api/v1/messages/{id}" => filled.world.message(counts.messages / 2).to_string(),
        "/api/v1/templates/{id}" => filled.world.template(counts.templates / 2).to_string(),
        "/api/v1/contacts/{id}" | "/api/v1/contacts/{id}/export" => {
            filled.world.contact(7).to_string()
        }
        "/api/v1/conversations/{id}" | "/api/v1/conversations/{id}/notes" => {
            filled.world.conversation(7).to_string()
        }
        "/api/v1/webhook-endpoints/{id}" | "/api/v1/webhook-endpoints/{id}/deliveries" => {
            filled.world.endpoint(0).to_string()
        }
        _ => bail!("no id is known for {path}; add one in tools/bench/src/growth/calls.rs"),
    };
    let (before, rest) = path.split_once('{').context("no parameter")?;
    let (_, after) = rest.split_once('}').context("no parameter")?;
    Ok(format!("{before}{id}{after}"))
}

/// Returns the values of a parameter that are measured: all of them, or those whose costs differ.
fn samples(path: &str, parameter: &Value, filled: &Filled) -> Result<Samples> {
    let name = text(parameter, "name");
    if let Some(words) = parameter.pointer("/schema/enum").and_then(Value::as_array) {
        let words = words.iter().filter_map(Value::as_str);
        return Ok(words.map(|word| (leaked(word), word.to_owned())).collect());
    }
    let (counts, last) = (filled.counts(), filled.last_sequence());
    let one = |what, value: String| Ok(vec![(what, value)]);
    if parameter.pointer("/schema/type").and_then(Value::as_str) == Some("boolean") {
        return Ok(["true", "false"].map(|word| (word, word.to_owned())).into());
    }
    let middle = Timestamp::from_micros(filled.world.shape.accepted(counts.messages / 2));
    match (path.trim_start_matches("/api/v1/"), name) {
        (_, "limit") => one("100", "100".to_owned()),
        ("templates", "language") => one("de", "de".to_owned()),
        ("templates", "name") => one("one", "order_update_100".to_owned()),
        ("templates", "offset") => one("deep", (counts.templates - 30).to_string()),
        ("conversations/history", "offset") => one("deep", (filled.long() / 2).to_string()),
        ("conversations/history" | "contacts", "phone_number") => {
            one("short", World::phone_number(7))
        }
        ("conversations/history", "channel_user_id") => one("unknown", "DE.4711".to_owned()),
        ("conversations/history", "contact_id") => {
            one("short", filled.world.contact(7).to_string())
        }
        ("conversations/history", "conversation_id") => {
            one("short", filled.world.conversation(7).to_string())
        }
        ("events", "after") => Ok(vec![
            ("middle", (last - counts.events / 2).to_string()),
            ("last", (last - 1).to_string()),
        ]),
        ("events", "type") => Ok(["conversation.agent_paused", "message.read", "contact.merged"]
            .map(|kind| (kind, kind.to_owned()))
            .into()),
        ("events", "resends_after") => one("0", "0".to_owned()),
        ("accounts", "after") => one("first", filled.account()),
        ("messages", "client_ref") => one("unknown", "order-1042".to_owned()),
        ("messages", "conversation_id") => Ok(vec![
            ("short", filled.world.conversation(7).to_string()),
            ("long", filled.world.conversation(0).to_string()),
        ]),
        ("messages" | "conversations", "since") | ("messages", "until") => {
            one("middle", middle.to_string())
        }
        ("messages", "after") => {
            one("middle", filled.world.message(counts.messages / 2).to_string())
        }
        ("contacts", "after") => {
            one("middle", filled.world.contact(counts.conversations / 2).to_string())
        }
        ("conversations", "assignee_id") => {
            one("unknown", MemberId::new(middle, [0; 10]).to_string())
        }
        ("conversations", "label") => one("unknown", "vip".to_owned()),
        // The server builds this cursor from the time of the last message, so there is no sample.
        ("conversations", "after") => Ok(Vec::new()),
        ("conversations/{id}/notes", "after") => {
            one("unknown", NoteId::new(middle, [0; 10]).to_string())
        }
        ("webhook-endpoints", "after") => {
            one("middle", filled.world.endpoint(counts.endpoints / 2).to_string())
        }
        ("webhook-endpoints/{id}/deliveries", "after") => {
            one("middle", filled.world.delivery(counts.events / 4 * 2).to_string())
        }
        _ => bail!("add values of {name} of {path} in tools/bench/src/growth/calls.rs"),
    }
}

/// Returns calls with combined parameters.
fn together(filled: &Filled) -> Vec<Call> {
    let counts = filled.counts();
    let call = |name: &str, path: String| Call { name: format!("GET {name}"), path };
    let middle = filled.last_sequence() - counts.events / 2;
    let deep = filled.long() / 2;
    let number = World::phone_number(0).replace('+', "%2B");
    vec![
        call(
            "/api/v1/templates?language=de&offset=deep",
            format!("/api/v1/templates?language=de&offset={}", counts.templates / 2 - 30),
        ),
        call(
            "/api/v1/events?after=middle&type=template.approved",
            format!("/api/v1/events?after={middle}&type=template.approved"),
        ),
        // This contact writes to two accounts, so messages of both are merged by time.
        call(
            "/api/v1/conversations/history?phone_number=long",
            format!("/api/v1/conversations/history?phone_number={number}"),
        ),
        call(
            "/api/v1/conversations/history?phone_number=long&offset=deep&order=asc",
            format!("/api/v1/conversations/history?phone_number={number}&offset={deep}&order=asc"),
        ),
    ]
}

/// Reads all pages of the events of a type that only a few events have.
pub fn walk(client: &mut Client) -> Result<Measured> {
    const TYPE: &str = "/api/v1/events?type=conversation.agent_paused";
    let (watch, mut after) = (Stopwatch::start(), 0);
    loop {
        interrupt::check()?;
        let answer = client.ask("GET", &format!("{TYPE}&after={after}"), &[], "")?;
        let page: Value = serde_json::from_str(&answer.body)?;
        let has_more = page.pointer("/pagination/has_more").and_then(Value::as_bool);
        if has_more != Some(true) {
            return Ok(Measured::once(format!("GET {TYPE}, all pages"), watch.elapsed()));
        }
        let next = page.pointer("/pagination/next_after").and_then(Value::as_i64);
        after = next.context("no next_after")?;
    }
}

/// Leaks a text, so that it can be used as a `&'static str`.
fn leaked(word: &str) -> &'static str {
    Box::leak(word.to_owned().into_boxed_str())
}

fn escape(value: &str) -> String {
    value.replace('+', "%2B")
}
