//! The bounds of the calls: the counts in docs/instructions.json and a tolerance.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;
use toml::de::DeTable;

use super::calls::Count;
use servers::workspace::Workspace;

/// The file of the reference.
const FILE: &str = "docs/instructions.json";
/// The tolerance in percent of the reference. Counts of the same program differ by much less than
/// this.
const TOLERANCE: u64 = 8;

/// The toolchain, profile and architecture of a program. Counts of different builds cannot be
/// compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The channel in rust-toolchain.toml.
    toolchain: String,
    /// Cargo's profile.
    profile: String,
    architecture: String,
}

impl Built {
    /// Returns the build of the workspace's tests.
    pub fn of(workspace: &Workspace) -> Result<Self> {
        let file = workspace.root().join("rust-toolchain.toml");
        let text = fs::read_to_string(&file).context("cannot read rust-toolchain.toml")?;
        let toolchain = channel(&text).context("rust-toolchain.toml names no channel")?;
        Ok(Self { toolchain, profile: "dev".to_owned(), architecture: ARCH.to_owned() })
    }

    fn describe(&self) -> String {
        format!("Rust {}, profile {}, {}", self.toolchain, self.profile, self.architecture)
    }
}

fn channel(toolchain: &str) -> Option<String> {
    let parsed = DeTable::parse(toolchain).ok()?.into_inner();
    Some(parsed.get("toolchain")?.get_ref().get("channel")?.get_ref().as_str()?.to_owned())
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    #[serde(flatten)]
    built: Built,
    /// The instructions of one call, by its name.
    instructions: BTreeMap<String, u64>,
}

impl Reference {
    /// Reads the reference.
    ///
    /// # Errors
    ///
    /// Fails if the reference is of another build.
    pub fn read(workspace: &Workspace, built: &Built) -> Result<Self> {
        let text = fs::read_to_string(workspace.root().join(FILE)).with_context(|| {
            format!("cannot read {FILE}: make it with `cargo xtask instructions --write`")
        })?;
        let read: Self = serde_json::from_str(&text).with_context(|| {
            format!("{FILE} is not what `cargo xtask instructions --write` writes")
        })?;
        read.is_for(built)?;
        Ok(read)
    }

    fn is_for(&self, built: &Built) -> Result<()> {
        if self.built != *built {
            bail!(
                "{FILE} was measured with {}, and this is {}: another compiler makes other instructions of the same \
                 program. Write a new reference with `cargo xtask instructions --write`, in a commit that changes \
                 nothing else",
                self.built.describe(),
                built.describe()
            );
        }
        Ok(())
    }

    /// Writes the counts as the new reference.
    pub fn write(workspace: &Workspace, built: Built, counts: &[Count]) -> Result<()> {
        let of = counts.iter().map(|count| (count.name.clone(), count.instructions));
        let reference = Self { built, instructions: of.collect() };
        let text = serde_json::to_string_pretty(&reference)?;
        fs::write(workspace.root().join(FILE), format!("{text}\n"))
            .with_context(|| format!("cannot write {FILE}"))?;
        eprintln!("[xtask] {FILE} is written: say in the commit why the counts changed");
        Ok(())
    }

    fn of(&self, name: &str) -> Option<u64> {
        self.instructions.get(name).copied()
    }

