//! Checks of a backup, of its folder and of a database.

use super::files::{self, CHECKSUMS, Checksums, FileContent};
use super::manifest::{DatabaseKind, KEY, KeyPart, Manifest};
use super::progress::{BackupProgress, in_background};
use anyhow::{Context as _, Result, bail};
use persistence::inspect::inspect;
use persistence::{DatabaseLocation, Db, lock};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub const fn kind_of(location: &DatabaseLocation) -> DatabaseKind {
    match location {
        DatabaseLocation::Sqlite(_) => DatabaseKind::Sqlite,
        DatabaseLocation::Postgres(_) => DatabaseKind::Postgres,
    }
}

/// Rejects a path that exists, unless it is an empty folder. A backup never overwrites anything.
pub fn is_free(path: &Path) -> Result<()> {
    match path.read_dir().map(Iterator::count) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(0) => Ok(()),
        _ => bail!("{} already exists; name a new folder", path.display()),
    }
}

/// Rejects a database that a newer version migrated, because this program does not know all the
/// files that such a database refers to.
pub async fn database_is_known(location: &DatabaseLocation) -> Result<()> {
    let found = inspect(location).await?;
    if found.unknown.is_empty() {
        return Ok(());
    }
    bail!(
        "the database was migrated by a newer version of Switchboard ({}); back it up with that one",
        found.unknown.join(", ")
    )
}

/// Returns the migrations that have run on a database.
pub async fn applied_migrations(location: &DatabaseLocation) -> Result<Vec<String>> {
    let states = Db::migrations(location).await?.into_iter();
    Ok(states.filter(|it| it.applied).map(|it| it.name).collect())
}

/// Adds these files and the key to the checksum list, syncs everything to disk, and returns the
/// list's own digest.
pub fn seal(
    folder: &Path,
    checksums: Option<Checksums>,
    files: &[(&str, FileContent)],
    key: &KeyPart,
) -> Result<FileContent> {
    let progress = BackupProgress::default();
    let mut checksums = checksums.context("the list of checksums was already closed")?;
    for (name, content) in files {
        checksums.add(name, content)?;
    }
    if key.included {
        checksums.add(KEY, &files::content(&folder.join(KEY), &progress)?)?;
    }
    checksums.finish()?;
    files::sync_disk(folder)?;
    Ok(files::content(&folder.join(CHECKSUMS), &progress)?)
}

/// Rejects a backup that this program cannot restore into this database.
pub async fn fits(manifest: &Manifest, location: &DatabaseLocation) -> Result<()> {
    let (of, into) = (manifest.database.kind, kind_of(location));
    if of != into {
        bail!(
            "the backup holds a database on {}, but SWITCHBOARD_DATABASE_URL names one on {}; name one on {}",
            of.name(),
            into.name(),
            of.name()
        )
    }
    let known = Db::migrations(location).await.context("the database cannot be inspected")?;
    let is_unknown = |name: &&String| known.iter().all(|it| it.name != **name);
    if let Some(first) = manifest.database.migrations.iter().find(is_unknown) {
        bail!(
            "the backup is of version {}, which is newer than this one, {}: its database has migrations that are unknown here \
             ({first}); restore it with version {} or a newer one",
            manifest.version,
            env!("CARGO_PKG_VERSION"),
            manifest.version
        )
    }
    if known.iter().any(|it| it.applied) {
        // Fails if a server is running, because the server must be stopped before its database is
        // moved away.
        drop(lock::server(location)?);
        bail!("the database is not empty; {}", how_to_empty(location))
    }
    if let DatabaseLocation::Sqlite(file) = location {
        for left in ["", "-wal", "-shm", "-journal"].map(|suffix| format!("{file}{suffix}")) {
            if Path::new(&left).exists() {
                bail!(
                    "{left} exists and belongs to another database; stop the server and move the file away, or name another place in SWITCHBOARD_DATABASE_URL"
                )
            }
        }
    }
    Ok(())
}

fn how_to_empty(location: &DatabaseLocation) -> String {
    match location {
        DatabaseLocation::Sqlite(file) => format!(
            "stop the server, move away {file} and all files whose names begin with it (`{file}*`), or name another place in SWITCHBOARD_DATABASE_URL"
        ),
        DatabaseLocation::Postgres(_) => {
            "create a new one (`CREATE DATABASE …`) and name it in SWITCHBOARD_DATABASE_URL"
                .to_owned()
        }
    }
}

/// Rejects a backup with a missing or changed file.
pub async fn is_whole(folder: PathBuf, manifest: &Manifest) -> Result<()> {
    let (progress, reading) = (BackupProgress::default(), BackupProgress::default());
    let wanted = manifest.checksums.sha256.clone();
    let database = manifest.database.file.file.clone();
    let files = manifest.media.files;
    let seen = reading.clone();
    let work = in_background(move || {
        let list = digest_of(&folder, CHECKSUMS, &progress)?;
        if list != wanted {
            bail!("the backup is damaged: {CHECKSUMS} has changed; use another backup")
        }
        let (mut has_database, mut media) = (false, 0);
        for line in files::checksums(&folder)? {
            let (name, wanted) = line?;
            if digest_of(&folder, &name, &seen)? != wanted {
                bail!("the backup is damaged: {name} has changed; use another backup")
            }
            has_database |= name == database;
            media += u64::from(name.starts_with("media/"));
        }
        if !has_database || media != files {
            bail!(
                "the backup is damaged: {CHECKSUMS} does not list all of its files; use another backup"
            )
        }
        Ok(())
    });
    reading.tell("checked", None, work).await
}

fn digest_of(folder: &Path, name: &str, progress: &BackupProgress) -> Result<String> {
    let content = files::content(&folder.join(name), progress);
    let content = content.with_context(|| {
        format!("the backup is damaged: {name} cannot be read; use another backup")
    })?;
    Ok(content.digest.hex())
}
