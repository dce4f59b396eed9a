//! The result of a backup or restore, for people and for scripts.

use super::manifest::{DatabaseKind, Manifest, MediaPart};
use super::progress::megabytes;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub struct BackupReport {
    /// The JSON form: one object.
    pub json: Value,
    /// The text form: a few sentences.
    pub text: String,
}

/// A finished backup.
pub struct Made {
    pub path: PathBuf,
    pub manifest: Manifest,
    /// Shell lines that the operator still has to run.
    pub next: Vec<String>,
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Adds shell lines below a sentence that explains them.
pub fn lines(text: &mut String, sentence: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    text.push_str(sentence);
    text.push('\n');
    for line in lines {
        text.push_str("  ");
        text.push_str(line);
        text.push('\n');
    }
}

impl From<Made> for BackupReport {
    fn from(made: Made) -> Self {
        let Made { path, manifest, next } = made;
        let path = path.display().to_string();
        let Manifest { database, media, key, .. } = &manifest;
        let mut text = format!(
            "{path} is a backup:\n  database  {}, {}\n  media     {}\n",
            database.kind.name(),
            megabytes(database.file.bytes),
            media_text(media),
        );
        let key_text = match (key.included, &key.fingerprint) {
            (true, _) => "in the backup: keep it as safe as the key itself",
            (false, Some(_)) => {
                "not in the backup: keep SWITCHBOARD_ENCRYPTION_KEY in another safe place, because without it the tokens of \
                 numbers and the secrets of webhooks cannot be read"
            }
            (false, None) => "none has been created yet",
        };
        text.push_str("  key       ");
        text.push_str(key_text);
        text.push('\n');
        missing(&mut text, media);
        lines(&mut text, "Uploads are in a bucket, which is not copied. To copy it too:", &next);
        let json = json!({
            "path": path,
            "finished": true,
            "database": {"kind": database.kind, "bytes": database.file.bytes},
            "media": media,
            "key": key,
            "next": next,
        });
        Self { json, text }
    }
}

impl Made {
    /// Reports a backup that waits for `pg_dump`.
    pub fn unfinished(
        path: &Path,
        kind: DatabaseKind,
        media: &MediaPart,
        next: &[String],
    ) -> BackupReport {
        let path = path.display().to_string();
        let mut text = format!("media     {}\n", media_text(media));
        missing(&mut text, media);
        let sentence = format!(
            "{path} is not finished: pg_dump copies the database (it asks for the password, or takes it \
             from PGPASSWORD or ~/.pgpass). Run these lines, in this order:"
        );
        lines(&mut text, &sentence, next);
        let json = json!({
            "path": path,
            "finished": false,
            "database": {"kind": kind},
            "media": media,
            "next": next,
        });
        BackupReport { json, text }
    }
}

fn media_text(media: &MediaPart) -> String {
    match &media.bucket {
        Some(bucket) => format!("in {bucket}, not copied"),
        None => format!("{} files, {}", media.files, megabytes(media.bytes)),
    }
}

/// Warns about files that were missing before the backup was made.
fn missing(text: &mut String, media: &MediaPart) {
    const SHOWN: usize = 10;
    if media.missing.is_empty() {
        return;
    }
    let shown = media.missing.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let count = media.missing.len();
    let more = if count > SHOWN { ", …" } else { "" };
    let warning = format!(
        "warning: {count} files that the database refers to are missing or damaged in SWITCHBOARD_MEDIA_URL: {shown}{more}\n"
    );
    text.push_str(&warning);
}
