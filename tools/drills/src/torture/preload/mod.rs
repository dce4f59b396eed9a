//! Small C libraries that are preloaded into a server, where they intercept its calls to the
//! system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use servers::{process, programs};

#[derive(Clone, Copy)]
pub enum Library {
    /// A disk that loses unsynced data at a power cut.
    Disk,
    /// A clock whose time can be changed.
    Clock,
}

impl Library {
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::Disk => ("disk", include_str!("disk.c")),
            Self::Clock => ("clock", include_str!("clock.c")),
        }
    }

    /// Compiles the library into a folder, which has to stay as long as the library is used.
    pub fn compile(self, folder: &Path) -> Result<PathBuf> {
        let (name, text) = self.source();
        let (source, library) =
            (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
        fs::write(&source, text).with_context(|| format!("cannot write {}", source.display()))?;
        let mut cc = Command::new(programs::require(&["cc"])?);
        cc.args(["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
        cc.arg(&library).arg(&source).args(["-ldl", "-lpthread"]);
        process::run(&mut cc)?;
        Ok(library)
    }
}
