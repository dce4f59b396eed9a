//! Renders the settings as a Markdown page: `docs/configuration.md`.

use crate::table::SETTINGS;
use std::fmt::Write as _;

const HEAD: &str = "\
# Configuration

Settings come from the file that `SWITCHBOARD_CONFIG` names (`switchboard.toml` in the working folder without it), then from \
environment variables, then from flags. `bind` in the file is `SWITCHBOARD_BIND` in the environment and `--bind` as a flag. \
An unknown setting, or a value that is not valid, stops the start with the valid values. `switchboard config` prints the \
effective settings with secrets hidden.

`cargo xtask docs` writes this page from the program's own list.

| setting | default | |
|---|---|---|
";

#[must_use]
pub fn markdown() -> String {
    let mut page = HEAD.to_owned();
    for setting in SETTINGS {
        let name = setting.name.to_ascii_uppercase();
        let default = match setting.default {
            "" => "none".to_owned(),
            value => format!("`{value}`"),
        };
        let about = setting.about.replace('|', "\\|");
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| `SWITCHBOARD_{name}` | {default} | {about} |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_row() {
        let page = markdown();
        assert_eq!(
            page.lines().filter(|line| line.starts_with("| `SWITCHBOARD_")).count(),
            SETTINGS.len()
        );
        assert!(page.contains("| `SWITCHBOARD_BIND` | `127.0.0.1:8080` | "), "{page}");
    }
}
