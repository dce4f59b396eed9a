//! The stored trace of a turn: the requests to the agent, the tools that it used, and its answer. A
//! trace never contains secrets.

use serde::{Deserialize, Serialize};

/// Maximum number of bytes of a stored trace.
pub const MAX_TRACE_BYTES: usize = 64 * 1024;
/// Maximum number of characters of one text in a trace.
const MAX_TEXT_LENGTH: usize = 8 * 1024;
/// The number of bytes that a step may always use, as long as the trace has room for them.
const MIN_STEP_BYTES: usize = 1024;

/// The trace of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTrace {
    pub steps: Vec<TraceStep>,
    /// Whether steps were left out because of the bound.
    #[serde(default)]
    pub is_cut: bool,
}

/// One step of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum TraceStep {
    /// A request to the agent.
    Asked {
        /// The model's name or the webhook's address.
        target: String,
        /// The messages that were added since the previous request.
        messages: Vec<TraceMessage>,
        tools: Vec<String>,
        took_ms: u64,
        #[serde(default)]
        tokens: Option<u64>,
        /// The cost as readable text.
        #[serde(default)]
        cost: Option<String>,
        #[serde(default)]
        error: Option<String>,
    },
    /// A tool that the model used.
    Used { tool: String, arguments: String, result: String, took_ms: u64 },
    /// The answer of the agent, as JSON.
    Answered { answer: String },
}

/// A message of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceMessage {
    pub role: String,
    pub text: String,
}

impl TurnTrace {
    /// Decodes a stored trace.
    pub fn decode(stored: &str) -> serde_json::Result<Self> {
        serde_json::from_str(stored)
    }

    pub fn encode(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Adds a step. Its texts are cut to fit. If there is no room even for cut texts, the step is
    /// left out.
    pub fn add(&mut self, step: &TraceStep) {
        // The number of bytes for `is_cut` and the braces.
        const FRAME: usize = 64;
        let used = size_of(&self.steps).saturating_add(FRAME);
        let room = MAX_TRACE_BYTES.saturating_sub(used);
        // Half of the room is kept for later steps.
        let most = (room / 2).max(MIN_STEP_BYTES).min(room);
        let mut length = MAX_TEXT_LENGTH;
        while length > 0 {
            let short = step.shortened(length);
            if size_of(&short) <= most {
                self.steps.push(short);
                return;
            }
            length /= 2;
        }
        self.is_cut = true;
    }
}

/// Returns the number of bytes of a value as stored JSON. A value that cannot be encoded counts as
/// too large.
fn size_of(value: &impl Serialize) -> usize {
    serde_json::to_string(value).ok().map_or(usize::MAX, |text| text.len())
}

impl TraceStep {
    fn shortened(&self, length: usize) -> Self {
        let cut = |text: &str| cut(text, length);
        match self {
            Self::Asked { target, messages, tools, took_ms, tokens, cost, error } => Self::Asked {
                target: cut(target),
                messages: messages
                    .iter()
                    .map(|it| TraceMessage { role: it.role.clone(), text: cut(&it.text) })
                    .collect(),
                tools: tools.clone(),
                took_ms: *took_ms,
                tokens: *tokens,
                cost: cost.clone(),
                error: error.as_deref().map(cut),
            },
            Self::Used { tool, arguments, result, took_ms } => Self::Used {
                tool: cut(tool),
                arguments: cut(arguments),
                result: cut(result),
                took_ms: *took_ms,
            },
            Self::Answered { answer } => Self::Answered { answer: cut(answer) },
        }
    }
}

/// Returns the start of a text, followed by a note of how much is missing.
fn cut(text: &str, length: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(length) else { return text.to_owned() };
    let (start, rest) = text.split_at(end);
    format!("{start}… ({} more characters)", rest.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> TraceStep {
        TraceStep::Asked {
            target: "small".to_owned(),
            messages: vec![TraceMessage { role: "user".to_owned(), text: text.to_owned() }],
            tools: vec!["hand_over".to_owned()],
            took_ms: 7,
            tokens: Some(12),
            cost: Some("$0.0021".to_owned()),
            error: None,
        }
    }

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let mut trace = TurnTrace::default();
        trace.add(&asked("Hello"));
        trace.add(&TraceStep::Used {
            tool: "search_facts".to_owned(),
            arguments: "{}".to_owned(),
            result: "Nothing".to_owned(),
            took_ms: 1,
        });
        trace.add(&TraceStep::Answered { answer: "{}".to_owned() });
        assert_eq!(TurnTrace::decode(&trace.encode().unwrap()).unwrap(), trace);
    }

    #[test]
    fn a_trace_is_bounded() {
        let mut trace = TurnTrace::default();
        for _ in 0..200 {
            trace.add(&asked(&"\u{1}\"é".repeat(50_000)));
        }
        assert!(trace.encode().unwrap().len() <= MAX_TRACE_BYTES);
        assert!(trace.steps.len() > 5 && trace.is_cut);
        assert_eq!(cut("Grüße", 3), "Grü… (2 more characters)");
    }
}
