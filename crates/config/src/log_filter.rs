//! The filter of the log, parsed from `SWITCHBOARD_LOG`.

use std::fmt;
use tracing_subscriber::filter::LevelFilter;

/// Log targets that are limited to this level unless the setting names them. An operator does not
/// need a library's lines about its start and stop. A line for each malformed request would let an
/// unauthenticated client fill the disk.
const QUIET_TARGETS: [(&str, LevelFilter); 2] =
    [("actix_server", LevelFilter::WARN), ("actix_http::h1::dispatcher", LevelFilter::OFF)];

/// A general log level, and levels for single targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter {
    general: Option<LevelFilter>,
    targets: Vec<(String, LevelFilter)>,
}

impl LogFilter {
    /// Parses levels and `target=level` pairs separated by commas. Returns nothing if an element is
    /// neither, or if there is no element. A single word must be a level. If it counted as a
    /// target, a misspelled level would turn off the whole log.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut filter = Self { general: None, targets: Vec::new() };
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                None => filter.general = Some(level(word)?),
                Some((target, text)) if is_target(target) => {
                    filter.targets.push((target.to_owned(), level(text)?));
                }
                Some(_) => return None,
            }
        }
        (filter.general.is_some() || !filter.targets.is_empty()).then_some(filter)
    }
}

/// Formats the directives of `tracing_subscriber::EnvFilter`. If only targets are named, everything
/// else is logged at the level `warn`.
impl fmt::Display for LogFilter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let general = self.general.unwrap_or(LevelFilter::WARN);
        write!(out, "{general}")?;
        for (quiet, most) in QUIET_TARGETS {
            write!(out, ",{quiet}={}", general.min(most))?;
        }
        self.targets.iter().try_for_each(|(target, level)| write!(out, ",{target}={level}"))
    }
}

fn level(word: &str) -> Option<LevelFilter> {
    // `LevelFilter` also parses numbers. They are rejected, because nobody knows what they mean.
    word.bytes().all(|byte| byte.is_ascii_alphabetic()).then(|| word.parse().ok()).flatten()
}

fn is_target(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-.".contains(&byte);
    !word.is_empty() && word.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(text: &str) -> Option<String> {
        LogFilter::parse(text).map(|filter| filter.to_string())
    }

    #[test]
    fn a_level_holds_for_everything_but_the_quiet_targets() {
        assert_eq!(
            directives("info").unwrap(),
            "info,actix_server=warn,actix_http::h1::dispatcher=off"
        );
        assert_eq!(
            directives(" DEBUG ,").unwrap(),
            "debug,actix_server=warn,actix_http::h1::dispatcher=off"
        );
        assert_eq!(
            directives("error").unwrap(),
            "error,actix_server=error,actix_http::h1::dispatcher=off"
        );
        assert_eq!(
            directives("off").unwrap(),
            "off,actix_server=off,actix_http::h1::dispatcher=off"
        );
    }

    #[test]
    fn a_named_target_has_its_own_level() {
        let named = directives("actix_server=info,delivery::worker=trace").unwrap();
        assert_eq!(
            named,
            "warn,actix_server=warn,actix_http::h1::dispatcher=off,actix_server=info,delivery::worker=trace"
        );
        assert!(tracing_subscriber::EnvFilter::try_new(named).is_ok());
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in ["", ",", "inof", "3", "info,delivery", "delivery=inof", "=info", "a=b=info"] {
            assert_eq!(directives(text), None, "{text}");
        }
    }
}
