//! `cargo xtask vendor` and `cargo xtask style`: download what the pages use from the npm registry,
//! and compile the pages' style sheet. Both results are committed, so that a build needs neither
//! npm nor a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use sha2::{Digest, Sha256};

use servers::process;
use servers::workspace::Workspace;

const REGISTRY: &str = "https://registry.npmjs.org";

/// A package of the npm registry.
struct Package {
    name: &'static str,
    version: &'static str,
    /// SHA-256 of the tarball.
    digest: &'static str,
    license: &'static str,
    /// The files that are copied: the path in the package, and the path in `assets/`.
    files: &'static [(&'static str, &'static str)],
}

const PACKAGES: &[Package] = &[
    Package {
        name: "idiomorph",
        version: "0.8.0",
        digest: "c2b48584153f0167b5c98cb815576338ccd82a97378e53fbf29d139dfd67207e",
        license: "0BSD",
        files: &[
            ("dist/idiomorph.min.js", "vendor/idiomorph/idiomorph.js"),
            ("LICENSE", "vendor/idiomorph/LICENSE"),
        ],
    },
    Package {
        name: "@github/hotkey",
        version: "3.1.4",
        digest: "5a37e4bad74a384acfd7690c3fd96594e34c81f2c8a50b8a7a07ade1772637b4",
        license: "MIT",
        files: &[
            ("dist/index.js", "vendor/hotkey/hotkey.js"),
            ("LICENSE", "vendor/hotkey/LICENSE"),
        ],
    },
    Package {
        name: "@github/combobox-nav",
        version: "3.0.2",
        digest: "eb0592ca05596ceb63cfe883496d75a18b1e5486379062c91d0c520c02335b75",
        license: "MIT",
        files: &[
            ("dist/index.js", "vendor/combobox-nav/combobox-nav.js"),
            ("LICENSE", "vendor/combobox-nav/LICENSE"),
        ],
    },
    // Only the license is copied. The color values in use are written in tokens.css.
    Package {
        name: "@radix-ui/colors",
        version: "3.0.0",
        digest: "f6cec1ff1fcc58a45eeefc25d0e6aa1f1659845dbd198963617a86e43d21f3d1",
        license: "MIT",
        files: &[("LICENSE", "vendor/radix-colors/LICENSE")],
    },
    Package {
        name: "@fontsource-variable/inter",
        version: "5.3.0",
        digest: "d26710dd38e7217484a1d47ee76c024977ec550548876f26d06ed1844af09a14",
        license: "OFL-1.1",
        files: &[
            ("files/inter-latin-wght-normal.woff2", "vendor/inter/inter-latin.woff2"),
            ("files/inter-latin-ext-wght-normal.woff2", "vendor/inter/inter-latin-ext.woff2"),
            ("LICENSE", "vendor/inter/LICENSE"),
        ],
    },
    LUCIDE,
];

const LUCIDE: Package = Package {
    name: "lucide-static",
    version: "1.62.0",
    digest: "386f9080c440d6f5049cefe3456ae8357f7a0c7f76e59670cd1cb83bc7050a44",
    license: "ISC",
    files: &[("LICENSE", "vendor/lucide/LICENSE")],
};

/// The compiler of the style sheet, for Linux on this processor. It is not part of the program.
#[cfg(target_arch = "x86_64")]
const LIGHTNING_CSS: Package = Package {
    name: "lightningcss-cli-linux-x64-gnu",
    version: "1.33.0",
    digest: "17b565d76c88103460916be8b45cdfc87dbec611daaa180ad9f75c8a356c4b31",
    license: "MPL-2.0",
    files: &[],
};
#[cfg(not(target_arch = "x86_64"))]
const LIGHTNING_CSS: Package = Package {
    name: "lightningcss-cli-linux-arm64-gnu",
    version: "1.33.0",
    digest: "61920f7db022e3a5daf4720fad8a453275124f6ce6a1e68dae142cf0ba317a3c",
    license: "MPL-2.0",
    files: &[],
};

/// The style sheets of the pages and of the API reference. Each begins with the tokens.
const SHEETS: [&str; 2] = ["app.css", "docs.css"];
const TOKENS: &str = "tokens.css";
const COMPILED: &str = "compiled";
/// The oldest browsers that support the popover API, which the sidebar needs on a phone.
const TARGETS: &str = "chrome 114, firefox 125, safari 17";
/// The export of the module, which the minified build lacks.
const IDIOMORPH_EXPORT: &str = "\nexport { Idiomorph };\n";

