//! The Debian package: its own user, the systemd unit, and the settings as a configuration file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::Compression;
use super::program::Program;
use super::staging::{Places, Staging};
use servers::process;

const PLACES: Places =
    Places { usr: "usr/", settings: "etc/switchboard.toml", settings_mode: 0o640 };
/// The scripts that run when the package is installed or removed, relative to the workspace root.
const SCRIPTS: &str = "packaging/debian";
/// Packages needed beside the linked libraries: the tool that creates the user, and the certificate
/// authorities for Meta, Twilio and webhooks.
const NEEDED: [&str; 2] = ["adduser", "ca-certificates"];

/// Makes the package in this folder and returns its file name.
pub fn make(
    workspace: &Path,
    program: &Program,
    date: u64,
    compression: Compression,
    folder: &Path,
) -> Result<String> {
    let staging = Staging::below("")?;
    staging.fill(workspace, program, &PLACES)?;
    let license = fs::read_to_string(workspace.join("LICENSE")).context("cannot read LICENSE")?;
    staging.write("usr/share/doc/switchboard/copyright", &copyright(&license), 0o644)?;
    let sums = checksums(&staging)?;
    let size = staging.size()?.div_ceil(1024);
    staging.write("DEBIAN/conffiles", &format!("/{}\n", PLACES.settings), 0o644)?;
    staging.write("DEBIAN/md5sums", &sums, 0o644)?;
    let linked = linked(&staging.root().join("usr/bin/switchboard"))?;
    let depends = [linked, NEEDED.map(str::to_owned).to_vec()].concat();
    staging.write("DEBIAN/control", &control(program, size, &depends), 0o644)?;
    for script in ["postinst", "prerm", "postrm"] {
        let from = workspace.join(SCRIPTS).join(script);
        staging.copy(&from, &format!("DEBIAN/{script}"), 0o755)?;
    }
    staging.seal(date)?;
    let name = format!("switchboard_{}_{}.deb", program.version, program.machine.debian());
    let compressed: &[&str] = match compression {
        Compression::Good => &["-Zxz"],
        Compression::Little => &["-Zgzip", "-z1"],
    };
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group"])
        .args(compressed)
        .arg("--build")
        .arg(staging.root())
        .arg(folder.join(&name))
        .env("SOURCE_DATE_EPOCH", date.to_string());
    process::stdout(&mut pack)?;
    Ok(name)
}

fn control(program: &Program, size: u64, depends: &[String]) -> String {
    format!(
        "Package: switchboard\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: The Switchboard project <packages@switchboard.invalid>\n\
         Installed-Size: {size}\n\
         Depends: {}\n\
         Suggests: postgresql, redis-server | valkey-server\n\
         Section: net\n\
         Priority: optional\n\
         Description: messaging API that you run yourself\n \
         Businesses send and receive messages over a business messaging channel through\n \
         a REST API: a server with SQLite, or several with PostgreSQL.\n",
        program.version,
        program.machine.debian(),
        depends.join(", "),
    )
}

/// Returns the packages of the libraries that a program links to, as Debian's own tool finds them.
fn linked(program: &Path) -> Result<Vec<String>> {
    // dpkg-shlibdeps reads `debian/control` in the current directory.
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let control = folder.path().join("debian/control");
    fs::create_dir_all(folder.path().join("debian"))?;
    fs::write(&control, "Source: switchboard\n\nPackage: switchboard\nArchitecture: any\n")?;
    let mut ask = Command::new("dpkg-shlibdeps");
    ask.arg("-O").arg("-e").arg(program).current_dir(folder.path()).env("LC_ALL", "C");
    Ok(dependencies(&process::stdout(&mut ask)?))
}

/// Parses the tool's output. A program that links to nothing has no line.
fn dependencies(printed: &str) -> Vec<String> {
    let line = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let listed = line.into_iter().flat_map(|line| line.split(','));
    listed.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

/// Returns the checksums for `dpkg --verify`, which exclude configuration files.
fn checksums(staging: &Staging) -> Result<String> {
    let mut files = staging.files()?;
    files.retain(|file| *file != PLACES.settings);
    process::stdout(Command::new("md5sum").args(&files).current_dir(staging.root()))
}

/// Formats the license in Debian's copyright format.
fn copyright(license: &str) -> String {
    let mut text = String::from(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n\
         Files: *\n",
    );
    let holder = license.lines().find_map(|line| line.strip_prefix("Copyright (c) "));
    text += "Copyright: ";
    text += holder.unwrap_or("the authors");
    text += "\nLicense: MIT\n";
    let terms = license.lines().skip_while(|line| !line.starts_with("Permission"));
    for line in terms {
        text += if line.trim().is_empty() { " ." } else { " " };
        text += line.trim();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_links_to_is_what_it_depends_on() {
        let printed = "shlibs:Depends=libc6 (>= 2.34), libgcc-s1 (>= 4.2)\nshlibs:Recommends=x\n";
        assert_eq!(dependencies(printed), ["libc6 (>= 2.34)", "libgcc-s1 (>= 4.2)"]);
        assert_eq!(dependencies(""), [""; 0]);
    }

    #[test]
    fn the_license_is_written_as_debian_reads_it() {
        let license =
            "MIT License\n\nCopyright (c) 2026 Ada\n\nPermission is granted.\n\nNo warranty.\n";
        let text = copyright(license);
        assert!(text.ends_with(
            "Copyright: 2026 Ada\nLicense: MIT\n Permission is granted.\n .\n No warranty.\n"
        ));
    }
}
