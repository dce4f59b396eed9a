//! The folder of a database file.
use crate::{Error, Result};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

/// Makes the folder that a file is to lie in.
pub fn make_folder_of(file: &str) -> Result<()> {
    let Some(folder) = folder_of(file) else { return Ok(()) };
    is_folder(Some(folder))?;
    std::fs::create_dir_all(folder).map_err(|error| {
        let shown = folder.display();
        let advice = match error.kind() {
            ErrorKind::PermissionDenied => format!(
                "; make it as root for the user that the server runs as, such as `install -d -m 700 -o switchboard -g switchboard {shown}`"
            ),
            _ => String::new(),
        };
        Error::Connect(format!("the folder {shown} cannot be made: {error}{advice}"))
    })
}

/// Gives what root has made to the owner of the folder that it lies in, as SQLite does with its log: a server that runs as that
/// owner could not open it else.
///
/// # Errors
///
/// What the system said.
pub fn give_to_owner_of_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (made, folder) = (path.metadata()?, folder.metadata()?);
    if made.uid() == 0 && folder.uid() != 0 {
        chown(path, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// The folder that a file lies in, if its path names one.
#[must_use]
pub fn folder_of(file: &str) -> Option<&Path> {
    Path::new(file).parent().filter(|it| !it.as_os_str().is_empty())
}

/// Refuses what is there and no folder.
pub fn is_folder(folder: Option<&Path>) -> Result<()> {
    match folder {
        Some(folder) if folder.exists() && !folder.is_dir() => {
            Err(Error::Connect(format!("{} is a file, not a folder", folder.display())))
        }
        _ => Ok(()),
    }
}
