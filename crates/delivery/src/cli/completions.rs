//! `switchboard completions`: the words that a shell offers after each command. Subcommands and
//! values come first, then options, then the settings, which are options of the commands that read
//! them.

use super::flags::{SettingFlags, WITHOUT_SETTINGS};
use crate::output;
use anyhow::Result;
use clap::{Args as _, Command};
use clap_complete::Shell;
use config::SETTINGS;

/// Prints the completions of a shell for a program with these subcommands.
pub fn print(shell: Shell, program: Command) -> Result<()> {
    let (name, mut script) = (program.get_name().to_owned(), Vec::new());
    clap_complete::generate(shell, &mut with_settings(program), name, &mut script);
    let script = String::from_utf8(script)?;
    let script = if shell == Shell::Bash { in_order(&script) } else { script };
    Ok(output::print(&script)?)
}

/// Adds the settings to each command that reads them and has no subcommands of its own.
fn with_settings(program: Command) -> Command {
    program.mut_subcommands(|command| {
        if WITHOUT_SETTINGS.contains(&command.get_name()) { command } else { extended(command) }
    })
}

fn extended(command: Command) -> Command {
    if command.has_subcommands() {
        return command.mut_subcommands(extended);
    }
    SettingFlags::augment_args(command)
}

/// Sorts the words of a Bash script. Bash offers them in the order of the script.
fn in_order(script: &str) -> String {
    let lines = script.lines().map(|line| {
        let list = line
            .split_once("opts=\"")
            .and_then(|(before, words)| Some((before, words.strip_suffix('"')?)));
        let Some((before, words)) = list else { return format!("{line}\n") };
        let mut words: Vec<&str> = words.split(' ').collect();
        words.sort_by_key(|word| (word.starts_with('-'), is_setting(word)));
        format!("{before}opts=\"{}\"\n", words.join(" "))
    });
    lines.collect()
}

fn is_setting(word: &str) -> bool {
    word.strip_prefix("--").is_some_and(|word| {
        let name = word.replace('-', "_");
        SETTINGS.iter().any(|setting| setting.name == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subcommands_and_values_come_before_options_and_those_before_settings() {
        let script = "  opts=\"-h --bind --json --help list show\"\n  opts=\"\"\n  x\n";
        let expected = "  opts=\"list show -h --json --help --bind\"\n  opts=\"\"\n  x\n";
        assert_eq!(in_order(script), expected);
    }
}
