//! The clients in `clients/`: each is packed and installed as a partner would, then the programs of
//! its README run against a real server.

mod readme;
mod retries;

use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;
use tokio::process::Command;

/// A language with a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    TypeScript,
}

/// A client that was packed and installed, with a directory for programs.
struct InstalledClient {
    language: Language,
    folder: TempDir,
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test`"))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{complaint}");
    printed
}

/// Copies a directory, except what earlier builds left in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if ["node_modules", "dist", "__pycache__"].iter().any(|it| name == *it) {
            continue;
        }
        let to = to.join(&name);
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn only_file(folder: &Path, extension: &str) -> PathBuf {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files = files.filter(|path| path.extension().is_some_and(|it| it == extension));
    files.next().unwrap_or_else(|| panic!("no .{extension} in {}", folder.display()))
}

impl Language {
    /// The name of the directory in `clients/`.
    fn folder(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript => "typescript",
        }
    }

    /// The language of code blocks in the README.
    fn code_block(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript => "ts",
        }
    }

    /// Returns the programs in the README, by their headings.
    fn readme_program(self, heading: &str) -> String {
        let readme = repository().join("clients").join(self.folder()).join("README.md");
        let readme = std::fs::read_to_string(readme).unwrap();
        let (_, section) = readme.split_once(&format!("\n## {heading}\n")).expect(heading);
        let (_, code) = section.split_once(&format!("```{}\n", self.code_block())).expect(heading);
        code.split_once("```").expect(heading).0.to_owned()
    }
}

impl InstalledClient {
    async fn of(language: Language) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        copy(&repository().join("clients").join(language.folder()), &source);
        let client = Self { language, folder };
        match language {
            Language::Python => client.install_python(&source).await,
            Language::TypeScript => client.install_typescript(&source).await,
        }
        client
    }

    async fn run(&self, command: &mut Command) {
        succeeded(&command.output().await.unwrap());
    }

    async fn install_python(&self, source: &Path) {
        let python = variable("SWITCHBOARD_TEST_PYTHON");
        // The tools are installed already, at the versions in tests/foreign/requirements.txt.
        let mut build = Command::new(&python);
        self.run(build.args(["-m", "build", "--no-isolation"]).current_dir(source)).await;
        let wheel = only_file(&source.join("dist"), "whl");
        only_file(&source.join("dist"), "gz");
        // pip runs from outside of the environment, which has none.
        let mut install = Command::new("python3");
        install.args(["-m", "pip", "--disable-pip-version-check", "--python", &python]);
        install.args(["install", "--quiet", "--no-index", "--no-deps", "--target"]);
        self.run(install.arg(self.folder.path().join("installed")).arg(wheel)).await;
    }

    async fn install_typescript(&self, source: &Path) {
        let modules = variable("SWITCHBOARD_TEST_NODE_MODULES");
        std::os::unix::fs::symlink(&modules, source.join("node_modules")).unwrap();
        // `npm pack` compiles first.
        self.run(Command::new("npm").args(["pack", "--silent"]).current_dir(source)).await;
        let package = only_file(source, "tgz");
        let manifest = r#"{"name": "partner", "private": true, "type": "module"}"#;
        std::fs::write(self.folder.path().join("package.json"), manifest).unwrap();
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--offline", "--no-audit", "--no-fund"]);
        self.run(install.arg(package).current_dir(self.folder.path())).await;
    }

    /// Writes programs, checks their types all at once, and returns the commands that run them.
    async fn programs<const N: usize>(&self, programs: [(&str, String); N]) -> [Command; N] {
        let folder = self.folder.path();
        let (source, program) = match self.language {
            Language::Python => ("py", "py"),
            Language::TypeScript => ("ts", "js"),
        };
        let python = variable("SWITCHBOARD_TEST_PYTHON");
        let installed = folder.join("installed");
        let mut check = match self.language {
            Language::Python => {
                let mut check = Command::new(&python);
                check.args(["-m", "mypy", "--no-error-summary"]).env("MYPYPATH", &installed);
                check
            }
            Language::TypeScript => {
                let modules = PathBuf::from(variable("SWITCHBOARD_TEST_NODE_MODULES"));
                let mut compile = Command::new("node");
                compile.arg(modules.join("typescript/bin/tsc"));
                compile.args(["--strict", "--target", "es2022", "--module", "nodenext"]);
                compile.arg("--skipLibCheck");
                compile.args(["--types", "node", "--typeRoots"]).arg(modules.join("@types"));
                compile
            }
        };
        for (name, code) in &programs {
            let file = format!("{name}.{source}");
            std::fs::write(folder.join(&file), code).unwrap();
            check.arg(file);
        }
        self.run(check.current_dir(folder)).await;
        programs.map(|(name, _)| {
            let interpreter = match self.language {
                Language::Python => &python,
                Language::TypeScript => "node",
            };
            let mut command = Command::new(interpreter);
            command.arg(folder.join(format!("{name}.{program}"))).env("PYTHONPATH", &installed);
            command
        })
    }
}

/// `cargo xtask docs` writes the generated files together with `docs/openapi.json`.
#[tokio::test]
async fn the_generated_files_are_those_of_the_document() {
    let out = tempfile::tempdir().unwrap();
    let mut generate = Command::new(variable("SWITCHBOARD_TEST_XTASK"));
    generate.args(["clients", "--into"]).arg(out.path()).current_dir(repository());
    succeeded(&generate.output().await.unwrap());
    for file in [
        "clients/python/src/switchboard_client/types.py",
        "clients/python/src/switchboard_client/_operations.py",
        "clients/typescript/src/types.ts",
        "clients/typescript/src/operations.ts",
    ] {
        let kept = std::fs::read_to_string(repository().join(file)).unwrap();
        let generated = std::fs::read_to_string(out.path().join(file)).unwrap();
        assert!(kept == generated, "{file} is stale: run `cargo xtask docs`");
    }
}
