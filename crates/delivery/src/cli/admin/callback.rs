//! `switchboard admin callback …`: dead letters, which are the parts of callbacks that could not be
//! processed.

use super::confirmation::Confirmation;
use crate::cli::error::ErrorCode;
use crate::cli::results::{Output, ResultPage};
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::CallbackId;
use domain::keyword::Keyword as _;
use persistence::records::DeadCallback;
use serde_json::{Value, json};
use service::admin::{Admin, DeadLetterAction, DeadLetters};
use std::fmt::Write as _;

/// Dead letters: parts of the channels' callbacks that could not be processed.
#[derive(Debug, Subcommand)]
pub enum CallbackCommand {
    /// List the dead letters, oldest first.
    #[command(after_help = "Example: switchboard admin callback list --kind message")]
    List {
        /// List one kind only: `message`, `status` and so on, or the channel's name of an unknown
        /// field.
        #[arg(long)]
        kind: Option<String>,
        /// Maximum number of entries, 1 to 1000.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=1000))]
        limit: i64,
        /// Only those after this id.
        #[arg(long)]
        after: Option<CallbackId>,
        #[command(flatten)]
        output: Output,
    },
    /// Show a dead letter, with what the channel sent.
    #[command(
        after_help = "Example: switchboard admin callback show cbk_01h455vb4pex5vsknk084sn02q"
    )]
    Show {
        /// The dead letter's id.
        id: CallbackId,
        #[command(flatten)]
        output: Output,
    },
    /// Process dead letters again, after an update or once the number is connected. One that still
    /// cannot be processed is kept again.
    #[command(after_help = "Example: switchboard admin callback replay --kind message")]
    Replay(Which),
    /// Delete dead letters permanently.
    #[command(after_help = "Example: switchboard admin callback delete --kind reminders --yes")]
    Delete {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

/// The dead letters to act on.
#[derive(Debug, Args)]
pub struct Which {
    /// Ids of dead letters.
    #[arg(required_unless_present_any = ["kind", "all"])]
    ids: Vec<CallbackId>,
    /// Select all of one kind: `message`, `status` and so on, or the channel's name of an unknown
    /// field.
    #[arg(long, conflicts_with = "ids")]
    kind: Option<String>,
    /// All dead letters.
    #[arg(long, conflicts_with_all = ["ids", "kind"])]
    all: bool,
    #[command(flatten)]
    output: Output,
}

impl Which {
    /// Asks whether the dead letters are to be deleted.
    fn question(&self) -> String {
        match (&self.kind, self.ids.as_slice()) {
            (Some(kind), _) => format!("Delete all dead letters of the kind {kind}?"),
            (None, []) => "Delete all dead letters?".to_owned(),
            (None, [id]) => format!("Delete the dead letter {id}?"),
            (None, ids) => format!("Delete {} dead letters?", ids.len()),
        }
    }

    fn letters(self) -> DeadLetters {
        if self.all || self.kind.is_some() {
            DeadLetters::All(self.kind)
        } else {
            DeadLetters::Ids(self.ids)
        }
    }
}

pub async fn run(admin: &Admin<'_>, command: CallbackCommand) -> Result<()> {
    match command {
        CallbackCommand::List { kind, limit, after, output } => {
            let mut found = admin.dead_letters(kind, after, limit + 1).await?;
            let has_more = found.len() > usize::try_from(limit)?;
            found.truncate(usize::try_from(limit)?);
            list(&found, has_more, output)
        }
        CallbackCommand::Show { id, output } => {
            let found = admin.dead_letter(id).await?;
            let none = || ErrorCode::NotFound.error(format!("there is no dead letter {id}"));
            let found = found.ok_or_else(none)?;
            let mut value = record(&found);
            if let Value::Object(fields) = &mut value {
                fields.insert("payload".to_owned(), json!(found.payload));
            }
            output.object(&value, "The dead letter:")
        }
        CallbackCommand::Replay(which) => {
            let output = which.output;
            let done = admin.handle_dead_letters(which.letters(), DeadLetterAction::Replay).await?;
            let value = json!({ "replayed": done });
            output.object(&value, "They are being processed again.")
        }
        CallbackCommand::Delete { which, confirmation } => {
            let output = which.output;
            confirmation.ask(&which.question())?;
            let done = admin.handle_dead_letters(which.letters(), DeadLetterAction::Delete).await?;
            let value = json!({ "deleted": done });
            output.object(&value, "They are deleted.")
        }
    }
}

fn list(found: &[DeadCallback], has_more: bool, output: Output) -> Result<()> {
    let next_after = found.last().filter(|_| has_more).map(|it| it.id.to_string());
    let page = ResultPage { data: found.iter().map(record).collect(), next_after };
    output.list(&page, "There are no dead letters.", |_| {
        let mut text = String::new();
        for it in found {
            let (kept, kind) = (it.kept_at.to_string(), it.kind.as_str());
            let (reason, detail) = (it.reason.as_str(), &it.detail);
            writeln!(text, "{}  {kept}  {kind:<15}  {reason:<15}  {detail}", it.id)?;
        }
        Ok(text)
    })
}

/// Returns a dead letter as JSON, without the payload.
fn record(it: &DeadCallback) -> Value {
    json!({
        "id": it.id.to_string(),
        "channel": it.channel.as_str(),
        "kind": it.kind.as_str(),
        "reason": it.reason.as_str(),
        "detail": it.detail,
        "bytes": it.payload.len(),
        "attempts": *it.attempts,
        "received_at": it.received_at.to_string(),
        "kept_at": it.kept_at.to_string(),
    })
}
