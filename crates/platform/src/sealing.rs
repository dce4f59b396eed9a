//! Encrypts the secrets in the database. The key comes from the settings, or from a file that is
//! created if it is missing.

use crate::settings::KeySource;
use crate::settings::parse_key;
use auth::seal::{KEY_BYTES, NONCE_BYTES, SealError, SealingKey, UnsealError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Encrypts and decrypts secrets. The key is read on first use, because a server without secrets
/// needs no key.
pub struct Sealing {
    source: KeySource,
    key: OnceLock<SealingKey>,
}

/// The reason why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealingError {
    /// The key cannot be read or created.
    #[error("the encryption key {} cannot be read or made: {why}", .path.display())]
    Key { path: PathBuf, why: String },
    /// The secret was sealed with another key.
    #[error(transparent)]
    NotOurs(#[from] UnsealError),
    /// The secret cannot be sealed.
    #[error(transparent)]
    NotSealed(#[from] SealError),
}

impl Sealing {
    /// Creates a sealer with a key from this source.
    #[must_use]
    pub const fn new(source: KeySource) -> Self {
        Self { source, key: OnceLock::new() }
    }

    /// Encrypts a secret for its owner. `nonce` and `new_key` are random bytes. If there is no key
    /// yet, `new_key` becomes the key.
    pub fn seal(
        &self,
        secret: &str,
        owner: &str,
        nonce: [u8; NONCE_BYTES],
        new_key: [u8; KEY_BYTES],
    ) -> Result<Vec<u8>, SealingError> {
        Ok(self.key(Some(new_key))?.seal(secret.as_bytes(), owner, nonce)?)
    }

    /// Decrypts a secret of an owner.
    pub fn open(&self, sealed: &[u8], owner: &str) -> Result<String, SealingError> {
        let opened = self.key(None)?.open(sealed, owner)?;
        String::from_utf8(opened).map_err(|_| UnsealError.into())
    }

    fn key(&self, new: Option<[u8; KEY_BYTES]>) -> Result<SealingKey, SealingError> {
        if let Some(key) = self.key.get() {
            return Ok(key.clone());
        }
        let bytes = match &self.source {
            KeySource::Given(bytes) => *bytes,
            KeySource::File(path) => {
                from_file(path, new).map_err(|why| SealingError::Key { path: path.clone(), why })?
            }
        };
        let key = SealingKey::new(&bytes).ok_or(UnsealError)?;
        Ok(self.key.get_or_init(|| key).clone())
    }
}

fn from_file(path: &Path, new: Option<[u8; KEY_BYTES]>) -> Result<[u8; KEY_BYTES], String> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => match new {
            Some(key) => {
                make(path, key).map_err(|error| error.to_string())?;
                std::fs::read_to_string(path)
            }
            None => Err(error),
        },
        read => read,
    };
    let text = text.map_err(|error| error.to_string())?;
    parse_key(&text).ok_or_else(|| "it does not hold 32 bytes in base64".to_owned())
}

/// Creates the key file atomically, readable only by its owner. If another process creates the file
/// at the same time, its key is used.
fn make(path: &Path, key: [u8; KEY_BYTES]) -> std::io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // The name must be unique: two servers that share a folder may have the same process id.
    let mut draft = tempfile::Builder::new().prefix(".key").tempfile_in(folder)?;
    writeln!(draft, "{}", STANDARD.encode(key))?;
    draft.as_file().sync_all()?;
    match draft.persist_noclobber(path) {
        Err(refused) if refused.error.kind() != ErrorKind::AlreadyExists => Err(refused.error),
        _ => File::open(folder)?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_missing_key_is_made_once_and_kept_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/encryption.key");
        let source = || KeySource::File(path.clone());
        assert!(matches!(
            Sealing::new(source()).open(&[0; 40], "a"),
            Err(SealingError::Key { .. })
        ));
        let sealed = Sealing::new(source())
            .seal("token", "acc_1", [1; NONCE_BYTES], [2; KEY_BYTES])
            .unwrap();
        assert_eq!(Sealing::new(source()).open(&sealed, "acc_1").unwrap(), "token");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn whoever_makes_a_key_at_the_same_time_has_the_same() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("encryption.key");
            let sealing = || Sealing::new(KeySource::File(path.clone()));
            let sealed: Vec<Vec<u8>> = std::thread::scope(|scope| {
                let seal = |one: u8| {
                    let sealing = sealing();
                    move || sealing.seal("token", "acc_1", [one; NONCE_BYTES], [one; KEY_BYTES])
                };
                let threads: Vec<_> = (0..8).map(|one| scope.spawn(seal(one))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
            });
            for secret in sealed {
                assert_eq!(sealing().open(&secret, "acc_1").unwrap(), "token");
            }
        }
    }
}
