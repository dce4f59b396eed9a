//! What the drills have found, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// What a figure has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Exactly that.
    Exactly(f64),
    /// That or less.
    AtMost(f64),
    /// That or more.
    AtLeast(f64),
    /// It is told only.
    None,
}

/// One thing that a drill has found.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Which drill, as it is named on the command line.
    pub drill: &'static str,
    /// What was measured or counted.
    pub what: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
    /// What it has to be.
    pub bound: Bound,
    /// An example of what is wrong, for whoever looks for the cause.
    pub note: String,
}

impl Figure {
    /// One without a unit.
    pub fn new(drill: &'static str, what: impl Into<String>, value: f64, bound: Bound) -> Self {
        Self { drill, what: what.into(), value, unit: "", bound, note: String::new() }
    }

    /// In that unit.
    pub fn of(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// With an example.
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Whether it is within its bound; nothing where there is none.
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

/// As a table in Markdown.
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

/// As JSON.
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
