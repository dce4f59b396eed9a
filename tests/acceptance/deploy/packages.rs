//! The packages of `cargo xtask package`, built from the binary that the tests use.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;
use tokio::process::Command;

const UNIT: &str = "usr/lib/systemd/system/switchboard.service";
/// The highest permitted exposure rating of the unit by `systemd-analyze security`, times ten.
const MAX_EXPOSURE: &str = "15";

async fn output(command: &mut Command) -> Output {
    command.env("LC_ALL", "C").output().await.expect("installed by `cargo xtask test`")
}

async fn printed(command: &mut Command) -> String {
    let output = output(command).await;
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {out}{err}");
    out.into_owned()
}

/// Built packages in their own directory, with the time of their build.
struct Packages {
    folder: TempDir,
    names: Vec<String>,
}

impl Packages {
    /// Builds the packages. The symbols are stripped from the binary, because they would make the
    /// packages ten times as large.
    async fn make(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let xtask = std::env::var("SWITCHBOARD_TEST_XTASK").expect("set by `cargo xtask test`");
        let mut make = Command::new(xtask);
        make.args(["package", "--quick", "--binary"]).arg(program).arg("--folder");
        make.arg(folder.path()).env("SOURCE_DATE_EPOCH", "1000000000");
        let names = printed(&mut make).await;
        let name = |line: &str| Path::new(line).file_name().unwrap().to_string_lossy().into_owned();
        let names = names.lines().map(name).collect();
        Self { folder, names }
    }

    fn of_kind(&self, ending: &str) -> PathBuf {
        let name = self.names.iter().find(|name| name.ends_with(ending));
        self.folder.path().join(name.unwrap_or_else(|| panic!("{ending} in {:?}", self.names)))
    }

    fn bytes(&self) -> BTreeMap<&str, Vec<u8>> {
        let all = self.names.iter().map(String::as_str).chain(["SHA256SUMS"]);
        all.map(|name| (name, fs::read(self.folder.path().join(name)).unwrap())).collect()
    }
}

async fn stripped(folder: &Path) -> PathBuf {
    let program = folder.join("switchboard");
    let tested = std::env::var("SWITCHBOARD_TEST_BINARY").expect("set by `cargo xtask test`");
    printed(Command::new("strip").arg("-o").arg(&program).arg(tested)).await;
    program
}

/// Returns the mode, the numeric owner and the path of each file of a package.
async fn package_contents(package: &Path) -> Vec<String> {
    let listed = printed(Command::new("dpkg-deb").arg("--contents").arg(package)).await;
    let files = listed.lines().filter(|line| line.starts_with('-'));
    files
        .map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            format!("{} {} {}", fields[0], fields[1], fields[5])
        })
        .collect()
}

async fn package_field(package: &Path, name: &str) -> String {
    let field = printed(Command::new("dpkg-deb").arg("--field").arg(package).arg(name)).await;
    field.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_package_has_what_its_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let program = stripped(folder.path()).await;
    // Given packages that are built twice,
    let (one, two) = tokio::join!(Packages::make(&program), Packages::make(&program));
    // then both builds are identical byte for byte, and their checksums are right.
    assert_eq!(one.names.len(), 3, "{:?}", one.names);
    assert!(one.bytes() == two.bytes(), "they differ");
    let mut check = Command::new("sha256sum");
    printed(check.args(["--check", "--strict", "SHA256SUMS"]).current_dir(one.folder.path())).await;

    // The Debian package contains the program, the unit and the settings, which are marked as a
    // configuration file.
    let package = one.of_kind(".deb");
    let files = package_contents(&package).await;
    for file in [
        "-rwxr-xr-x 0/0 ./usr/bin/switchboard",
        "-rw-r--r-- 0/0 ./usr/lib/systemd/system/switchboard.service",
        "-rw-r----- 0/0 ./etc/switchboard.toml",
        "-rw-r--r-- 0/0 ./usr/share/doc/switchboard/copyright",
    ] {
        assert!(files.iter().any(|it| it == file), "{file} in {files:#?}");
    }
    // and the manual page and shell completions, if the program can generate them.
    for (command, path) in [
        (&["man"][..], "./usr/share/man/man1/switchboard.1.gz"),
        (&["completions", "bash"], "./usr/share/bash-completion/completions/switchboard"),
        (&["completions", "zsh"], "./usr/share/zsh/vendor-completions/_switchboard"),
        (&["completions", "fish"], "./usr/share/fish/vendor_completions.d/switchboard.fish"),
    ] {
        let mut ask = Command::new(&program);
        let is_offered = output(ask.args(command).arg("--help")).await.status.success();
        let is_there = files.iter().any(|it| it.ends_with(path));
        assert_eq!(is_there, is_offered, "{path} in {files:#?}");
    }
    let depends = package_field(&package, "Depends").await;
    for needed in ["libc6 (>= ", "adduser", "ca-certificates"] {
        assert!(depends.contains(needed), "{needed} in {depends}");
    }
    let root = folder.path().join("root");
    printed(Command::new("dpkg-deb").arg("--raw-extract").arg(&package).arg(&root)).await;
    let conffiles = fs::read_to_string(root.join("DEBIAN/conffiles")).unwrap();
    assert_eq!(conffiles, "/etc/switchboard.toml\n");
    for script in ["postinst", "prerm", "postrm"] {
        let script = root.join("DEBIAN").join(script);
        assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o755);
        printed(Command::new("sh").arg("-n").arg(script)).await;
    }

    // The packaged program is the tested one, and its version is that of the package.
    let version = printed(Command::new(root.join("usr/bin/switchboard")).arg("--version")).await;
    assert_eq!(version.trim(), format!("switchboard {}", package_field(&package, "Version").await));
    let same = fs::read(root.join("usr/bin/switchboard")).unwrap() == fs::read(&program).unwrap();
    assert!(same, "another program");

    // The tarball contains the same files in one directory.
    let mut list = Command::new("tar");
    let listed = printed(list.arg("--list").arg("--file").arg(one.of_kind(".tar.gz"))).await;
    for file in
        ["bin/switchboard", "etc/switchboard.toml", "lib/systemd/system/switchboard.service"]
    {
        assert!(listed.lines().any(|line| line.ends_with(file)), "{file} in {listed}");
    }
    let inner = one.of_kind(".tar.gz");
    let inner = inner.file_name().unwrap().to_string_lossy();
    let inner = inner.rsplitn(3, '-').last().unwrap();
    assert!(listed.lines().all(|line| line.starts_with(&format!("{inner}/"))), "{listed}");

    unit_is_sound(&root).await;
    bill_is_whole(&one.of_kind(".cdx.json"));
}

