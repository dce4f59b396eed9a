//! Checks that the server can write to its folders. The checks leave no files behind. For a folder
//! that does not exist yet, its nearest existing ancestor is checked.

use super::Finding;
use config::Settings;
use persistence::DatabaseLocation;
use platform::files::ARRIVING;
use platform::settings::{FileSettings, KeySource, parse_key};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use tokio::task::spawn_blocking;

const MEDIA_URL: &str = "SWITCHBOARD_MEDIA_URL";
const DATABASE_URL: &str = "SWITCHBOARD_DATABASE_URL";
const ENCRYPTION_KEY: &str = "SWITCHBOARD_ENCRYPTION_KEY";
/// The environment variable of Unix for temporary files. It is not a Switchboard setting.
const TEMPORARY: &str = "TMPDIR";
/// The content of the test file: one block, so that the write needs free space on the disk.
const WRITTEN: [u8; 4096] = [0; 4096];

struct Folder {
    subject: &'static str,
    path: PathBuf,
    /// The folder that must exist, in which the server creates `path`. `None` means that the server
    /// creates `path` with all its ancestors.
    made_in: Option<PathBuf>,
    holds: &'static str,
    advice: &'static str,
}

/// Checks the upload folder, the folder for incoming uploads, and the encryption key file.
pub async fn check(settings: &Settings) -> Vec<Finding> {
    let folder = uploads(settings);
    let key = settings.channel.encryption_key.clone();
    let checked = spawn_blocking(move || {
        let mut findings = vec![folder.check()];
        if let KeySource::File(path) = key {
            findings.push(encryption_key(&path));
        }
        findings
    });
    checked.await.unwrap_or_else(|error| vec![Finding::failed(MEDIA_URL, error.to_string(), "")])
}

fn uploads(settings: &Settings) -> Folder {
    if let FileSettings::Folder(path) = &settings.files {
        let advice = "name a folder that this server may write to, as file:FOLDER";
        return Folder {
            subject: MEDIA_URL,
            path: path.clone(),
            made_in: None,
            holds: "uploads",
            advice,
        };
    }
    let temporary = settings.temporary_folder();
    let (subject, advice) = match settings.database {
        DatabaseLocation::Sqlite(_) => {
            (DATABASE_URL, "put the database where this server may write")
        }
        DatabaseLocation::Postgres(_) => (TEMPORARY, "name a folder that this server may write to"),
    };
    let holds = "uploads on their way into the bucket";
    Folder { subject, path: temporary.join(ARRIVING), made_in: Some(temporary), holds, advice }
}

impl Folder {
    fn check(&self) -> Finding {
        let shown = self.made_in.as_ref().unwrap_or(&self.path).display();
        let tried = match &self.made_in {
            Some(folder) if !folder.is_dir() => Err(ErrorKind::NotFound.into()),
            _ => write_in(nearest(&self.path)),
        };
        match tried {
            Ok(()) => {
                let what = format!("the folder {shown} can be written to ({})", self.holds);
                Finding::ok(self.subject, what)
            }
            Err(error) => {
                let what =
                    format!("the folder {shown} cannot be written to ({}): {error}", self.holds);
                judged(self.subject, &error, what, self.advice)
            }
        }
    }
}

/// Checks that an existing key is readable, or that a missing one could be created.
fn encryption_key(path: &Path) -> Finding {
    let shown = path.display();
    match std::fs::read_to_string(path) {
        Ok(text) if parse_key(&text).is_some() => {
            Finding::ok(ENCRYPTION_KEY, format!("the key in {shown} can be read"))
        }
        Ok(_) => {
            let what = format!("{shown} does not hold 32 bytes in base64");
            let advice = "name the right file; a new key opens nothing that an old one has sealed";
            Finding::failed(ENCRYPTION_KEY, what, advice)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => match write_in(nearest(path)) {
            Ok(()) => {
                let what = format!("there is no {shown} yet; it is made when it is first needed");
                Finding::ok(ENCRYPTION_KEY, what)
            }
            Err(error) => {
                let what = format!("there is no {shown}, and it cannot be made: {error}");
                let advice = "name a file in a folder that this server may write to, as file:PATH";
                judged(ENCRYPTION_KEY, &error, what, advice)
            }
        },
        Err(error) => {
            let advice = "let this server's user read it";
            Finding::failed(ENCRYPTION_KEY, format!("{shown} cannot be read: {error}"), advice)
        }
    }
}

/// Rates an I/O error. A full disk is a warning, because no setting has to be changed for it.
fn judged(subject: &'static str, error: &io::Error, what: String, advice: &str) -> Finding {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Finding::warning(subject, what, "make room on the disk")
        }
        _ => Finding::failed(subject, what, advice),
    }
}

/// Returns the path itself or its nearest ancestor that exists.
fn nearest(path: &Path) -> &Path {
    let found = path.ancestors().find(|it| !it.as_os_str().is_empty() && it.exists());
    found.unwrap_or(Path::new("."))
}

/// Writes to an unnamed file, which the system deletes when it is closed.
fn write_in(folder: &Path) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(&WRITTEN)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::super::CheckState;
    use super::*;

    #[test]
    fn missing_unreadable_and_impossible_keys_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/encryption.key");
        let found = encryption_key(&path);
        assert_eq!(found.state, CheckState::Ok, "{found}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(&path, "short").unwrap();
        let found = encryption_key(&path);
        assert_eq!(found.state, CheckState::Failed, "{found}");
        // A path below a file can never be created.
        let found = encryption_key(&path.join("encryption.key"));
        assert_eq!(found.state, CheckState::Failed, "{found}");
    }
}
