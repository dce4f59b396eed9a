//! The settings in the pages on deployment are known to the program, and it reads their values as
//! shown. The commands of the README exist.

use super::proxies::code_block;
use crate::world::switchboard;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The variable with the path of the settings file. It is not a setting itself.
const FILE: &str = "SWITCHBOARD_CONFIG";

/// Returns the effective settings and their values under these environment variables.
async fn effective_settings(variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let output = switchboard(&["config", "--json"]).envs(variables).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reported: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let all = reported.as_object().unwrap().iter();
    all.map(|(name, it)| (name.clone(), text(&it["value"]))).collect()
}

/// Returns the names of variables in a text, and common prefixes of several variables.
fn variables_in(text: &str) -> BTreeSet<&str> {
    let is_part = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_';
    text.split(|it: char| !is_part(it)).filter(|it| it.starts_with("SWITCHBOARD_")).collect()
}

#[tokio::test]
async fn each_setting_that_a_page_names_is_one() {
    let known = effective_settings(&BTreeMap::new()).await;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut pages: Vec<_> =
        fs::read_dir(docs.join("deploy")).unwrap().map(|it| it.unwrap().path()).collect();
    pages.extend([docs.join("deploy.md"), docs.join("../README.md")]);
    assert!(pages.len() > 8, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        // Programs that call the API read a key from two variables, which are no settings.
        let is_setting = |it: &&str| *it != FILE && !it.starts_with("SWITCHBOARD_CLIENT_");
        for variable in variables_in(&text).into_iter().filter(is_setting) {
            let name = variable.trim_start_matches("SWITCHBOARD_").to_ascii_lowercase();
            let begins = |it: &String| name.ends_with('_') && it.starts_with(&name);
            let is_one = name.is_empty() || known.contains_key(&name) || known.keys().any(begins);
            assert!(is_one, "{variable} in {}", page.display());
        }
    }
}

#[tokio::test]
async fn the_readme_says_how_the_program_gets_on_the_path() {
    let readme = include_str!("../../../README.md");
    // The README installs a package of this repository, and says where the program is then.
    let install = readme.lines().find(|it| it.starts_with("cargo install ")).expect("a command");
    let (install, why) = install.split_once('#').expect("a comment");
    assert!(why.contains("`switchboard`") && why.contains("PATH"), "{why}");
    let package = install.split_whitespace().skip_while(|it| *it != "--path").nth(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = root.join(package.expect("a folder")).join("Cargo.toml");
    let manifest = fs::read_to_string(&manifest).unwrap();
    assert!(manifest.contains("[[bin]]\nname = \"switchboard\"\n"), "{manifest}");
    assert!(install.contains("--locked") && root.join("Cargo.lock").exists());
    // Every command that the README shows exists.
    let is_word = |it: &&str| it.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
    let is_command = |it: &&str| is_word(it) && !it.starts_with('-');
    let shown = readme.split(['`', '\n']).filter_map(|it| it.strip_prefix("switchboard "));
    let commands: BTreeSet<Vec<&str>> =
        shown.map(|it| it.split_whitespace().take_while(is_command).collect()).collect();
    assert!(commands.len() >= 5 && commands.contains(&vec!["serve"]), "{commands:?}");
    for command in commands {
        let output = switchboard(&command).arg("--help").output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{command:?}");
        assert!(said.contains(&format!("switchboard {}", command.join(" "))), "{said}");
    }
}

#[tokio::test]
async fn the_settings_that_the_pages_show_are_read() {
    // The installed settings file with the changes from the page on systemd,
    let page = include_str!("../../../docs/deploy/systemd-caddy.md");
    let installed = include_str!("../../../packaging/switchboard.toml");
    let folder = tempfile::tempdir().unwrap();
    let (file, changed) = (folder.path().join("switchboard.toml"), code_block(page, "toml"));
    let set = |line: &str| line.split_once(" = ").map(|(name, _)| name.to_owned());
    let of_the_page: Vec<_> = changed.lines().filter_map(set).collect();
    let is_set = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let (replaced, kept): (Vec<_>, Vec<_>) = (installed.lines().filter(is_set))
        .partition(|line| set(line).is_some_and(|name| of_the_page.contains(&name)));
    assert_eq!(replaced, ["base_url = \"http://localhost:8080\""]);
    let shown = kept.join("\n") + "\n" + &changed;
    fs::write(&file, &shown).unwrap();
    let variables = [(FILE.to_owned(), file.display().to_string())].into();
    is_read(&effective_settings(&variables).await, shown.lines(), " = ");
    // and the variables in the container.
    let shown = include_str!("../../../packaging/Containerfile");
    let (_, shown) = shown.split_once("ENV ").expect("it sets variables");
    let shown: Vec<_> = shown.lines().take_while(|it| !it.starts_with("USER")).collect();
    let shown = shown.iter().map(|it| it.trim().trim_end_matches('\\').trim_end());
    let variables = shown.clone().filter_map(|it| it.split_once('='));
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    is_read(&effective_settings(&variables).await, shown, "=");
}

/// Asserts that each setting has the value in its line.
fn is_read<'a>(
    settings: &BTreeMap<String, String>,
    lines: impl Iterator<Item = &'a str>,
    between: &str,
) {
    let mut read = 0;
    for line in lines {
        let (name, value) = line.split_once(between).expect("a setting in each line");
        let name = name.trim_start_matches("SWITCHBOARD_").to_ascii_lowercase();
        assert_eq!(settings[&name], value.trim_matches('"'), "{line}");
        read += 1;
    }
    assert!(read >= 5, "{read}");
}