/// Asserts that systemd accepts the unit without a warning, and that its sandbox is strict enough.
async fn unit_is_sound(root: &Path) {
    let unit = fs::read_to_string(root.join(UNIT)).unwrap();
    let program = root.join("usr/bin/switchboard");
    assert!(unit.contains("ExecStart=/usr/bin/switchboard "), "{unit}");
    // Without this setting systemd would not start the unit again after five failures in quick
    // succession.
    let (of_the_unit, _) = unit.split_once("[Service]").unwrap();
    assert!(of_the_unit.contains("\nStartLimitIntervalSec=0\n"), "{unit}");
    let here = unit.replace("/usr/bin/switchboard", program.to_str().unwrap());
    let file = root.join("switchboard.service");
    fs::write(&file, here).unwrap();
    let verified = output(Command::new("systemd-analyze").arg("verify").arg(&file)).await;
    let said = String::from_utf8_lossy(&verified.stderr);
    // Warnings about other units of the machine do not count.
    let of_ours: Vec<_> = said.lines().filter(|line| line.contains("switchboard")).collect();
    assert!(of_ours.is_empty(), "{of_ours:#?}");
    let threshold = format!("--threshold={MAX_EXPOSURE}");
    let mut rate = Command::new("systemd-analyze");
    rate.args(["security", "--offline=true", "--no-pager", &threshold]).arg(&file);
    printed(&mut rate).await;
}

/// Asserts that the bill of materials lists the linked crates with their sources.
fn bill_is_whole(file: &Path) {
    let bill: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(bill["bomFormat"], "CycloneDX");
    assert_eq!(bill["specVersion"], "1.5");
    let components = bill["components"].as_array().unwrap();
    let named = |name: &str| {
        let found = components.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}"))
    };
    for linked in ["actix-web", "diesel", "libsqlite3-sys", "rustls", "tokio"] {
        assert_eq!(named(linked)["scope"], "required", "{linked}");
    }
    assert_eq!(named("cc")["scope"], "excluded");
    assert!(components.iter().all(|it| it["name"] != "proptest"), "tests are no part of it");
    // Each component has a reference, and each reference names a component.
    let references: Vec<_> = components.iter().map(|it| &it["bom-ref"]).collect();
    for dependency in bill["dependencies"].as_array().unwrap() {
        for on in dependency["dependsOn"].as_array().into_iter().flatten() {
            assert!(references.contains(&on), "{on}");
        }
    }
    for crate_ in components {
        assert!(crate_["licenses"][0]["expression"].is_string(), "{crate_}");
        // The crates of the workspace have no archive in a registry.
        let reference = crate_["bom-ref"].as_str().unwrap();
        if let Some(path) = reference.strip_prefix("path+file://") {
            assert!(path.starts_with("crates/"), "{path} is a folder of this machine");
        } else {
            assert_eq!(crate_["hashes"][0]["content"].as_str().unwrap().len(), 64, "{crate_}");
        }
    }
}
