//! Backups of a SQLite database. A backup is made in a temporary folder beside its destination and
//! renamed when it is complete.

use super::files::{self, Checksums};
use super::manifest::{BackupFilePart, DatabaseKind, DatabasePart, Manifest, Parts, SQLITE_COPY};
use super::progress::{BackupProgress, in_background};
use super::report::{BackupReport, Made};
use super::{checking, key, media};
use anyhow::{Context as _, Result, bail};
use config::Settings;
use persistence::{DatabaseLocation, Db, sqlite};
use platform::clock::Clock;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

/// The interval at which the growing copy is checked, and the number of bytes after which it is
/// synced. One sync of everything at the end would delay a server's commits on the same disk.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
const UNSYNCED: u64 = 4 * 1024 * 1024;

/// Makes a backup of the database `file` in the folder `path`.
pub async fn make(
    settings: &Settings,
    file: &str,
    path: &Path,
    with_key: bool,
) -> Result<BackupReport> {
    if !Path::new(file).exists() {
        bail!("there is no database at {file}; name the right one in SWITCHBOARD_DATABASE_URL");
    }
    checking::database_is_known(&settings.database).await?;
    let draft = draft(path)?;
    let folder = draft.path();
    copy_database(file, &folder.join(SQLITE_COPY)).await?;
    let copy = DatabaseLocation::Sqlite(folder.join(SQLITE_COPY).display().to_string());
    let migrations = checking::applied_migrations(&copy).await?;
    let db = Db::attach(&copy, 1).await?;
    let (found, checksums) =
        media::copy(&db, settings, folder, Some(Checksums::begin(folder)?)).await?;
    // SQLite's locks belong to the process. Closing a file of the database would release the locks
    // of connections that are still open, so the connections are closed first.
    drop(db);
    let parts = Unfinished { migrations, media: found };
    let manifest = finish(settings, folder.to_owned(), checksums, parts, with_key).await?;
    put_in_place(draft, path)?;
    Ok(Made { path: path.to_owned(), manifest, next: media::next(settings, path) }.into())
}

/// Creates a temporary folder beside the destination.
fn draft(path: &Path) -> Result<TempDir> {
    checking::is_free(path)?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        bail!("{} cannot hold a backup; name a new folder", path.display())
    };
    let prefix = format!(".{}.unfinished-", name.to_string_lossy());
    let made = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent);
    made.with_context(|| format!("no folder can be created in {}", parent.display()))
}

async fn copy_database(file: &str, copy: &Path) -> Result<()> {
    let (source, target) = (file.to_owned(), copy.display().to_string());
    let total = sqlite::bytes(file).ok();
    let progress = BackupProgress::default();
    let (stop, stopped) = mpsc::channel::<()>();
    let (growing, seen) = (copy.to_owned(), progress.clone());
    let watching = tokio::task::spawn_blocking(move || watch(&growing, &seen, &stopped));
    let copied = in_background(move || Ok(sqlite::copy(&source, &target)?));
    let copied = progress.tell("database", total, copied).await;
    drop(stop);
    copied.with_context(|| format!("the database {file} was not copied"))?;
    // This task is awaited last, because it waits for the disk and reports whether all bytes were
    // written.
    Ok(watching.await??)
}

/// Syncs a growing file as it grows, and completely at the end.
fn watch(
    file: &Path,
    progress: &BackupProgress,
    stopped: &mpsc::Receiver<()>,
) -> std::io::Result<()> {
    let (mut opened, mut synced) = (None, 0);
    while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK_INTERVAL) {
        if opened.is_none() {
            opened = File::open(file).ok();
        }
        let Some(file) = &opened else { continue };
        let bytes = file.metadata()?.len();
        progress.set(bytes);
        if bytes - synced > UNSYNCED {
            file.sync_data()?;
            synced = bytes;
        }
    }
    match File::open(file) {
        Ok(file) => file.sync_all(),
        // There is no file, because the copy failed. The copying task reports why.
        Err(_) => Ok(()),
    }
}

/// The parts of the manifest that are known before the files are digested.
struct Unfinished {
    migrations: Vec<String>,
    media: super::manifest::MediaPart,
}

/// Digests and syncs the files, and writes the manifest.
async fn finish(
    settings: &Settings,
    folder: PathBuf,
    checksums: Option<Checksums>,
    parts: Unfinished,
    with_key: bool,
) -> Result<Manifest> {
    let source = settings.channel.encryption_key.clone();
    let made_at = Clock::system().wall().to_string();
    let progress = BackupProgress::default();
    let reading = progress.clone();
    let work = in_background(move || {
        let content = files::content(&folder.join(SQLITE_COPY), &reading)?;
        let file = BackupFilePart::new(SQLITE_COPY, &content);
        let kind = DatabaseKind::Sqlite;
        let database = DatabasePart { kind, file, migrations: parts.migrations };
        let key = key::back_up(&source, &folder, with_key)?;
        let checksums = checking::seal(&folder, checksums, &[(SQLITE_COPY, content)], &key)?;
        let manifest =
            Manifest::new(Parts { made_at, database, media: parts.media, key, checksums });
        manifest.write(&folder)?;
        Ok(manifest)
    });
    progress.tell("digests", None, work).await
}

/// Renames a complete backup to its final name.
fn put_in_place(draft: TempDir, path: &Path) -> Result<()> {
    // A rename replaces an empty folder, but nothing else.
    let renamed = std::fs::rename(draft.path(), path);
    renamed.with_context(|| format!("{} cannot be created", path.display()))?;
    // The temporary folder was renamed, so there is nothing to delete.
    let _ = draft.keep();
    Ok(files::sync_folder(files::folder_of(path))?)
}
