//! Test questions: with them, a business checks its agent's answers before the agent answers
//! customers.

/// Maximum number of questions of an agent.
pub const MAX_QUESTIONS: usize = 50;
/// Maximum number of characters in a question.
pub const MAX_QUESTION_LENGTH: usize = 1000;
/// Maximum number of phrases that the answer to a question must contain, and also of phrases that
/// it must not contain.
pub const MAX_QUESTION_PHRASES: usize = 10;
/// Maximum number of characters in a phrase that an answer must or must not contain.
pub const MAX_PHRASE_LENGTH: usize = 200;

/// The phrases that the answer to a question must contain, and those that it must not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    pub must: Vec<String>,
    pub must_not: Vec<String>,
}

/// A fault of the answer to a test question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFlaw {
    #[error("the answer does not have “{0}”")]
    Missing(String),
    #[error("the answer has “{0}”")]
    Forbidden(String),
}

impl Expectation {
    /// Returns the faults of an answer: missing and forbidden phrases. Upper and lower case and
    /// repeated spaces are ignored.
    #[must_use]
    pub fn flaws(&self, answer: &str) -> Vec<AnswerFlaw> {
        let answer = folded(answer);
        let has = |phrase: &&String| answer.contains(&folded(phrase));
        let missing = self.must.iter().filter(|it| !has(it)).cloned().map(AnswerFlaw::Missing);
        let forbidden = self.must_not.iter().filter(has).cloned().map(AnswerFlaw::Forbidden);
        missing.chain(forbidden).collect()
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_compared_with_what_is_expected() {
        let expected = Expectation {
            must: vec!["nuts".to_owned(), "7 AM".to_owned()],
            must_not: vec!["free of allergens".to_owned()],
        };
        assert!(expected.flaws("We open at 7  am, and work with Nuts.").is_empty());
        assert_eq!(
            expected.flaws("It is FREE of\nallergens. We open at 7 AM."),
            [
                AnswerFlaw::Missing("nuts".to_owned()),
                AnswerFlaw::Forbidden("free of allergens".to_owned())
            ]
        );
        assert!(Expectation::default().flaws("").is_empty());
    }
}
