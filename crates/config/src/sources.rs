//! The sources of settings, and their order of precedence.

use super::ConfigError;
use super::table::{SETTINGS, is_secret, setting};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use strsim::levenshtein;

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The setting is not set, and the default applies.
    Default,
    /// The file `switchboard.toml`.
    File,
    /// An environment variable `SWITCHBOARD_…`.
    Environment,
    /// A flag of the command line.
    Flag,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        })
    }
}

const PREFIX: &str = "SWITCHBOARD_";
/// The environment variable that names a file other than `switchboard.toml`.
pub const FILE_VARIABLE: &str = "SWITCHBOARD_CONFIG";
/// The environment variables for the commands that call a running server. They are not settings.
pub const CLIENT_ID_VARIABLE: &str = "SWITCHBOARD_CLIENT_ID";
pub const CLIENT_SECRET_VARIABLE: &str = "SWITCHBOARD_CLIENT_SECRET";

const NO_SETTINGS: [&str; 3] = [FILE_VARIABLE, CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE];

/// The effective value of each setting, and its source.
#[derive(Clone, Debug)]
pub struct Effective(BTreeMap<&'static str, (String, SettingOrigin)>);

impl Effective {
    /// Returns the defaults of all settings.
    #[must_use]
    pub fn defaults() -> Self {
        let default = |setting: &super::Setting| {
            (setting.name, (setting.default.to_owned(), SettingOrigin::Default))
        };
        Self(SETTINGS.iter().map(default).collect())
    }

    /// Combines the file, the environment and the flags. A later source overrides an earlier one.
    pub fn gather(
        environment: impl Iterator<Item = (String, String)>,
        flags: impl IntoIterator<Item = (&'static str, Option<String>)>,
    ) -> Result<Self, ConfigError> {
        let (effective, wrong) = Self::collect(environment, flags);
        if wrong.is_empty() { Ok(effective) } else { Err(ConfigError(wrong)) }
    }

    /// Combines the sources like [`Self::gather`], but returns the valid values together with the
    /// errors.
    pub fn collect(
        environment: impl Iterator<Item = (String, String)>,
        flags: impl IntoIterator<Item = (&'static str, Option<String>)>,
    ) -> (Self, Vec<String>) {
        let (mut effective, mut wrong) = (Self::defaults(), Vec::new());
        let variables: BTreeMap<String, String> =
            environment.filter(|(name, _)| name.starts_with(PREFIX)).collect();
        effective.read_file(variables.get(FILE_VARIABLE).map(String::as_str), &mut wrong);
        for (variable, value) in
            variables.iter().filter(|(name, _)| !NO_SETTINGS.contains(&name.as_str()))
        {
            let name = variable.strip_prefix(PREFIX).unwrap_or_default().to_ascii_lowercase();
            let known = effective.set(&name, value.clone(), SettingOrigin::Environment);
            if !known || variable.bytes().any(|byte| byte.is_ascii_lowercase()) {
                wrong.push(unknown("the environment variable", variable, &name, |it| {
                    format!("{PREFIX}{}", it.to_ascii_uppercase())
                }));
            }
        }
        for (name, value) in flags {
            if let Some(value) = value {
                effective.set(name, value, SettingOrigin::Flag);
            }
        }
        (effective, wrong)
    }

    fn read_file(&mut self, named: Option<&str>, wrong: &mut Vec<String>) {
        let path = Path::new(named.unwrap_or("switchboard.toml"));
        if named.is_none() && !path.exists() {
            return;
        }
        let shown = path.display();
        let table = std::fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|text| text.parse::<toml::Table>().map_err(|error| error.to_string()));
        let table = match table {
            Ok(table) => table,
            Err(error) => return wrong.push(format!("{shown}: {error}")),
        };
        for (name, value) in table {
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(truth) => truth.to_string(),
                _ => {
                    wrong
                        .push(format!("{shown}: {name} must be a string, a number, true or false"));
                    continue;
                }
            };
            if !self.set(&name, text, SettingOrigin::File) {
                let place = format!("the setting in {shown}");
                wrong.push(unknown(&place, &name, &name, str::to_owned));
            }
        }
    }

    /// Overrides a setting. Returns `false` if there is no such setting.
    pub fn set(&mut self, name: &str, value: String, origin: SettingOrigin) -> bool {
        let Some(setting) = setting(name) else { return false };
        self.0.insert(setting.name, (value, origin));
        true
    }

    /// Returns the value and the source of a setting.
    #[must_use]
    pub fn value(&self, name: &str) -> (&str, SettingOrigin) {
        self.0.get(name).map_or(("", SettingOrigin::Default), |(value, origin)| (value, *origin))
    }

    /// Returns all values for display. Secrets are masked.
    pub fn displayed(&self) -> impl Iterator<Item = (&'static str, String, SettingOrigin)> {
        self.0.iter().map(|(name, (value, origin))| {
            // A default is public and therefore not a secret.
            let secret = is_secret(name) && *origin != SettingOrigin::Default;
            let value = if secret { hidden(value) } else { value.clone() };
            (*name, value, *origin)
        })
    }
}

/// Masks a secret value: the password in a URL, or the whole value. The name of a file is not a
/// secret.
fn hidden(value: &str) -> String {
    match value {
        value if value.is_empty() || value.starts_with("file:") || value.starts_with("sqlite:") => {
            value.to_owned()
        }
        value if value.contains("://") => without_password(value),
        _ => "…".to_owned(),
    }
}

/// Masks the user's password and removes the query of a URL. The rest helps an operator.
#[must_use]
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:…@{}", host.split('?').next().unwrap_or_default())
        }
        None => format!("{scheme}://{}", rest.split('?').next().unwrap_or_default()),
    }
}

