//! The API's histories and events.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use time::{Date, Month, OffsetDateTime, Time};

use bench::client::Client;
use domain::conversation::MessageSource;
use domain::keyword::Keyword as _;

/// The largest page that the API returns.
const PAGE: usize = 100;

/// A message in the history.
#[derive(Clone, Debug)]
pub struct Record {
    pub id: String,
    /// The sender's reference; empty if there is none.
    pub reference: String,
    pub status: String,
    pub source: MessageSource,
    /// The text; empty if the message has none.
    pub text: String,
    /// The time of acceptance.
    pub created_at: OffsetDateTime,
    /// The time at which the message was handed over to the channel.
    pub sent_at: Option<OffsetDateTime>,
}

#[derive(Clone, Debug)]
pub struct Event {
    /// The position among all events of the organization.
    pub sequence: u64,
    pub kind: String,
    /// The id of the event's subject; empty if its data has none.
    pub about: String,
    /// The time at which the event was recorded.
    pub at: OffsetDateTime,
    pub data: Value,
}

/// Returns the whole conversation with a contact, the oldest message first.
pub fn conversation(client: &mut Client, number: &str) -> Result<Vec<Record>> {
    let number = number.replace('+', "%2B");
    let mut all = Vec::new();
    loop {
        let path = format!(
            "/api/v1/conversations/history?phone_number={number}&order=asc&limit={PAGE}&offset={}",
            all.len()
        );
        let page = get(client, &path)?;
        let records = list(&page)?;
        for record in records {
            all.push(record_of(record)?);
        }
        if records.is_empty() || page.pointer("/pagination/has_more") != Some(&Value::Bool(true)) {
            return Ok(all);
        }
    }
}

/// Returns all events of the organization.
pub fn events(client: &mut Client) -> Result<Vec<Event>> {
    let mut all: Vec<Event> = Vec::new();
    let mut after = 0;
    loop {
        let page = get(client, &format!("/api/v1/events?after={after}&limit={PAGE}"))?;
        for event in list(&page)? {
            all.push(event_of(event)?);
        }
        let next = page.pointer("/pagination/next_after").and_then(Value::as_u64);
        match next {
            Some(next) if page.pointer("/pagination/has_more") == Some(&Value::Bool(true)) => {
                after = next;
            }
            _ => return Ok(all),
        }
    }
}

/// Returns the JSON of an API call, which has to answer 200.
pub fn get(client: &mut Client, path: &str) -> Result<Value> {
    let answer = client.ask("GET", path, &[], "")?;
    if answer.status != 200 {
        bail!("GET {path} is answered {}: {}", answer.status, answer.body);
    }
    serde_json::from_str(&answer.body)
        .with_context(|| format!("the answer to GET {path} is not JSON"))
}

fn list(page: &Value) -> Result<&Vec<Value>> {
    page.get("data").and_then(Value::as_array).context("a page without data")
}

fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("no `{pointer}` in {value}"))
}

/// Returns the text of a field that may be missing.
pub fn optional<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn record_of(value: &Value) -> Result<Record> {
    let source = text(value, "/source")?;
    let source = MessageSource::from_keyword(&source)
        .with_context(|| format!("`{source}` is not the source of a message"))?;
    Ok(Record {
        id: text(value, "/id")?,
        reference: optional(value, "client_ref").unwrap_or_default().to_owned(),
        status: text(value, "/status")?,
        source,
        text: optional(value, "text").unwrap_or_default().to_owned(),
        created_at: instant(&text(value, "/created_at")?)?,
        sent_at: optional(value, "sent_at").map(instant).transpose()?,
    })
}

fn event_of(value: &Value) -> Result<Event> {
    let sequence = value.get("sequence").and_then(Value::as_u64);
    let data = value.get("data").cloned().unwrap_or_default();
    Ok(Event {
        sequence: sequence.context("an event without a sequence")?,
        kind: text(value, "/type")?,
        about: optional(&data, "id").unwrap_or_default().to_owned(),
        at: instant(&text(value, "/timestamp")?)?,
        data,
    })
}

/// Parses a time in the API's format: `2026-11-21T12:00:03.000Z`.
fn instant(text: &str) -> Result<OffsetDateTime> {
    parsed(text).with_context(|| format!("`{text}` is not a time"))
}

fn parsed(text: &str) -> Option<OffsetDateTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-');
    let (year, month, day) = (date.next()?, date.next()?, date.next()?);
    let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
    let date = Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()?;
    let (time, millis) = time.split_once('.')?;
    let mut time = time.split(':');
    let mut number = || time.next()?.parse::<u8>().ok();
    let (hour, minute, second) = (number()?, number()?, number()?);
    let time = Time::from_hms_milli(hour, minute, second, millis.parse().ok()?).ok()?;
    Some(date.with_time(time).assume_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        let time = parsed("2026-11-21T12:00:03.250Z").unwrap();
        assert_eq!(time.unix_timestamp_nanos(), 1_795_262_403_250_000_000);
        assert_eq!(parsed("2026-11-21 12:00:03.250"), None);
        assert_eq!(parsed("2026-13-21T12:00:03.250Z"), None);
    }

    #[test]
    fn records_are_read() {
        let value = serde_json::json!({
            "id": "msg_1", "client_ref": "a", "status": "queued", "source": "api", "text": "Hi",
            "created_at": "2026-11-21T12:00:03.000Z", "sent_at": null,
        });
        let record = record_of(&value).unwrap();
        assert_eq!(record.id, "msg_1");
        assert_eq!(record.sent_at, None);
        assert_eq!(record.source, MessageSource::Api);
        assert_eq!(record.text, "Hi");
    }
}
