//! `cargo xtask docs`: the reference as files, made by the program itself.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;
use crate::step::step;
use crate::workspace::{Workspace, text_or_nothing};

/// The files, and the form of the reference that each holds.
const FILES: [(&str, &str); 2] = [("docs/reference.md", "md"), ("docs/openapi.json", "openapi")];

/// The reference's Rust, as a program: so that it is known to compile.
const RUST: &str = "tests/examples/samples.rs";

/// Writes the files; with `check` it only says which of them are not what the program says.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let built = step("building the server and its tests", || workspace.build_for_tests())?;
    // Where no configuration is found, it says what it says by default.
    let nowhere = tempfile::tempdir()?;
    let mut texts = Vec::new();
    for (file, form) in FILES {
        let mut program = Command::new(built.get("switchboard")?);
        program.args(["reference", "--format", form]).env_clear().current_dir(nowhere.path());
        let generated = process::stdout(&mut program)?;
        if form == "md" {
            texts.push((RUST, rust(&generated)));
        }
        texts.push((file, generated));
    }
    let mut stale = Vec::new();
    for (file, generated) in texts {
        let path = workspace.root().join(file);
        let kept = text_or_nothing(&path)?;
        if kept == generated {
            continue;
        }
        if check {
            stale.push(difference(file, &kept, &generated));
            continue;
        }
        fs::write(&path, generated).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{file}: written");
    }
    if !stale.is_empty() {
        bail!("the program says something else; run `cargo xtask docs`\n{}", stale.join("\n"));
    }
    Ok(())
}

/// What each program is run by.
const RUN: &str = "pub fn run() -> Result<(), Box<dyn std::error::Error>> {\n    main()\n}\n";

/// A program of all programs in the Rust of a reference, each a module as it is there.
fn rust(reference: &str) -> String {
    let blocks = reference.split("\n```rust\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split_once("\n```\n")).map(|(code, _)| code);
    let programs: Vec<&str> =
        blocks.filter(|code| code.contains("async fn main() -> Result<(), Box<dyn")).collect();
    let mut text = String::from(
        "//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.\n",
    );
    for (number, code) in programs.iter().enumerate() {
        text += "\n#[rustfmt::skip]\n";
        text += &["mod sample_", &number.to_string(), " {\n", code, "\n\n", RUN, "}\n"].concat();
    }
    text.push_str("\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n");
    text.push_str("    match std::env::args().nth(1).as_deref() {\n");
    for number in 0..programs.len() {
        let number = number.to_string();
        text += &["        Some(\"", &number, "\") => sample_", &number, "::run(),\n"].concat();
    }
    text.push_str("        _ => Err(\"name a sample by its number\".into()),\n    }\n}\n");
    text
}

/// The first line that is not the same.
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
