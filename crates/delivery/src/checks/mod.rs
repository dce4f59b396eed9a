//! Whether what the settings name is there and can be used: asked before a server starts, and by an operator.
//!
//! A check tries what the server will do later: it writes and removes a file, asks for a place in a rate
//! window. What it finds names the setting and says what to do.

pub mod bucket;
pub mod folders;
pub mod redis;
pub mod tls;

use config::Settings;
use service::files::Reports;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It works.
    Ok,
    /// It does not work now and may later, without anybody changing a setting: a service that is away, a full disk.
    Warning,
    /// It cannot work until somebody changes something.
    Failed,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What an operator would change, as it is called in the environment: `SWITCHBOARD_REDIS_URL`.
    pub subject: &'static str,
    /// How it is.
    pub state: State,
    /// What was found, a sentence without its full stop. It holds no secrets.
    pub what: String,
    /// What to do, as well; empty where nothing is to be done.
    pub advice: String,
}

impl Finding {
    /// It works.
    #[must_use]
    pub fn ok(subject: &'static str, what: impl Into<String>) -> Self {
        Self { subject, state: State::Ok, what: what.into(), advice: String::new() }
    }

    /// It may work later.
    #[must_use]
    pub fn warning(
        subject: &'static str,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { subject, state: State::Warning, what: what.into(), advice: advice.into() }
    }

    /// It cannot work.
    #[must_use]
    pub fn failed(
        subject: &'static str,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { subject, state: State::Failed, what: what.into(), advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.subject, self.what)?;
        if self.advice.is_empty() { Ok(()) } else { write!(out, "; {}", self.advice) }
    }
}

/// All checks, for an operator. Whether the database can be opened is not among them.
pub async fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = before_start(settings).await;
    findings.extend(redis::check(settings).await);
    findings
}

/// The checks that a start waits for beside the database and Redis, which it opens itself.
pub async fn before_start(settings: &Settings) -> Vec<Finding> {
    let mut findings = folders::check(settings).await;
    findings.extend(tls::check(settings));
    // Without a folder for what is on its way into it, the bucket cannot even be opened.
    if findings.iter().all(|it| it.state != State::Failed) {
        findings.extend(bucket::check(settings).await);
    }
    findings
}

/// A start that cannot succeed.
#[derive(Debug, thiserror::Error)]
#[error("the server cannot work as it is set up:\n{}", .0.iter().map(|it| format!("  - {it}")).collect::<Vec<_>>().join("\n"))]
pub struct StartError(pub Vec<Finding>);

/// What did not work at the start, or has failed since, and may work later. It is retried until it does.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Vec<Finding>>);

impl Warnings {
    /// Logs the warnings among these findings and keeps them; an error if one of the findings is a failure.
    pub fn of(findings: Vec<Finding>) -> Result<Self, StartError> {
        let (failed, others): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|it| it.state == State::Failed);
        if !failed.is_empty() {
            return Err(StartError(failed));
        }
        let warnings: Vec<_> = others.into_iter().filter(|it| it.state == State::Warning).collect();
        for warning in &warnings {
            tracing::warn!(setting = warning.subject, "{warning}");
        }
        Ok(Self(Mutex::new(warnings)))
    }

    /// The settings whose checks have not succeeded yet, and those of a store that has failed since.
    #[must_use]
    pub fn subjects(&self, store: &Reports) -> Vec<&'static str> {
        let mut subjects: Vec<_> = self.lock().iter().map(|it| it.subject).collect();
        subjects.extend(store.settings());
        subjects.sort_unstable();
        subjects.dedup();
        subjects
    }

    /// Runs the checks again if one of them has not succeeded or the store of files has failed since, and forgets
    /// those that do.
    pub async fn check_again(&self, settings: &Settings, store: &Reports) {
        let before = self.subjects(store);
        if before.is_empty() {
            return;
        }
        // First: what fails meanwhile is tried the next time.
        store.clear();
        let mut findings = before_start(settings).await;
        findings.retain(|it| it.state != State::Ok);
        let still = |subject| findings.iter().any(|it| it.subject == subject);
        for subject in before.into_iter().filter(|subject| !still(*subject)) {
            tracing::info!(setting = subject, "what did not work works now");
        }
        *self.lock() = findings;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Finding>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
