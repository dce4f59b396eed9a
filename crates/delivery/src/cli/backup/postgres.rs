//! Backups of a PostgreSQL database. The operator copies the database with `pg_dump`.
//!
//! Every file that a row refers to must be in the backup, so files are copied after the rows. The
//! first run creates the folder, copies the existing files and prints the `pg_dump` line. The
//! second run, after `pg_dump`, copies the files that were added and writes the manifest.

use super::files::{self, Checksums};
use super::manifest::{
    BackupFilePart, DatabaseKind, DatabasePart, MANIFEST, Manifest, POSTGRES_DUMP, Parts,
};
use super::progress::{BackupProgress, in_background};
use super::report::{BackupReport, Made, quoted};
use super::{checking, key, media};
use anyhow::{Context as _, Result, bail};
use config::Settings;
use persistence::{DatabaseLocation, Db};
use platform::clock::Clock;
use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The marker file of an unfinished backup.
const UNFINISHED: &str = "UNFINISHED";
const UNFINISHED_TEXT: &str = "This backup is not finished: see `switchboard backup --help`.\n";
/// The first bytes of a dump in `pg_dump`'s custom format.
const DUMP_BEGINS: &[u8] = b"PGDMP";
/// The number of database connections. They are used only to read the list of uploaded files.
const CONNECTIONS: usize = 2;

/// Makes the next part of a backup of the database at `url` into `path`. If the dump exists,
/// completes the backup.
pub async fn make(
    settings: &Settings,
    url: &str,
    path: &Path,
    with_key: bool,
) -> Result<BackupReport> {
    checking::database_is_known(&settings.database).await?;
    prepare(path)?;
    // The dump is checked before files are listed, so that the list includes every file that the
    // dump refers to.
    let dumped = is_dumped(&path.join(POSTGRES_DUMP))?;
    let db = Db::attach(&settings.database, CONNECTIONS).await?;
    let checksums = if dumped { Some(Checksums::begin(path)?) } else { None };
    let (found, checksums) = media::copy(&db, settings, path, checksums).await?;
    let migrations = checking::applied_migrations(&settings.database).await?;
    if !dumped {
        let next = vec![dump_line(url, path), again_line(path, with_key)];
        return Ok(Made::unfinished(path, DatabaseKind::Postgres, &found, &next));
    }
    let source = settings.channel.encryption_key.clone();
    let made_at = Clock::system().wall().to_string();
    let (folder, progress) = (path.to_owned(), BackupProgress::default());
    let reading = progress.clone();
    let work = in_background(move || {
        let content = files::content(&folder.join(POSTGRES_DUMP), &reading)?;
        let file = BackupFilePart::new(POSTGRES_DUMP, &content);
        let database = DatabasePart { kind: DatabaseKind::Postgres, file, migrations };
        let key = key::back_up(&source, &folder, with_key)?;
        let checksums = checking::seal(&folder, checksums, &[(POSTGRES_DUMP, content)], &key)?;
        let manifest = Manifest::new(Parts { made_at, database, media: found, key, checksums });
        manifest.write(&folder)?;
        std::fs::remove_file(folder.join(UNFINISHED))?;
        Ok(manifest)
    });
    let manifest = progress.tell("digests", None, work).await?;
    Ok(Made { path: path.to_owned(), manifest, next: media::next(settings, path) }.into())
}

/// Creates the folder, or continues in one that an earlier run created.
fn prepare(path: &Path) -> Result<()> {
    let mark = path.join(UNFINISHED);
    if path.join(MANIFEST).exists() {
        bail!("{} is a finished backup; name a new folder", path.display());
    }
    if mark.exists() {
        return Ok(());
    }
    // A folder with a dump but without the marker is also accepted, because this run is then the
    // second one.
    if !path.join(POSTGRES_DUMP).exists() {
        checking::is_free(path)?;
    }
    let made = || format!("{} cannot be created", path.display());
    std::fs::create_dir_all(path).with_context(made)?;
    private(path)?;
    files::write(&mark, UNFINISHED_TEXT).with_context(made)
}

/// Removes all other users' permissions on an existing folder.
fn private(path: &Path) -> Result<()> {
    Ok(std::fs::set_permissions(path, Permissions::from_mode(0o700))?)
}

/// Whether the folder contains a dump.
///
/// # Errors
///
/// Fails if the file is not in `pg_dump`'s custom format.
fn is_dumped(dump: &Path) -> Result<bool> {
    let mut file = match File::open(dump) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    // pg_dump creates the file with the permissions of its caller's umask.
    file.set_permissions(Permissions::from_mode(0o600))?;
    let mut begins = [0; DUMP_BEGINS.len()];
    if file.read_exact(&mut begins).is_err() || begins != DUMP_BEGINS {
        bail!(
            "{} is not a dump in pg_dump's custom format; remove it, and run the line that this command then prints",
            dump.display()
        )
    }
    Ok(true)
}

/// Returns the shell line that dumps the database. The file gets its final name only when it is
/// complete.
fn dump_line(url: &str, path: &Path) -> String {
    let dump = path.join(POSTGRES_DUMP);
    let draft = quoted(&format!("{}.unfinished", dump.display()));
    format!(
        "pg_dump --format=custom --no-owner --no-privileges --file={draft} {} && mv {draft} {}",
        quoted(&without_password(url)),
        quoted(&dump.display().to_string())
    )
}

fn again_line(path: &Path, with_key: bool) -> String {
    let with_key = if with_key { " --with-key" } else { "" };
    format!("switchboard backup{with_key} {}", quoted(&path.display().to_string()))
}

/// Returns the shell line that restores the database.
pub fn restore_line(url: &str, dump: &Path) -> String {
    format!(
        "pg_restore --no-owner --no-privileges --exit-on-error --single-transaction --dbname={} {}",
        quoted(&without_password(url)),
        quoted(&dump.display().to_string())
    )
}

/// Removes the password from a URL for PostgreSQL's own programs. They ask for the password, or
/// find it in PostgreSQL's own configuration.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let address = match address.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => address.to_owned(),
    };
    let said = query.split('&').filter(|it| !it.is_empty() && !it.starts_with("password="));
    let query = said.collect::<Vec<_>>().join("&");
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{address}{mark}{query}")
}

/// Returns the URL of a PostgreSQL location.
pub const fn url_of(location: &DatabaseLocation) -> Option<&String> {
    match location {
        DatabaseLocation::Postgres(url) => Some(url),
        DatabaseLocation::Sqlite(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_a_shell_hold_no_password() {
        for (url, shown) in [
            ("postgres://u:p%40@h:5/d?sslmode=require", "postgres://u@h:5/d?sslmode=require"),
            (
                "postgres://u@h,i/d?password=x&application_name=a",
                "postgres://u@h,i/d?application_name=a",
            ),
            ("postgres://h/d?password=x", "postgres://h/d"),
        ] {
            assert_eq!(without_password(url), shown);
        }
        let line = dump_line("postgres://u:p@h/d", Path::new("/var/it's"));
        assert!(line.contains(r"'/var/it'\''s/database.dump'"), "{line}");
        assert!(line.contains(" 'postgres://u@h/d' "), "{line}");
    }
}
