//! The encryption key, in a backup and beside it.

use super::files;
use super::manifest::{KEY, KeyPart, Manifest};
use anyhow::{Context as _, Result, bail};
use auth::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use persistence::give_to_owner_of_folder;
use service::settings::{KeySource, key_of};
use std::io::ErrorKind;
use std::path::Path;

const SETTING: &str = "SWITCHBOARD_ENCRYPTION_KEY";
/// So much of a digest tells keys apart.
const FINGERPRINT_DIGITS: usize = 16;
/// What is digested before the key, lest the digest be of use for anything else.
const PURPOSE: &[u8] = b"switchboard backup: which key";

/// What a backup says of the key; with the key itself if that is wanted.
pub fn back_up(source: &KeySource, folder: &Path, with_key: bool) -> Result<KeyPart> {
    let Some(key) = read(source)? else {
        return Ok(KeyPart { included: false, fingerprint: None });
    };
    if with_key {
        files::write(&folder.join(KEY), &format!("{}\n", STANDARD.encode(key)))?;
    }
    Ok(KeyPart { included: with_key, fingerprint: Some(fingerprint(&key)) })
}

/// The key that the settings name; none if it has not been made.
fn read(source: &KeySource) -> Result<Option<[u8; 32]>> {
    let path = match source {
        KeySource::Given(key) => return Ok(Some(*key)),
        KeySource::File(path) => path,
    };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let wrong = || {
                format!("{} does not hold 32 bytes in base64; correct {SETTING}", path.display())
            };
            key_of(&text).with_context(wrong).map(Some)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn fingerprint(key: &[u8; 32]) -> String {
    let digest = Digest::of(&[PURPOSE, key].concat()).hex();
    digest.chars().take(FINGERPRINT_DIGITS).collect()
}

/// What is to be done about the key of a backup.
#[derive(Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing has been sealed yet.
    NotNeeded,
    /// The right one is in place.
    InPlace,
    /// The backup's is to be written.
    Write,
    /// It is not in the backup, and there is none here.
    Missing,
}

/// Compares the key that the settings name with that of the backup. Another one in its place is never overwritten.
pub fn plan(manifest: &Manifest, source: &KeySource) -> Result<Plan> {
    let Some(wanted) = &manifest.key.fingerprint else { return Ok(Plan::NotNeeded) };
    match (read(source)?, source) {
        (Some(key), _) if fingerprint(&key) == *wanted => Ok(Plan::InPlace),
        (Some(_), KeySource::Given(_)) => bail!(
            "the key in {SETTING} is not the one that the backup's tokens are sealed with; give the key of the server that \
             was backed up{}",
            if manifest.key.included { ", which is in the backup's encryption.key" } else { "" }
        ),
        (Some(_), KeySource::File(path)) => bail!(
            "the key in {} is not the one that the backup's tokens are sealed with; move it away, or name another file in \
             {SETTING}",
            path.display()
        ),
        (None, _) if manifest.key.included => Ok(Plan::Write),
        (None, _) => Ok(Plan::Missing),
    }
}

/// Puts the backup's key in its place.
pub fn restore(folder: &Path, source: &KeySource) -> Result<()> {
    let KeySource::File(path) = source else { return Ok(()) };
    let text = std::fs::read_to_string(folder.join(KEY))?;
    std::fs::create_dir_all(files::folder_of(path))?;
    let written = files::write(path, &text).and_then(|()| give_to_owner_of_folder(path));
    written.with_context(|| format!("{} cannot be written", path.display()))
}
