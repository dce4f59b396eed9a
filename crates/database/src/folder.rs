//! The folder of a database file.
use crate::{Error, Result};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, lchown};
use std::path::Path;

/// Creates the folder of a file, and its parents, if it does not exist.
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

/// Changes the owner of a file that root created to the owner of its folder, as SQLite does for its
/// write-ahead log. Otherwise a server that runs as the folder's owner could not open the file. The
/// owner of a symbolic link is changed, never the owner of its target: the folder's owner may have
/// put the link there, and the target may belong to root.
///
/// # Errors
///
/// The error of the operating system.
pub fn give_to_owner_of_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (made, folder) = (path.symlink_metadata()?, folder.metadata()?);
    if made.uid() == 0 && folder.uid() != 0 {
        lchown(path, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Returns the folder part of a file's path. Returns `None` if the path is only a file name.
#[must_use]
pub fn folder_of(file: &str) -> Option<&Path> {
    Path::new(file).parent().filter(|it| !it.as_os_str().is_empty())
}

/// Rejects a path that exists but is not a directory.
pub fn is_folder(folder: Option<&Path>) -> Result<()> {
    match folder {
        Some(folder) if folder.exists() && !folder.is_dir() => {
            Err(Error::Connect(format!("{} is a file, not a folder", folder.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_link_leads_to_keeps_its_owner() {
        // Given a folder with a symbolic link to a file of this user; if the test runs as root, the
        // folder belongs to another user,
        let (theirs, ours) =
            (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        let us = ours.path().metadata().unwrap().uid();
        let owner = if us == 0 { 65_534 } else { us };
        lchown(theirs.path(), Some(owner), None).unwrap();
        let link = theirs.path().join("link");
        symlink(ours.path(), &link).unwrap();

        // when the link is given to the folder's owner, then the file still belongs to this user.
        give_to_owner_of_folder(&link).unwrap();
        assert_eq!(link.symlink_metadata().unwrap().uid(), owner);
        assert_eq!(ours.path().metadata().unwrap().uid(), us);
    }
}
