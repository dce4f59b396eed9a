//! Checks that the resources named in the settings exist and are usable. They run before the server
//! starts, and on an operator's request.
//!
//! A check does what the server will do later: it writes and deletes a file, or counts a call in a
//! rate limit window. A finding names the setting and says what to do.

pub mod bucket;
pub mod folders;
pub mod redis;
pub mod tls;

use config::Settings;
use parking_lot::{Mutex, MutexGuard};
use platform::files::StorageReports;
use std::fmt;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckState {
    Ok,
    /// The resource does not work now, but may work later without a change of settings: a service
    /// is unreachable, a disk is full.
    Warning,
    /// The resource cannot work until somebody changes something.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The environment variable of the setting to change, such as `SWITCHBOARD_REDIS_URL`.
    pub subject: &'static str,
    pub state: CheckState,
    /// The finding as a sentence without its period. It contains no secrets.
    pub what: String,
    /// Advice for the operator; empty if nothing has to be done.
    pub advice: String,
}

impl Finding {
    #[must_use]
    pub fn ok(subject: &'static str, what: impl Into<String>) -> Self {
        Self { subject, state: CheckState::Ok, what: what.into(), advice: String::new() }
    }

    #[must_use]
    pub fn warning(
        subject: &'static str,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { subject, state: CheckState::Warning, what: what.into(), advice: advice.into() }
    }

    #[must_use]
    pub fn failed(
        subject: &'static str,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { subject, state: CheckState::Failed, what: what.into(), advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.subject, self.what)?;
        if self.advice.is_empty() { Ok(()) } else { write!(out, "; {}", self.advice) }
    }
}

/// Runs all checks, for an operator, except opening the database.
pub async fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = before_start(settings).await;
    findings.extend(redis::check(settings).await);
    findings
}

/// Runs the checks before a start, except for the database and Redis, which the start itself opens.
pub async fn before_start(settings: &Settings) -> Vec<Finding> {
    let mut findings = folders::check(settings).await;
    findings.extend(tls::check(settings));
    // Without a folder for incoming uploads, the bucket cannot be opened.
    if findings.iter().all(|it| it.state != CheckState::Failed) {
        findings.extend(bucket::check(settings).await);
    }
    findings
}

/// Findings that make a start impossible.
#[derive(Debug, thiserror::Error)]
#[error("the server cannot run with these settings:\n{}", .0.iter().map(|it| format!("  - {it}")).collect::<Vec<_>>().join("\n"))]
pub struct StartError(pub Vec<Finding>);

/// Warnings from the start, and later failures that may resolve. The checks are repeated until they
/// succeed.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Vec<Finding>>);

impl Warnings {
    /// Logs the warnings among these findings and keeps them.
    ///
    /// # Errors
    ///
    /// Returns all failures if at least one finding is a failure.
    pub fn new(findings: Vec<Finding>) -> Result<Self, StartError> {
        let (failed, others): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|it| it.state == CheckState::Failed);
        if !failed.is_empty() {
            return Err(StartError(failed));
        }
        let warnings: Vec<_> =
            others.into_iter().filter(|it| it.state == CheckState::Warning).collect();
        for warning in &warnings {
            tracing::warn!(setting = warning.subject, "{warning}");
        }
        Ok(Self(Mutex::new(warnings)))
    }

    /// Returns the settings whose checks have not succeeded yet, and those of a file store that has
    /// failed since the last check.
    #[must_use]
    pub fn subjects(&self, store: &StorageReports) -> Vec<&'static str> {
        let mut subjects: Vec<_> = self.lock().iter().map(|it| it.subject).collect();
        subjects.extend(store.settings());
        subjects.sort_unstable();
        subjects.dedup();
        subjects
    }

    /// Repeats the checks if there are warnings, or if the file store has failed since the last
    /// check. Removes the warnings about settings that work now.
    pub async fn check_again(&self, settings: &Settings, store: &StorageReports) {
        let before = self.subjects(store);
        if before.is_empty() {
            return;
        }
        // The reports are cleared first, so that a failure during the checks is not lost.
        store.clear();
        let mut findings = before_start(settings).await;
        findings.retain(|it| it.state != CheckState::Ok);
        let still = |subject| findings.iter().any(|it| it.subject == subject);
        for subject in before.into_iter().filter(|subject| !still(*subject)) {
            tracing::info!(setting = subject, "this setting works again");
        }
        *self.lock() = findings;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Finding>> {
        self.0.lock()
    }
}
