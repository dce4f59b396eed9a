//! `cargo xtask screenshots`: takes the pictures of README.md while the tests check the pages.

use std::fs;

use anyhow::{Context as _, Result};
use servers::workspace::Workspace;

use crate::suite::{self, Database};

/// The filter for the tests that take pictures of pages.
const TESTS: &str = "test(/browser::appearance/)";
/// The file names that the tests give to the pictures that README.md shows.
const PICTURES: [&str; 4] = [
    "sandbox-phone-wide-light.png",
    "sandbox-phone-wide-dark.png",
    "messages-wide-light.png",
    "messages-wide-dark.png",
];
/// The folder of the pictures.
const FOLDER: &str = "docs/pictures";

/// Runs the tests, and copies their pictures.
pub fn run(workspace: &Workspace) -> Result<()> {
    suite::run(workspace, Database::Postgres, &["-E".to_owned(), TESTS.to_owned()])?;
    let taken = workspace.target_directory()?.join("screenshots");
    let folder = workspace.root().join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {FOLDER}"))?;
    for picture in PICTURES {
        fs::copy(taken.join(picture), folder.join(picture))
            .with_context(|| format!("the tests took no {picture}"))?;
        println!("{FOLDER}/{picture}: written");
    }
    Ok(())
}
