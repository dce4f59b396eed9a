//! The encryption key in a backup.

use super::files;
use super::manifest::{KEY, KeyPart, Manifest};
use anyhow::{Context as _, Result, bail};
use auth::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use persistence::give_to_owner_of_folder;
use platform::settings::{KeySource, parse_key};
use std::io::ErrorKind;
use std::path::Path;

const SETTING: &str = "SWITCHBOARD_ENCRYPTION_KEY";
/// The number of hexadecimal digits of a fingerprint: enough to tell keys apart.
const FINGERPRINT_DIGITS: usize = 16;
/// A prefix that is digested together with the key, so that the fingerprint can be used for nothing
/// else.
const PURPOSE: &[u8] = b"switchboard backup: which key";

/// Writes the key into the backup if `with_key` is set, and returns the manifest's part about the
/// key.
pub fn back_up(source: &KeySource, folder: &Path, with_key: bool) -> Result<KeyPart> {
    let Some(key) = read(source)? else {
        return Ok(KeyPart { included: false, fingerprint: None });
    };
    if with_key {
        files::write(&folder.join(KEY), &format!("{}\n", STANDARD.encode(key)))?;
    }
    Ok(KeyPart { included: with_key, fingerprint: Some(fingerprint(&key)) })
}

/// Reads the configured key. Returns `None` if it has not been created yet.
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
            parse_key(&text).with_context(wrong).map(Some)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn fingerprint(key: &[u8; 32]) -> String {
    let digest = Digest::new(&[PURPOSE, key].concat()).hex();
    digest.chars().take(FINGERPRINT_DIGITS).collect()
}

/// The action that a restore takes for the encryption key.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyPlan {
    /// The backed-up server had not encrypted anything yet.
    NotNeeded,
    /// The right key is in place.
    InPlace,
    /// The key of the backup has to be written.
    Write,
    /// The key is neither in the backup nor in place.
    Missing,
}

/// Compares the configured key with the key of the backup.
///
/// # Errors
///
/// Fails if a different key is configured or in the key file. That key is never overwritten.
pub fn plan(manifest: &Manifest, source: &KeySource) -> Result<KeyPlan> {
    let Some(wanted) = &manifest.key.fingerprint else { return Ok(KeyPlan::NotNeeded) };
    match (read(source)?, source) {
        (Some(key), _) if fingerprint(&key) == *wanted => Ok(KeyPlan::InPlace),
        (Some(_), KeySource::Given(_)) => bail!(
            "the key in {SETTING} is not the one that the backup's tokens are encrypted with; set the key of the server that \
             was backed up{}",
            if manifest.key.included { ", which is in the backup's encryption.key" } else { "" }
        ),
        (Some(_), KeySource::File(path)) => bail!(
            "the key in {} is not the one that the backup's tokens are encrypted with; move it away, or name another file in \
             {SETTING}",
            path.display()
        ),
        (None, _) if manifest.key.included => Ok(KeyPlan::Write),
        (None, _) => Ok(KeyPlan::Missing),
    }
}

/// Writes the key of the backup to its configured file.
pub fn restore(folder: &Path, source: &KeySource) -> Result<()> {
    let KeySource::File(path) = source else { return Ok(()) };
    let text = std::fs::read_to_string(folder.join(KEY))?;
    std::fs::create_dir_all(files::folder_of(path))?;
    let written = files::write(path, &text).and_then(|()| give_to_owner_of_folder(path));
    written.with_context(|| format!("{} cannot be written", path.display()))
}
