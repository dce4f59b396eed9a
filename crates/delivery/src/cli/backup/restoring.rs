//! Restores a backup. The database is restored last, so that no server can start on half of the
//! backup.

use super::files::{self, FileContent};
use super::key::{self, KeyPlan};
use super::manifest::{DatabaseKind, MEDIA, Manifest};
use super::progress::{BackupProgress, in_background};
use super::report::{BackupReport, lines};
use super::{checking, media, postgres};
use anyhow::{Context as _, Result, bail};
use config::Settings;
use persistence::{DatabaseLocation, give_to_owner_of_folder, lock};
use platform::settings::{FileSettings, KeySource};
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;

/// Restores the backup in `folder`.
pub async fn restore(settings: &Settings, folder: &Path) -> Result<BackupReport> {
    let manifest = Manifest::read(folder)?;
    checking::fits(&manifest, &settings.database).await?;
    let plan = key::plan(&manifest, &settings.channel.encryption_key)?;
    // The lock keeps servers from starting on the database meanwhile.
    let _lock = lock::server(&settings.database)?;
    checking::is_whole(folder.to_owned(), &manifest).await?;
    if let FileSettings::Folder(to) = &settings.files {
        copy_media(folder, to).await.context("the uploads were not restored")?;
    }
    if plan == KeyPlan::Write {
        key::restore(folder, &settings.channel.encryption_key)?;
    }
    if let DatabaseLocation::Sqlite(file) = &settings.database {
        put_database(&folder.join(&manifest.database.file.file), Path::new(file)).await?;
    }
    Ok(report(settings, folder, &manifest, &plan))
}

/// Copies the uploads of a backup, except those already in place.
async fn copy_media(folder: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    give_to_owner_of_folder(to)?;
    let (folder, to) = (folder.to_owned(), to.to_owned());
    let progress = BackupProgress::default();
    let copied = progress.clone();
    let work = in_background(move || {
        for line in files::checksums(&folder)? {
            let (name, digest) = line?;
            let Some(id) = name.strip_prefix(MEDIA).and_then(|it| it.strip_prefix('/')) else {
                continue;
            };
            let place = to.join(id);
            let there = |content: FileContent| content.digest.hex() == digest;
            if !files::content(&place, &copied).is_ok_and(there) {
                files::copy(&folder.join(&name), &place, &copied)?;
                give_to_owner_of_folder(&place)?;
            }
        }
        Ok(files::sync_disk(&to)?)
    });
    progress.tell("media", None, work).await
}

/// Moves a database file to its final path, completely or not at all. Never replaces an existing
/// file.
async fn put_database(copy: &Path, place: &Path) -> Result<()> {
    let (copy, place) = (copy.to_owned(), place.to_owned());
    let progress = BackupProgress::default();
    let copied = progress.clone();
    let work = in_background(move || {
        let folder = files::folder_of(&place);
        let draft = tempfile::Builder::new().prefix(".restoring-").tempdir_in(folder)?;
        let whole = draft.path().join("database");
        files::copy(&copy, &whole, &copied)?;
        std::fs::File::open(&whole)?.sync_all()?;
        // A hard link, unlike a rename, never replaces a file.
        match std::fs::hard_link(&whole, &place) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                bail!("{} was created meanwhile; the database is not restored", place.display())
            }
            linked => linked?,
        }
        give_to_owner_of_folder(&place)?;
        drop(draft);
        Ok(files::sync_folder(folder)?)
    });
    progress.tell("database", None, work).await.context("the database was not restored")
}

fn report(settings: &Settings, folder: &Path, manifest: &Manifest, plan: &KeyPlan) -> BackupReport {
    let mut next = media::restore_next(settings, folder, manifest);
    if let Some(url) = postgres::url_of(&settings.database) {
        next.push(postgres::restore_line(url, &folder.join(&manifest.database.file.file)));
    }
    let mut text = match manifest.database.kind {
        DatabaseKind::Sqlite => {
            format!("Restored as it was at {}.\n", manifest.made_at)
        }
        DatabaseKind::Postgres => {
            format!(
                "Uploads are restored as they were at {}; the database is not yet.\n",
                manifest.made_at
            )
        }
    };
    let sentence = key_sentence(settings, plan);
    text.push_str(&sentence);
    text.push('\n');
    lines(&mut text, "Run this before you start the server:", &next);
    text.push_str(
        "Messages that were waiting when the backup was made are sent again, even if they were sent since.\n",
    );
    let word = match plan {
        KeyPlan::NotNeeded => "not needed",
        KeyPlan::InPlace => "in place",
        KeyPlan::Write => "restored",
        KeyPlan::Missing => "missing",
    };
    let json = json!({
        "made_at": manifest.made_at,
        "version": manifest.version,
        "database": {"kind": manifest.database.kind, "restored": next.is_empty()},
        "media": {"files": manifest.media.files, "bytes": manifest.media.bytes},
        "key": word,
        "next": next,
    });
    BackupReport { json, text }
}

fn key_sentence(settings: &Settings, plan: &KeyPlan) -> String {
    let place = match &settings.channel.encryption_key {
        KeySource::File(path) => path.display().to_string(),
        KeySource::Given(_) => "SWITCHBOARD_ENCRYPTION_KEY".to_owned(),
    };
    match plan {
        KeyPlan::NotNeeded => "The backed-up server had no encryption key yet.".to_owned(),
        KeyPlan::InPlace => format!("The encryption key in {place} is the right one."),
        KeyPlan::Write => format!("The encryption key is restored to {place}."),
        KeyPlan::Missing => format!(
            "The encryption key is not in the backup, and there is none at {place}. Before you start, put the key of the server that was backed \
             up there. If it is lost: numbers send again once they are reconnected with a new token \
             (`switchboard admin account reconnect`), and secrets of webhook endpoints have to be rotated."
        ),
    }
}
