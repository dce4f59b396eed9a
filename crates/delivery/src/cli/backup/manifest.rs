//! What a backup says of itself.

use super::files::{self, CHECKSUMS, Content};
use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// The manifest's file: a folder without it is no backup.
pub const MANIFEST: &str = "manifest.json";
/// The copy of a SQLite database.
pub const SQLITE_COPY: &str = "switchboard.db";
/// What `pg_dump` writes.
pub const POSTGRES_DUMP: &str = "database.dump";
/// The folder of uploads.
pub const MEDIA: &str = "media";
/// The encryption key.
pub const KEY: &str = "encryption.key";
/// Counts up when an earlier version could not restore what a later one writes.
const FORMAT: u32 = 1;

/// A backup.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// How the backup is laid out.
    pub format: u32,
    /// The version of the program that made it.
    pub version: String,
    /// When it was made.
    pub made_at: String,
    pub database: DatabasePart,
    pub media: MediaPart,
    pub key: KeyPart,
    /// The list of digests.
    pub checksums: FilePart,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct DatabasePart {
    pub kind: DatabaseKind,
    #[serde(flatten)]
    pub file: FilePart,
    /// The migrations that had run.
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
    /// The bucket that they are in, which is not copied.
    pub bucket: Option<String>,
    pub files: u64,
    pub bytes: u64,
    /// Files that the database names and that were not there, or not what it says of them, when the backup was made.
    pub missing: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct KeyPart {
    pub included: bool,
    /// What tells the key from others, and nothing else of it; none where no key had been made.
    pub fingerprint: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct FilePart {
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
}

impl FilePart {
    /// A file of the backup.
    pub fn new(file: &str, content: &Content) -> Self {
        Self { file: file.to_owned(), bytes: content.bytes, sha256: content.digest.hex() }
    }
}

impl DatabaseKind {
    /// The database's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// What a manifest is made of besides what every one says.
pub struct Parts {
    pub made_at: String,
    pub database: DatabasePart,
    pub media: MediaPart,
    pub key: KeyPart,
    pub checksums: Content,
}

impl Manifest {
    /// A manifest of this version's.
    pub fn new(parts: Parts) -> Self {
        let Parts { made_at, database, media, key, checksums } = parts;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let checksums = FilePart::new(CHECKSUMS, &checksums);
        Self { format: FORMAT, version, made_at, database, media, key, checksums }
    }

    /// Writes it into the backup's folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        Ok(files::write(&folder.join(MANIFEST), &text)?)
    }

    /// Reads that of a backup.
    pub fn read(folder: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Any {
            format: u32,
            version: String,
        }
        let path = folder.join(MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "{} is no finished backup: it has no {MANIFEST}; name the folder that `switchboard backup` made, and on \
                 PostgreSQL run that a second time, after pg_dump",
                folder.display()
            ),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let damaged = || format!("the backup is damaged: {} is no manifest", path.display());
        let any: Any = serde_json::from_str(&text).with_context(damaged)?;
        if any.format > FORMAT {
            bail!(
                "the backup is of version {}, which lays backups out in another way than this version, {}, knows; restore it \
                 with version {} or a newer one",
                any.version,
                env!("CARGO_PKG_VERSION"),
                any.version
            )
        }
        serde_json::from_str(&text).with_context(damaged)
    }
}
