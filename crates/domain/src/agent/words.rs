//! Phrases with which a contact asks for a person.

/// The built-in phrases, in common languages. A phrase of one or two words must be the whole
/// message. A longer phrase may be anywhere in the message.
const PHRASES: [&str; 34] = [
    "human",
    "a human",
    "real person",
    "a person",
    "talk to a person",
    "speak to someone",
    "talk to someone",
    "talk to a human",
    "speak to a human",
    "speak to a person",
    "customer service",
    "mensch",
    "mitarbeiter",
    "mit einem menschen",
    "mit einem mitarbeiter",
    "echter mensch",
    "persona",
    "humano",
    "una persona",
    "hablar con una persona",
    "hablar con alguien",
    "hablar con un humano",
    "agente humano",
    "atendente",
    "falar com atendente",
    "falar com um atendente",
    "falar com uma pessoa",
    "humain",
    "une personne",
    "parler à quelqu un",
    "parler à un humain",
    "operatore",
    "parlare con una persona",
    "parlare con un operatore",
];

/// Whether a text asks for a person, with a built-in phrase or with one of `phrases`.
#[must_use]
pub fn asks_for_person(text: &str, phrases: &[String]) -> bool {
    let text = normalized(text);
    let built_in = PHRASES.iter().map(|phrase| (*phrase).to_owned());
    built_in.chain(phrases.iter().map(|phrase| normalized(phrase))).any(|phrase| {
        let is_long = phrase.split(' ').count() >= 3;
        !phrase.is_empty() && (text == phrase || (is_long && has_words(&text, &phrase)))
    })
}

/// Whether a text contains the phrase as whole words. Both must be normalized.
fn has_words(text: &str, phrase: &str) -> bool {
    format!(" {text} ").contains(&format!(" {phrase} "))
}

/// Returns the words of a text in lowercase, separated by single spaces.
fn normalized(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_for_in_words() {
        for text in [
            "Human!",
            "  HUMANO ",
            "Can I talk to a person, please?",
            "Ich möchte mit einem Menschen sprechen",
            "parler à quelqu'un",
        ] {
            assert!(asks_for_person(text, &[]), "{text}");
        }
        for text in
            ["", "?", "I am only human", "Two persons for dinner", "Is a person allowed in?"]
        {
            assert!(!asks_for_person(text, &[]), "{text}");
        }
        let own = ["the boss".to_owned(), "get me the boss".to_owned(), " ".to_owned()];
        assert!(asks_for_person("The boss?", &own));
        assert!(asks_for_person("Please get me the boss now", &own));
        assert!(!asks_for_person("The boss was nice", &own));
    }
}
