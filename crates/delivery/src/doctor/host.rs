//! Checks of this machine: folders, their modes and owners, free disk space, open files.

use super::owner;
use crate::checks::Finding;
use crate::connections::most_files;
use config::Settings;
use persistence::DatabaseLocation;
use platform::settings::{FileSettings, KeySource};
use rustix::fs::statvfs;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Bounds of the free disk space. Below the first one the disk counts as full, below the second one
/// as nearly full.
const MIN_FREE_BYTES: u64 = 64 * 1024 * 1024;
const LOW_FREE_BYTES: u64 = 1024 * 1024 * 1024;
/// The minimum number of open files. With fewer, a server refuses connections under load.
const MIN_OPEN_FILES: u64 = 4096;

/// A path, and the setting that names it.
struct StoragePath {
    setting: &'static str,
    path: PathBuf,
}

/// Checks folders, free space and limits.
pub fn check(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in places(settings) {
        // A missing path is created later, or its own check reports it.
        if let Ok(metadata) = place.path.metadata() {
            findings.push(privacy(&place, &metadata));
            findings.extend(owner::check(place.setting, &place.path, &metadata));
        }
    }
    findings.extend(folders(settings).iter().filter_map(check_free_space));
    findings.push(open_files(most_files()));
    findings
}

/// Returns the paths that only the server may read.
fn places(settings: &Settings) -> Vec<StoragePath> {
    let mut places = folders(settings);
    if let DatabaseLocation::Sqlite(file) = &settings.database {
        places.push(StoragePath { setting: "SWITCHBOARD_DATABASE_URL", path: file.into() });
    }
    if let KeySource::File(path) = &settings.channel.encryption_key {
        places.push(StoragePath { setting: "SWITCHBOARD_ENCRYPTION_KEY", path: path.clone() });
    }
    places
}

fn folders(settings: &Settings) -> Vec<StoragePath> {
    let mut folders = Vec::new();
    if let DatabaseLocation::Sqlite(file) = &settings.database {
        let folder = folder_of(Path::new(file));
        folders.push(StoragePath { setting: "SWITCHBOARD_DATABASE_URL", path: folder });
    }
    if let FileSettings::Folder(path) = &settings.files {
        folders.push(StoragePath { setting: "SWITCHBOARD_MEDIA_URL", path: path.clone() });
    }
    folders
}

fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

fn privacy(place: &StoragePath, metadata: &Metadata) -> Finding {
    let (mode, shown) = (metadata.mode() & 0o777, place.path.display());
    let right = if metadata.is_dir() { 0o700 } else { 0o600 };
    let what = format!("{shown} has the mode {mode:04o}");
    let advice = format!("chmod {right:o} {shown}");
    match mode & 0o077 {
        0 => Finding::ok(place.setting, what),
        others if others & 0o022 != 0 => {
            Finding::failed(place.setting, format!("{what}: others may change it"), advice)
        }
        _ => Finding::warning(place.setting, format!("{what}: others may read it"), advice),
    }
}

fn check_free_space(place: &StoragePath) -> Option<Finding> {
    // For a folder that does not exist yet, its nearest existing ancestor is used.
    let there = place.path.ancestors().find(|it| it.as_os_str().is_empty() || it.exists())?;
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let disk = statvfs(there).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let what = format!("{} MiB are free at {}", free / (1024 * 1024), place.path.display());
    let advice = "make room, or move it to a larger disk";
    Some(match free {
        free if free < MIN_FREE_BYTES => Finding::failed(place.setting, what, advice),
        free if free < LOW_FREE_BYTES => Finding::warning(place.setting, what, advice),
        _ => Finding::ok(place.setting, what),
    })
}

fn open_files(most: u64) -> Finding {
    let what = format!("a server started here may open {most} files");
    if most >= MIN_OPEN_FILES {
        return Finding::ok("open files", what);
    }
    let advice =
        "set LimitNOFILE=65536 in the unit of systemd, or `ulimit -Hn 65536` before the start";
    Finding::warning("open files", format!("{what}; each connection is one"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::CheckState;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn what_others_may_change_is_a_failure_and_what_they_may_read_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let place =
            StoragePath { setting: "SWITCHBOARD_MEDIA_URL", path: folder.path().to_owned() };
        for (mode, state) in [
            (0o700, CheckState::Ok),
            (0o750, CheckState::Warning),
            (0o705, CheckState::Warning),
            (0o770, CheckState::Failed),
            (0o777, CheckState::Failed),
        ] {
            std::fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            let found = privacy(&place, &folder.path().metadata().unwrap());
            assert_eq!(found.state, state, "{mode:o}");
        }
    }

    #[test]
    fn few_open_files_are_a_warning() {
        assert_eq!(open_files(1024).state, CheckState::Warning);
        assert_eq!(open_files(65_536).state, CheckState::Ok);
    }
}
