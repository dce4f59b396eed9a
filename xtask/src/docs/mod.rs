//! `cargo xtask docs`: writes the reference's files, which the program itself generates.

mod clients;
mod samples;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use servers::process;
use servers::step::step;
use servers::workspace::{Workspace, text_or_nothing};

/// The generated files, each with the format of the reference that it contains.
const FILES: [(&str, &str); 3] = [
    ("docs/reference.md", "md"),
    ("docs/openapi.json", "openapi"),
    ("docs/configuration.md", "settings"),
];

/// The folder of the reference's Rust samples, kept as a program.
const SAMPLES: &str = "tests/examples/samples";

/// Writes the files. With `check` it only reports those that differ from the program's output.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let built = step("building the server and its tests", || workspace.build_for_tests())?;
    // The program runs in an empty folder, so that it finds no configuration file and uses its
    // defaults.
    let nowhere = tempfile::tempdir()?;
    let mut texts = Vec::new();
    for (file, form) in FILES {
        let mut program = Command::new(built.get("switchboard")?);
        program.args(["reference", "--format", form]).env_clear().current_dir(nowhere.path());
        let generated = process::stdout(&mut program)?;
        if form == "md" {
            let samples = samples::files(&generated)?;
            texts.extend(
                samples.into_iter().map(|(name, text)| (format!("{SAMPLES}/{name}"), text)),
            );
        }
        if form == "openapi" {
            texts.extend(clients::files(&generated)?);
        }
        texts.push((file.to_owned(), generated));
    }
    let mut stale = Vec::new();
    for name in names_in(&workspace.root().join(SAMPLES))? {
        let file = format!("{SAMPLES}/{name}");
        if texts.iter().any(|(generated, _)| *generated == file) {
            continue;
        }
        if check {
            stale.push(format!("{file}: nothing writes it any more"));
            continue;
        }
        fs::remove_file(workspace.root().join(&file))
            .with_context(|| format!("cannot remove {file}"))?;
        println!("{file}: removed");
    }
    if !check {
        let folder = workspace.root().join(SAMPLES);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {SAMPLES}"))?;
    }
    for (file, generated) in texts {
        let path = workspace.root().join(&file);
        let kept = text_or_nothing(&path)?;
        if kept == generated {
            continue;
        }
        if check {
            stale.push(difference(&file, &kept, &generated));
            continue;
        }
        write(&path, generated)?;
        println!("{file}: written");
    }
    if !stale.is_empty() {
        bail!(
            "these files differ from the program's output; run `cargo xtask docs`\n{}",
            stale.join("\n")
        );
    }
    Ok(())
}

/// Writes the generated files of the clients from the `OpenAPI` document in docs/, below `folder`.
pub fn write_clients(workspace: &Workspace, folder: &Path) -> Result<()> {
    let document = workspace.root().join("docs/openapi.json");
    let document = fs::read_to_string(&document)
        .with_context(|| format!("cannot read {}", document.display()))?;
    for (file, text) in clients::files(&document)? {
        write(&folder.join(&file), text)?;
    }
    Ok(())
}

fn write(path: &Path, text: String) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the names of the files in a folder. A missing folder has none.
fn names_in(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Describes the first line that differs.
fn difference(file: &str, kept: &str, generated: &str) -> String {
    let (mut kept, mut generated) = (kept.lines(), generated.lines());
    let mut number = 1;
    loop {
        match (kept.next(), generated.next()) {
            (Some(one), Some(other)) if one == other => number += 1,
            (one, other) => {
                let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
                return format!("{file}:{number}\n  - {}\n  + {}", shown(one), shown(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown() {
        let expected = "docs/a.md:2\n  - b\n  + c";
        assert_eq!(difference("docs/a.md", "a\nb\n", "a\nc\n"), expected);
        let expected = "docs/a.md:2\n  - (the end)\n  + c";
        assert_eq!(difference("docs/a.md", "a\n", "a\nc\n"), expected);
    }
}
