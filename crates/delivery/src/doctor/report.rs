//! The doctor's report, for people and for scripts.

use crate::checks::{CheckState, Finding};
use serde_json::{Value, json};

pub struct DoctorReport(pub Vec<Finding>);

impl DoctorReport {
    /// Returns the number of failed checks.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(CheckState::Failed)
    }

    fn count(&self, state: CheckState) -> usize {
        self.0.iter().filter(|finding| finding.state == state).count()
    }

    /// Formats a table of state, subject and finding, with the advice below each finding.
    #[must_use]
    pub fn table(&self) -> String {
        let width = self.0.iter().map(|it| it.subject.len()).max().unwrap_or_default();
        let mut lines = Vec::new();
        for Finding { subject, state, what, advice } in &self.0 {
            lines.push(format!("{:<8} {subject:<width$}  {what}", word(*state)));
            if !advice.is_empty() {
                lines.push(format!("{:<8} {:<width$}  → {advice}", "", ""));
            }
        }
        let (failed, warnings) = (self.failed(), counted(self.count(CheckState::Warning)));
        lines.push(format!("\n{} checks, {failed} failed, {warnings}\n", self.0.len()));
        lines.join("\n")
    }

    /// Returns the report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let findings = self.0.iter().map(|Finding { subject, state, what, advice }| {
            let advice = (!advice.is_empty()).then_some(advice);
            json!({"subject": subject, "state": word(*state), "found": what, "advice": advice})
        });
        json!({
            "ok": self.failed() == 0,
            "failed": self.failed(),
            "warnings": self.count(CheckState::Warning),
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}

const fn word(state: CheckState) -> &'static str {
    match state {
        CheckState::Ok => "ok",
        CheckState::Warning => "warning",
        CheckState::Failed => "failed",
    }
}

fn counted(warnings: usize) -> String {
    if warnings == 1 { "1 warning".to_owned() } else { format!("{warnings} warnings") }
}