/// Returns the error for an unknown setting. `name` is its name, and `shown` is how it was written.
/// The error suggests the setting with the nearest name, or lists all settings if none is similar.
fn unknown(what: &str, shown: &str, name: &str, spell: impl Fn(&str) -> String) -> String {
    if let Some(nearest) = nearest(name) {
        let nearest = spell(nearest);
        return format!(
            "{what} {shown} is unknown; did you mean {nearest}? `switchboard serve --help` lists all settings"
        );
    }
    let all: Vec<String> = SETTINGS.iter().map(|setting| spell(setting.name)).collect();
    format!("{what} {shown} is unknown; the known ones are {}", all.join(", "))
}

/// Returns the setting with the most similar name. A name is similar if it begins with `name`, or
/// if at most a third of the characters differ.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let length = name.chars().count();
    let ranked = SETTINGS.iter().map(|setting| (levenshtein(&name, setting.name), setting.name));
    let is_similar = |(distance, setting): &(usize, &str)| {
        distance * 3 <= length.max(6) || (length > 2 && setting.starts_with(&name))
    };
    ranked.filter(is_similar).min().map(|(_, setting)| setting)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(variables: &[(&str, &str)]) -> Result<Effective, ConfigError> {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Effective::gather(variables, [("bind", Some("127.0.0.1:1".to_owned()))])
    }

    #[test]
    fn a_flag_prevails_over_the_environment() {
        let effective = gather(&[
            ("SWITCHBOARD_BIND", "127.0.0.1:2"),
            ("SWITCHBOARD_LOG", "debug"),
            ("PATH", "x"),
            // Variables for other commands are ignored.
            (CLIENT_ID_VARIABLE, "swk_1"),
            (CLIENT_SECRET_VARIABLE, "sws_1"),
        ])
        .unwrap();
        assert_eq!(effective.value("bind"), ("127.0.0.1:1", SettingOrigin::Flag));
        assert_eq!(effective.value("log"), ("debug", SettingOrigin::Environment));
    }

    #[test]
    fn an_unknown_setting_is_an_error_that_names_it() {
        let error = gather(&[("SWITCHBOARD_BINDD", "x")]).unwrap_err().to_string();
        assert!(error.contains("SWITCHBOARD_BINDD is unknown"), "{error}");
        assert!(error.contains("did you mean SWITCHBOARD_BIND?"), "{error}");
        // The error lists all settings only if no name is similar.
        assert!(!error.contains("SWITCHBOARD_DATABASE_URL"), "{error}");
        let error = gather(&[("SWITCHBOARD_ZZZZ", "x")]).unwrap_err().to_string();
        assert!(error.contains("SWITCHBOARD_DATABASE_URL"), "{error}");
    }

    #[test]
    fn the_nearest_setting_is_found() {
        for (name, expected) in [
            ("bnid", Some("bind")),
            ("logformat", Some("log_format")),
            ("log-format", Some("log_format")),
            ("databse_url", Some("database_url")),
            ("database", Some("database_url")),
            ("worker", Some("workers")),
            ("zzzz", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name), expected, "{name}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("postgres://u:p@ss@h/d?password=x"), "postgres://u:…@h/d");
        assert_eq!(hidden("sqlite:data/a.db"), "sqlite:data/a.db");
        assert_eq!(hidden("file:data/encryption.key"), "file:data/encryption.key");
        assert_eq!(hidden("c2VjcmV0"), "…");
    }
}
