//! The output of a session: a line for each event.

use super::ListenedEvent;
use super::forward::{ForwardOutcome, Forwarded};
use super::redaction::redact;
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ListenFormat {
    /// A line to read: time, type, status, duration.
    Text,
    /// A line of JSON, with the event.
    Json,
}

/// Prints the lines of a session.
pub struct EventPrinter {
    pub format: ListenFormat,
    pub redacted: bool,
}

impl EventPrinter {
    /// Prints the information that the receiver needs before the first event.
    pub fn begin(&self, base: &str, after: i64, secret: Option<&str>) -> Result<()> {
        if self.format == ListenFormat::Json {
            let ready = json!({"url": base, "after": after, "secret": secret});
            return Ok(output::line(json!({ "ready": ready }))?);
        }
        if let Some(secret) = secret {
            output::line(format_args!("The signing secret of this key is {secret}"))?;
        }
        Ok(output::line(format_args!("Listening to {base}. Press Ctrl-C to stop."))?)
    }

    /// Prints an event and the receiver's response.
    pub fn print(
        &self,
        event: &ListenedEvent,
        forwarded: Option<&Forwarded>,
        is_resent: bool,
    ) -> Result<()> {
        let line = match self.format {
            ListenFormat::Text if is_resent => format!("{}, again", text(event, forwarded)),
            ListenFormat::Text => text(event, forwarded),
            ListenFormat::Json => self.json(event, forwarded, is_resent)?.to_string(),
        };
        Ok(output::line(line)?)
    }

    /// Prints the whole event.
    pub fn details(&self, event: &ListenedEvent) -> Result<()> {
        let mut shown: Value = serde_json::from_str(event.body.get())?;
        if self.redacted {
            redact(&mut shown);
        }
        Ok(output::line(serde_json::to_string_pretty(&shown)?)?)
    }

    fn json(
        &self,
        event: &ListenedEvent,
        forwarded: Option<&Forwarded>,
        is_resent: bool,
    ) -> Result<Value> {
        let mut shown: Value = serde_json::from_str(event.body.get())?;
        if self.redacted {
            redact(&mut shown);
        }
        let (mut status, mut error) = (None, None);
        match forwarded.map(|it| &it.outcome) {
            Some(ForwardOutcome::Answered(answered)) => status = Some(*answered),
            Some(ForwardOutcome::Failed(reason)) => error = Some(reason),
            None => {}
        }
        let ms = forwarded.map(|it| u64::try_from(it.took.as_millis())).transpose()?;
        Ok(json!({
            "timestamp": event.head.timestamp,
            "type": event.head.kind,
            "id": event.head.id,
            "sequence": event.head.sequence,
            "status": status,
            "error": error,
            "ms": ms,
            "resent": is_resent,
            "event": shown,
        }))
    }
}

fn text(event: &ListenedEvent, forwarded: Option<&Forwarded>) -> String {
    let head = &event.head;
    let Some(forwarded) = forwarded else {
        return format!("{} {} {}", head.timestamp, head.kind, head.id);
    };
    let ms = forwarded.took.as_millis();
    let outcome = match &forwarded.outcome {
        ForwardOutcome::Answered(status) => status.to_string(),
        ForwardOutcome::Failed(reason) => reason.clone(),
    };
    format!("{} {} → {outcome} ({ms} ms)", head.timestamp, head.kind)
}
