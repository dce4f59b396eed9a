//! Copies the uploads that a database refers to. A file is stored before its row is written and is
//! never deleted. So if files are copied after the database, none is missing.

use super::files::{self, Checksums, FileContent};
use super::manifest::{MEDIA, Manifest, MediaPart};
use super::progress::{BackupProgress, in_background};
use super::report::quoted;
use anyhow::{Context as _, Result};
use config::Settings;
use domain::id::OrganizationId;
use persistence::Db;
use persistence::records::Media;
use platform::files::path_in;
use platform::settings::FileSettings;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The number of files that are listed at a time.
const PORTION: i64 = 500;

/// A copy in progress: the files that the database refers to, from one folder into another.
pub struct Copying {
    from: PathBuf,
    folder: PathBuf,
    progress: BackupProgress,
    /// The checksum list, if this run completes the backup.
    checksums: Option<Checksums>,
    found: MediaPart,
}

/// Returns the bucket's URL, `s3://NAME/PREFIX`.
pub fn bucket(settings: &Settings) -> Option<String> {
    match &settings.files {
        FileSettings::Bucket(bucket) if bucket.prefix.is_empty() => {
            Some(format!("s3://{}", bucket.name))
        }
        FileSettings::Bucket(bucket) => Some(format!("s3://{}/{}", bucket.name, bucket.prefix)),
        FileSettings::Folder(_) => None,
    }
}

/// Returns the shell lines that copy the uploads out of a bucket.
pub fn next(settings: &Settings, folder: &Path) -> Vec<String> {
    let to = quoted(&folder.join(MEDIA).display().to_string());
    let line =
        |bucket: String| format!("aws s3 sync {} {to}{}", quoted(&bucket), endpoint(settings));
    bucket(settings).map(line).into_iter().collect()
}

/// Returns the shell lines that copy the uploads into a bucket.
pub fn restore_next(settings: &Settings, folder: &Path, manifest: &Manifest) -> Vec<String> {
    // If the bucket is the same one that was backed up, it still has the files.
    let from = folder.join(MEDIA);
    let Some(bucket) = bucket(settings).filter(|it| manifest.media.bucket.as_ref() != Some(it))
    else {
        return Vec::new();
    };
    let (from, to) = (quoted(&from.display().to_string()), quoted(&bucket));
    vec![format!("aws s3 sync {from} {to}{}", endpoint(settings))]
}

fn endpoint(settings: &Settings) -> String {
    match &settings.files {
        FileSettings::Bucket(bucket) => bucket
            .endpoint
            .as_ref()
            .map(|it| format!(" --endpoint-url {}", quoted(it)))
            .unwrap_or_default(),
        FileSettings::Folder(_) => String::new(),
    }
}

/// Copies the uploads that the database refers to into the backup, except those already there, and
/// records their digests.
pub async fn copy(
    db: &Db,
    settings: &Settings,
    folder: &Path,
    checksums: Option<Checksums>,
) -> Result<(MediaPart, Option<Checksums>)> {
    let FileSettings::Folder(from) = &settings.files else {
        return Ok((MediaPart { bucket: bucket(settings), ..MediaPart::default() }, checksums));
    };
    let (from, folder) = (from.clone(), folder.to_owned());
    std::fs::create_dir_all(folder.join(MEDIA))?;
    let progress = BackupProgress::default();
    let found = MediaPart::default();
    let copying = Copying { from, folder, progress: progress.clone(), checksums, found };
    progress.tell("media", None, copying.all(db)).await
}

impl Copying {
    async fn all(mut self, db: &Db) -> Result<(MediaPart, Option<Checksums>)> {
        let mut last = None;
        while let Some(organization) = db.operator().next_with_media(last).await? {
            self = self.copy_organization(db, organization).await?;
            last = Some(organization);
        }
        Ok((self.found, self.checksums))
    }

    async fn copy_organization(mut self, db: &Db, organization: OrganizationId) -> Result<Self> {
        let mut last = None;
        loop {
            let portion = db.organization(organization).list_media(last, PORTION).await?;
            let Some(end) = portion.last() else { return Ok(self) };
            last = Some(end.id);
            self = in_background(move || {
                portion.iter().try_for_each(|file| self.one(file))?;
                Ok(self)
            })
            .await?;
        }
    }

    fn one(&mut self, file: &Media) -> Result<()> {
        let name = format!("{MEDIA}/{}", file.id);
        let content = match self.place(file, &self.folder.join(&name)) {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.found.missing.push(file.id.to_string());
                return Ok(());
            }
            Err(error) => return Err(error).with_context(|| format!("{} was not copied", file.id)),
        };
        if !is(&content, file) {
            self.found.missing.push(file.id.to_string());
        }
        self.found.files += 1;
        self.found.bytes += content.bytes;
        if let Some(checksums) = &mut self.checksums {
            checksums.add(&name, &content)?;
        }
        Ok(())
    }

    /// Copies a file, unless an earlier run has copied it.
    fn place(&self, file: &Media, to: &Path) -> io::Result<FileContent> {
        match files::content(to, &self.progress) {
            Ok(there) if is(&there, file) => return Ok(there),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        files::copy(&path_in(&self.from, file.id), to, &self.progress)
    }
}

/// Whether a file has the size and digest of its row.
fn is(content: &FileContent, file: &Media) -> bool {
    content.bytes == file.size && content.digest.matches(&file.sha256)
}
