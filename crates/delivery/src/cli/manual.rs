//! `switchboard man`, generated from the declaration of the command line.

use crate::output;
use anyhow::{Context as _, Result};
use clap::Command;
use clap_mangen::Man;
use std::path::Path;

/// Prints the main manual page, or writes one page per command.
pub fn pages(command: Command, folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return Ok(output::print(&String::from_utf8(page)?)?);
    };
    let written = || format!("the pages cannot be written to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(written)?;
    clap_mangen::generate_to(command, folder).with_context(written)
}
