//! The manifest of a backup.

use super::files::{self, CHECKSUMS, FileContent};
use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// The file name of the manifest. A folder without it is not a backup.
pub const MANIFEST: &str = "manifest.json";
/// The copy of a SQLite database.
pub const SQLITE_COPY: &str = "switchboard.db";
/// The output of `pg_dump`.
pub const POSTGRES_DUMP: &str = "database.dump";
/// The folder of uploads.
pub const MEDIA: &str = "media";
pub const KEY: &str = "encryption.key";
/// The version of the backup format. It is increased when earlier versions of the program could not
/// restore the new backups.
const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the backup format.
    pub format: u32,
    /// The version of the program that made the backup.
    pub version: String,
    /// The time of the backup.
    pub made_at: String,
    pub database: DatabasePart,
    pub media: MediaPart,
    pub key: KeyPart,
    /// The file with the checksums.
    pub checksums: BackupFilePart,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct DatabasePart {
    pub kind: DatabaseKind,
    #[serde(flatten)]
    pub file: BackupFilePart,
    /// The migrations that had run on the database.
    pub migrations: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct MediaPart {
    /// The bucket with the uploads, which are not copied; `None` if the uploads are in a folder.
    pub bucket: Option<String>,
    pub files: u64,
    pub bytes: u64,
    /// Ids of files that the database refers to, but that were missing or differed from their row
    /// when the backup was made.
    pub missing: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct KeyPart {
    pub included: bool,
    /// A fingerprint that identifies the key without revealing it; `None` if no key had been
    /// created.
    pub fingerprint: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct BackupFilePart {
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
}

impl BackupFilePart {
    pub fn new(file: &str, content: &FileContent) -> Self {
        Self { file: file.to_owned(), bytes: content.bytes, sha256: content.digest.hex() }
    }
}

impl DatabaseKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The parts of a manifest that differ between backups.
pub struct Parts {
    pub made_at: String,
    pub database: DatabasePart,
    pub media: MediaPart,
    pub key: KeyPart,
    pub checksums: FileContent,
}

impl Manifest {
    /// Creates a manifest with this program's version.
    pub fn new(parts: Parts) -> Self {
        let Parts { made_at, database, media, key, checksums } = parts;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let checksums = BackupFilePart::new(CHECKSUMS, &checksums);
        Self { format: FORMAT, version, made_at, database, media, key, checksums }
    }

    /// Writes the manifest into the folder of the backup.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        Ok(files::write(&folder.join(MANIFEST), &text)?)
    }

    /// Reads the manifest of a backup.
    pub fn read(folder: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Any {
            format: u32,
            version: String,
        }
        let path = folder.join(MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "{} is not a finished backup: it has no {MANIFEST}; name the folder that `switchboard backup` made, and on \
                 PostgreSQL run that command a second time, after pg_dump",
                folder.display()
            ),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let damaged = || format!("the backup is damaged: {} is not a manifest", path.display());
        let any: Any = serde_json::from_str(&text).with_context(damaged)?;
        if any.format > FORMAT {
            bail!(
                "the backup was made by version {}, in a format that this version, {}, does not know; restore it \
                 with version {} or a newer one",
                any.version,
                env!("CARGO_PKG_VERSION"),
                any.version
            )
        }
        serde_json::from_str(&text).with_context(damaged)
    }
}
