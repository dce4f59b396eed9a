//! The stored facts, look-ups and questions of AI agents.

use domain::agent::{Expectation, Fact};
use serde::{Deserialize, Serialize};

/// A look-up that a model may use: a request to a fixed address of the business.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookUp {
    pub name: String,
    pub description: String,
    pub url: String,
    /// The JSON schema of the arguments, as text.
    pub parameters: String,
    /// The name of the header with the secret.
    #[serde(default)]
    pub header: Option<String>,
}

/// A question that a business asks to test its agent's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentQuestion {
    pub text: String,
    pub expected: Expectation,
}

#[derive(Serialize, Deserialize)]
struct FactRow {
    title: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct QuestionRow {
    text: String,
    #[serde(default)]
    must: Vec<String>,
    #[serde(default)]
    must_not: Vec<String>,
}

/// Encodes a fact.
pub fn encode_fact(fact: &Fact) -> serde_json::Result<String> {
    serde_json::to_string(&FactRow { title: fact.title.clone(), text: fact.text.clone() })
}

/// Decodes a stored fact.
pub fn decode_fact(stored: &str) -> serde_json::Result<Fact> {
    let FactRow { title, text } = serde_json::from_str(stored)?;
    Ok(Fact { title, text })
}

/// Encodes a question.
pub fn encode_question(question: &AgentQuestion) -> serde_json::Result<String> {
    let Expectation { must, must_not } = question.expected.clone();
    serde_json::to_string(&QuestionRow { text: question.text.clone(), must, must_not })
}

/// Decodes a stored question.
pub fn decode_question(stored: &str) -> serde_json::Result<AgentQuestion> {
    let QuestionRow { text, must, must_not } = serde_json::from_str(stored)?;
    Ok(AgentQuestion { text, expected: Expectation { must, must_not } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written() {
        let fact = Fact { title: "Hours".to_owned(), text: "9 to 5".to_owned() };
        assert_eq!(decode_fact(&encode_fact(&fact).unwrap()).unwrap(), fact);
        let question = AgentQuestion {
            text: "When do you open?".to_owned(),
            expected: Expectation { must: vec!["9".to_owned()], must_not: vec!["10".to_owned()] },
        };
        assert_eq!(decode_question(&encode_question(&question).unwrap()).unwrap(), question);
        assert_eq!(decode_question(r#"{"text":"a"}"#).unwrap().expected, Expectation::default());
    }
}