#[derive(Args)]
pub struct Options {
    /// Icons to add, by their lucide names; each also needs a line in crates/pages/src/icons.rs
    #[arg(long = "icon", value_name = "NAME")]
    icons: Vec<String>,
}

/// Downloads the packages, copies what the pages use, and compiles the style sheet.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let assets = workspace.root().join("assets");
    for package in PACKAGES {
        let folder = unpack(workspace, package)?;
        for (from, to) in package.files {
            copy(&folder.join(from), &assets.join(to))?;
        }
        println!("{} {} ({})", package.name, package.version, package.license);
    }
    let exports = assets.join("vendor/idiomorph/idiomorph.js");
    let module = fs::read_to_string(&exports)? + IDIOMORPH_EXPORT;
    fs::write(&exports, module)?;
    let icons = unpack(workspace, &LUCIDE)?.join("icons");
    let used = fs::read_dir(assets.join("icons"))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    for icon in used.into_iter().chain(options.icons.iter().map(|name| format!("{name}.svg"))) {
        copy(&icons.join(&icon), &assets.join("icons").join(&icon))?;
    }
    style(workspace)
}

/// Compiles the style sheets for the oldest browsers that the pages support.
pub fn style(workspace: &Workspace) -> Result<()> {
    let assets = workspace.root().join("assets");
    let folder = unpack(workspace, &LIGHTNING_CSS)?;
    for sheet in SHEETS {
        let (source, output) = (folder.join("source.css"), folder.join("compiled.css"));
        let text = source_of(&assets, sheet)?;
        fs::write(&source, &text)?;
        process::run(
            Command::new(folder.join("lightningcss"))
                .args(["--minify", "--targets", TARGETS])
                .arg(&source)
                .arg("-o")
                .arg(&output),
        )?;
        // Writes each rule on its own line, so that changes can be compared and merged.
        let compiled = fs::read_to_string(&output)?.replace('}', "}\n");
        let path = assets.join(COMPILED).join(sheet);
        fs::write(&path, format!("/* {} */\n{compiled}", digest_of(text.as_bytes())))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Whether a style sheet was compiled from these sources.
#[cfg(test)]
fn is_compiled(sources: &str, compiled: &str) -> bool {
    compiled.starts_with(&format!("/* {} */", digest_of(sources.as_bytes())))
}

fn source_of(assets: &Path, sheet: &str) -> Result<String> {
    let read = [TOKENS, sheet].map(|name| {
        let path = assets.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    });
    read.into_iter().collect()
}

/// Downloads a package unless it was downloaded before, checks it and unpacks it. Returns its
/// folder.
fn unpack(workspace: &Workspace, package: &Package) -> Result<PathBuf> {
    let file = package.name.rsplit('/').next().unwrap_or(package.name);
    let folder =
        workspace.target_directory()?.join("vendor").join(format!("{file}-{}", package.version));
    let tarball = folder.with_extension("tgz");
    fs::create_dir_all(&folder)?;
    if !tarball.exists() || digest_of(&fs::read(&tarball)?) != package.digest {
        let url = format!("{REGISTRY}/{}/-/{file}-{}.tgz", package.name, package.version);
        process::run(
            Command::new("curl")
                .args(["--fail", "--silent", "--show-error", "--location", "--output"])
                .arg(&tarball)
                .arg(&url),
        )?;
        let found = digest_of(&fs::read(&tarball)?);
        if found != package.digest {
            bail!("{url} has the SHA-256 {found}, not {}", package.digest);
        }
    }
    process::run(
        Command::new("tar")
            .args(["--extract", "--strip-components=1", "--file"])
            .arg(&tarball)
            .arg("--directory")
            .arg(&folder),
    )?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
}

fn digest_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_style_sheets_are_compiled_from_the_committed_sources() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("assets");
        for sheet in SHEETS {
            let compiled = fs::read_to_string(assets.join(COMPILED).join(sheet)).unwrap();
            let source = source_of(&assets, sheet).unwrap();
            assert!(is_compiled(&source, &compiled), "{sheet}: run `cargo xtask style`");
        }
    }

    #[test]
    fn what_is_vendored_has_its_license_beside_it() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("assets");
        for folder in fs::read_dir(assets.join("vendor")).unwrap() {
            assert!(folder.unwrap().path().join("LICENSE").exists());
        }
    }
}
