//! Functions that copy, digest and sync files. All of them block.

use super::progress::BackupProgress;
use anyhow::{Context as _, Result, bail};
use auth::digest::{Digest, DigestBuilder};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path};
use tempfile::NamedTempFile;

/// The file with the checksums of all files of a backup, in the format of `sha256sum --check`.
pub const CHECKSUMS: &str = "SHA256SUMS";
const PIECE_BYTES: usize = 256 * 1024;
/// Files of at least this size are synced immediately, so that the final sync has little left to
/// write.
const LARGE_BYTES: u64 = 4 * 1024 * 1024;

/// The length and digest of a file.
#[derive(Clone, Debug)]
pub struct FileContent {
    pub bytes: u64,
    pub digest: Digest,
}

/// Copies a file completely or not at all. Only its owner can read the copy.
pub fn copy(from: &Path, to: &Path, progress: &BackupProgress) -> io::Result<FileContent> {
    let mut source = File::open(from)?;
    let mut draft = NamedTempFile::new_in(folder_of(to))?;
    let content = read_through(&mut source, progress, |piece| draft.write_all(piece))?;
    if content.bytes >= LARGE_BYTES {
        draft.as_file().sync_data()?;
    }
    draft.persist(to)?;
    Ok(content)
}

/// Returns the length and digest of a file.
pub fn content(of: &Path, progress: &BackupProgress) -> io::Result<FileContent> {
    read_through(&mut File::open(of)?, progress, |_| Ok(()))
}

fn read_through(
    file: &mut File,
    progress: &BackupProgress,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<FileContent> {
    let (mut bytes, mut digest, mut buffer) = (0, DigestBuilder::default(), vec![0; PIECE_BYTES]);
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok(FileContent { bytes, digest: digest.finish() }),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = buffer.get(..read).unwrap_or_default();
        digest.update(piece);
        take(piece)?;
        bytes += read as u64;
        progress.add(read as u64);
    }
}

/// Returns the folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes and syncs a small file, completely or not at all. Only its owner can read it.
pub fn write(to: &Path, text: &str) -> io::Result<()> {
    let folder = folder_of(to);
    let mut draft = NamedTempFile::new_in(folder)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(to)?;
    sync_folder(folder)
}

/// Syncs a folder, so that the names of its files survive a power cut.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Syncs the whole file system of a folder, which is one call instead of thousands for small files.
pub fn sync_disk(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// A checksum list that is being written.
pub struct Checksums(BufWriter<File>);

impl Checksums {
    /// Creates the list in this folder.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        Ok(Self(BufWriter::new(File::create(folder.join(CHECKSUMS))?)))
    }

    /// Adds a file by its path in the folder.
    pub fn add(&mut self, name: &str, content: &FileContent) -> io::Result<()> {
        writeln!(self.0, "{}  {name}", content.digest.hex())
    }

    /// Writes out and syncs the list.
    pub fn finish(self) -> io::Result<()> {
        let file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()
    }
}

/// Reads the checksum list of a folder, as pairs of name and hexadecimal digest.
pub fn checksums(folder: &Path) -> Result<impl Iterator<Item = Result<(String, String)>>> {
    let path = folder.join(CHECKSUMS);
    let file = File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(BufReader::new(file).lines().map(|line| {
        let line = line?;
        let Some((digest, name)) = line.split_once("  ") else {
            bail!("{CHECKSUMS} has an invalid line: {line:?}")
        };
        // The list may have been tampered with, so a path that leads out of the folder is rejected.
        let within = Path::new(name).components().all(|it| matches!(it, Component::Normal(_)));
        if !within {
            bail!("{CHECKSUMS} names {name:?}, which is not in the backup")
        }
        Ok((name.to_owned(), digest.to_owned()))
    }))
}