    /// Fails if a call exceeds its bound, with one sentence per call.
    pub fn judge(&self, counts: &[Count]) -> Result<()> {
        let mut wrong = String::new();
        for Count { name, instructions } in counts {
            let Some(reference) = self.of(name) else {
                let _ = writeln!(wrong, "{name} is not in {FILE}.");
                continue;
            };
            if *instructions > bound(reference) {
                let _ = writeln!(
                    wrong,
                    "{name} takes {instructions} instructions, {} % more than the {reference} of {FILE}; {TOLERANCE} % \
                     are allowed.",
                    percent_more(*instructions, reference)
                );
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        bail!(
            "{wrong}Find out why: run the server in `valgrind --tool=callgrind` before and after the change, make the \
             call, and compare what `callgrind_annotate --inclusive=yes` prints. If it is worth it, write a new \
             reference with `cargo xtask instructions --write` and say why in the commit"
        )
    }
}

fn bound(reference: u64) -> u64 {
    reference + reference * TOLERANCE / 100
}

/// Formats with one decimal.
fn percent_more(instructions: u64, reference: u64) -> String {
    let thousandths = instructions.saturating_sub(reference) * 1000 / reference.max(1);
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

fn ratio(instructions: u64, reference: u64) -> String {
    let thousandths = instructions * 1000 / reference.max(1);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

pub fn table(counts: &[Count], reference: Option<&Reference>) -> String {
    let mut text = String::from("\n| call | instructions | bound | of its reference |\n");
    text.push_str("|---|---:|---:|---:|\n");
    for Count { name, instructions } in counts {
        let (bound, ratio) = match reference.and_then(|it| it.of(name)) {
            Some(reference) => (bound(reference).to_string(), ratio(*instructions, reference)),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let _ = writeln!(text, "| {name} | {instructions} | {bound} | {ratio} |");
    }
    text
}

pub fn json(counts: &[Count], reference: Option<&Reference>) -> String {
    let rows = counts.iter().map(|Count { name, instructions }| {
        let reference = reference.and_then(|it| it.of(name));
        json!({
            "call": name,
            "instructions": instructions,
            "reference": reference,
            "bound": reference.map(bound),
        })
    });
    format!("{:#}", json!({"calls": rows.collect::<Vec<_>>()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(toolchain: &str) -> Built {
        Built {
            toolchain: toolchain.to_owned(),
            profile: "dev".to_owned(),
            architecture: "x86_64".to_owned(),
        }
    }

    fn reference() -> Reference {
        let instructions = [("me".to_owned(), 700_000), ("send".to_owned(), 4_000_000)];
        Reference { built: built("1.95.0"), instructions: instructions.into() }
    }

    fn counts(me: u64, send: u64) -> [Count; 2] {
        [("me", me), ("send", send)]
            .map(|(name, instructions)| Count { name: name.to_owned(), instructions })
    }

    #[test]
    fn a_call_may_cost_as_much_as_its_bound() {
        reference().judge(&counts(756_000, 4_320_000)).unwrap();
        reference().judge(&counts(1, 1)).unwrap();
    }

    #[test]
    fn a_call_that_costs_more_is_named() {
        let error = reference().judge(&counts(756_001, 5_000_000)).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "me takes 756001 instructions, 8.0 % more than the 700000 of docs/instructions.json; 8 % are allowed.\n\
                 send takes 5000000 instructions, 25.0 % more than"
            ),
            "{error}"
        );
        assert!(error.contains("--write"), "{error}");
    }

    #[test]
    fn a_call_without_a_reference_is_an_error() {
        let new = Count { name: "new".to_owned(), instructions: 1 };
        let error = reference().judge(&[new]).unwrap_err().to_string();
        assert!(error.starts_with("new is not in docs/instructions.json."), "{error}");
    }

    #[test]
    fn counts_of_another_compiler_are_not_compared() {
        reference().is_for(&built("1.95.0")).unwrap();
        let error = reference().is_for(&built("1.96.0")).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "docs/instructions.json was measured with Rust 1.95.0, profile dev, x86_64, and this is Rust 1.96.0,"
            ),
            "{error}"
        );
        assert_eq!(channel("[toolchain]\nchannel = \"1.95.0\"\n").as_deref(), Some("1.95.0"));
        assert_eq!(channel("[toolchain]\n"), None);
    }

    #[test]
    fn the_table_has_bounds_where_there_are_some() {
        let text = table(&counts(703_500, 4_000_000), Some(&reference()));
        assert!(
            text.ends_with(
                "| me | 703500 | 756000 | 1.005 |\n| send | 4000000 | 4320000 | 1.000 |\n"
            )
        );
        assert!(table(&counts(1, 2), None).ends_with("| send | 2 | – | – |\n"));
    }

    #[test]
    fn the_file_is_read_as_it_is_written() {
        let text = serde_json::to_string_pretty(&reference()).unwrap();
        assert_eq!(serde_json::from_str::<Reference>(&text).unwrap(), reference());
    }
}
