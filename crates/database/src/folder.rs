//! The folder of a database file.
use crate::{Error, Result};
use std::path::Path;

/// Makes the folder that a file is to lie in.
pub fn make_folder_of(file: &str) -> Result<()> {
    let Some(folder) = folder_of(file) else { return Ok(()) };
    is_folder(Some(folder))?;
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::Connect(format!("the folder {} cannot be made: {error}", folder.display()))
    })
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
