//! The drills' results, as a table and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The bound of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Exactly this value.
    Exactly(f64),
    /// This value or less.
    AtMost(f64),
    /// This value or more.
    AtLeast(f64),
    /// No bound: the figure is only reported.
    None,
}

/// One result of a drill.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of the drill on the command line.
    pub drill: &'static str,
    /// The measured or counted quantity, in words.
    pub what: String,
    pub value: f64,
    pub unit: &'static str,
    pub bound: Bound,
    /// An example of a failure, which helps to find its cause.
    pub note: String,
}

impl Figure {
    /// Creates a figure without a unit.
    pub fn new(drill: &'static str, what: impl Into<String>, value: f64, bound: Bound) -> Self {
        Self { drill, what: what.into(), value, unit: "", bound, note: String::new() }
    }

    /// Sets the unit.
    pub fn of(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Sets the note.
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Whether the figure is within its bound. `None` if it has no bound.
    pub fn passes(&self) -> Option<bool> {
        match self.bound {
            Bound::Exactly(bound) => Some((self.value - bound).abs() < f64::EPSILON),
            Bound::AtMost(bound) => Some(self.value <= bound),
            Bound::AtLeast(bound) => Some(self.value >= bound),
            Bound::None => None,
        }
    }

    fn bound(&self) -> String {
        match self.bound {
            Bound::Exactly(bound) => self.shown(bound),
            Bound::AtMost(bound) => format!("≤ {}", self.shown(bound)),
            Bound::AtLeast(bound) => format!("≥ {}", self.shown(bound)),
            Bound::None => String::new(),
        }
    }

    fn shown(&self, number: f64) -> String {
        let digits = if number.fract().abs() < f64::EPSILON { 0 } else { 2 };
        let number = format!("{number:.digits$}");
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }

    fn verdict(&self) -> &'static str {
        match self.passes() {
            Some(true) => "pass",
            Some(false) => "**fail**",
            None => "",
        }
    }
}

/// Formats the figures as a Markdown table.
pub fn table(figures: &[Figure]) -> String {
    let mut text =
        "| drill | what | figure | bound | result |\n|---|---|---:|---:|---|\n".to_owned();
    for it in figures {
        let note = if it.note.is_empty() { String::new() } else { format!(" ({})", it.note) };
        let figure = it.shown(it.value);
        let _ = writeln!(
            text,
            "| `{}` | {} | {figure} | {} | {}{note} |",
            it.drill,
            it.what,
            it.bound(),
            it.verdict()
        );
    }
    text
}

/// Formats the figures as JSON.
pub fn json(figures: &[Figure]) -> String {
    let figure = |it: &Figure| {
        json!({
            "drill": it.drill, "what": it.what, "value": it.value, "unit": it.unit,
            "bound": it.bound(), "passes": it.passes(), "note": it.note,
        })
    };
    let all: Vec<Value> = figures.iter().map(figure).collect();
    format!("{:#}", Value::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_judged_by_its_bound() {
        let passes = |bound| Figure::new("kill", "lost", 2.0, bound).passes();
        assert_eq!(passes(Bound::Exactly(2.0)), Some(true));
        assert_eq!(passes(Bound::Exactly(0.0)), Some(false));
        assert_eq!(passes(Bound::AtMost(1.9)), Some(false));
        assert_eq!(passes(Bound::AtLeast(1.6)), Some(true));
        assert_eq!(passes(Bound::None), None);
    }

    #[test]
    fn the_table_is_markdown() {
        let figures = [
            Figure::new("kill", "messages lost", 0.0, Bound::Exactly(0.0)),
            Figure::new("wake", "p99", 51.234, Bound::AtMost(50.0)).of("ms").noted("msg_1"),
        ];
        let table = table(&figures);
        assert!(table.contains("| `kill` | messages lost | 0 | 0 | pass |"), "{table}");
        assert!(
            table.contains("| `wake` | p99 | 51.23 ms | ≤ 50 ms | **fail** (msg_1) |"),
            "{table}"
        );
        assert!(json(&figures).contains("\"passes\": false"));
    }
}
