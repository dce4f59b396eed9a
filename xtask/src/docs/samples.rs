//! The Rust programs of the reference, combined into one program, so that a compiler checks them.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// The maximum length of a generated file, in lines. A chapter with more samples gets several
/// files.
const MAX_LINES: usize = 400;
/// The head of each file.
const HEAD: &str = "//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.\n";
/// The function that runs a sample.
const RUN: &str = "pub fn run() -> Result<(), Box<dyn std::error::Error>> {\n    main()\n}\n";

/// The samples of a chapter, or a part of them if they do not fit into one file.
struct Group {
    chapter: String,
    /// The number of the group within its chapter, counted from 1.
    part: usize,
    /// The number of the first sample, and the samples' modules.
    first: usize,
    modules: Vec<String>,
}

impl Group {
    /// Returns the chapter's name, with a number if the chapter has several groups.
    fn name(&self, all: &[Self]) -> String {
        let Self { chapter, part, .. } = self;
        let has_several = all.iter().any(|it| it.chapter == *chapter && it.part != *part);
        if has_several { format!("{chapter}_{part}") } else { chapter.clone() }
    }

    fn lines(&self) -> usize {
        HEAD.lines().count() + self.modules.iter().map(|it| it.lines().count()).sum::<usize>()
    }
}

/// Returns the program's files by name: one or several files for each chapter with samples, and
/// `main.rs`, which runs a sample.
pub fn files(reference: &str) -> Result<BTreeMap<String, String>> {
    let groups = groups(reference);
    let mut files = BTreeMap::new();
    let mut arms = String::new();
    for group in &groups {
        let name = group.name(&groups);
        for number in group.first..group.first + group.modules.len() {
            let number = number.to_string();
            arms +=
                &["        Some(\"", &number, "\") => ", &name, "::sample_", &number, "::run(),\n"]
                    .concat();
        }
        let lines = group.lines();
        if lines > MAX_LINES {
            bail!(
                "the samples of {name} have {lines} lines, of which {MAX_LINES} are allowed in a file"
            );
        }
        files.insert(name + ".rs", [HEAD, &group.modules.concat()].concat());
    }
    let modules = files.keys().map(|file| ["mod ", file.trim_end_matches(".rs"), ";\n"].concat());
    let main = [
        HEAD,
        "\n",
        &modules.collect::<String>(),
        "\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n",
        "    match std::env::args().nth(1).as_deref() {\n",
        &arms,
        "        _ => Err(\"name a sample by its number\".into()),\n    }\n}\n",
    ];
    files.insert("main.rs".to_owned(), main.concat());
    Ok(files)
}

/// Turns every sample into a module. Groups modules of one chapter so that each group fits into one
/// file.
fn groups(reference: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, (chapter, code)) in programs(reference).into_iter().enumerate() {
        let number_text = number.to_string();
        let module =
            ["\n#[rustfmt::skip]\npub mod sample_", &number_text, " {\n", code, "\n\n", RUN, "}\n"]
                .concat();
        let last = groups
            .last_mut()
            .filter(|it| it.chapter == chapter && it.lines() + module.lines().count() <= MAX_LINES);
        if let Some(group) = last {
            group.modules.push(module);
        } else {
            let part = 1 + groups.iter().filter(|it| it.chapter == chapter).count();
            groups.push(Group { chapter, part, first: number, modules: vec![module] });
        }
    }
    groups
}

/// Returns the samples that are complete programs, each with the name of its chapter.
fn programs(reference: &str) -> Vec<(String, &str)> {
    let mut chapter = String::new();
    let mut found = Vec::new();
    // Splitting at code fences yields text and code in turn.
    for (index, part) in reference.split("\n```").enumerate() {
        if index % 2 == 0 {
            let heading = part.lines().filter_map(|line| line.strip_prefix("## ")).next_back();
            if let Some(heading) = heading {
                chapter =
                    heading.to_lowercase().replace(|it: char| !it.is_ascii_alphanumeric(), "_");
            }
        } else if let Some(code) = part.strip_prefix("rust\n")
            && code.contains("async fn main() -> Result<(), Box<dyn")
        {
            found.push((chapter.clone(), code));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(lines: usize) -> String {
        let code = "    // a line\n".repeat(lines);
        [
            "\n```rust\nasync fn main() -> Result<(), Box<dyn std::error::Error>> {\n",
            &code,
            "}\n```\n",
        ]
        .concat()
    }

    #[test]
    fn each_chapter_has_its_file_and_a_long_one_several() {
        let (small, long) = (sample(1), sample(250));
        let other = "\n```python\n## a comment\n```\n\n```rust\nlet not = \"a program\";\n```\n";
        let text =
            ["# All\n\n## Sent messages\n", other, &long, &long, "\n## Events\n", &small].concat();
        let files = files(&text).unwrap();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["events.rs", "main.rs", "sent_messages_1.rs", "sent_messages_2.rs"]);
        assert!(
            files["main.rs"].contains("mod events;\nmod sent_messages_1;\nmod sent_messages_2;\n")
        );
        assert!(
            files["main.rs"].contains("        Some(\"1\") => sent_messages_2::sample_1::run(),\n")
        );
        assert!(files["sent_messages_2.rs"].starts_with(HEAD));
        assert!(files["events.rs"].contains("pub mod sample_2 {\nasync fn main()"));
    }

    #[test]
    fn a_sample_that_no_file_holds_is_refused() {
        let why = files(&["\n## Events\n", &sample(400)].concat()).unwrap_err().to_string();
        assert!(why.contains("events") && why.contains("400 are allowed"), "{why}");
    }
}
